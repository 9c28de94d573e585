/** Owners of locks by the words in memory, in the layout of glibc. */
import { assert, it } from "@effect/vitest"
import * as LockWords from "../../../src/model/waits/LockWords.ts"

const words = (...numbers: ReadonlyArray<number>): LockWords.Words => ({
  address: 0x1000n,
  bytes: new Uint8Array(Int32Array.from(numbers).buffer)
})

it("names the owner of a mutex only if all words are those of a locked mutex with waiters", () => {
  const check = (numbers: ReadonlyArray<number>, owner: number | undefined) =>
    assert.strictEqual(LockWords.mutexOwner(words(...numbers)), owner, numbers.join(" "))
  check([2, 0, 77, 1, 0, 0], 77)
  // Recursive, with error checks, without elision.
  check([2, 3, 77, 1, 1, 0], 77)
  check([2, 0, 77, 1, 2, 0], 77)
  check([2, 0, 77, 1, 0x200, 0], 77)
  // A robust mutex has the owner in its lock word.
  check([77 | 0x8000_0000, 0, 77, 1, 0x10, 0], 77)
  check([78 | 0x8000_0000, 0, 77, 1, 0x10, 0], undefined)
  // Its earlier owner has ended, and the current one has not made it consistent.
  check([77 | 0x8000_0000, 1, 0x7fff_ffff, 1, 0x90, 0], 77)
  check([77 | 0xc000_0000, 1, 0x7fff_ffff, 1, 0x90, 0], undefined)
  check([77 | 0x8000_0000, 1, 0x7fff_ffff, 1, 0x80, 0], undefined)
  check([2, 1, 0x7fff_ffff, 1, 0x80, 0], undefined)
  // Without waiters, without an owner, without users; a kind that no mutex has.
  check([1, 0, 77, 1, 0, 0], undefined)
  check([2, 0, 0, 0, 0, 0], undefined)
  check([2, 0, -1, 1, 0, 0], undefined)
  check([2, 0, 77, 0, 0, 0], undefined)
  check([2, 0, 77, 1, 0x400, 0], undefined)
  check([2, 0, 77, 1, -1, 0], undefined)
  check([2, 0, 77], undefined)
})

it("names the owner of a recursive lock of the C library by the address of its thread", () => {
  const check = (numbers: ReadonlyArray<number>, owner: bigint | undefined) =>
    assert.strictEqual(LockWords.recursiveOwner(words(...numbers)), owner, numbers.join(" "))
  check([2, 1, 0x7dd0_06c0, 0x7fff], 0x7fff_7dd0_06c0n)
  check([2, 3, 0xf7dd_06c0 | 0, 0x7fff], 0x7fff_f7dd_06c0n)
  // Without waiters, without a holder, and in memory that ends before the owner.
  check([1, 1, 0x7dd0_06c0, 0x7fff], undefined)
  check([2, 0, 0x7dd0_06c0, 0x7fff], undefined)
  check([2, 1, 0, 0], undefined)
  check([2, 1, 0x7dd0_06c0], undefined)
})

it("names the owner of a robust mutex only by its lock word and its kind", () => {
  const check = (numbers: ReadonlyArray<number>, owner: number | undefined) =>
    assert.strictEqual(LockWords.robustOwner(words(...numbers)), owner, numbers.join(" "))
  check([77 | 0x8000_0000, 0, 77, 1, 0x10, 0], 77)
  check([77 | 0x8000_0000, 0, 77, 1, 0x90, 0], 77)
  check([2, 0, 77, 1, 0x10, 0], undefined)
  check([77 | 0x8000_0000, 0, 77, 1, 0, 0], undefined)
  check([77 | 0x8000_0000, 0, 78, 1, 0x10, 0], undefined)
})

it("names the owner of a lock with priority inheritance unless it has ended", () => {
  assert.strictEqual(LockWords.inheritingOwner(words(77 | 0x8000_0000)), 77)
  assert.strictEqual(LockWords.inheritingOwner(words(77)), 77)
  assert.strictEqual(LockWords.inheritingOwner(words(77 | 0x4000_0000)), undefined)
  assert.strictEqual(LockWords.inheritingOwner(words(0)), undefined)
  assert.strictEqual(LockWords.inheritingOwner({ address: 0n, bytes: new Uint8Array(3) }), undefined)
})

it("counts readers, or names the writer of a lock", () => {
  const lock = (readers: number, writer: number) => words(readers, 0, 0, 0, 0, 0, writer, 0)
  assert.deepStrictEqual(LockWords.rwlockOwner(lock((2 << 3) | 2, 0)), { readers: 2 })
  assert.deepStrictEqual(LockWords.rwlockOwner(lock(3, 77)), { readers: 0, writer: 77 })
  assert.strictEqual(LockWords.rwlockOwner(lock(0, -1)), undefined)
  assert.strictEqual(LockWords.rwlockOwner(words(8, 0, 0)), undefined)
})
