/**
 * Runs simctl: one process at a time, each with a timeout, and all killed at the end.
 *
 * Arguments are passed as an array, without a shell; stdout and stderr are separate. Timeout and interruption send SIGTERM
 * to the process group and SIGKILL a second later. Time in the queue counts towards a timeout that the caller has set, not
 * towards the default timeout of a command. Long-running commands (`bootstatus`, a log) bypass the queue. A call that
 * fails because CoreSimulatorService is unavailable is retried once.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as PlatformError from "effect/PlatformError"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Failure from "./Failure.ts"
import * as Queue from "./Queue.ts"

/** Options of a runner. */
export interface Options {
  /** The `xcrun` to run: a name on PATH or a path. */
  readonly xcrun: string
  /** The whole environment of the calls; `DEVELOPER_DIR` in it selects an Xcode. */
  readonly environment: { readonly [name: string]: string }
  /** Folder of the devices, if it is not the user's default; it must exist. */
  readonly deviceSet?: string
  /** Timeout of every call in milliseconds, instead of the default of each command. */
  readonly deadline?: number
  /** A queue to share with other runners. */
  readonly queue?: Queue.Queue
}

/** Options of one call. */
export interface CallOptions {
  /** Timeout in milliseconds. */
  readonly within: number
  /** Additional environment variables. */
  readonly environment?: { readonly [name: string]: string }
  /** Bypasses the queue. */
  readonly bypassQueue?: true
  /** Treats every exit status as success. */
  readonly anyExit?: true
}

/** How long a pipe is read after the exit of its process if another process holds it open. */
const drain = "250 millis"

/** Maximum number of bytes that are kept of each stream. */
const maxBytes = 32 * 1024 * 1024

/** Exit status of a call that could not be started. */
const neverRan = 72

const collect = (stream: Stream.Stream<Uint8Array, PlatformError.PlatformError>) =>
  Effect.gen(function* () {
    const kept = yield* Ref.make<ReadonlyArray<Uint8Array>>([])
    let size = 0
    return {
      read: Stream.runForEach(stream, (bytes) => {
        size += bytes.length
        return size > maxBytes ? Effect.void : Ref.update(kept, (all) => [...all, bytes])
      }).pipe(Effect.ignore),
      text: Effect.map(Ref.get(kept), (all) => {
        const decoder = new TextDecoder()
        return all.map((bytes) => decoder.decode(bytes, { stream: true })).join("") + decoder.decode()
      })
    }
  })

const signals: { readonly [name: string]: number } = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 }

/** Returns the exit status of a death by signal: Effect reports it as an error whose text names the signal. */
const statusOf = (error: PlatformError.PlatformError): number =>
  128 + (signals[/SIG[A-Z0-9]+/.exec(`${error.message} ${String(error.cause)}`)?.[0] ?? ""] ?? 0)

/** Runs simctl and other tools. */
export interface Runner {
  /** Runs `simctl` with these arguments. */
  readonly simctl: (words: ReadonlyArray<string>, how: CallOptions) => Effect.Effect<Failure.Call, Failure.Failure>
  /** Runs another tool that only reads. The exit status is not checked. */
  readonly tool: (
    words: readonly [string, ...ReadonlyArray<string>],
    within: number
  ) => Effect.Effect<Failure.Call, Failure.ToolMissing | Failure.TimedOut>
  /** Streams the lines of a `simctl` command that runs until the stream ends. */
  readonly lines: (words: ReadonlyArray<string>) => Stream.Stream<string, Failure.Failure>
  readonly options: Options
}

