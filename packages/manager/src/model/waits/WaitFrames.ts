/**
 * What a thread waits for by the functions of the libraries on its stack, below the first frame of the user.
 */
import { type Explanation, type Frame, FunctionName } from "@sigtrap/protocol"
import * as RuntimeFrames from "../RuntimeFrames.ts"

/** What library functions say. `library` is the one whose layout of locks is known, if it is that one. */
export interface LibraryWait {
  readonly kind: Extract<
    Explanation.WaitKind,
    | "mutex"
    | "rwlock"
    | "condition"
    | "semaphore"
    | "barrier"
    | "latch"
    | "once"
    | "future"
    | "channel"
    | "park"
    | "join"
    | "sleep"
  >
  /** A function of the C library's threads: the lock has the layout of that library. */
  readonly pthread: boolean
}

/** Functions without their prefixes. The first match of the innermost function counts. */
const rules: ReadonlyArray<readonly [pattern: RegExp, kind: LibraryWait["kind"]]> = [
  [/^pthread_cond_(?:wait|timedwait|clockwait)|^pthread_cond_wait_common/, "condition"],
  [
    /^pthread_(?:mutex_(?:lock|timedlock|clocklock|lock_full|cond_lock)|mutex_lock_full)|^lll_(?:lock|mutex_lock)/,
    "mutex"
  ],
  [/^pthread_rwlock_/, "rwlock"],
  [/^pthread_barrier_wait/, "barrier"],
  [/^sem_(?:wait|timedwait|clockwait)|^new_sem_wait/, "semaphore"],
  [/^pthread_once/, "once"],
  [/^pthread_(?:join|timedjoin|clockjoin|timedjoin_np|clockjoin_np|clockjoin_ex|timedjoin_ex)/, "join"],
  // It calls pthread_join, whose own function often has no name.
  [/^std::(?:__\w+::)?thread::join/, "join"]
]

/** Locks of languages that call the kernel themselves: their kind is known, their owner is not. */
const others: ReadonlyArray<readonly [pattern: RegExp, kind: LibraryWait["kind"]]> = [
  [/^std::sys::(?:\w+::)*mutex::|^parking_lot::raw_mutex::/, "mutex"],
  [/^std::sys::(?:\w+::)*rwlock::|^parking_lot::raw_rwlock::/, "rwlock"],
  [/^std::sys::(?:\w+::)*condvar::|^parking_lot::condvar::/, "condition"],
  [/^std::sys::(?:\w+::)*once::|^std::sync::(?:\w+::)*once::/, "once"],
  [/^std::sync::(?:\w+::)*barrier::/, "barrier"],
  [/^std::sync::mp[ms]c::/, "channel"],
  [/^std::thread::scoped::/, "join"],
  [/^std::thread::(?:\w+::)*(?:Thread>?::)?park(?:_timeout)?\b/, "park"],
  [/^std::thread::sleep|^std::this_thread::sleep/, "sleep"],
  [/^std::(?:counting_semaphore<|__(?:platform|atomic)_semaphore)/, "semaphore"],
  [/^std::(?:barrier<|__tree_barrier<)/, "barrier"],
  [/^std::latch::/, "latch"],
  // Optimized code has only the function that waits, with what the object wants to know as its argument.
  [/^std::__atomic_wait_address\w*<(?:\w+, )?std::__atomic_semaphore\b/, "semaphore"],
  [/^std::__atomic_wait_address\w*<(?:\w+, )?std::latch\b/, "latch"],
  [/^std::__atomic_wait_address\w*<std::__barrier_phase_t\b/, "barrier"],
  [/^std::(?:call_once\b|__call_once)|^__gthread_once|^__cxa_guard_acquire/, "once"],
  // The thread that drives the future of the caller; in between it waits for descriptors or parks.
  [/^tokio::runtime::(?:\w+::)*Runtime::block_on\b/, "future"],
  [/^std::__future_base::_State_baseV2::wait|^std::__basic_future<|^std::(?:shared_)?future</, "future"]
]

/** Kinds of which a function further out on the stack may be another: a channel parks the thread that waits. */
const inner: ReadonlySet<LibraryWait["kind"]> = new Set(["park", "condition"])

/** Kinds that use another one to wait. */
const outer: ReadonlySet<LibraryWait["kind"]> = new Set(["barrier", "channel", "join", "future"])

/** The text between a function and one that was inlined into it. */
const inlined = " [inlined] "

