/**
 * Which threads of a running program ran while it was watched. One stop cannot tell threads that wait for ever from threads that
 * wake each other: both wait there. The kernel counts how often each thread was taken off a processor.
 */
import { MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Processes } from "../../ports/Processes.ts"
import type { Session } from "../../session/Session.ts"

/** What the kernel counted before a pause. */
export interface ThreadActivity {
  /** How long the program was watched, in milliseconds. */
  readonly millis: number
  /** The threads that ran, by the system's id. */
  readonly ran: ReadonlySet<number>
  /** How often a thread that ran in each half of this time was taken off a processor, by the system's id. */
  readonly switches: ReadonlyMap<number, number>
  /** True if no thread ran. */
  readonly isIdle: boolean
}

type Counts = ReadonlyMap<number, number>

/** One half of the time in which a program is watched, in milliseconds. */
const halfMillis = 100

/** Number of threads whose counts are read at a time. */
const concurrency = 32

const countsOf = Effect.fnUntraced(function* (
  { switches, threads }: Required<Pick<Processes["Service"], "switches" | "threads">>,
  pid: number
) {
  const counts = new Map<number, number>()
  yield* Effect.forEach(
    yield* threads(pid),
    ({ id }) =>
      Effect.map(switches(pid, id), (count) => {
        if (count !== undefined) counts.set(id, count)
      }),
    { concurrency, discard: true }
  )
  return counts
})

const growth = (first: Counts, second: Counts): Counts =>
  new Map([...first].map(([id, count]) => [id, (second.get(id) ?? count) - count]))

const isSame = (first: Counts, second: Counts): boolean =>
  first.size === second.size && [...first].every(([id, count]) => second.get(id) === count)

/** True if the debugger stops the program at a breakpoint and resumes it without a report: each thread runs then. */
const resumesByItself = ({ breakpoints, traces }: Session): boolean =>
  traces.running !== undefined ||
  breakpoints
    .list()
    .some(
      (one) =>
        one.enabled &&
        (one.condition ?? one.hits_wanted ?? one.log ?? one.thread ?? one.thread_name ?? one.continue) !== undefined
    )

/** Returns what threads did in three readings of their counts, one after each half of the time. */
export const between = (
  [first, middle, last]: readonly [Counts, Counts, Counts],
  millis: number,
  resumes: boolean
): ThreadActivity | undefined => {
  const [before, after] = [growth(first, middle), growth(middle, last)]
  const total = growth(first, last)
  // A stop that the debugger did not report moves each thread.
  if (resumes && ![...total.values()].includes(0)) return undefined
  const switches = new Map(
    [...total].filter(([id]) => (before.get(id) ?? 0) > 0 && (after.get(id) ?? 0) > 0 && last.has(id))
  )
  const ran = new Set([...total].flatMap(([id, count]) => (count > 0 ? [id] : [])))
  return { millis, ran, switches, isIdle: first.size > 0 && isSame(first, middle) && isSame(middle, last) }
}

/** Time in which a process is watched, in milliseconds. */
const watchMillis = 2 * halfMillis

/** Counts what the threads of a process do in two halves of the time. `half` waits for one. */
const watched = Effect.fnUntraced(function* (
  pid: number,
  counting: Required<Pick<Processes["Service"], "switches" | "threads">>,
  half: Effect.Effect<unknown>,
  resumes: Effect.Effect<boolean>
) {
  const begin = yield* MonotonicTime.now
  const counts = countsOf(counting, pid)
  const first = yield* counts
  yield* half
  const middle = yield* counts
  yield* half
  const last = yield* counts
  const millis = Math.round((yield* MonotonicTime.now) - begin)
  return between([first, middle, last], millis, yield* resumes)
})

/**
 * Makes what watches the threads of a process that no session has, for `millis`, and what they did. With `resumes` its debug server may stop
 * and resume it meanwhile.
 */
export const watcher = ({ switches, threads }: Processes["Service"], resumes: boolean) => {
  let activity: ThreadActivity | undefined
  const read = Effect.fn("ThreadActivity.watcher")(function* (pid: number) {
    if (switches === undefined || threads === undefined) return
    activity = yield* watched(pid, { switches, threads }, Effect.sleep(halfMillis), Effect.succeed(resumes))
  })
  return { watch: { millis: watchMillis, read }, activity: () => activity }
}

/**
 * Watches the threads of a running program. undefined if the kernel does not count, if the program stops meanwhile, or if the debugger
 * may have stopped it.
 */
export const watch = Effect.fn("ThreadActivity.watch")(function* (
  session: Session,
  { switches, threads }: Processes["Service"]
) {
  const { pid, state, stop } = session.log.snapshot
  const { existing } = session.launch
  if (pid === undefined || state !== "running" || switches === undefined || threads === undefined) return undefined
  if (existing?.kind === "remote") return undefined
  const isOver = (now: typeof session.log.snapshot) => now.state !== "running" || now.stop !== stop
  const activity = yield* watched(
    pid,
    { switches, threads },
    session.await(isOver, halfMillis),
    Effect.sync(() => resumesByItself(session))
  )
  return isOver(session.log.snapshot) ? undefined : activity
})
