/** A scripted simctl: the answers of calls, and a record of the calls. */
import { Deferred, Effect, Layer, PlatformError, Sink, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"
import type { ChildProcess } from "effect/process"

/** The behaviour of a process: it answers, dies by a signal, or hangs. */
export interface Answer {
  readonly stdout?: string
  readonly stderr?: string
  readonly exit?: number
  readonly signal?: string
  readonly hangs?: boolean
}

/** A recorded call. */
export interface Made {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: unknown }
}

/** A machine with scripted processes. */
export interface Script {
  readonly calls: Array<Made>
  /** Number of running processes, and their maximum. */
  readonly running: { now: number; most: number }
  readonly layer: Layer.Layer<ChildProcessSpawner.ChildProcessSpawner>
}

const bytes = (text: string) => Stream.succeed(new TextEncoder().encode(text))

const died = (signal: string) =>
  PlatformError.systemError({
    _tag: "Unknown",
    module: "ChildProcess",
    method: "exitCode",
    description: `Process interrupted due to receipt of signal: '${signal}'`
  })

const isStandard = (command: ChildProcess.Command): command is ChildProcess.StandardCommand =>
  command._tag === "StandardCommand"

/** Creates a machine that answers each call by its arguments. */
export const script = (answer: (args: ReadonlyArray<string>, made: Made) => Answer): Script => {
  const calls: Array<Made> = []
  const running = { now: 0, most: 0 }
  const spawner = ChildProcessSpawner.make(
    Effect.fnUntraced(function* (command) {
      if (!isStandard(command)) return yield* Effect.die("no pipeline is run")
      const args = command.args.map(String)
      const made: Made = { command: String(command.command), args, env: command.options.env ?? {} }
      calls.push(made)
      const { exit = 0, hangs = false, signal, stderr = "", stdout = "" } = answer(args, made)
      const ended = yield* Deferred.make<void>()
      if (!hangs) yield* Deferred.succeed(ended, undefined)
      running.now += 1
      running.most = Math.max(running.most, running.now)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          running.now -= 1
        })
      )
      return ChildProcessSpawner.makeHandle({
        pid: ChildProcessSpawner.ProcessId(4000 + calls.length),
        exitCode: Effect.andThen(
          // Yields, so that other calls could start.
          Effect.andThen(Effect.yieldNow, Deferred.await(ended)),
          signal === undefined ? Effect.succeed(ChildProcessSpawner.ExitCode(exit)) : Effect.fail(died(signal))
        ),
        isRunning: Deferred.isDone(ended),
        kill: () => Effect.asVoid(Deferred.succeed(ended, undefined)),
        stdin: Sink.drain,
        stdout: hangs ? Stream.never : bytes(stdout),
        stderr: hangs ? Stream.never : bytes(stderr),
        all: Stream.empty,
        getInputFd: () => Sink.drain,
        getOutputFd: () => Stream.empty,
        unref: Effect.succeed(Effect.void)
      })
    })
  )
  return { calls, running, layer: Layer.succeed(ChildProcessSpawner.ChildProcessSpawner, spawner) }
}
