/** What a thread waits for by the number and the arguments of its system call. */
import { assert, it } from "@effect/vitest"
import * as SystemCalls from "../../../src/model/waits/SystemCalls.ts"

const at = (number: number, ...values: ReadonlyArray<number>) => ({
  id: 1,
  isKnown: true,
  call: { number, arguments: [...values, 0, 0, 0, 0, 0, 0].slice(0, 6).map(BigInt) }
})

const futexOf = (operation: number, expected: number) =>
  SystemCalls.waitOf(at(202, 0x1000, operation, expected), "x64")?.futex

it("reads what a wait on a futex expects, and how it waits", () => {
  const futex = { address: 0x1000n, expected: 2 }
  assert.deepStrictEqual(futexOf(0x80, 2), { ...futex, isPrivate: true, inherits: false, plain: true })
  assert.deepStrictEqual(futexOf(0, 2), { ...futex, isPrivate: false, inherits: false, plain: true })
  // FUTEX_WAIT_BITSET with the clock of the wall, FUTEX_LOCK_PI, FUTEX_LOCK_PI2.
  assert.deepStrictEqual(futexOf(0x189, 2), { ...futex, isPrivate: true, inherits: false, plain: false })
  assert.deepStrictEqual(futexOf(0x86, 2), { ...futex, isPrivate: true, inherits: true, plain: false })
  assert.deepStrictEqual(futexOf(0x8d, 2), { ...futex, isPrivate: true, inherits: true, plain: false })
  // FUTEX_WAKE does not wait.
  assert.isUndefined(SystemCalls.waitOf(at(202, 0x1000, 1, 1), "x64"))
  // FUTEX_WAIT_REQUEUE_PI
  assert.deepStrictEqual(SystemCalls.waitOf(at(202, 0x1000, 11, 1), "x64"), { kind: "unknown", name: "futex" })
})

it("says which waits end by themselves", () => {
  const isLimited = (arch: string, ...call: Parameters<typeof at>) =>
    SystemCalls.waitOf(at(...call), arch)?.limited === true
  // FUTEX_WAIT and FUTEX_WAIT_BITSET with the address of a time, or without.
  assert.isTrue(isLimited("x64", 202, 0x1000, 0x80, 2, 0x2000))
  assert.isTrue(isLimited("arm64", 98, 0x1000, 0x189, 2, 0x2000))
  assert.isFalse(isLimited("x64", 202, 0x1000, 0x189, 2, 0))
  // poll, epoll_wait and epoll_pwait have milliseconds, ppoll, select, epoll_pwait2 and rt_sigtimedwait the address of a time.
  assert.isTrue(isLimited("x64", 7, 0x1000, 1, 500))
  assert.isTrue(isLimited("x64", 232, 5, 0x1000, 2, 500))
  assert.isTrue(isLimited("arm64", 22, 5, 0x1000, 2, 500))
  assert.isFalse(isLimited("arm64", 22, 5, 0x1000, 2, 0xffff_ffff))
  assert.isTrue(isLimited("x64", 271, 0x1000, 1, 0x2000))
  assert.isFalse(isLimited("arm64", 73, 0x1000, 1, 0))
  assert.isTrue(isLimited("x64", 23, 4, 0x1000, 0, 0, 0x2000))
  assert.isFalse(isLimited("x64", 23, 4, 0x1000, 0, 0x2000, 0))
  assert.isTrue(isLimited("x64", 441, 5, 0x1000, 2, 0x2000))
  assert.isTrue(isLimited("x64", 128, 0x1000, 0, 0x2000))
  assert.isFalse(isLimited("x64", 130, 0x1000, 8, 0x2000))
  assert.isFalse(isLimited("x64", 0, 3, 0x1000, 8, 1))
})

it("takes a wait in a function of conditions for one for its mutex only with a locked word", () => {
  const may = (operation: number, expected: number) => {
    const futex = futexOf(operation, expected)
    return futex !== undefined && SystemCalls.mayBeLock(futex)
  }
  assert.isTrue(may(0x80, 2))
  assert.isFalse(may(0x80, 0))
  assert.isFalse(may(0x189, 2))
})

