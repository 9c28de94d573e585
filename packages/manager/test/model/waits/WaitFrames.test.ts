/** What the functions on the stack of a thread say of its wait. */
import { assert, it } from "@effect/vitest"
import * as WaitFrames from "../../../src/model/waits/WaitFrames.ts"

const libc = "/lib/libc.so.6"

const frames = (...names: ReadonlyArray<string>) => [
  ...names.map((name, index) => ({ index, ref: `@f${index}`, function: name, module: libc })),
  { index: names.length, ref: "@fu", function: "work", file: "/src/app.c", line: 3 }
]

it("names the lock of the innermost function of a library, and whose layout it has", () => {
  const check = (names: ReadonlyArray<string>, expected: WaitFrames.LibraryWait | undefined) =>
    assert.deepStrictEqual(WaitFrames.waitOf(frames(...names)), expected, names.join(" "))
  check(["___lldb_unnamed_symbol3", "pthread_mutex_lock"], { kind: "mutex", pthread: true })
  check(["__lll_lock_wait", "___pthread_mutex_lock"], { kind: "mutex", pthread: true })
  check(["__lll_lock_wait", "__pthread_mutex_cond_lock", "pthread_cond_wait"], { kind: "mutex", pthread: true })
  check(["__futex_abstimed_wait_common", "pthread_cond_timedwait"], { kind: "condition", pthread: true })
  check(["pthread_rwlock_wrlock"], { kind: "rwlock", pthread: true })
  check(["sem_wait"], { kind: "semaphore", pthread: true })
  // Rust's locks have another layout: their owner cannot be read. Inlined functions follow the one that contains them.
  check(["syscall", "<std::sys::sync::mutex::futex::Mutex>::lock_contended"], { kind: "mutex", pthread: false })
  check(["std::sync::poison::Mutex<T>::lock [inlined] std::sys::sync::mutex::futex::Mutex::lock"], {
    kind: "mutex",
    pthread: false
  })
  check(["nanosleep"], undefined)
  // A channel and a scope park the thread that waits.
  const park = "<std::thread::thread::Thread>::park"
  check(["syscall", park], { kind: "park", pthread: false })
  check(["syscall", park, "std::sync::mpmc::context::Context::wait_until"], { kind: "channel", pthread: false })
  check(["syscall", park, "std::thread::scoped::scope"], { kind: "join", pthread: false })
  check(["syscall", "<std::sys::sync::once::futex::Once>::call"], { kind: "once", pthread: false })
  // A barrier of Rust waits by a condition of its own.
  const condition = "<std::sync::poison::condvar::Condvar>::wait"
  check(["<std::sys::sync::condvar::futex::Condvar>::wait", condition, "<std::sync::barrier::Barrier>::wait"], {
    kind: "barrier",
    pthread: false
  })
  check(["syscall", "std::latch::wait"], { kind: "latch", pthread: false })
  check(["syscall", "std::__future_base::_State_baseV2::wait"], { kind: "future", pthread: false })
  // The thread that runs tokio's future parks by a condition, or waits for descriptors.
  const blocked = "tokio::runtime::runtime::Runtime::block_on"
  check(["syscall", "parking_lot::condvar::Condvar::wait", blocked], { kind: "future", pthread: false })
  check(["epoll_wait", blocked], { kind: "future", pthread: false })
  check(["___lldb_unnamed_symbol3", "__gthread_once"], { kind: "once", pthread: false })
})

it("does not take a thread that runs an initialization for one that waits for it", () => {
  const cpp = (name: string) => ({ index: 0, ref: "@f0", function: name, module: "/lib/libstdc++.so.6" })
  const [inner, once, user] = [frames("___lldb_unnamed_symbol3")[0], ...frames("pthread_once")]
  const stack = [inner, cpp("std::thread::join()"), cpp("__once_proxy"), once, cpp("std::call_once<>"), user]
  const of = (all: ReadonlyArray<(typeof stack)[number]>) =>
    WaitFrames.waitOf(all.flatMap((frame) => (frame === undefined ? [] : [frame])))
  assert.deepStrictEqual(of(stack), { kind: "join", pthread: true })
  assert.isUndefined(of([inner, cpp("something()"), cpp("__once_proxy"), once, cpp("std::call_once<>"), user]))
  assert.deepStrictEqual(of([inner, once, cpp("std::call_once<>"), user]), { kind: "once", pthread: true })
})

