/**
 * `diverge`: runs a program with two inputs and finds where their paths part.
 *
 * The first run of each input records the functions that it enters. A second one goes to the last common entry and records the lines
 * behind it. A third one stops at the last common line and stays. Each of them must repeat the path of the first, as must further
 * runs, else nothing is claimed.
 */
import { Errors, Field, MonotonicTime, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Glob from "../../model/Glob.ts"
import * as PathComparison from "../../model/PathComparison.ts"
import * as UnrepeatableCalls from "../../model/UnrepeatableCalls.ts"
import type { PathPlace, Recording } from "../../ports/Paths.ts"
import type { Calls } from "../Calls.ts"
import { withoutSession } from "../Calls.ts"
import * as Catchpoints from "../Catchpoints.ts"
import * as Diff from "../Diff.ts"
import * as Start from "../Start.ts"
import * as Inputs from "./Inputs.ts"
import * as PathRun from "./PathRun.ts"

type Payload = Operations.Payload<"diverge">
type Data = Operations.Data<"diverge">
type Step = PathComparison.Step

/** Something of the good and of the bad run. */
interface Both<A> {
  readonly a: A
  readonly b: A
}

/** Most lines that are compared. */
const mostLines = 5000

/** Most differences of values in an answer. */
const mostValues = 40

/** Further runs that must repeat the path; more if the program reads what another run may not repeat. */
const checks = { usual: 1, unsure: 6 }

/** The share of the time that the first runs may take. */
const firstShare = 0.4

/** Does the same with both runs, at the same time. */
const both = <A, B, E, R>({ a, b }: Both<A>, work: (one: A, side: "a" | "b") => Effect.Effect<B, E, R>) =>
  Effect.map(Effect.all([work(a, "a"), work(b, "b")], { concurrency: 2 }), ([first, second]): Both<B> => ({
    a: first,
    b: second
  }))

const nameOf = (side: "a" | "b") => (side === "a" ? "good" : "bad")

const position = ({ column, file, function: name, line }: PathPlace) => ({ function: name, file, line, column })

const positionAt = (recording: Recording, address: number | undefined): Partial<ReturnType<typeof position>> => {
  const found = address === undefined ? undefined : PathComparison.placeOf(recording, address)
  return found === undefined ? {} : position(found)
}

/** Fails unless a run has entered the functions of the first run with the same input, up to a number of entries. */
const checkRepeated = Effect.fnUntraced(function* (
  side: "a" | "b",
  first: PathRun.Walked,
  next: PathRun.Walked,
  count: number
) {
  const own = first.recording.entries.slice(0, count)
  const same = PathComparison.commonEntries(own, next.recording.entries)
  if (same >= own.length) return
  const place = ({ recording }: PathRun.Walked) => {
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

/** What the first runs have shown. `count` is the number of common entries, and `parts` true if the paths part there. */
interface First {
  readonly runs: Both<PathRun.PathRun>
  readonly walked: Both<PathRun.Walked>
  readonly count: number
  readonly parts: boolean
  readonly limit: number
}

/** The place where the steps of two runs part. `same` counts the common steps behind the last common entry. */
interface Narrowed {
  readonly of: "stack" | "all"
  readonly walked: Both<PathRun.Walked>
  readonly steps: Both<ReadonlyArray<Step>>
  readonly same: number
  /** True if no limit ended the comparison. */
  readonly complete: boolean
}

/** Number of entries that a new run must repeat: one more than the common ones, if there is one. */
const repeated = ({ count, walked }: First, side: "a" | "b") =>
  Math.min(count + 1, walked[side].recording.entries.length)

/** Runs both again along a route, in sessions that end with the scope, and checks that they repeat the first runs. */
const again = Effect.fnUntraced(function* (first: First, route: PathRun.Route, count?: number) {
  return yield* both(
    first.runs,
    Effect.fnUntraced(function* (run, side) {
      const next = yield* PathRun.again(run)
      const walked = yield* PathRun.walk(next, route)
      if (walked === undefined) return undefined
      const isWhole = walked.recording.end !== "lines"
      yield* checkRepeated(side, first.walked[side], walked, count ?? (isWhole ? repeated(first, side) : first.count))
      return { run: next, walked }
    })
  )
})

/** Compares the lines behind the last common entry, or all lines if no entry differs. */
const narrow = Effect.fnUntraced(function* (first: First) {
  const of = first.parts ? ("stack" as const) : ("all" as const)
  const found = yield* Effect.scoped(
    again(first, {
      limit: first.limit,
      ...(first.parts ? { entry: first.count - 1 } : {}),
      lines: { of, limit: mostLines },
      values: true,
      reads: UnrepeatableCalls.readingNames
    })
  )
  if (found.a === undefined || found.b === undefined) return undefined
  const walked = { a: found.a.walked, b: found.b.walked }
  const stepsOf = ({ recording }: PathRun.Walked) =>
    PathComparison.stepsAfter(recording, first.parts ? first.count : recording.entries.length)
  const steps = { a: stepsOf(walked.a), b: stepsOf(walked.b) }
  const same = PathComparison.commonSteps(steps.a, steps.b)
  const isCut = (one: PathRun.Walked, own: ReadonlyArray<Step>) => one.recording.end === "lines" && own.length <= same
  const narrowed: Narrowed = {
    of,
    walked,
    steps,
    same,
    complete: !isCut(walked.a, steps.a) && !isCut(walked.b, steps.b)
  }
  return narrowed
})

/** Runs both to the last common line, where they stay. `walked` has the entries up to there. */
const arrive = Effect.fnUntraced(function* (first: First, { of, same, walked }: Narrowed) {
  const found = yield* again(
    first,
    {
      limit: first.limit,
      ...(of === "stack" ? { entry: first.count - 1 } : {}),
      lines: { of, limit: mostLines + 1, stop: same - 1 }
    },
    of === "stack" ? first.count : 0
  )
  yield* both(found, (one, side) => {
    const lines = one?.walked.recording.lines ?? []
    const isSame = lines.length === same && lines.every((line, index) => line === walked[side].recording.lines[index])
    return isSame
      ? Effect.void
      : Effect.fail(
          new Errors.NotReproduced({
            at: `line ${same} of the ${nameOf(side)} run`,
            expected: "the lines of an earlier run",
            got: "other lines"
          })
        )
  })
  return found.a === undefined || found.b === undefined ? undefined : { a: found.a, b: found.b }
})

/** Where a run goes from the last common step. */
const nextOf = ({ recording }: PathRun.Walked, step: Step | undefined): NextPlace => {
  if (step === undefined) return { kind: "end" }
  const location = positionAt(recording, step.address)
  return { kind: step.kind, location }
}

type NextPlace = NonNullable<Data["parting"]>["at"]["a"]

/** Returns where the paths part, as far as it is known. */
const partingOf = (first: First, narrowed: Narrowed | undefined, entries: number): NonNullable<Data["parting"]> => {
  const { count, walked } = first
  const entry = (side: "a" | "b") => {
    const found = walked[side].recording.entries[count]
    return nextOf(walked[side], found === undefined ? undefined : { kind: "entry", ...found })
  }
  const last = narrowed?.steps.a[narrowed.same - 1]
  const recording = narrowed?.walked.a.recording ?? walked.a.recording
  const common = walked.a.recording.entries[count - 1]
  const after = positionAt(recording, last?.address ?? common?.address)
  const isNarrowed = narrowed !== undefined && narrowed.complete
  return {
    after,
    call: after.function === undefined ? 0 : PathComparison.callsOf(after.function, walked.a.recording, entries),
    narrowed: isNarrowed,
    at: isNarrowed
      ? {
          a: nextOf(narrowed.walked.a, narrowed.steps.a[narrowed.same]),
          b: nextOf(narrowed.walked.b, narrowed.steps.b[narrowed.same])
        }
      : { a: entry("a"), b: entry("b") }
  }
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`

const cuts = {
  entries: (count: number) => `function entries after the first ${count}`,
  time: (count: number) => `function entries after the first ${count}: the time was up`,
  threads: (count: number) =>
    `function entries after the first ${count}: a second thread runs, and the order of threads differs from run to run`
}

/** Returns what was not compared, in sentences. */
const leftOut = (first: First, narrowed: Narrowed | undefined): ReadonlyArray<string> => {
  const { a, b } = first.walked
  const cut = a.end.cut ?? b.end.cut
  const reads = [...(narrowed?.walked.a.recording.reads ?? []), ...(narrowed?.walked.b.recording.reads ?? [])]
  const places = [...new Set(reads.map(({ file, function: name, line }) => `${name} at ${file}:${line}`))]
  return [
    ...(first.parts || cut === undefined ? [] : [cuts[cut](first.count)]),
    ...(first.parts ? ["branches before the last common entry whose ways enter the same functions"] : []),
    ...(narrowed === undefined ? ["lines: the program has too many"] : []),
    ...(narrowed?.complete === false ? [`lines after the first ${mostLines}`] : []),
    ...(places.length === 0
      ? []
      : [
          `another run may differ: the program calls ${places.slice(0, 3).join(", ")}; ${counted(checks.unsure + 2, "run")} of each input had the same path`
        ]),
    "functions without source files, functions that the compiler inlined, and the order of output"
  ]
}

/** Returns the first arguments that differ before the paths part. */
const argumentsOf = (first: First, { walked }: Narrowed, ignore: ReadonlyArray<string>): Data["arguments"] => {
  const { a, b } = walked
  const entries = a.recording.entries.slice(0, first.count)
  const found = PathComparison.otherArguments(entries, b.recording.entries, (name) =>
    ignore.some((glob) => Glob.matches(glob, name))
  )
  const entry = found === undefined ? undefined : entries[found.index]
  if (found === undefined || entry === undefined) return undefined
  const location = positionAt(a.recording, entry.address)
  return {
    location,
    call: PathComparison.callsOf(location.function ?? "", a.recording, found.index + 1),
    vars: found.vars
  }
}

/** Runs both inputs once and compares the functions that they enter. */
const compared = Effect.fnUntraced(function* (runs: Both<PathRun.PathRun>, payload: Payload) {
  const now = yield* MonotonicTime.now
  const until = now + (runs.a.shared.deadline - now) * firstShare
  const limit = payload.max
  const none = Effect.fail(new Errors.InvalidState({ problem: "the path of the program was not recorded" }))
  const walked = yield* both(runs, (run) =>
    Effect.flatMap(PathRun.walk(run, { limit, until }), (found) => (found === undefined ? none : Effect.succeed(found)))
  )
  const [a, b] = [walked.a.recording.entries, walked.b.recording.entries]
  const count = PathComparison.commonEntries(a, b)
  // A path that was cut does not end there.
  const goesOn = (one: PathRun.Walked) => one.recording.entries.length > count || one.end.cut === undefined
  const parts = Math.max(a.length, b.length) > count && goesOn(walked.a) && goesOn(walked.b)
  const first: First = { runs, walked, count, parts, limit }
  return first
})

/** Runs both inputs further times, each of which must repeat the path. */
const checked = Effect.fnUntraced(function* (first: First, times: number) {
  for (let turn = 0; turn < times; turn++) {
    yield* Effect.scoped(again(first, { limit: first.limit, ...(first.parts ? { entry: first.count } : {}) }))
  }
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
    return yield* PathRun.opened(session, token, shared)
  })
  // One after the other: the second gets the random bytes of the first.
  const a = yield* opened(good)
  const runs: Both<PathRun.PathRun> = { a, b: yield* opened(bad) }
  yield* Inputs.checkPrograms(runs.a.session.launch.program, runs.b.session.launch.program)
  return { runs, warnings: [...good.warnings, ...bad.warnings] }
})

/** Publishes the runs that have arrived, and compares their values. */
const kept = Effect.fnUntraced(function* (
  calls: Calls,
  payload: Payload,
  arrived: Both<{ readonly run: PathRun.PathRun }>
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

/** `diverge` */
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
  const narrowed = first.count > 0 && (first.parts || isWhole) ? yield* narrow(first) : undefined
  const differs =
    narrowed !== undefined && (narrowed.steps.a.length > narrowed.same || narrowed.steps.b.length > narrowed.same)
  const parts = first.parts || (differs && narrowed.complete)
  const reads = [...(narrowed?.walked.a.recording.reads ?? []), ...(narrowed?.walked.b.recording.reads ?? [])]
  if (parts) yield* checked(first, reads.length > 0 ? checks.unsure : checks.usual)
  const lines = narrowed?.same ?? 0
  const hasStop = parts && narrowed !== undefined && narrowed.steps.a[lines - 1]?.kind === "line"
  const arrived = hasStop ? yield* arrive(first, narrowed) : undefined
  const entries = arrived?.a.walked.recording.entries.length ?? first.count
  const found = arrived === undefined ? { vars: [] } : yield* kept(calls, payload, arrived)
  const others = narrowed === undefined ? undefined : argumentsOf(first, narrowed, payload.ignore)
  const data: Data = {
    steps: entries + lines,
    entries,
    lines,
    ...(parts ? { parting: partingOf(first, narrowed, entries) } : {}),
    ...(others === undefined ? {} : { arguments: others }),
    ends: { a: a.end, b: b.end },
    ...(isWhole && a.output !== undefined && b.output !== undefined
      ? { same_output: a.output.every((text, index) => text === b.output?.[index]) }
      : {}),
    ...found,
    runs: shared.runs,
    elapsed_ms: Math.round((yield* MonotonicTime.now) - began),
    left_out: leftOut(first, narrowed)
  }
  return { ...withoutSession(data), warnings }
}, Effect.scoped)
