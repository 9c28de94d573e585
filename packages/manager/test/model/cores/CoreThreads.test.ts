/** System calls of the threads of a core file. */
import { assert, it } from "@effect/vitest"
import * as CoreThreads from "../../../src/model/cores/CoreThreads.ts"

const note = (registers: { readonly [place: number]: bigint }, id = 42) => {
  const view = new DataView(new ArrayBuffer(336))
  view.setInt32(32, id, true)
  for (const [place, value] of Object.entries(registers))
    view.setBigUint64(112 + Number(place) * 8, BigInt.asUintN(64, value), true)
  return new Uint8Array(view.buffer)
}

/** A thread in `futex` (202): rax, rcx, number, rip, and the arguments in rdi, rsi, rdx. */
const waiting = { 10: -512n, 11: 0x7000n, 15: 202n, 16: 0x7000n, 14: 0x1000n, 13: 0x80n, 12: 2n }

it("takes a thread for one in a system call only if its registers are those of an interrupted call", () => {
  const found = CoreThreads.threadOf(note(waiting))
  assert.deepStrictEqual(found, {
    id: 42,
    isKnown: true,
    call: { number: 202, arguments: [0x1000n, 0x80n, 2n, 0n, 0n, 0n] }
  })
  const unknown = { id: 42, isKnown: false }
  // A call that failed, such as one that a signal ended, and registers that a program wrote later.
  assert.deepStrictEqual(CoreThreads.threadOf(note({ ...waiting, 10: -4n })), unknown)
  assert.deepStrictEqual(CoreThreads.threadOf(note({ ...waiting, 11: 0x6000n })), unknown)
  // Behind a call that has returned, as tgkill in abort(3), and without a number the thread ran.
  assert.deepStrictEqual(CoreThreads.threadOf(note({ ...waiting, 10: 0n, 15: 234n })), { id: 42, isKnown: true })
  assert.deepStrictEqual(CoreThreads.threadOf(note({ ...waiting, 15: -1n })), { id: 42, isKnown: true })
  assert.isUndefined(CoreThreads.threadOf(new Uint8Array(100)))
})
