/**
 * The names of the objects that threads wait for: a variable of the program, or an expression of the waiting line.
 */
import type { Explanation, Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Session } from "../../session/Session.ts"
import * as WaitFrames from "../../model/waits/WaitFrames.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as NamedObjects from "./NamedObjects.ts"
import type { Waiting } from "./ThreadWaits.ts"
import * as VariableParts from "./VariableParts.ts"

/** Kinds whose futex is inside of the object. */
const inside: ReadonlySet<Explanation.WaitKind> = new Set(["condition", "semaphore", "barrier", "latch", "once"])

/** The largest sizes of objects in glibc and libstdc++ for x86-64 and arm64, in bytes. A `std::condition_variable_any` has 64, a barrier of libc++ 192. */
const sizes: ReadonlyMap<Explanation.WaitKind, number> = new Map([
  ["mutex", 48],
  ["rwlock", 56],
  ["condition", 64],
  ["semaphore", 32],
  ["barrier", 192],
  ["futex", 8],
  ["latch", 8],
  ["once", 8]
])

/** The largest size of an object of the program that has a lock of a library, in bytes. */
const largestWrapper = 256

/** Returns the frames of the user. */
export const userFrames = (frames: ReadonlyArray<Frame.Frame>) => frames.filter(RuntimeFrames.isUserFrame)

const symbolOf = Effect.fnUntraced(
  function* (session: Session, address: bigint) {
    const { lookup } = (yield* session.connection).inspection
    const found = lookup === undefined ? undefined : yield* lookup.symbol(address)
    return found === undefined
      ? undefined
      : {
          ...found,
          name: found.name.replace(/^guard variable for /, "").replace(/::h[0-9a-f]{16}(?: \(\.llvm\.\d+\))?$/, "")
        }
  },
  Effect.orElseSucceed(() => undefined)
)

/** Finds the variable, or its part, with the object at an address: its name, and the offset of the address in it. */
const variableAt = Effect.fnUntraced(function* (session: Session, view: StopView, first: Waiting, address: bigint) {
  const found = yield* symbolOf(session, address)
  const size = sizes.get(first.kind)
  if (found === undefined || size === undefined) return found === undefined ? undefined : { ...found, isPart: false }
  const place = { name: found.name, start: address - BigInt(found.offset), address, size }
  const frame = { thread: first.thread.id, index: userFrames(first.frames)[0]?.index ?? 0 }
  const part = yield* VariableParts.at(view, frame, place)
  return part === undefined
    ? { ...found, isPart: false }
    : { name: part.name, offset: Number(address - part.start), isPart: true }
})

/** Names the object at an address by a variable: `tokens`, `shop.lock`, or `shop+40` if its member is not known. */
export const nameAt = Effect.fnUntraced(function* (session: Session, view: StopView, first: Waiting, address: bigint) {
  const found = yield* variableAt(session, view, first, address)
  if (found === undefined) return undefined
  // The word of a condition is not its first one.
  const isPart = found.isPart === true && first.kind !== "futex" && first.readable !== true
  const isWhole =
    found.offset === 0 || isPart || (inside.has(first.kind) && found.offset < (sizes.get(first.kind) ?? Infinity))
  return isWhole ? found.name : `${found.name}+${found.offset}`
})

/**
 * The user's frames whose lines may name what a thread waits for, the best first: the one that called the program's own function for
 * locks, then that function.
 */
const namingFrames = (frames: ReadonlyArray<Frame.Frame>): ReadonlyArray<Frame.Frame> => {
  const own = userFrames(frames)
  return own.slice(0, WaitFrames.wrappers(own) + 1).toReversed()
}

/** The expression in a waiting line of the user for an object that no variable of the program has. */
export const expressionOf = Effect.fnUntraced(function* (
  view: StopView,
  { frames, kind, thread }: Waiting,
  address: bigint | undefined
) {
  const size = sizes.get(kind)
  const all = namingFrames(frames)
  if (size === undefined || address === undefined) return undefined
  for (const [at, { index }] of all.entries()) {
    // The callers of a program's own functions for locks name objects of its own classes.
    const limit = all.length > 1 && at === 0 ? largestWrapper : size
    const found = yield* NamedObjects.at(view, thread.id, index, { address, size: limit })
    if (found !== undefined) return found
  }
  return undefined
})

/** Returns how far an address is inside of the object that a variable, or an expression of the waiting line, names. */
export const offsetOf = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  waiting: Waiting,
  address: bigint
) {
  const found = yield* variableAt(session, view, waiting, address)
  if (found !== undefined) return found.offset
  const told = yield* expressionOf(view, waiting, address)
  return told === undefined ? undefined : Number(address - told.start)
})
