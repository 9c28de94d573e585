/** Pointers with the bytes of a text. */
import { assert, it } from "@effect/vitest"
import * as PointerText from "../../../src/model/crashes/PointerText.ts"

it("shows the text that was copied over a pointer", () => {
  assert.strictEqual(
    PointerText.written("p->n: p = 0x7265676e6f6c", [0x7265676e6f6cn]),
    'p->n: p = 0x7265676e6f6c ("longer")'
  )
  assert.strictEqual(
    PointerText.written("p->n: p = 0x7265676e6f6c", [0x7265676e6f6cn, 0x7265676e6f6cn]),
    'p->n: p = 0x7265676e6f6c ("longer")'
  )
  assert.strictEqual(
    PointerText.written("q = 0x7265676e6f6c21, p = 0x7265676e6f6c", [0x7265676e6f6cn]),
    'q = 0x7265676e6f6c21, p = 0x7265676e6f6c ("longer")'
  )
  assert.strictEqual(PointerText.ofCode(0x4141414141414141n), ' ("AAAAAAAA")')
  assert.strictEqual(PointerText.ofCode(0x0a41414141414141n), "")
})

it("shows no text in addresses of programs, and in short ones", () => {
  for (const address of [0x555555565b60n, 0x7fffffffe380n, 0x41414141n, 0xfd71n, 0n]) {
    const text = `p = 0x${address.toString(16)}`
    assert.strictEqual(PointerText.written(text, [address]), text)
  }
})