/** `___pthread_mutex_lock`, `__GI___lll_lock_wait [inlined] futex_wait` without prefixes and inlined parts. */
const plain = (name: string): ReadonlyArray<string> =>
  name.split(inlined).map((part) =>
    part
      .replace(/\(.*$/s, "")
      .replace(/^_*(?:GI_)?_*/, "")
      .replace(/_*(?:slow\d*|internal)?$/, "")
  )

const ownOf = ({ function: full }: Pick<Frame.Frame, "function">): LibraryWait | undefined => {
  for (const name of plain(full)) {
    const own = rules.find(([pattern]) => pattern.test(name))
    // A lock within a condition is the wait of the condition for its mutex.
    if (own !== undefined && !name.startsWith("lll_")) return { kind: own[1], pthread: true }
  }
  return undefined
}

/** True for a frame of the library of C++: in a function of `call_once` it runs the initialization, which may wait for something else. */
const isOfCpp = (frame: Frame.Frame): boolean => /^lib(?:stdc|c)\+\+$/.test(RuntimeFrames.runtimeOf(frame) ?? "")

/** The first of the rules that a name meets. The name of a template's function begins with its return type, unless it is shortened. */
const otherOf = (name: string) => others.find(([pattern]) => pattern.test(name))

/** Objects of libc++ that wait by a condition of their own. */
const byCondition: ReadonlyArray<readonly [pattern: RegExp, kind: LibraryWait["kind"]]> = [
  [/^std::(?:__\w+::)?(?:__shared_mutex_base|shared_(?:timed_)?mutex)::/, "rwlock"],
  [/^std::(?:__\w+::)?(?:recursive_)?timed_mutex::/, "mutex"],
  [/^std::(?:__\w+::)?__assoc_(?:sub_)?state\b/, "future"],
  [/^std::(?:__\w+::)?__call_once\b/, "once"]
]

/** Returns what a condition is for, if an object of libc++ waits by it: none of these is a lock of the C library. */
const conditionOf = (callers: ReadonlyArray<Frame.Frame>): LibraryWait | undefined => {
  const user = callers.findIndex(RuntimeFrames.isUserFrame)
  for (const { function: name } of callers.slice(0, user === -1 ? undefined : user)) {
    const own = name.split(inlined).at(-1) ?? ""
    const found = byCondition.find(([pattern]) => pattern.test(own) || pattern.test(FunctionName.short(own)))
    if (found !== undefined) return { kind: found[1], pthread: false }
  }
  return undefined
}

/** Returns what the frames of a thread say, innermost first; undefined if no library function of a lock is below the user's frame. */
export const waitOf = (frames: ReadonlyArray<Frame.Frame>): LibraryWait | undefined => {
  let found: LibraryWait | undefined
  for (const [index, frame] of frames.entries()) {
    if (RuntimeFrames.isUserFrame(frame)) break
    const runs = () => frames.slice(0, index).some(isOfCpp)
    const own = found === undefined ? ownOf(frame) : undefined
    if (own?.kind === "condition") return conditionOf(frames.slice(index + 1)) ?? own
    if (own !== undefined && (own.kind !== "once" || !runs())) return own
    const innermost = frame.function.split(inlined).at(-1) ?? ""
    const other = otherOf(innermost.replace(/^</, "")) ?? otherOf(FunctionName.short(innermost))
    if (other === undefined || (other[1] === "once" && runs())) continue
    if (found === undefined || outer.has(other[1])) found = { kind: other[1], pthread: false }
    if (!inner.has(found.kind)) break
  }
  return found
}

/** The function with which Go leaves the stack of a goroutine for that of its scheduler. Nothing returns to it. */
const leavesGoroutine = /^runtime\.mcall(?:\.abi0)?$/

/**
 * Returns the frames that a thread has. Behind the function that leaves a goroutine, LLDB and GDB list what the memory of the stack of the
 * scheduler had before, such as a function of a goroutine that does not run.
 */
export const ofThread = <One extends Pick<Frame.Frame, "function">>(frames: ReadonlyArray<One>): ReadonlyArray<One> => {
  const last = frames.findIndex(({ function: name }) => leavesGoroutine.test(name))
  return last === -1 ? frames : frames.slice(0, last + 1)
}

/**
 * True if a thread waits on a word of its own, which says nothing of the lock that it waits for: parking_lot puts the thread into a queue
 * beside the lock (parking_lot_core, thread_parker).
 */
export const isParked = (frames: ReadonlyArray<Frame.Frame>): boolean => {
  const user = frames.findIndex(RuntimeFrames.isUserFrame)
  const below = user === -1 ? frames : frames.slice(0, user)
  return below.some(
    ({ file, function: name }) =>
      /^<?parking_lot_core::/.test(name) || /[\\/]parking_lot_core-\d[^\\/]*[\\/]/.test(file ?? "")
  )
}

/** The function of libc++ that waits for an atomic: each of its waits lasts at most 2 s, and is repeated (src/atomic.cpp). */
const repeated = /^std::__\w+::__libcpp_atomic_wait\b/

/** True if a library repeats the wait of a thread when its time is over, so that it ends by no time. */
export const isRepeated = (frames: ReadonlyArray<Frame.Frame>): boolean => {
  const user = frames.findIndex(RuntimeFrames.isUserFrame)
  return (user === -1 ? frames : frames.slice(0, user)).some(({ function: name }) => repeated.test(name))
}

/** Functions of libstdc++ and libc++ that wait for atomics. */
const atomic = /^(?:void )?std::(?:__detail::__(?:waiter|platform_wait)|__\w+::__libcpp_atomic_wait\b)/

/** True if a thread waits by the atomics of the library of C++, on which other objects are built. */
export const isAtomic = (frames: ReadonlyArray<Frame.Frame>): boolean => {
  const user = frames.findIndex(RuntimeFrames.isUserFrame)
  const below = user === -1 ? frames : frames.slice(0, user)
  return below.some(({ function: name }) => atomic.test(name.split(inlined).at(-1) ?? ""))
}

/** True if the innermost function of C++ on a stack is one of libc++. */
export const isInLibcpp = (frames: ReadonlyArray<Frame.Frame>): boolean => {
  const first = frames.find((frame) => RuntimeFrames.runtimeOf(frame) !== "libc")
  return first !== undefined && RuntimeFrames.runtimeOf(first) === "libc++"
}

/** Returns the wait in a function of the C library, of which only the name is known. */
export const waitIn = (name: string): LibraryWait | undefined => ownOf({ function: name.replace(/@.*$/, "") })

/** Words in the names of functions that wait for the caller, such as `uv_mutex_lock`, `Mutex::Lock`, `pthreadMutexEnter`. */
const waitingWord =
  /^(?:(?:rd|wr|read|write|try|re|spin)?lock(?:er|ed)?|waits?|acquire|enter|join|once|semaphore|guard)$/i

/** The words of the last part of a function's name: `CondVar::WaitUntil` has `Wait` and `Until`. */
const wordsOf = (name: string): ReadonlyArray<string> => {
  const last =
    FunctionName.short(name.split(inlined).at(-1) ?? "")
      .split("::")
      .at(-1) ?? ""
  return last.split(/_+|(?<=[a-z\d])(?=[A-Z])/)
}

/** True if the name of a function says that it waits for its caller: the class of locks of a program, or a guard. */
const isWrapper = ({ function: name }: Frame.Frame): boolean => wordsOf(name).some((word) => waitingWord.test(word))

/** Returns how many of the user's innermost frames are in functions that wait for their callers; 0 if all of them are. */
export const wrappers = (frames: ReadonlyArray<Frame.Frame>): number => {
  const first = frames.findIndex((frame) => !isWrapper(frame))
  return first === -1 ? 0 : first
}

/** Kinds of waits in system calls: the function that makes the call is the place that matters. */
export const callsInKernel: ReadonlySet<Explanation.WaitKind> = new Set([
  "accept",
  "child",
  "connect",
  "lock",
  "open",
  "poll",
  "read",
  "runs",
  "signal",
  "sleep",
  "unknown",
  "write"
])

/** Returns the frames that tell the most of a thread without frames of the user: not the functions of the C library. */
export const named = (frames: ReadonlyArray<Frame.Frame>): ReadonlyArray<Frame.Frame> => {
  const isLibrary = (frame: Frame.Frame) => RuntimeFrames.runtimeOf(frame) === "libc" || !RuntimeFrames.isNamed(frame)
  const start = frames.findIndex((frame) => !isLibrary(frame))
  const end = frames.findIndex((frame, index) => index > start && isLibrary(frame))
  return start === -1 ? frames : frames.slice(Math.max(start, (end === -1 ? frames.length : end) - 1))
}
