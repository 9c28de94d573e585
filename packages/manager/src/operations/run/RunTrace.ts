/**
 * The records of `run --trace`: trace points that are set before the program runs. They do not end the run: the newest records are
 * kept.
 */
import { MonotonicTime, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"
import type { Configure } from "../../session/Manager.ts"
import type { Session } from "../../session/Session.ts"
import type * as Traces from "../../session/traces/Traces.ts"
import type { Calls } from "../Calls.ts"
import * as Trace from "../Trace.ts"

/** Number of records that are kept of a run. */
export const newest = 1000

/** Number of records in the answer and the report. */
const shownRecords = 50

/** How long a pause may take to end the recording, in milliseconds. */
const pauseTimeout = 5000

/** Returns the configuration of a session that also sets the trace points of a call. */
export const configure =
  (
    { launch, sources }: Pick<Calls, "launch" | "sources">,
    { directory, pending, trace: specs = [] }: Pick<Operations.Payload<"run">, "directory" | "pending" | "trace">,
    first: Configure,
    learns = false
  ): Configure =>
  (session) =>
    specs.length === 0
      ? first(session)
      : Effect.gen(function* () {
          yield* first(session)
          const place = { pending, ...(directory === undefined ? {} : { directory }) }
          const points = yield* Trace.addPoints(session, launch, specs, place).pipe(
            Effect.provideService(SourceFiles, sources.within(session.sourceRoots))
          )
          const options = {
            points,
            max: Number.POSITIVE_INFINITY,
            newest,
            learns,
            slow: false,
            isDecided: session.breakpoints.managesCondition,
            secrets: session.secrets
          }
          session.traces.begin(options, yield* MonotonicTime.now)
        })

/** Returns the records of a trace as the answer has them. */
export const shown = (trace: Traces.Trace, by: Operations.TraceEngine): Operations.RunTrace => ({
  id: trace.id,
  points: Trace.countsOf(trace),
  hits: trace.hits.length + trace.dropped,
  dropped: trace.dropped,
  by,
  rows: trace.hits.slice(-shownRecords)
})

/** Ends the trace of a run and returns its records; undefined if there is none. A kept session keeps them for `hits`. */
export const finish = Effect.fnUntraced(function* (session: Session) {
  const trace = session.traces.running
  if (trace === undefined) return undefined
  const { state } = session.log.snapshot
  if (state === "running") {
    // While the debugger resumes at each hit it may miss a pause.
    yield* trace.close
    yield* Effect.ignore(session.pause(pauseTimeout))
  }
  yield* Effect.ignore(trace.drain)
  const kept = session.traces.finish(trace)
  if (session.log.snapshot.state === "stopped") {
    yield* Effect.ignore(session.breakpoints.remove(kept.points.map(({ id }) => id)))
  }
  const { learned } = trace
  const records = shown(kept, trace.engine)
  return { records, points: kept.points, ...(learned === undefined ? {} : { learned }) }
})