it("reads no function beyond the innermost frame of the user, such as a handler of a signal", () => {
  const handler = { index: 0, ref: "@f0", function: "handler", file: "/src/app.c", line: 1 }
  assert.isUndefined(WaitFrames.waitOf([handler, ...frames("pthread_mutex_lock")]))
})

it("ends the stack of a thread of Go where it left its goroutine", () => {
  const names = [
    "runtime.futex.abi0",
    "runtime.stopm",
    "runtime.schedule",
    "runtime.mcall",
    "runtime.stopm",
    "main.tick"
  ]
  const all = names.map((name) => ({ function: name }))
  assert.deepStrictEqual(WaitFrames.ofThread(all), all.slice(0, 4))
  const running = [{ function: "runtime.usleep.abi0" }, { function: "main.tick" }]
  assert.deepStrictEqual(WaitFrames.ofThread(running), running)
})

it("names the wait in a function of which only the name is known", () => {
  assert.deepStrictEqual(WaitFrames.waitIn("sem_wait"), { kind: "semaphore", pthread: true })
  assert.deepStrictEqual(WaitFrames.waitIn("pthread_mutex_timedlock@GLIBC_2.34"), { kind: "mutex", pthread: true })
  assert.deepStrictEqual(WaitFrames.waitIn("pthread_once"), { kind: "once", pthread: true })
  assert.isUndefined(WaitFrames.waitIn("read"))
})

it("knows a thread that waits on a word of its own, not on one of the lock", () => {
  const parked = "parking_lot_core::thread_parker::imp::ThreadParker::park"
  assert.isTrue(WaitFrames.isParked(frames("syscall", parked, "parking_lot::raw_mutex::RawMutex::lock_slow")))
  assert.isFalse(WaitFrames.isParked(frames("syscall", "<std::sys::sync::mutex::futex::Mutex>::lock_contended")))
  const user = { index: 0, ref: "@f0", function: "handler", file: "/src/app.rs", line: 1 }
  assert.isFalse(WaitFrames.isParked([user, ...frames(parked)]))
})

it("knows a wait of libc++ that is repeated when its time is over", () => {
  const waits = [
    "syscall",
    "std::__1::__libcpp_atomic_wait(void const volatile*, int)",
    "std::__1::latch::wait() const"
  ]
  assert.isTrue(WaitFrames.isRepeated(frames(...waits)))
  assert.isFalse(
    WaitFrames.isRepeated(frames("pthread_cond_clockwait", "std::__1::condition_variable::__do_timed_wait"))
  )
})

it("passes over functions of a program that only wait for their callers", () => {
  const callers = (...names: ReadonlyArray<string>) =>
    WaitFrames.wrappers([...names, "work"].map((name, index) => ({ index, ref: `@f${index}`, function: name })))
  for (const name of [
    "uv_mutex_lock",
    "uv_rwlock_wrlock",
    "pthreadMutexEnter",
    "sqlite3_mutex_enter",
    "bsem_wait",
    "uv_once"
  ]) {
    assert.strictEqual(callers(name), 1, name)
  }
  const inlined = "DBImpl::Get(Slice const&) [inlined] leveldb::port::Mutex::Lock()"
  assert.strictEqual(callers(inlined, "leveldb::MutexLock::MutexLock(leveldb::port::Mutex*)"), 2)
  assert.strictEqual(callers("leveldb::port::CondVar::Wait()"), 1)
  for (const name of ["block", "unlocked", "reader", "Clock::now()", "awaited", "transfer"]) {
    assert.strictEqual(callers(name), 0, name)
  }
  assert.strictEqual(WaitFrames.wrappers([{ index: 0, ref: "@f0", function: "wait" }]), 0)
})

it("shows what a library does for a thread without frames of the user", () => {
  const lib = (name: string) => ({
    index: 0,
    ref: "@f0",
    function: name,
    file: "/usr/include/c++/12/bits/atomic_wait.h"
  })
  const c = (name: string) => ({ index: 0, ref: "@f0", function: name, module: libc })
  const names = (all: Parameters<typeof WaitFrames.named>[0]) => WaitFrames.named(all).map((one) => one.function)
  const atomic = "std::__atomic_wait_address_v<long>"
  assert.deepStrictEqual(
    names([c("syscall"), lib("std::__detail::__platform_wait<int>"), lib(atomic), c("start_thread")]),
    [atomic, "start_thread"]
  )
  assert.deepStrictEqual(names([c("futex_wait"), c("start_thread")]), ["futex_wait", "start_thread"])
})
