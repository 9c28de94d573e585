/**
 * A new run of a program with a watchpoint on the memory whose last write is looked for.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as CountedWrites from "./CountedWrites.ts"
import * as ReexecutionCall from "./ReexecutionCall.ts"
import * as Rerun from "./Rerun.ts"
import * as WatchedValue from "./WatchedValue.ts"

/** A number of writes that no program reaches: the watchpoint stops at none and counts all. */
export const never = 999_999_999

/** A new run with its watchpoint. `initial` are the bytes at its first instruction, if they can be read there. */
export interface WatchedRun {
  readonly rerun: Rerun.Rerun
  readonly watch: number
  readonly initial: Uint8Array | undefined
}

/** A write in a sentence: `write 3`. */
export const momentOf = (hit: number) => `write ${hit}`

/** Sets a watchpoint that stops at no write until `stopFrom`. */
export const watchIn = Effect.fnUntraced(function* (rerun: Rerun.Rerun, value: WatchedValue.WatchedValue) {
  const initial = yield* WatchedValue.bytesAt(rerun.connection, value.watch)
  const { expression, watch } = value
  const { id } = yield* rerun.session.breakpoints
    .add({ text: expression, place: { kind: "watch", watch }, pending: false, temporary: false })
    .pipe(
      Effect.catchTag("BreakpointUnresolved", ({ reason }) =>
        Effect.fail(
          new Errors.WatchUnavailable({ expression, why: watch.size > 8 ? "size" : "address", detail: reason })
        )
      )
    )
  const found: WatchedRun = { rerun, watch: id, initial }
  yield* rerun.reexecution.stopAtWrites(id, never)
  return found
})

/** Starts a run with a watchpoint. */
export const start = ({ call, value }: Pick<CountedWrites.Search, "call" | "value">) =>
  Effect.flatMap(ReexecutionCall.run(call), (rerun) => watchIn(rerun, value))

/** Continues to the next stop of the watchpoint. */
export const next = Effect.fnUntraced(function* ({ rerun, watch }: WatchedRun, hit: number) {
  for (;;) {
    const stop = yield* Rerun.resume(rerun, "continue", momentOf(hit), { watch })
    if (!stop.stopped.breakpoints.includes(watch)) continue
    const { isWrite } = yield* rerun.reexecution.writeStop
    if (isWrite) return stop
  }
})

/** Reads the watched bytes. */
export const readAt = Effect.fnUntraced(function* ({ rerun }: WatchedRun, value: WatchedValue.WatchedValue) {
  const bytes = yield* WatchedValue.bytesAt(rerun.connection, value.watch)
  return bytes ?? (yield* new Errors.WatchUnavailable({ expression: value.expression, why: "address" }))
})

/** Makes the watchpoint stop the program from a write on. */
export const stopFrom = ({ rerun, watch }: WatchedRun, hit: number) => rerun.reexecution.stopAtWrites(watch, hit)

/** Makes the watchpoint one that stops the program at each write. */
export const release = ({ rerun, watch }: WatchedRun) => rerun.reexecution.stopAtWrites(watch, undefined)

/** Returns the stack of a run at its current stop, the innermost frame first. */
export const stackOf = ({ rerun }: Pick<WatchedRun, "rerun">) =>
  Effect.map(
    rerun.connection.stack(rerun.session.log.snapshot.stopped?.thread ?? 0, 0, WatchedValue.maxFrames),
    ({ frames }) => frames
  )
