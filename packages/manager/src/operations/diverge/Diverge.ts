/**
 * `diverge`: runs a program with two inputs and finds where their paths part.
 *
 * The first run of each input records the functions that it enters. A second one goes to the last common entry and records the lines
 * behind it. A third one stops at the last common line and stays. Each of them must repeat the path of the first, as must further
 * runs, with the lines, else nothing is claimed.
 */
import { Errors, Field, MonotonicTime, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as PathComparison from "../../model/runs/PathComparison.ts"
import * as UnrepeatableCalls from "../../model/runs/UnrepeatableCalls.ts"
import type { Calls } from "../Calls.ts"
import { withoutSession } from "../Calls.ts"
import * as Catchpoints from "../breakpoints/Catchpoints.ts"
import * as Diff from "../inspection/Diff.ts"
import * as Start from "../start/Start.ts"
import {
  argumentsOf,
  type Pair,
  checks,
  type FirstRuns,
  notCompared,
  type Divergence,
  type Progress,
  divergenceOf
} from "./Findings.ts"
import * as Inputs from "./Inputs.ts"
import * as PathRun from "./PathRun.ts"

type Payload = Operations.Payload<"diverge">
type Data = Operations.Data<"diverge">

/** Most lines that are compared. */
const mostLines = 5000

/** Most differences of values in an answer. */
const mostValues = 40

/** The share of the time that the first runs may take. */
const firstShare = 0.4

/** Does the same with both runs, at the same time. */
const both = <A, B, E, R>({ a, b }: Pair<A>, work: (one: A, side: "a" | "b") => Effect.Effect<B, E, R>) =>
  Effect.map(Effect.all([work(a, "a"), work(b, "b")], { concurrency: 2 }), ([first, second]): Pair<B> => ({
    a: first,
    b: second
  }))

const nameOf = (side: "a" | "b") => (side === "a" ? "good" : "bad")

/**
 * Fails unless a run has entered the functions of the first run with the same input, up to a number of entries; if its time was up
 * before, as a call whose time is up.
 */
const checkRepeated = Effect.fnUntraced(function* (
  side: "a" | "b",
  first: PathRun.RecordedPath,
  next: PathRun.RecordedPath,
  count: number,
  shared: PathRun.Shared
) {
  const own = first.recording.entries.slice(0, count)
  const same = PathComparison.commonEntries(own, next.recording.entries)
  if (same >= own.length) return
  // A slow start can use up the time of a run, whatever its path is.
  if (next.end.cut === "time" && same === next.recording.entries.length) return yield* PathRun.timedOut(shared)
  const place = ({ recording }: PathRun.RecordedPath) => {
    const entry = recording.entries[same]
    return entry === undefined
      ? "the end"
      : (PathComparison.placeOf(recording, entry.address)?.function ?? "a function")
  }
  return yield* new Errors.NotReproduced({
    at: `function entry ${same + 1} of the ${nameOf(side)} run`,
    expected: place(first),
    got: place(next)
  })
})

/** The failure of a run whose lines are not those of an earlier one with the same input. */
const otherLines = (side: "a" | "b", line: number) =>
  new Errors.NotReproduced({
    at: `line ${line} of the ${nameOf(side)} run`,
    expected: "the lines of an earlier run",
    got: "other lines"
  })

/** Number of entries that a new run must repeat: one more than the common ones, if there is one. */
const repeated = ({ count, walked }: FirstRuns, side: "a" | "b") =>
  Math.min(count + 1, walked[side].recording.entries.length)

/** Runs both again along their routes, in sessions that end with the scope, and checks that they repeat the first runs. */
const again = Effect.fnUntraced(function* (first: FirstRuns, routes: Pair<PathRun.Route>, count?: number) {
  return yield* both(
    first.runs,
    Effect.fnUntraced(function* (run, side) {
      const next = yield* PathRun.restart(run)
      const walked = yield* PathRun.record(next, routes[side])
      if (walked === undefined) return undefined
      const isWhole = walked.recording.end !== "lines" && walked.end.cut !== "time"
      yield* checkRepeated(
        side,
        first.walked[side],
        walked,
        count ?? (isWhole ? repeated(first, side) : first.count),
        run.shared
      )
      return { run: next, walked }
    })
  )
})

/** Returns the route to the last common entry, and along the lines behind it; along all lines if no entry differs. */
const lineRoute = (first: FirstRuns) =>
  Effect.map(MonotonicTime.now, (now) => ({
    limit: first.limit,
    ...(first.parts ? { entry: first.count - 1 } : {}),
    lines: { of: first.parts ? ("stack" as const) : ("all" as const), limit: mostLines },
    until: now + (first.runs.a.shared.deadline - now) * firstShare
  }))

/** Returns what a run has recorded behind the last common entry. */
const stepsOf = (first: FirstRuns, { recording }: PathRun.RecordedPath) =>
  PathComparison.stepsAfter(recording, first.parts ? first.count : recording.entries.length)

/** True if a limit or the time ended a run. */
const isCut = ({ end, recording }: PathRun.RecordedPath) =>
  recording.end === "lines" || recording.end === "threads" || end.cut === "time"

/** Compares the lines behind the last common entry, or all lines if no entry differs. */
const narrow = Effect.fnUntraced(function* (first: FirstRuns) {
  const lines = yield* lineRoute(first)
  const route: PathRun.Route = { ...lines, values: true, reads: UnrepeatableCalls.readingNames }
  const found = yield* Effect.scoped(again(first, { a: route, b: route }))
  if (found.a === undefined || found.b === undefined) return undefined
  const walked = { a: found.a.walked, b: found.b.walked }
  const steps = { a: stepsOf(first, walked.a), b: stepsOf(first, walked.b) }
  const same = PathComparison.commonSteps(steps.a, steps.b)
  const isOpen = (side: "a" | "b") => isCut(walked[side]) && steps[side].length <= same
  const narrowed: Divergence = {
    of: lines.lines.of,
    walked,
    steps,
    same,
    complete: !isOpen("a") && !isOpen("b")
  }
  return narrowed
})

/** Runs both to the last common line, where they stay. `walked` has the entries up to there. */
const arrive = Effect.fnUntraced(function* (first: FirstRuns, { of, same, walked }: Divergence) {
  const route: PathRun.Route = {
    limit: first.limit,
    ...(of === "stack" ? { entry: first.count - 1 } : {}),
    lines: { of, limit: mostLines + 1, stop: same - 1 }
  }
  const found = yield* again(first, { a: route, b: route }, of === "stack" ? first.count : 0)
  yield* both(found, (one, side) => {
    const lines = one?.walked.recording.lines ?? []
    const isSame = lines.length === same && lines.every((line, index) => line === walked[side].recording.lines[index])
    return isSame ? Effect.void : otherLines(side, same)
  })
  return found.a === undefined || found.b === undefined ? undefined : { a: found.a, b: found.b }
})

/** Runs both inputs once and compares the functions that they enter. */
const compared = Effect.fnUntraced(function* (runs: Pair<PathRun.PathRun>, payload: Payload) {
  const now = yield* MonotonicTime.now
  const until = now + (runs.a.shared.deadline - now) * firstShare
  const limit = payload.max
  const none = Effect.fail(new Errors.InvalidState({ problem: "the path of the program was not recorded" }))
  const walked = yield* both(runs, (run) =>
    Effect.flatMap(PathRun.record(run, { limit, until }), (found) =>
      found === undefined ? none : Effect.succeed(found)
    )
  )
  const [a, b] = [walked.a.recording.entries, walked.b.recording.entries]
  const count = PathComparison.commonEntries(a, b)
  // A path that a limit has cut may continue in the same way. A path that was cut by the time may not; its lines show that.
  const goesOn = (one: PathRun.RecordedPath) =>
    one.recording.entries.length > count || one.end.cut === undefined || one.end.cut === "time"
  const parts = Math.max(a.length, b.length) > count && goesOn(walked.a) && goesOn(walked.b)
  const first: FirstRuns = { runs, walked, count, parts, limit }
  return first
})

/** Fails unless a run has gone along the lines of an earlier one, to the first line that the other input does not have. */
const checkLines = Effect.fnUntraced(function* (
  side: "a" | "b",
  first: FirstRuns,
  { same, steps }: Divergence,
  walked: PathRun.RecordedPath
) {
  const found = stepsOf(first, walked)
  const wanted = steps[side].slice(0, same + 1)
  const common = PathComparison.commonSteps(wanted, found)
  const isShort = common === found.length && isCut(walked)
  if (isShort || (common === wanted.length && (wanted.length > same || found.length === common))) return
  return yield* otherLines(side, common + 1)
})

/** Runs both inputs further times, each of which must repeat the path, with the lines if those were compared. `onTurn` is called after each. */
const checked = Effect.fnUntraced(function* (
  first: FirstRuns,
  narrowed: Divergence | undefined,
  times: number,
  onTurn: () => void
) {
  const { limit, parts, walked } = first
  // A program that was ended at the end of the time does not come to its end, and one that has ended has no further entry.
  const routeOf = (side: "a" | "b"): PathRun.Route => {
    const isCut = walked[side].end.cut !== undefined
    return { limit, ...(parts ? { entry: isCut ? repeated(first, side) - 1 : first.count } : {}) }
  }
  for (let turn = 0; turn < times; turn++) {
    const lines = narrowed === undefined ? undefined : yield* lineRoute(first)
    const found = yield* Effect.scoped(again(first, { a: lines ?? routeOf("a"), b: lines ?? routeOf("b") }))
    if (narrowed !== undefined) {
      yield* both(found, (one, side) =>
        one === undefined ? Effect.void : checkLines(side, first, narrowed, one.walked)
      )
    }
    onTurn()
  }
})

/**
 * Compares the lines. Runs further times if the paths part, or if the program reads what another run may not repeat; `differs` is true
 * if their lines do. `repeats` counts the runs of each input that had the path of the first one.
 */
const comparedLines = Effect.fnUntraced(function* (first: FirstRuns, isTried: boolean) {
  const { a, b } = first.walked
  const narrowed = isTried ? yield* narrow(first) : undefined
  const differs =
    narrowed !== undefined &&
    narrowed.complete &&
    (narrowed.steps.a.length > narrowed.same || narrowed.steps.b.length > narrowed.same)
  const parts = differs || (first.parts && a.end.cut !== "time" && b.end.cut !== "time")
  const reads = [...(narrowed?.walked.a.recording.reads ?? []), ...(narrowed?.walked.b.recording.reads ?? [])]
  const isUnsure = reads.length > 0
  const times = isUnsure ? checks.unsure : parts ? checks.usual : 0
  let repeats = narrowed === undefined ? 0 : 1
  const further = checked(first, narrowed, times, () => {
    repeats += 1
  })
  // Equal paths are what was seen, in as many runs as there was time for.
  yield* parts ? further : Effect.catchTag(further, "WaitTimeout", () => Effect.void)
  return { narrowed, parts, repeats }
})

/** Opens both programs at their first instruction. Their sessions end with the scope, unless others have their names then. */
const open = Effect.fnUntraced(function* (calls: Calls, payload: Payload, shared: PathRun.Shared) {
  const { manager, preparation, withDefaultBackend } = calls
  const starts = yield* Inputs.read(payload)
  const good = yield* Start.prepare(yield* withDefaultBackend(starts.good), preparation)
  const bad = yield* Start.prepare(yield* withDefaultBackend(starts.bad), preparation)
  const opened = Effect.fnUntraced(function* ({ payload: start }: typeof good) {
    const { session, token } = yield* Effect.acquireRelease(
      manager.start(start, Catchpoints.fromStart(undefined)),
      ({ session }) =>
        // A run that was published under the name has replaced it.
        Effect.flatMap(manager.sessions, (known) => (known.includes(session) ? manager.end(session) : Effect.void))
    )
    return yield* PathRun.awaitFirstStop(session, token, shared)
  })
  // One after the other: the second gets the random bytes of the first.
  const a = yield* opened(good)
  const runs: Pair<PathRun.PathRun> = { a, b: yield* opened(bad) }
  yield* Inputs.checkPrograms(runs.a.session.launch.program, runs.b.session.launch.program)
  return { runs, warnings: [...good.warnings, ...bad.warnings] }
})

/** Publishes the runs that have arrived, and compares their values. */
const kept = Effect.fnUntraced(function* (
  calls: Calls,
  payload: Payload,
  arrived: Pair<{ readonly run: PathRun.PathRun }>
) {
  const { manager } = calls
  const names = Inputs.namesOf(payload)
  const { a, b } = arrived
  if (payload.keep) {
    yield* manager.publish(a.run.session, names.good)
    yield* manager.publish(b.run.session, names.bad)
  }
  const { depth, ignore } = payload
  const { data } = yield* Diff.between(a.run.session, b.run.session, { depth, ignore, limit: mostValues })
  return {
    // The innermost frame, where the paths part, comes first.
    vars: data.frames.filter(({ vars }) => vars.length > 0).toReversed(),
    ...(payload.keep ? { sessions: [names.good, names.bad] } : {})
  }
})

/** What the lines have shown, and whether the time was up before. */
interface Compared extends Pick<Progress, "parts" | "late"> {
  readonly repeats: number
  readonly narrowed: Divergence | undefined
}

const isLate = Effect.succeed("late" as const)

/** Handles `diverge`. */
export const diverge = Effect.fn("Diverge.diverge")(function* (calls: Calls, payload: Payload) {
  const began = yield* MonotonicTime.now
  const timeout = Field.millis(payload.timeout)
  const shared: PathRun.Shared = {
    manager: calls.manager,
    deadline: began + timeout,
    timeout,
    seed: undefined,
    runs: 0
  }
  const { runs, warnings } = yield* open(calls, payload, shared)
  const first = yield* compared(runs, payload)
  const { a, b } = first.walked
  const isWhole = a.end.cut === undefined && b.end.cut === undefined
  const tried = first.count > 0 && (first.parts || isWhole)
  // A comparison that further runs do not confirm is made once more.
  const { narrowed, parts, late, repeats } = yield* Effect.retry(comparedLines(first, tried), {
    times: 1,
    while: ({ _tag }) => _tag === "NotReproduced"
  }).pipe(
    Effect.map((found): Compared => found),
    // The first runs have common entries, whatever further runs would have shown.
    Effect.catchTag("WaitTimeout", () =>
      Effect.succeed<Compared>({ narrowed: undefined, parts: false, late: "place", repeats: 0 })
    )
  )
  const lines = narrowed?.same ?? 0
  const hasStop = parts && narrowed !== undefined && narrowed.steps.a[lines - 1]?.kind === "line"
  const stop = hasStop ? yield* Effect.catchTag(arrive(first, narrowed), "WaitTimeout", () => isLate) : undefined
  const arrived = stop === "late" ? undefined : stop
  const entries = arrived?.a.walked.recording.entries.length ?? first.count
  const found = arrived === undefined ? { vars: [] } : yield* kept(calls, payload, arrived)
  const others = narrowed === undefined ? undefined : argumentsOf(first, narrowed, payload.ignore)
  const data: Data = {
    steps: entries + lines,
    entries,
    lines,
    ...(parts ? { divergence: divergenceOf(first, narrowed, entries) } : {}),
    ...(others === undefined ? {} : { arguments: others }),
    ends: { a: a.end, b: b.end },
    ...(isWhole && a.output !== undefined && b.output !== undefined
      ? { same_output: a.output.every((text, index) => text === b.output?.[index]) }
      : {}),
    ...found,
    runs: shared.runs,
    elapsed_ms: Math.round((yield* MonotonicTime.now) - began),
    left_out: notCompared(first, narrowed, {
      parts,
      tried,
      runs: 1 + repeats + (arrived === undefined ? 0 : 1),
      ...(stop === "late" ? { late: "values" } : late === undefined ? {} : { late })
    })
  }
  return { ...withoutSession(data), warnings }
}, Effect.scoped)
