import { assert, it } from "@effect/vitest"
import * as IntegerTexts from "../../src/model/IntegerTexts.ts"

const text = (type: string, ...bytes: ReadonlyArray<number>) => IntegerTexts.of(type, Uint8Array.from(bytes))

it("has atomic integers and those of 128 bits in decimal form", () => {
  assert.strictEqual(text("_Atomic(int)", 14, 0, 0, 0), "14")
  assert.strictEqual(
    text("volatile _Atomic(long long)", 0xb8, 0x51, 0x59, 0x70, 0xfd, 0xff, 0xff, 0xff),
    "-11000000072"
  )
  assert.strictEqual(text("_Atomic unsigned int", 255, 255, 255, 255), "4294967295")
  assert.strictEqual(text("_Atomic(_Bool)", 1), "true")
  assert.strictEqual(text("_Atomic(bool)", 0), "false")
  const low = [0xe9, 3, 0, 0, 0, 0, 0, 0]
  assert.strictEqual(text("__int128", ...low, ...low.map(() => 255)), String((-1n << 64n) + 1001n))
  assert.strictEqual(text("unsigned __int128", ...low, ...low), String((1001n << 64n) + 1001n))
})

it("leaves other types to the debugger", () => {
  for (const type of ["_Atomic(char)", "char", "float", "Counter", "_Atomic(Pair)", "int *"]) {
    assert.isUndefined(text(type, 1, 0, 0, 0), type)
  }
  assert.isUndefined(text("_Bool", 7))
})
