/**
 * What a thread waits for by the system call that it is in: numbers and arguments of Linux on x86-64 and arm64.
 */
import type { Explanation } from "@sigtrap/protocol"
import type { KernelThread, LockKind, SystemCall } from "../../ports/Processes.ts"
import * as SystemCallNames from "./SystemCallNames.ts"

/** A system call that can wait. `futex`, `fd`, `pid` are the arguments that name what is waited for. */
export interface Waiting {
  readonly kind: Extract<
    Explanation.WaitKind,
    | "futex"
    | "read"
    | "write"
    | "accept"
    | "connect"
    | "poll"
    | "sleep"
    | "child"
    | "signal"
    | "lock"
    | "open"
    | "unknown"
  >
  readonly futex?: Futex
  readonly fd?: number
  readonly pid?: number
  /** For a lock of a file: the call that waits for it. */
  readonly lock?: LockKind
  /** For `open`: the address of the path, and whether the file is opened for writing only, or for reading only. */
  readonly path?: bigint
  readonly only?: "read" | "write"
  /** The name of a call that is none of the other kinds. */
  readonly name?: string
  /** What such a call uses: `message queue 5`. */
  readonly uses?: string
  /** Where the descriptors of a `poll` are. */
  readonly polled?: Polled
  /** The call ends by itself after a time. A sleep always does. */
  readonly limited?: true
}

/** Where the descriptors are for which a call waits: an array of `count` entries, sets of `count` bits, or an epoll descriptor. */
export type Polled =
  | { readonly by: "poll"; readonly address: bigint; readonly count: number }
  | { readonly by: "select"; readonly sets: ReadonlyArray<bigint>; readonly count: number }
  | { readonly by: "epoll"; readonly fd: number }

/**
 * A wait on a futex (futex(2)): its address, the value that was expected, and whether only this process can use it. `inherits` is true
 * for a lock with priority inheritance, whose word the kernel defines. `plain` is true for `FUTEX_WAIT`, with which locks wait.
 */
export interface Futex {
  readonly address: bigint
  readonly expected: number
  readonly isPrivate: boolean
  readonly inherits: boolean
  readonly plain: boolean
}

/** The calls by the names of Linux. */
type Name =
  | "futex"
  | "read"
  | "write"
  | "accept"
  | "connect"
  | "poll"
  | "select"
  | "sleep"
  | "wait4"
  | "waitid"
  | "signal"
  | "flock"
  | "fcntl"
  | "open"
  | "openat"

const x64: { readonly [number: number]: Name } = {
  202: "futex",
  0: "read",
  17: "read",
  19: "read",
  43: "accept",
  288: "accept",
  42: "connect",
  45: "read",
  47: "read",
  299: "read",
  295: "read",
  327: "read",
  1: "write",
  18: "write",
  20: "write",
  44: "write",
  46: "write",
  296: "write",
  328: "write",
  307: "write",
  7: "poll",
  23: "select",
  232: "poll",
  270: "select",
  271: "poll",
  281: "poll",
  441: "poll",
  35: "sleep",
  230: "sleep",
  61: "wait4",
  247: "waitid",
  34: "signal",
  128: "signal",
  130: "signal",
  73: "flock",
  72: "fcntl",
  2: "open",
  257: "openat"
}

const arm64: { readonly [number: number]: Name } = {
  98: "futex",
  63: "read",
  65: "read",
  67: "read",
  202: "accept",
  242: "accept",
  203: "connect",
  207: "read",
  212: "read",
  243: "read",
  69: "read",
  286: "read",
  64: "write",
  66: "write",
  68: "write",
  206: "write",
  211: "write",
  70: "write",
  287: "write",
  269: "write",
  22: "poll",
  72: "select",
  73: "poll",
  441: "poll",
  101: "sleep",
  115: "sleep",
  260: "wait4",
  95: "waitid",
  133: "signal",
  137: "signal",
  32: "flock",
  25: "fcntl",
  56: "openat"
}

/** Names of other calls of arm64 that can wait. */
const otherArm64: { readonly [number: number]: string } = {
  4: "io_getevents",
  29: "ioctl",
  57: "close",
  71: "sendfile",
  76: "splice",
  81: "sync",
  82: "fsync",
  83: "fdatasync",
  117: "ptrace",
  182: "mq_timedsend",
  183: "mq_timedreceive",
  188: "msgrcv",
  189: "msgsnd",
  192: "semtimedop",
  193: "semop",
  220: "clone",
  227: "msync",
  267: "syncfs",
  278: "getrandom",
  426: "io_uring_enter",
  435: "clone3",
  437: "openat2",
  449: "futex_waitv",
  455: "futex_wait"
}

