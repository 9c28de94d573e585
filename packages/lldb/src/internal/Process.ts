/**
 * LLDB as a child process: its output as text, its input, its exit.
 *
 * Three fibers belong to the scope: (1) writes the queue to stdin and ends with the queue or a broken pipe; (2) and (3)
 * read the two streams as UTF-8 and end with them, or 250 ms after the process if other processes keep a pipe open.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as PlatformError from "effect/PlatformError"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { LldbError } from "../Errors.ts"

/** How a process ended. */
export interface Ended {
  readonly code?: number
  readonly signal?: string
}

/** How LLDB is started, and the functions for its output. */
export interface Options {
  readonly executable: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly extendEnv: boolean
  readonly cwd?: string | undefined
  readonly onOutput: (text: string) => void
  readonly onErrors: (text: string) => void
}

const drain = "250 millis"

const encoder = new TextEncoder()

const startError =
  (executable: string) =>
  (error: PlatformError.PlatformError): LldbError => {
    switch (error.reason._tag) {
      case "NotFound":
        return new LldbError({
          reason: "notFound",
          executable,
          detail: "the file or its working directory does not exist. Check the path."
        })
      case "PermissionDenied":
        return new LldbError({
          reason: "permissionDenied",
          executable,
          detail: "permission denied. Check that it is executable."
        })
      default:
        return new LldbError({ reason: "failed", executable, detail: error.message })
    }
  }

/** Returns the signal that ended a process: Effect reports it as an error whose text names the signal. */
const endOf = (error: PlatformError.PlatformError): Ended => {
  const signal = /SIG[A-Z0-9]+/.exec(`${error.message} ${String(error.cause)}`)?.[0]
  return signal === undefined ? {} : { signal }
}

/** Starts the process; closing the scope sends SIGTERM, and SIGKILL two seconds later. */
export const start = Effect.fnUntraced(function* (options: Options) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const handle = yield* Effect.mapError(
    spawner.spawn(
      ChildProcess.make(options.executable, options.args, {
        env: { ...options.env },
        extendEnv: options.extendEnv,
        cwd: options.cwd,
        forceKillAfter: "2 seconds"
      })
    ),
    startError(options.executable)
  )
  const scope = yield* Effect.scope
  const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  yield* Stream.fromQueue(input).pipe(
    Stream.run(handle.stdin),
    Effect.ignore,
    Effect.ensuring(Queue.shutdown(input)),
    Effect.forkScoped
  )

  const read = (stream: typeof handle.stdout, onText: (text: string) => void) => {
    const decoder = new TextDecoder()
    return Stream.runForEachArray(stream, (chunks) =>
      Effect.sync(() => {
        for (const chunk of chunks) onText(decoder.decode(chunk, { stream: true }))
      })
    ).pipe(Effect.ignore, Effect.forkScoped({ startImmediately: true }))
  }
  const readers = [yield* read(handle.stdout, options.onOutput), yield* read(handle.stderr, options.onErrors)]

  const gone = Deferred.makeUnsafe<Ended>()
  yield* Effect.match(handle.exitCode, { onSuccess: (code): Ended => ({ code }), onFailure: endOf }).pipe(
    Effect.flatMap((ended) =>
      Fiber.awaitAll(readers).pipe(
        Effect.timeoutOption(drain),
        Effect.andThen(Effect.sync(() => Deferred.doneUnsafe(gone, Exit.succeed(ended))))
      )
    ),
    Effect.forkScoped
  )

  return {
    pid: Number(handle.pid),
    /** Queues text for stdin; does not wait. */
    send: (text: string): void => {
      Queue.offerUnsafe(input, encoder.encode(text))
    },
    /** Waits until the process has exited and its output is read. */
    gone: Deferred.await(gone),
    closeInput: Effect.asVoid(Queue.end(input)),
    /** Sends a signal and does not wait. Does nothing if the process has exited. */
    signal: (signal: ChildProcess.Signal) =>
      handle.isRunning.pipe(
        Effect.flatMap((running) => (running ? handle.kill({ killSignal: signal }) : Effect.void)),
        Effect.ignore,
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.asVoid
      )
  }
})
