/**
 * The report of a program that still runs when a run is over: where it is, and what its threads or tasks wait for. The call that
 * ran it is the last one that sees it.
 */
import { MonotonicTime, type Operations, type Task } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { Processes } from "../../ports/Processes.ts"
import type { Session } from "../../session/Session.ts"
import type { Calls } from "../Calls.ts"
import * as Explain from "../Explain.ts"
import * as Resume from "../resume/Resume.ts"
import type { ResumePayload } from "../resume/Resume.ts"
import type { Report } from "../stops/StopReport.ts"
import * as Tasks from "../Tasks.ts"
import { type ThreadActivity, watch } from "../waits/ThreadActivity.ts"

/** The report of a program that could not be stopped. */
export const running: Report = { data: { event: "running", running: true }, truncated: [] }

/** Most threads or tasks that have a clause. */
const mostClauses = 3

/** Most characters of the sentence, which texts cut at 320. */
const mostCharacters = 318

/** Time to stop a program whose tasks are known already, in milliseconds. A thread that waits in a lock of Python does not stop. */
const briefPause = 500

/** ` queue.py:12`. */
const placeOf = (frame: { readonly file?: string; readonly line?: number } | undefined): string => {
  const file = frame?.file?.split(/[/\\]/).at(-1)
  return file === undefined ? "" : ` ${file}:${frame?.line ?? "?"}`
}

/** `transfer hang.py:9 waits: threading.Lock, journal, held by thread "audit"`. */
const taskClause = ({ awaits, frames: [frame], state, tasks, wait }: Task.TaskGroup): string => {
  const names = tasks.slice(0, mostClauses).map(({ id, name }) => name ?? id)
  const parts = [wait, awaits].filter((part) => part !== undefined)
  const what = state === "waiting" ? "waits" : state
  return `${names.join(", ")}${placeOf(frame)} ${what}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`
}

/** Orders tasks: those that wait for something that another has, then those that wait for something, then the others. */
const rank = ({ awaits, state }: Task.TaskGroup): number =>
  awaits?.includes("held by") === true ? 0 : state === "running" ? 1 : awaits === undefined ? 3 : 2

/** Returns the sentence about a hang, with what the threads of the first cycle wait for; undefined if no task is known to wait. */
const textOf = ({ cycles, summary, tasks, waits }: Operations.Data<"explain">): string | undefined => {
  const isIdle = tasks?.some(({ state }) => state === "waiting" || state === "syscall") ?? true
  if (!isIdle) return undefined
  const known = tasks?.filter(({ state }) => state !== "unknown")
  const cycle = new Set(cycles[0]?.map(({ thread }) => thread.id))
  const inCycle = waits.filter(({ threads }) => threads.some(({ id }) => cycle.has(id))).slice(0, mostClauses)
  const clauses = inCycle.map(
    ({ stack: [frame], text, threads }) =>
      `${threads.map(({ id, number }) => number ?? id).join(", ")}${placeOf(frame)} ${text}`
  )
  const ranked = (known ?? []).toSorted((one, other) => rank(one) - rank(other)).slice(0, mostClauses)
  // A clause is whole or left out.
  return [...clauses, ...ranked.map(taskClause)].reduce(
    (text, clause) => (text.length + clause.length < mostCharacters ? `${text}; ${clause}` : text),
    summary
  )
}

/** The most time in which a hang is explained, if the caller has no limit of its own, in milliseconds. */
const explainMillis = 30_000

/**
 * Returns what the threads or tasks of a program wait for, as far as it is read in `millis`; undefined if it is not known. `keep` leaves a
 * paused program stopped.
 */
const textIn = (
  session: Session,
  keep: boolean,
  { processes }: Pick<Calls, "processes">,
  activity?: ThreadActivity,
  millis = explainMillis
) =>
  Effect.match(
    Effect.provideService(
      Explain.explain(
        session,
        { what: "hang", all: false, keep, timeout: `${Math.max(1, Math.round(millis))}ms` },
        activity
      ),
      Processes,
      processes
    ),
    { onFailure: () => undefined, onSuccess: ({ data }) => textOf(data) }
  )

/** Share of the time that is left in which a hang is explained. */
const readingShare = 0.8

const withText = (report: Report, explain: string | undefined): Report =>
  explain === undefined ? report : { ...report, data: { ...report.data, explain } }

/** Adds what the threads of a stopped program that hangs wait for. `activity` is what they did before the pause. */
export const explained = (
  session: Session,
  report: Report,
  calls: Pick<Calls, "processes">,
  activity?: ThreadActivity,
  millis?: number
) => Effect.map(textIn(session, true, calls, activity, millis), (text) => withText(report, text))

/** What is said of a program that was not explained before the time was over. */
const unread =
  "what its threads wait for was not read in time; explain says it of a program that runs, or a longer timeout"

const withUnread = (report: Report): Report => withText(report, report.data.explain ?? unread)

/**
 * Stops a running program and reports where it is and what it waits for, within `millis`. A program that cannot be stopped in this
 * time stays running; what its tasks wait for is reported all the same if they can be read then. One that ends meanwhile has its end reported.
 */
export const make = Effect.fn("HangReport.make")(function* (
  session: Session,
  payload: Omit<ResumePayload, "wait" | "timeout">,
  { millis, token }: { readonly millis: number; readonly token: number },
  calls: Pick<Calls, "processes">
) {
  let known = running
  const end = (yield* MonotonicTime.now) + millis
  const stopped = Effect.gen(function* () {
    const tasks = yield* Effect.orElseSucceed(Tasks.listOf(session), () => undefined)
    const text = tasks?.runsCode === true ? yield* textIn(session, false, calls) : undefined
    known = withText(running, text)
    const activity = tasks === undefined ? yield* watch(session, calls.processes) : undefined
    yield* session.pause(text === undefined ? millis : Math.min(millis, briefPause))
    const report = yield* Resume.outcome(session, { ...payload, wait: true, timeout: "1ms" }, token).pipe(
      Effect.catchTag("WaitTimeout", () => Effect.succeed(running))
    )
    if (report.data.event === "running") return withUnread(known)
    known = withText(report, report.data.event === "stopped" ? text : undefined)
    return report.data.event === "stopped" && report.data.reason === "pause" && text === undefined
      ? yield* explained(session, report, calls, activity, (end - (yield* MonotonicTime.now)) * readingShare)
      : known
  })
  return yield* Effect.timeoutOrElse(stopped, { duration: millis, orElse: () => Effect.sync(() => withUnread(known)) })
})