/** Calls whose first argument is a descriptor of a queue (mq_overview(7)), or the id of an object (sysvipc(7)). */
const objects: { readonly [name: string]: "fd" | "message queue" | "semaphore set" } = {
  mq_timedsend: "fd",
  mq_timedreceive: "fd",
  msgrcv: "message queue",
  msgsnd: "message queue",
  semop: "semaphore set",
  semtimedop: "semaphore set"
}

/** Returns a call that none of the tables has, with the object that it uses. */
const otherOf = (called: string | undefined, [first = 0n, , , limit = 0n]: SystemCall["arguments"]): Waiting => {
  // The C library calls semtimedop without a time limit for semop(2).
  const name = called === "semtimedop" && limit === 0n ? "semop" : called
  const object = name === undefined ? undefined : objects[name]
  const id = low(first)
  return {
    kind: "unknown",
    ...(name === undefined ? {} : { name }),
    ...(object === undefined ? {} : object === "fd" ? { fd: id } : { uses: `${object} ${id}` })
  }
}

/** The architecture of x86-64 in the audit of the kernel: `AUDIT_ARCH_X86_64`. */
const auditX64 = 0xc000_003e

/** Returns the name of a call that none of the tables has. */
const otherName = (number: number, arch: string): string | undefined =>
  arch === "x64" ? SystemCallNames.of(number, auditX64) : arch === "arm64" ? otherArm64[number] : undefined

const tables: { readonly [arch: string]: { readonly [number: number]: Name } } = { x64, arm64 }

/** `FUTEX_WAIT`, `FUTEX_LOCK_PI`, `FUTEX_WAIT_BITSET`, `FUTEX_LOCK_PI2`. */
const futexWaits: ReadonlySet<number> = new Set([0, 6, 9, 13])

/** Operations that wake or move other threads: `FUTEX_WAKE`, `FUTEX_UNLOCK_PI`, `FUTEX_CMP_REQUEUE`, … (futex(2)). */
const futexWakes: ReadonlySet<number> = new Set([1, 3, 4, 5, 7, 8, 10, 12])

/** `sched_yield`, in which a thread does not wait for anything. */
const yields: { readonly [arch: string]: number } = { x64: 24, arm64: 124 }

/** `FUTEX_LOCK_PI`, `FUTEX_LOCK_PI2`. */
const inheriting: ReadonlySet<number> = new Set([6, 13])

/** The second argument of `fcntl` that waits for a lock: `F_SETLKW`, `F_OFD_SETLKW`. */
const lockWaits: ReadonlySet<bigint> = new Set([7n, 38n])

const low = (value: bigint) => Number(BigInt.asIntN(32, value))

/** The calls that wait without descriptors: they are sleeps with a time. */
const isEmpty = (name: Name, { arguments: [first, second], number }: SystemCall): boolean =>
  name === "select" ? first === 0n : number === 7 && second === 0n

/** Numbers of the calls that wait by an epoll descriptor: `epoll_wait`, `epoll_pwait`, `epoll_pwait2`. */
const epolls: { readonly [arch: string]: ReadonlySet<number> } = {
  x64: new Set([232, 281, 441]),
  arm64: new Set([22, 441])
}

/** Returns where the descriptors of a call are. */
const polledOf = (
  name: Name,
  { arguments: [first = 0n, second = 0n, ...more], number }: SystemCall,
  arch: string
): Polled => {
  if (name === "select") {
    return { by: "select", sets: [second, ...more.slice(0, 2)].filter((address) => address !== 0n), count: low(first) }
  }
  if (epolls[arch]?.has(number) === true) return { by: "epoll", fd: low(first) }
  return { by: "poll", address: first, count: low(second) }
}

/** Returns the only access of the flags of `open`, if they have one: `O_RDONLY` is 0, `O_WRONLY` 1 (open(2)). */
const accessOf = (flags: bigint): Pick<Waiting, "only"> => {
  const access = low(flags) & 3
  return access > 1 ? {} : { only: access === 0 ? "read" : "write" }
}

/** Numbers of the calls whose limit is a number of milliseconds, negative for none; others have the address of a time. */
const inMillis: { readonly [arch: string]: ReadonlySet<number> } = {
  x64: new Set([7, 232, 281]),
  arm64: new Set([22])
}

/** The argument with the limit of a call: futex(2), poll(2), select(2), epoll_wait(2), rt_sigtimedwait(2). */
const limitOf = (name: Name, { number }: SystemCall, arch: string): number | undefined => {
  if (name === "futex") return 3
  if (name === "select") return 4
  if (name === "poll") return epolls[arch]?.has(number) === true ? 3 : 2
  return number === timedSignals[arch] ? 2 : undefined
}

/** `rt_sigtimedwait`. */
const timedSignals: { readonly [arch: string]: number } = { x64: 128, arm64: 137 }

