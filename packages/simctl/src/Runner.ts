/**
 * Running simctl: one process at a time, each within its deadline, none left behind.
 *
 * Arguments go as an array and never through a shell; stdout and stderr stay apart. Time up or interruption sends
 * SIGTERM to the process group and, a second later, SIGKILL. Waiting for the turn counts where the caller set the time
 * himself, and not towards a command's own. Commands that follow something for long (`bootstatus`, a log) run beside the queue. A call that finds CoreSimulatorService gone is made once more.
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

/** What simctl is run with. */
export interface Options {
  /** The `xcrun` to run: a name on PATH or a path. */
  readonly xcrun: string
  /** The whole environment of the calls; `DEVELOPER_DIR` in it selects an Xcode. */
  readonly environment: { readonly [name: string]: string }
  /** Folder of the devices, when it is not the user's own; it must exist. */
  readonly deviceSet?: string
  /** Longest time of a call in milliseconds, in place of each command's own. */
  readonly deadline?: number
  /** The queue in which calls wait, when others share it. */
  readonly queue?: Queue.Queue
}

/** How one call is made. */
export interface Manner {
  /** Longest time in milliseconds. */
  readonly within: number
  /** Variables added to the environment. */
  readonly environment?: { readonly [name: string]: string }
  /** Runs beside the queue. */
  readonly aside?: true
  /** Takes every exit status for an answer. */
  readonly anyExit?: true
}

/** How long a pipe is read after its process has ended, when something else holds it open. */
const drain = "250 millis"

/** Most bytes that are kept of each stream. */
const largest = 32 * 1024 * 1024

/** Exit status of a call that never ran. */
const neverRan = 72

const collect = (stream: Stream.Stream<Uint8Array, PlatformError.PlatformError>) =>
  Effect.gen(function* () {
    const kept = yield* Ref.make<ReadonlyArray<Uint8Array>>([])
    let size = 0
    return {
      read: Stream.runForEach(stream, (bytes) => {
        size += bytes.length
        return size > largest ? Effect.void : Ref.update(kept, (all) => [...all, bytes])
      }).pipe(Effect.ignore),
      text: Effect.map(Ref.get(kept), (all) => {
        const decoder = new TextDecoder()
        return all.map((bytes) => decoder.decode(bytes, { stream: true })).join("") + decoder.decode()
      })
    }
  })

const signals: { readonly [name: string]: number } = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 }

/** A death by signal reaches us as an error whose text names the signal. */
const statusOf = (error: PlatformError.PlatformError): number =>
  128 + (signals[/SIG[A-Z0-9]+/.exec(`${error.message} ${String(error.cause)}`)?.[0] ?? ""] ?? 0)

/** What runs the tools. */
export interface Runner {
  /** `simctl` and the words after it. */
  readonly simctl: (words: ReadonlyArray<string>, manner: Manner) => Effect.Effect<Failure.Call, Failure.Failure>
  /** Another tool, with its words; for looking at the machine. No failure is classified. */
  readonly tool: (
    words: readonly [string, ...ReadonlyArray<string>],
    within: number
  ) => Effect.Effect<Failure.Call, Failure.ToolMissing | Failure.TimedOut>
  /** Lines of a command that goes on until the stream is closed; its process ends with the stream. */
  readonly lines: (words: ReadonlyArray<string>) => Stream.Stream<string, Failure.Failure>
  readonly options: Options
}

/** A runner; its calls share one queue. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const queue = options.queue ?? (yield* Queue.make)

  const spawn = (
    words: readonly [string, ...ReadonlyArray<string>],
    environment: Manner["environment"]
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
              Failure.about({ argv: words, exit: neverRan, stdout: "", stderr: `${words[0]}: ${error.message}` })
            )
        )
      )

  const call = (words: readonly [string, ...ReadonlyArray<string>], environment: Manner["environment"]) =>
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
        // What it left running on purpose, such as an app, is not ours to end.
        if (exit === 0) yield* Effect.ignore(handle.unref)
        return { exit, stdout: yield* stdout.text, stderr: yield* stderr.text }
      })
    )

  const timedOut = (words: ReadonlyArray<string>, millis: number, behind: string | undefined) =>
    new Failure.TimedOut({
      ...Failure.about({ argv: words, exit: -1, stdout: "", stderr: "" }),
      millis,
      ...(behind === undefined ? {} : { behind })
    })

  const within = <A, E>(
    words: ReadonlyArray<string>,
    millis: number,
    effect: Effect.Effect<A, E>,
    behind: () => string | undefined = () => undefined
  ) =>
    Effect.suspend(() => {
      // Whom it waited for is known as long as it waits.
      let awaited: string | undefined
      return Effect.timeoutOrElse(effect.pipe(Effect.onInterrupt(() => Effect.sync(() => (awaited = behind())))), {
        duration: millis,
        orElse: () => Effect.fail(timedOut(words, millis, awaited))
      })
    })

  const inTurn = <A, E>(words: ReadonlyArray<string>, manner: Manner, effect: Effect.Effect<A, E>) => {
    const own = words.join(" ")
    if (manner.aside === true) return within(words, options.deadline ?? manner.within, effect)
    if (options.deadline === undefined) return queue.take(own, within(words, manner.within, effect))
    return Effect.suspend(() => {
      let begun = false
      const taken = queue.take(
        own,
        Effect.suspend(() => {
          begun = true
          return effect
        })
      )
      return within(words, options.deadline ?? manner.within, taken, () => (begun ? undefined : queue.holder()))
    })
  }

  const simctlWords = (words: ReadonlyArray<string>) => [
    "simctl",
    ...(options.deviceSet === undefined ? [] : ["--set", options.deviceSet]),
    ...words
  ]

  const runner: Runner = {
    options,
    simctl: (words, manner) => {
      const argv = simctlWords(words)
      const once = call([options.xcrun, ...argv], manner.environment).pipe(
        Effect.map((ended): Failure.Call => ({ argv, ...ended })),
        Effect.flatMap((ended) =>
          ended.exit === 0 || manner.anyExit === true ? Effect.succeed(ended) : Effect.fail(Failure.classify(ended))
        ),
        (effect) => inTurn(argv, manner, effect)
      )
      return Effect.retry(once, {
        while: (error: Failure.Failure) => error._tag === "ServiceUnavailable" && !error.sandboxed,
        schedule: Schedule.spaced("2 seconds"),
        times: 1
      })
    },
    tool: (words, millis) =>
      call(words, { LC_ALL: "C" }).pipe(
        Effect.map((ended): Failure.Call => ({ argv: words, ...ended })),
        (effect) => within(words, options.deadline ?? millis, effect)
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
                  ...Failure.about({ argv, exit: -1, stdout: "", stderr: error.message }),
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
