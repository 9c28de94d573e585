/**
 * Names the object that has the word of a wait in memory elsewhere: a `std::future` of libstdc++ by its state, a `FILE` by its lock.
 */
import type { Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as NamedObjects from "./NamedObjects.ts"
import type { Waiting } from "./ThreadWaits.ts"

/** Size of a `std::future` of libstdc++ in bytes. A promise is larger. */
const futureSize = 16n

const future = /^(?:const )?std::(?:__\w+::)?(?:shared_)?future</

/** A promise and a task have the state of their future too. */
const promise = /^(?:const )?std::(?:__\w+::)?(?:promise|packaged_task)</

const promiseRank = 1

/** Returns the rank of an object that begins with the address of a state: a future, its promise, a type of another name. */
const futureRank = (type: string, size: bigint | undefined): number | undefined => {
  if (future.test(type)) return 0
  if (promise.test(type)) return promiseRank
  return size === futureSize ? 2 : undefined
}

/** Kinds of waits whose word is in memory that another object has. */
export const kinds: ReadonlyMap<Explanation.WaitKind, Omit<NamedObjects.Holders, "address">> = new Map([
  ["future", { addressIn: (object: string) => `*(unsigned long*)&(${object}) + 16`, implied: [], rank: futureRank }],
  [
    "library",
    {
      // `_lock` of glibc's `FILE`. The streams of the library have no type in a program.
      addressIn: (object: string) => `*(unsigned long*)((unsigned long)(${object}) + 136)`,
      implied: ["stdout", "stderr", "stdin"]
    }
  ]
])

/** Returns the object in the waiting line of the user that has the word on which a thread waits. */
export const of = Effect.fnUntraced(function* (view: StopView, { frames, kind, thread }: Waiting, address: bigint) {
  const index = frames.find(RuntimeFrames.isUserFrame)?.index
  const rule = kinds.get(kind)
  if (index === undefined || rule === undefined) return undefined
  return yield* NamedObjects.holding(view, thread.id, index, { ...rule, address })
})

/** Returns what a clause says of an object that has the word of a wait. */
export const textOf = ({ kind, object }: Waiting, holder: NamedObjects.Holder | undefined): string | undefined => {
  if (kind === "future") {
    return holder?.rank === promiseRank ? `of ${holder.expression}` : holder?.expression
  }
  if (holder !== undefined) return `the lock of ${holder.expression}`
  return object === undefined ? undefined : `a lock of the C library in ${object}`
}