/** Returns whether a call ends by itself after a time. */
const limited = (name: Name, call: SystemCall, arch: string): Pick<Waiting, "limited"> => {
  const index = limitOf(name, call, arch)
  const limit = index === undefined ? 0n : (call.arguments[index] ?? 0n)
  const isLimited = inMillis[arch]?.has(call.number) === true ? low(limit) >= 0 : limit !== 0n
  return isLimited ? { limited: true } : {}
}

/** True for a call that looks for descriptors and does not wait: its limit is 0 milliseconds. */
const isImmediate = (call: SystemCall, arch: string): boolean =>
  inMillis[arch]?.has(call.number) === true && low(call.arguments[limitOf("poll", call, arch) ?? 2] ?? 0n) === 0

/** Returns what a thread waits for; undefined if it runs, or if the kernel does not say. */
export const waitOf = ({ call }: KernelThread, arch: string): Waiting | undefined => {
  if (call === undefined || call.number === yields[arch]) return undefined
  const name = tables[arch]?.[call.number]
  const [first = 0n, second = 0n, third = 0n] = call.arguments
  switch (name) {
    case undefined: {
      return otherOf(otherName(call.number, arch), call.arguments)
    }
    case "futex": {
      const operation = Number(second & 0x7fn)
      if (futexWakes.has(operation)) return undefined
      if (!futexWaits.has(operation)) return { kind: "unknown", name }
      const futex: Futex = {
        address: first,
        expected: Number(third & 0xffff_ffffn),
        isPrivate: (second & 0x80n) !== 0n,
        inherits: inheriting.has(operation),
        plain: operation === 0
      }
      return { kind: "futex", futex, ...limited(name, call, arch) }
    }
    case "read":
    case "write":
    case "accept":
    case "connect":
      return { kind: name, fd: low(first) }
    case "poll":
    case "select":
      if (!isEmpty(name, call) && isImmediate(call, arch)) return undefined
      return isEmpty(name, call)
        ? { kind: "sleep" }
        : { kind: "poll", polled: polledOf(name, call, arch), ...limited(name, call, arch) }
    case "sleep":
      return { kind: name }
    case "signal":
      return { kind: name, ...limited(name, call, arch) }
    case "wait4":
      return { kind: "child", ...(low(first) > 0 ? { pid: low(first) } : {}) }
    case "waitid":
      return { kind: "child", ...(first === 1n ? { pid: low(second) } : {}) }
    case "flock":
      return { kind: "lock", fd: low(first), lock: name }
    case "fcntl":
      return lockWaits.has(second) ? { kind: "lock", fd: low(first), lock: name } : { kind: "unknown", name }
    case "open":
      return { kind: "open", name, path: first, ...accessOf(second) }
    case "openat":
      return { kind: "open", name, path: second, ...accessOf(third) }
  }
}

/**
 * True if a function of conditions may wait for the mutex of its condition: the condition itself has an unlocked word (0), or is waited
 * for with `FUTEX_WAIT_BITSET`.
 */
export const mayBeLock = ({ expected, plain }: Futex): boolean => plain && expected !== 0

/**
 * True if a thread in a function that locks a mutex does not wait on the word of the mutex. If the kernel refuses a lock with priority
 * inheritance, because of a deadlock or an owner that has ended, the C library delays the thread forever on a word of its own.
 */
export const isDelay = ({ expected }: Futex): boolean => expected === 0

/** `restart_syscall`, with which the kernel continues a call with a time limit after a stop (restart_syscall(2)). */
const restarts: { readonly [arch: string]: number } = { x64: 219, arm64: 128 }

/** True if the kernel continues another call, whose number it does not say. Its arguments are those of the other call. */
export const isRestart = ({ number }: SystemCall, arch: string): boolean => restarts[arch] === number

/** Size of the instructions before a program counter that load the number of a call and call the kernel. */
export const entrySize = 8

/** Returns the number of the call that the instructions before a program counter make; undefined for other instructions. */
export const numberAt = (bytes: Uint8Array, arch: string): number | undefined => {
  if (bytes.length !== entrySize) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // `mov $number, %eax; syscall`
  if (arch === "x64") {
    return view.getUint8(1) === 0xb8 && view.getUint16(6) === 0x0f05 ? view.getUint32(2, true) : undefined
  }
  // `mov x8, #number; svc #0`
  const [move, call] = [view.getUint32(0, true), view.getUint32(4, true)]
  const isCall = arch === "arm64" && call === 0xd400_0001 && (move & 0xffe0_001f) >>> 0 === 0xd280_0008
  return isCall ? (move >>> 5) & 0xffff : undefined
}

/** Returns the number of `futex`; undefined for other processors. */
export const futexNumber = (arch: string): number | undefined => {
  const found = Object.entries(tables[arch] ?? {}).find(([, name]) => name === "futex")
  return found === undefined ? undefined : Number(found[0])
}
