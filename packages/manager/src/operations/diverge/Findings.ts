/**
 * What `diverge` has found, as its answer says it.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Glob from "../../model/Glob.ts"
import * as PathComparison from "../../model/runs/PathComparison.ts"
import type { PathPlace, Recording } from "../../ports/PathRecorder.ts"
import type * as PathRun from "./PathRun.ts"

type Data = Operations.Data<"diverge">
type Step = PathComparison.Step

/** Something of the good and of the bad run. */
export interface Pair<A> {
  readonly a: A
  readonly b: A
}

/** Further runs that must repeat the path; more if the program reads what another run may not repeat. */
export const checks = { usual: 1, unsure: 6 }

/** What the first runs have shown. `count` is the number of common entries, and `parts` true if the paths part there. */
export interface FirstRuns {
  readonly runs: Pair<PathRun.PathRun>
  readonly walked: Pair<PathRun.RecordedPath>
  readonly count: number
  readonly parts: boolean
  readonly limit: number
}

/** The place where the steps of two runs part. `same` counts the common steps behind the last common entry. */
export interface Divergence {
  readonly of: "stack" | "all"
  readonly walked: Pair<PathRun.RecordedPath>
  readonly steps: Pair<ReadonlyArray<Step>>
  readonly same: number
  /** True if no limit ended the comparison. */
  readonly complete: boolean
}

const position = ({ column, file, function: name, line }: PathPlace) => ({
  function: name,
  file,
  line,
  ...(column === 0 ? {} : { column })
})

const positionAt = (recording: Recording, address: number | undefined): Partial<ReturnType<typeof position>> => {
  const found = address === undefined ? undefined : PathComparison.placeOf(recording, address)
  return found === undefined ? {} : position(found)
}

/** Where a run goes from the last common step. */
const nextOf = ({ recording }: PathRun.RecordedPath, step: Step | undefined): NextPlace => {
  if (step === undefined) return { kind: "end" }
  const location = positionAt(recording, step.address)
  return { kind: step.kind, location }
}

type NextPlace = NonNullable<Data["divergence"]>["at"]["a"]

/**
 * Returns the first steps behind the common ones whose places differ in the source. Two branches of a condition may have the place of
 * the condition both.
 */
const partingSteps = ({ same, steps, walked }: Divergence): Pair<Step | undefined> => {
  const keyOf = (side: "a" | "b", step: Step) => JSON.stringify(nextOf(walked[side], step))
  for (let index = same; ; index++) {
    const [a, b] = [steps.a[index], steps.b[index]]
    if (a === undefined || b === undefined) return { a: steps.a[same], b: steps.b[same] }
    if (keyOf("a", a) !== keyOf("b", b)) return { a, b }
  }
}

/** Returns where the paths part, as far as it is known. */
export const divergenceOf = (
  first: FirstRuns,
  narrowed: Divergence | undefined,
  entries: number
): NonNullable<Data["divergence"]> => {
  const { count, walked } = first
  const entry = (side: "a" | "b") => {
    const found = walked[side].recording.entries[count]
    return nextOf(walked[side], found === undefined ? undefined : { kind: "entry", ...found })
  }
  const last = narrowed?.steps.a[narrowed.same - 1]
  const recording = narrowed?.walked.a.recording ?? walked.a.recording
  const common = walked.a.recording.entries[count - 1]
  const after = positionAt(recording, last?.address ?? common?.address)
  const parting = narrowed?.complete === true ? partingSteps(narrowed) : undefined
  return {
    after,
    call: after.function === undefined ? 0 : PathComparison.callsOf(after.function, walked.a.recording, entries),
    narrowed: parting !== undefined,
    at:
      narrowed !== undefined && parting !== undefined
        ? { a: nextOf(narrowed.walked.a, parting.a), b: nextOf(narrowed.walked.b, parting.b) }
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

/** How far a comparison has come. */
export interface Progress {
  /** A place was found where the paths part. */
  readonly parts: boolean
  /** Lines were compared. */
  readonly tried: boolean
  /** Runs of each input that had the same path. */
  readonly runs: number
  /** What the time of the call did not suffice for. */
  readonly late?: "place" | "values"
}

/** Returns what the time did not suffice for, in sentences. */
const tooLate = ({ count, parts }: FirstRuns, { late }: Progress): ReadonlyArray<string> => {
  if (late === undefined) return []
  if (late === "values") return ["values where the paths part: the time was up"]
  return parts
    ? [`function entries after the first ${count}: the time was up before another run has repeated them`]
    : ["the lines of both runs: the time was up"]
}

const comparedLines = (narrowed: Divergence | undefined, isTried: boolean): ReadonlyArray<string> => {
  if (!isTried) return ["the lines of both runs"]
  return narrowed === undefined ? ["lines: the program has too many"] : []
}

/** Returns what was not compared, in sentences. */
export const notCompared = (
  first: FirstRuns,
  narrowed: Divergence | undefined,
  progress: Progress
): ReadonlyArray<string> => {
  const { late, parts, runs, tried } = progress
  const { a, b } = first.walked
  const cut = a.end.cut ?? b.end.cut
  const reads = [...(narrowed?.walked.a.recording.reads ?? []), ...(narrowed?.walked.b.recording.reads ?? [])]
  const places = [...new Set(reads.map(({ file, function: name, line }) => `${name} at ${file}:${line}`))]
  return [
    ...tooLate(first, progress),
    ...(parts || cut === undefined || late !== undefined ? [] : [cuts[cut](first.count)]),
    ...(first.parts ? ["lines before the last common function entry, where the runs may take other branches"] : []),
    ...(late === "place" && !first.parts ? [] : comparedLines(narrowed, tried && late !== "place")),
    ...(narrowed?.complete === false ? [`lines after the first ${narrowed.same}`] : []),
    ...(places.length === 0
      ? []
      : [
          `another run may differ: the program calls ${places.slice(0, 3).join(", ")}; ${counted(runs, "run")} of each input had the same path`
        ]),
    "functions without source files, functions that the compiler inlined, and the order of output"
  ]
}

/** Returns the first arguments that differ before the paths part. */
export const argumentsOf = (
  first: FirstRuns,
  { walked }: Divergence,
  ignore: ReadonlyArray<string>
): Data["arguments"] => {
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
