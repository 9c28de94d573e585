/** The meaning of instructions that stop the program on purpose. */
import { assert, it } from "@effect/vitest"
import * as Traps from "../../../src/model/signals/Traps.ts"

it("names the check of clang by the number in the instruction", () => {
  assert.match(
    Traps.of({ mnemonic: "ud1", trap: 0 }) ?? "",
    /^a check of -fsanitize-trap failed: an addition overflowed/
  )
  assert.match(
    Traps.of({ mnemonic: "ud1", trap: 18 }) ?? "",
    /^a check of -fsanitize-trap failed: an index is out of bounds/
  )
  assert.match(Traps.of({ mnemonic: "brk", trap: 0x5514 }) ?? "", /^a check of -fsanitize-trap failed: a shift/)
  assert.match(Traps.of({ mnemonic: "ud1", trap: 90 }) ?? "", /failed: number 90$/)
})

it("says what a trap without a number may be", () => {
  assert.match(Traps.of({ mnemonic: "ud2" }) ?? "", /__builtin_trap/)
  assert.match(Traps.of({ mnemonic: "brk", trap: 1 }) ?? "", /__builtin_trap/)
  assert.isUndefined(Traps.of({ mnemonic: "brk", trap: 0xf000 }))
  assert.isUndefined(Traps.of({ mnemonic: "mov" }))
})