/** Creates a runner; its calls share one queue. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const queue = options.queue ?? (yield* Queue.make)

  const spawn = (
    words: readonly [string, ...ReadonlyArray<string>],
    environment: CallOptions["environment"]
  ): Effect.Effect<ChildProcessSpawner.ChildProcessHandle, Failure.ToolMissing, Scope.Scope> =>
    spawner
      .spawn(
        ChildProcess.make(words[0], words.slice(1), {
          env: { ...options.environment, ...environment },
          extendEnv: false,
          stdin: "ignore",
          forceKillAfter: "1 second"
        })
      )
      .pipe(
        Effect.mapError(
          (error) =>
            new Failure.ToolMissing(
              Failure.detailsOf({ argv: words, exit: neverRan, stdout: "", stderr: `${words[0]}: ${error.message}` })
            )
        )
      )

  const call = (words: readonly [string, ...ReadonlyArray<string>], environment: CallOptions["environment"]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const handle = yield* spawn(words, environment)
        const stdout = yield* collect(handle.stdout)
        const stderr = yield* collect(handle.stderr)
        const reading = yield* Effect.forkScoped(
          Effect.all([stdout.read, stderr.read], { concurrency: "unbounded", discard: true })
        )
        const exit = yield* Effect.match(handle.exitCode, { onSuccess: (code): number => code, onFailure: statusOf })
        yield* Effect.timeoutOption(Fiber.await(reading), drain)
        // Processes that the call has started on purpose, such as an app, are not killed.
        if (exit === 0) yield* Effect.ignore(handle.unref)
        return { exit, stdout: yield* stdout.text, stderr: yield* stderr.text }
      })
    )

  const timedOut = (words: ReadonlyArray<string>, millis: number, blockedBy: string | undefined) =>
    new Failure.TimedOut({
      ...Failure.detailsOf({ argv: words, exit: -1, stdout: "", stderr: "" }),
      millis,
      ...(blockedBy === undefined ? {} : { blockedBy })
    })

  const within = <A, E>(
    words: ReadonlyArray<string>,
    millis: number,
    effect: Effect.Effect<A, E>,
    blockedBy: () => string | undefined = () => undefined
  ) =>
    Effect.suspend(() => {
      // The command that the call waits for.
      let awaited: string | undefined
      return Effect.timeoutOrElse(effect.pipe(Effect.onInterrupt(() => Effect.sync(() => (awaited = blockedBy())))), {
        duration: millis,
        orElse: () => Effect.fail(timedOut(words, millis, awaited))
      })
    })

  const queued = <A, E>(words: ReadonlyArray<string>, how: CallOptions, effect: Effect.Effect<A, E>) => {
    const command = words.join(" ")
    if (how.bypassQueue === true) return within(words, options.deadline ?? how.within, effect)
    if (options.deadline === undefined) return queue.run(command, within(words, how.within, effect))
    return Effect.suspend(() => {
      let started = false
      const queuedCall = queue.run(
        command,
        Effect.suspend(() => {
          started = true
          return effect
        })
      )
      return within(words, options.deadline ?? how.within, queuedCall, () => (started ? undefined : queue.running()))
    })
  }

  const simctlWords = (words: ReadonlyArray<string>) => [
    "simctl",
    ...(options.deviceSet === undefined ? [] : ["--set", options.deviceSet]),
    ...words
  ]

  const runner: Runner = {
    options,
    simctl: (words, how) => {
      const argv = simctlWords(words)
      const once = call([options.xcrun, ...argv], how.environment).pipe(
        Effect.map((ended): Failure.Call => ({ argv, ...ended })),
        Effect.flatMap((ended) =>
          ended.exit === 0 || how.anyExit === true ? Effect.succeed(ended) : Effect.fail(Failure.classify(ended))
        ),
        (effect) => queued(argv, how, effect)
      )
      return Effect.retry(once, {
        while: (error: Failure.Failure) => error._tag === "ServiceUnavailable" && !error.sandboxed,
        schedule: Schedule.spaced("2 seconds"),
        times: 1
      }).pipe(Effect.withSpan("Runner.simctl", { attributes: { command: words[0] } }))
    },
    tool: (words, millis) =>
      call(words, { LC_ALL: "C" }).pipe(
        Effect.map((ended): Failure.Call => ({ argv: words, ...ended })),
        (effect) => within(words, options.deadline ?? millis, effect),
        Effect.withSpan("Runner.tool", { attributes: { command: words[0] } })
      ),
    lines: (words) => {
      const argv = simctlWords(words)
      return Stream.unwrap(
        Effect.map(spawn([options.xcrun, ...argv], {}), (handle) =>
          Stream.merge(handle.stdout, Stream.drain(handle.stderr), { haltStrategy: "left" }).pipe(
            Stream.decodeText(),
            Stream.splitLines,
            Stream.mapError(
              (error) =>
                new Failure.Other({
                  ...Failure.detailsOf({ argv, exit: -1, stdout: "", stderr: error.message }),
                  detail: error.message
                })
            )
          )
        )
      )
    }
  }
  return runner
})
