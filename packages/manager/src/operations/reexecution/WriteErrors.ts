/**
 * Why `last-write` names no write: none changed the value, or the system did.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { SystemWrites } from "../../ports/Reexecution.ts"
import * as WatchedValue from "./WatchedValue.ts"

/** The write that was asked for: which one, and of which memory. */
interface Search {
  readonly payload: { readonly nth: number }
  readonly value: WatchedValue.WatchedValue
}

/** What a run up to the stop found: the bytes at its first instruction, the number of writes, and the changes by the system. */
export interface Counted {
  readonly initial: Uint8Array | undefined
  readonly hits: number
  readonly system: SystemWrites
}

/** Returns the error for a value that no instruction gave; with the newest call in which the system changed it, if that is known. */
export const kernelWrite = ({ expression }: WatchedValue.WatchedValue, { writes }: SystemWrites) => {
  const last = writes.at(-1)
  const place = last?.at === undefined ? "" : ` in ${last.at}`
  const detail = last === undefined ? {} : { detail: `${last.call}${place}` }
  const line = /\S+:\d+$/.exec(place)?.[0]
  const remedies =
    line === undefined ? {} : { remedies: [Hint.call("break", { at: line }, "stops at the call in a new run")] }
  return new Errors.WatchUnavailable({ expression, why: "kernel-write", ...detail, ...remedies })
}

/** Returns the last change by the system between two writes; undefined if there is none. */
export const changeAfter = ({ writes }: SystemWrites, hits: number) => writes.findLast((one) => one.hits === hits)

/** True if the system changed the memory after a write, or if that is not known. */
export const isChangedSince = ({ forgotten, writes }: SystemWrites, hit: number) =>
  (writes.at(-1)?.hits ?? -1) >= hit || (forgotten ?? -1) >= hit

/** Returns the error for a value that no write gave. */
const neverWritten = ({ value }: Search, { initial, system }: Counted) => {
  const { bytes, expression, watch } = value
  if (isChangedSince(system, 0)) return kernelWrite(value, system)
  const isFresh = initial === undefined && bytes.every((byte) => byte === 0)
  if (!isFresh && !WatchedValue.equal(initial, bytes)) return kernelWrite(value, system)
  return new Errors.NeverWritten({
    expression,
    address: watch.address,
    ...(isFresh
      ? { detail: "its memory is as the system gave it, filled with zeros, unless a system call wrote zeros" }
      : { segment: "program data" })
  })
}

/** Fails if there are fewer writes than are counted back. */
export const checkTotal = (search: Search, counted: Counted) => {
  const { payload, value } = search
  const { hits: total } = counted
  if (total === 0) return Effect.fail(neverWritten(search, counted))
  if (payload.nth <= total) return Effect.void
  return Effect.fail(
    new Errors.NeverWritten({
      expression: value.expression,
      address: value.watch.address,
      nth: payload.nth,
      detail: `its address was written ${total === 1 ? "once" : `${total} times`} up to there`
    })
  )
}

/** Returns the error for writes of which too few changed the value. */
export const unchanged = ({ payload, value }: Search, total: number) =>
  new Errors.NeverWritten({
    expression: value.expression,
    address: value.watch.address,
    ...(payload.nth === 1
      ? { unchanged: total }
      : { nth: payload.nth, detail: `of ${total} writes to its address too few changed it` })
  })

/** Returns the error for a write that is older than what the memory belongs to at the stop. `nth` counts it back. */
export const before = ({ payload, value }: Search, detail: string) =>
  new Errors.NeverWritten({
    expression: value.expression,
    address: value.watch.address,
    ...(payload.nth === 1 ? {} : { nth: payload.nth }),
    detail
  })