it("names what is read, written, slept for or waited for, by the processor", () => {
  const check = (call: Parameters<typeof SystemCalls.waitOf>[0], arch: string, expected: object | undefined) =>
    assert.deepStrictEqual(SystemCalls.waitOf(call, arch), expected)
  check(at(0, 3), "x64", { kind: "read", fd: 3 })
  check(at(63, 3), "arm64", { kind: "read", fd: 3 })
  check(at(1, 0xffff_ffff), "x64", { kind: "write", fd: -1 })
  check(at(35), "x64", { kind: "sleep" })
  check(at(7, 0, 0), "x64", { kind: "sleep" })
  check(at(7, 0x1000, 2, 0xffff_ffff), "x64", { kind: "poll", polled: { by: "poll", address: 0x1000n, count: 2 } })
  // An event loop with work to do only looks.
  check(at(232, 5, 0x1000, 2, 0), "x64", undefined)
  check(at(7, 0x1000, 2, 0), "x64", undefined)
  check(at(232, 5, 0x1000, 2, 0xffff_ffff), "x64", { kind: "poll", polled: { by: "epoll", fd: 5 } })
  check(at(22, 5, 0x1000, 2, 0xffff_ffff), "arm64", { kind: "poll", polled: { by: "epoll", fd: 5 } })
  check(at(70, 6, 0x1000), "x64", { kind: "unknown", name: "msgrcv", uses: "message queue 6" })
  check(at(220, 7, 0x1000), "x64", { kind: "unknown", name: "semop", uses: "semaphore set 7" })
  check(at(220, 7, 0x1000, 1, 0x2000), "x64", { kind: "unknown", name: "semtimedop", uses: "semaphore set 7" })
  check(at(243, 3, 0x1000), "x64", { kind: "unknown", name: "mq_timedreceive", fd: 3 })
  check(at(61, 42), "x64", { kind: "child", pid: 42 })
  check(at(61, 0xffff_ffff), "x64", { kind: "child" })
  check(at(72, 4, 7), "x64", { kind: "lock", fd: 4, lock: "fcntl" })
  check(at(72, 4, 6), "x64", { kind: "unknown", name: "fcntl" })
  check(at(73, 4, 2), "x64", { kind: "lock", fd: 4, lock: "flock" })
  check(at(2, 0x1000, 0), "x64", { kind: "open", name: "open", path: 0x1000n, only: "read" })
  check(at(257, 0xffff_ff9c, 0x1000, 0x80001), "x64", { kind: "open", name: "openat", path: 0x1000n, only: "write" })
  check(at(56, 0xffff_ff9c, 0x1000, 2), "arm64", { kind: "open", name: "openat", path: 0x1000n })
  check(at(24), "x64", undefined)
  check(at(124), "arm64", undefined)
  check(at(39), "x64", { kind: "unknown", name: "getpid" })
  check(at(9999), "x64", { kind: "unknown" })
  check(at(43, 3), "x64", { kind: "accept", fd: 3 })
  check(at(202, 3), "arm64", { kind: "accept", fd: 3 })
  check(at(42, 3), "x64", { kind: "connect", fd: 3 })
  check(at(23, 0), "x64", { kind: "sleep" })
  check(at(23, 4, 0x1000, 0, 0x2000), "x64", {
    kind: "poll",
    polled: { by: "select", sets: [0x1000n, 0x2000n], count: 4 }
  })
  check(at(70, 4), "x64", { kind: "unknown", name: "msgrcv", uses: "message queue 4" })
  check(at(188, 4), "arm64", { kind: "unknown", name: "msgrcv", uses: "message queue 4" })
  check(at(0, 3), "riscv64", { kind: "unknown" })
  check({ id: 1, isKnown: true }, "x64", undefined)
})

it("reads the number of a continued call from the instructions before the program counter", () => {
  const number = (arch: string, ...bytes: ReadonlyArray<number>) => SystemCalls.numberAt(Uint8Array.from(bytes), arch)
  assert.isTrue(SystemCalls.isRestart({ number: 219, arguments: [] }, "x64"))
  assert.isTrue(SystemCalls.isRestart({ number: 128, arguments: [] }, "arm64"))
  assert.isFalse(SystemCalls.isRestart({ number: 128, arguments: [] }, "x64"))
  // mov $0xca, %eax; syscall
  assert.strictEqual(number("x64", 0x90, 0xb8, 0xca, 0, 0, 0, 0x0f, 0x05), 202)
  // mov %rdi, %rax; syscall
  assert.isUndefined(number("x64", 0x90, 0x90, 0x90, 0x48, 0x89, 0xf8, 0x0f, 0x05))
  assert.isUndefined(number("x64", 0xb8, 0xca, 0, 0, 0, 0x0f, 0x05))
  // mov x8, #98; svc #0
  assert.strictEqual(number("arm64", 0x48, 0x0c, 0x80, 0xd2, 0x01, 0, 0, 0xd4), 98)
  // mov x9, #98; svc #0
  assert.isUndefined(number("arm64", 0x49, 0x0c, 0x80, 0xd2, 0x01, 0, 0, 0xd4))
  assert.strictEqual(SystemCalls.futexNumber("x64"), 202)
  assert.strictEqual(SystemCalls.futexNumber("arm64"), 98)
  assert.isUndefined(SystemCalls.futexNumber("riscv64"))
})
