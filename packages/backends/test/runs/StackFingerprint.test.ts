import { assert, it } from "@effect/vitest"
import * as StackFingerprint from "../../src/runs/StackFingerprint.ts"

const maps = `555555554000-555555555000 r--p 00000000 fe:00 1 /app
555555555000-555555556000 r-xp 00001000 fe:00 1 /app
7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]
`
const sp = 0x7fffffffe000n
const [code, data] = [0x555555555123n, 0x555555554010n]

const made = (words: ReadonlyArray<bigint>, { fp = sp + 8n, pc = code } = {}) =>
  StackFingerprint.make(maps, { fp, pc, sp }, new Uint8Array(BigUint64Array.from(words).buffer))

it("a fingerprint has the words that lead to code or into the stack, and no others", () => {
  const one = made([7n, sp + 16n, code, data])
  assert.strictEqual(one, made([8n, sp + 16n, code, 0n]), "numbers and data do not count")
  const others = [
    made([7n, sp + 16n, code + 1n, data]),
    made([7n, sp + 8n, code, data]),
    made([7n, sp + 16n, data, code]),
    made([7n, code, sp + 16n, data]),
    made([7n, sp + 16n, code, data], { pc: code + 4n }),
    made([7n, sp + 16n, code, data], { fp: sp })
  ]
  assert.lengthOf(new Set([one, ...others]), others.length + 1)
})

it("a frame pointer that is none does not count", () => {
  assert.strictEqual(made([code], { fp: 1n }), made([code], { fp: 2n }))
})
