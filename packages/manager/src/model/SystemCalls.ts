/**
 * What a thread waits for by the system call that it is in: numbers and arguments of Linux on x86-64 and arm64.
 */
import type { Explanation } from "@sigtrap/protocol"
import type { KernelThread } from "../ports/Processes.ts"

/** A system call that can wait. `futex`, `fd`, `pid` are the arguments that name what is waited for. */
export interface Waiting {
  readonly kind: Extract<
    Explanation.WaitKind,
    "futex" | "read" | "write" | "poll" | "sleep" | "child" | "signal" | "lock" | "unknown"
  >
  readonly futex?: Futex
  readonly fd?: number
  readonly pid?: number
}

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
type Name = "futex" | "read" | "write" | "poll" | "sleep" | "wait4" | "waitid" | "signal" | "flock" | "fcntl"

const x64: { readonly [number: number]: Name } = {
  202: "futex",
  0: "read",
  17: "read",
  19: "read",
  43: "read",
  45: "read",
  47: "read",
  288: "read",
  1: "write",
  18: "write",
  20: "write",
  44: "write",
  46: "write",
  7: "poll",
  23: "poll",
  232: "poll",
  270: "poll",
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
  72: "fcntl"
}

const arm64: { readonly [number: number]: Name } = {
  98: "futex",
  63: "read",
  65: "read",
  67: "read",
  202: "read",
  207: "read",
  212: "read",
  242: "read",
  64: "write",
  66: "write",
  68: "write",
  206: "write",
  211: "write",
  22: "poll",
  72: "poll",
  73: "poll",
  441: "poll",
  101: "sleep",
  115: "sleep",
  260: "wait4",
  95: "waitid",
  133: "signal",
  137: "signal",
  32: "flock",
  25: "fcntl"
}

const tables: { readonly [arch: string]: { readonly [number: number]: Name } } = { x64, arm64 }

/** `FUTEX_WAIT`, `FUTEX_LOCK_PI`, `FUTEX_WAIT_BITSET`, `FUTEX_LOCK_PI2`. */
const futexWaits: ReadonlySet<number> = new Set([0, 6, 9, 13])

/** `FUTEX_LOCK_PI`, `FUTEX_LOCK_PI2`. */
const inheriting: ReadonlySet<number> = new Set([6, 13])

/** The second argument of `fcntl` that waits for a lock: `F_SETLKW`, `F_OFD_SETLKW`. */
const lockWaits: ReadonlySet<bigint> = new Set([7n, 38n])

const low = (value: bigint) => Number(BigInt.asIntN(32, value))

/** Polls without descriptors are sleeps with a time. */
const isEmptyPoll = (call: Name, count: bigint | undefined) => call === "poll" && count === 0n

/** Returns what a thread waits for; undefined if it runs, or if the kernel does not say. */
export const waitOf = ({ call }: KernelThread, arch: string): Waiting | undefined => {
  if (call === undefined) return undefined
  const name = tables[arch]?.[call.number]
  const [first = 0n, second = 0n, third = 0n] = call.arguments
  switch (name) {
    case undefined:
      return { kind: "unknown" }
    case "futex": {
      const operation = Number(second & 0x7fn)
      if (!futexWaits.has(operation)) return { kind: "unknown" }
      const futex: Futex = {
        address: first,
        expected: Number(third & 0xffff_ffffn),
        isPrivate: (second & 0x80n) !== 0n,
        inherits: inheriting.has(operation),
        plain: operation === 0
      }
      return { kind: "futex", futex }
    }
    case "read":
    case "write":
      return { kind: name, fd: low(first) }
    case "poll":
      return { kind: isEmptyPoll(name, second) && call.number === 7 ? "sleep" : "poll" }
    case "sleep":
    case "signal":
      return { kind: name }
    case "wait4":
      return { kind: "child", ...(low(first) > 0 ? { pid: low(first) } : {}) }
    case "waitid":
      return { kind: "child", ...(first === 1n ? { pid: low(second) } : {}) }
    case "flock":
      return { kind: "lock", fd: low(first) }
    case "fcntl":
      return lockWaits.has(second) ? { kind: "lock", fd: low(first) } : { kind: "unknown" }
  }
}

/**
 * True if a function of conditions may wait for the mutex of its condition: the condition itself has an unlocked word (0), or is waited
 * for with `FUTEX_WAIT_BITSET`.
 */
export const mayBeLock = ({ expected, plain }: Futex): boolean => plain && expected !== 0
