/**
 * One run of a program whose path is recorded: to an entry of a function, along lines, or to its end.
 */
import { Errors, Hint, MonotonicTime, OutputPage, type Operations, type Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Connection } from "../../ports/Backend.ts"
import type { LineOptions, PathRecorder, Recording } from "../../ports/PathRecorder.ts"
import type { Manager } from "../../session/Manager.ts"
import type { Session } from "../../session/Session.ts"
import * as OutputReader from "../OutputReader.ts"

/** What the runs of one call share. */
export interface Shared {
  readonly manager: Manager["Service"]
  /** The end of the time, as `MonotonicTime`. */
  readonly deadline: number
  /** Milliseconds that the call may take. */
  readonly timeout: number
  /** The random bytes that the system gives a program, which all runs get; undefined if they are not known. */
  seed: string | undefined
  /** Counts the runs. */
  runs: number
}

/** A program at its first instruction. */
export interface PathRun {
  readonly session: Session
  readonly paths: PathRecorder
  readonly shared: Shared
}

/** How far a run goes and what is recorded of it. */
export interface Route {
  /** Most entries. */
  readonly limit: number
  /** Number of the entry, counted from 0, at which lines begin to be recorded, or the run ends. */
  readonly entry?: number
  readonly lines?: LineOptions
  readonly values?: boolean
  readonly reads?: ReadonlyArray<string>
  /** The time at which the run is given up, as `MonotonicTime`; the end of the call's time fails instead. */
  readonly until?: number
}

/** The end of a run. */
export type End = Operations.Data<"diverge">["ends"]["a"]

/** What was recorded of a run, and how it ended. `output` is what it wrote; absent if that is too much to be compared. */
export interface RecordedPath {
  readonly recording: Recording
  readonly end: End
  readonly output?: readonly [out: string, error: string]
}

/** Most bytes of output that are compared. */
const mostOutput = 1024 * 1024

/** Timeout of the pause of a program whose time is up, in milliseconds. */
const pauseTimeout = 10_000

/** Signals that end a program unless it handles them. At others it continues. */
const fatal: ReadonlySet<string> = new Set(["SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS"])

const nothing: Recording = { places: [], entries: [], lines: [], reads: [] }

/** Returns the error of a call whose time is up. */
export const timedOut = ({ timeout }: Shared) =>
  new Errors.WaitTimeout({ waited_ms: Math.round(timeout), output_bytes: 0, new_run: {} })

const left = ({ deadline }: Shared, until = deadline) =>
  Effect.map(MonotonicTime.now, (now) => Math.max(0, Math.min(deadline, until) - now))

/** Returns what records paths; fails for a debugger that cannot. */
const pathsOf = (session: Session, { paths }: Connection) =>
  paths === undefined
    ? Effect.fail(
        new Errors.Unsupported({
          what: "recording the path of a program",
          by: session.adapter()?.name ?? "this debugger",
          remedies: [Hint.call("diff", {}, "stop two sessions at a place and compare their values")]
        })
      )
    : Effect.succeed(paths)

/** Waits for the first stop of a new session, at the first instruction. */
export const awaitFirstStop = Effect.fnUntraced(function* (session: Session, token: number, shared: Shared) {
  const connection = yield* session.connection
  const paths = yield* pathsOf(session, connection)
  const first = yield* session.outcome(token, yield* left(shared))
  if (Option.isNone(first)) return yield* timedOut(shared)
  if (first.value.state !== "stopped") {
    return yield* new Errors.NotReproduced({ at: "the start", expected: "a stop", got: `it has ${first.value.state}` })
  }
  const { reexecution } = connection
  shared.seed ??= yield* reexecution?.seed ?? Effect.undefined
  if (shared.seed !== undefined) yield* reexecution?.plant(shared.seed) ?? Effect.void
  shared.runs += 1
  const run: PathRun = { session, paths, shared }
  return run
})

/** Starts the program of a session again, in a session that no list shows. It ends with the scope. */
export const restart = Effect.fnUntraced(function* ({ session: earlier, shared }: PathRun) {
  const { manager } = shared
  const { session, token } = yield* Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(manager.rerun(earlier)), ({ session }) => Effect.addFinalizer(() => manager.discard(session)))
  )
  return yield* awaitFirstStop(session, token, shared)
})

/** True for a stop that recording has made. */
const isOwn = ({ breakpoints, reason }: NonNullable<Snapshot.Snapshot["stopped"]>) =>
  breakpoints.length === 0 && reason.endsWith("breakpoint")

/** Resumes a program until recording stops it, or it ends or crashes. Undefined: its time is up. */
const resumed = Effect.fnUntraced(function* ({ session, shared }: PathRun, until: number | undefined) {
  for (;;) {
    const token = yield* session.resume("continue")
    const seen = yield* session.outcome(token, yield* left(shared, until))
    if (Option.isNone(seen)) return undefined
    const { stopped } = seen.value
    const isOver = seen.value.state !== "stopped" || stopped === undefined || isOwn(stopped)
    if (isOver || stopped.signal === undefined || fatal.has(stopped.signal)) return seen.value
  }
})

const endOf = (
  { exit_code, signal, state, stopped }: Snapshot.Snapshot,
  recording: Recording,
  output_bytes: number
): End => {
  if (state === "stopped" && stopped !== undefined && !isOwn(stopped)) {
    return { signal: stopped.signal ?? stopped.reason, output_bytes }
  }
  if (state === "stopped") {
    const cut = recording.end === "threads" ? ("threads" as const) : ("entries" as const)
    return { cut, output_bytes }
  }
  return {
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(signal === undefined ? {} : { signal }),
    output_bytes
  }
}

/** Runs a program along a route and returns what was recorded. */
export const record = Effect.fn("PathRun.record")(function* (run: PathRun, route: Route) {
  const { paths, session, shared } = run
  const files = (yield* paths.files).filter((file) => RuntimeFrames.isUserFrame({ function: "", file }))
  const functions = yield* paths.begin({
    files,
    limit: route.limit,
    values: route.values === true,
    reads: route.reads ?? [],
    ...(route.entry === undefined ? {} : { stop: route.entry })
  })
  if (functions === 0) {
    return yield* new Errors.InvalidState({
      problem: "the program has no functions with source files; build it with -g"
    })
  }
  if (route.lines?.of === "all" && (yield* paths.lines(route.lines)) < 0) return undefined
  let seen = yield* resumed(run, route.until)
  if (seen?.stopped !== undefined && seen.state === "stopped" && isOwn(seen.stopped) && route.lines?.of === "stack") {
    if ((yield* paths.lines(route.lines)) < 0) return undefined
    seen = yield* resumed(run, route.until)
  }
  if (seen === undefined) {
    if (route.until === undefined) return yield* timedOut(shared)
    yield* Effect.ignore(session.pause(pauseTimeout))
  }
  const recording = (yield* paths.end) ?? nothing
  const pieces = OutputReader.newest(session.maskedOutput, mostOutput)
  const written = (channel: string) =>
    pieces.flatMap((piece) => (piece.channel === channel ? [piece.text] : [])).join("")
  const [out, error] = [written("stdout"), written("stderr")]
  const bytes = OutputPage.size(out) + OutputPage.size(error)
  const walked: RecordedPath = {
    recording,
    end: seen === undefined ? { cut: "time", output_bytes: bytes } : endOf(seen, recording, bytes),
    ...(bytes >= mostOutput ? {} : { output: [out, error] })
  }
  return walked
})
