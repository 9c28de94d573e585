/**
 * The traces of a session: the one that runs, and the records of the newest ones.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Traced } from "../../ports/ProgramRuns.ts"
import { mask, type Secrets } from "../../model/secrets/Secrets.ts"
import { type Hit, type Options, type Point, RunningTrace, type Trace } from "./RunningTrace.ts"

export type { Options, Point, RunningTrace, Trace } from "./RunningTrace.ts"

/** Number of traces that are kept. */
const maxTraces = 5

/** Returns the trace of a run that a debug server has recorded. */
export const ofRun = (points: ReadonlyArray<Point>, { counts, hits }: Traced, secrets: Secrets): Trace => {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const dropped = total - hits.length
  const byId = new Map(points.map((point) => [point.id, point]))
  return {
    id: points[0]?.id ?? 0,
    points,
    dropped,
    counts,
    hits: hits.map(({ id, thread, time, values }, index): Hit => ({
      hit: dropped + index + 1,
      point: id,
      thread,
      time,
      values: Object.fromEntries(
        (byId.get(id)?.expressions ?? []).map((expression, at) => [
          expression,
          secrets.named(expression) ? mask : secrets.inText(values[at] ?? "")
        ])
      )
    }))
  }
}

/** The traces of one session. */
export class Traces {
  #running: RunningTrace | undefined
  #kept: ReadonlyArray<Trace> = []

  /** Fails while probes of the kernel are in the program: a breakpoint beside one would read it as an instruction. */
  readonly editable: Effect.Effect<void, Errors.Unsupported> = Effect.suspend(() =>
    this.#running?.isProbed === true
      ? Effect.fail(
          new Errors.Unsupported({
            what: "a change of breakpoints while it records; pause the program first",
            by: "trace --engine uprobe",
            remedies: [Hint.call("pause", {})]
          })
        )
      : Effect.void
  )

  /** The trace that runs. */
  get running(): RunningTrace | undefined {
    return this.#running
  }

  /** Starts a trace. */
  begin(options: Options, now: number): RunningTrace {
    const trace = new RunningTrace(options, now)
    this.#running = trace
    return trace
  }

  /** Ends the trace that runs and keeps its records. */
  finish(trace: RunningTrace): Trace {
    const result = trace.result()
    if (this.#running === trace) this.#running = undefined
    this.#kept = [...this.#kept, result].slice(-maxTraces)
    return result
  }

  /** Keeps the records of a run without a debugger. */
  adopt(trace: Trace): void {
    this.#kept = [...this.#kept, trace].slice(-maxTraces)
  }

  /** Returns the trace with the number of one of its points; the newest one without a number. */
  find(id: number | undefined): Trace | undefined {
    return id === undefined
      ? this.#kept.at(-1)
      : this.#kept.find(({ points }) => points.some((point) => point.id === id))
  }

  /** The numbers of the traces that are kept. */
  get ids(): ReadonlyArray<number> {
    return this.#kept.map(({ id }) => id)
  }
}
