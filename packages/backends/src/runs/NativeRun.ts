/**
 * One run of a program without any debugger, to compare how often it fails.
 */
import type { Backend, ProgramRuns } from "@sigtrap/manager"
import { MonotonicTime } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as ProgramStreams from "../process/Streams.ts"
import * as RunStreams from "./RunStreams.ts"

/** Returns how a process ended: Effect reports a signal as an error whose text names it. */
const endOf = (handle: ChildProcessSpawner.ChildProcessHandle) =>
  Effect.match(handle.exitCode, {
    onSuccess: (code): { readonly code?: number; readonly signal?: string } => ({ code }),
    onFailure: (error): { readonly code?: number; readonly signal?: string } => ({
      signal: /SIG[A-Z0-9]+/.exec(`${error.message} ${String(error.cause)}`)?.[0] ?? "unknown"
    })
  })

/** Runs a program once. Returns undefined after the limit. The scope's end kills the program and its group. */
export const run = Effect.fn("Runs.native")(function* (
  request: Backend.LaunchRequest,
  options: ProgramRuns.RunOptions
) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const place = yield* ProgramStreams.ProgramStreams
  const alarm = Deferred.makeUnsafe<"hang" | "limit">()
  let isMatched = false
  const streams = yield* RunStreams.open(place, options.output, () => {
    isMatched = true
  })
  const { error, input, output } = streams
  const words = ProgramStreams.redirected({ error, input: request.stdin ?? input, output })
  const since = yield* MonotonicTime.now
  const handle = yield* spawner.spawn(
    ChildProcess.make("/bin/sh", [...words, request.program, ...request.args], {
      env: request.env,
      extendEnv: false,
      cwd: request.cwd,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      killSignal: "SIGKILL"
    })
  )
  const timer = (reason: "hang" | "limit", millis: number) =>
    Effect.forkScoped(
      Effect.andThen(
        Effect.sleep(millis),
        Effect.sync(() => Deferred.doneUnsafe(alarm, Exit.succeed(reason)))
      )
    )
  if (options.hang !== undefined) yield* timer("hang", options.hang)
  yield* timer("limit", options.limit)
  const end = yield* Effect.raceFirst(endOf(handle), Deferred.await(alarm))
  const ms = (yield* MonotonicTime.now) - since
  if (end === "limit") return undefined
  if (end === "hang") return { outcome: "hang", ms } satisfies ProgramRuns.Run
  streams.drain()
  const found = streams.reported()
  // UndefinedBehaviorSanitizer lets the program continue after a report.
  const isExit = options.exits && (end.code !== 0 || found?.report === "sanitizer")
  const outcome = end.signal === undefined ? (isMatched ? "output" : isExit ? "exit" : "passed") : "signal"
  const reported = outcome === "passed" || found === undefined ? {} : { reported: found.report, summary: found.line }
  return { ...end, outcome, ms, ...reported } satisfies ProgramRuns.Run
}, Effect.scoped)
