/**
 * A scripted LLDB: it echoes commands after its prompt, reports marks as unknown commands, and answers as the test says. Its
 * output can be cut into pieces of any size.
 */
import { type Cause, Deferred, Effect, Exit, Layer, PlatformError, Queue, Sink, Stream } from "effect"
import { type ChildProcess, ChildProcessSpawner } from "effect/process"
import { Lldb } from "../src/index.ts"

/** The output of a command. */
export interface Reply {
  readonly out?: string
  readonly err?: string
  /** Printed to stdout after the end of the command. */
  readonly late?: string
  /** The command does not end by itself; `interruptible` ends it at SIGINT. */
  readonly hangs?: "interruptible" | "for ever"
  /** The process exits during the command. */
  readonly dies?: "SIGKILL"
}

/** A running script. */
export interface Scripted {
  readonly layer: Layer.Layer<ChildProcessSpawner.ChildProcessSpawner>
  /** The commands that were sent, without marks, in order. */
  readonly commands: ReadonlyArray<string>
  readonly signals: ReadonlyArray<string>
  /** The processes that were started. */
  readonly started: ReadonlyArray<ChildProcess.StandardCommand>
  /** Writes to stdout without a command; `TOKEN` is replaced by the token of the notices. */
  readonly say: (text: string) => void
  readonly end: (how: "SIGKILL" | number) => void
  readonly prompt: () => string
}

const killed = (signal: string) =>
  PlatformError.systemError({
    _tag: "Unknown",
    module: "ChildProcess",
    method: "exitCode",
    description: `Process interrupted due to receipt of signal: '${signal}'`
  })

/** Starts a script. `cut` returns the sizes of the pieces of its output; by default it is not cut. */
export const make = (
  replies: (command: string) => Reply | undefined,
  { cut = [], version = "19.1.7" }: { readonly cut?: ReadonlyArray<number>; readonly version?: string } = {}
): Scripted => {
  const stdout = Effect.runSync(Queue.unbounded<Uint8Array, Cause.Done>())
  const stderr = Effect.runSync(Queue.unbounded<Uint8Array, Cause.Done>())
  const ended = Deferred.makeUnsafe<"SIGKILL" | number>()
  const commands: Array<string> = []
  const signals: Array<string> = []
  const started: Array<ChildProcess.StandardCommand> = []
  const settings = new Map<string, string>()
  const waiting: Array<string> = []
  let prompt = "(lldb) "
  let token = ""
  let hanging: Reply["hangs"]
  let partial = ""
  let turn = 0

  const finish = (how: "SIGKILL" | number) => {
    Queue.endUnsafe(stdout)
    Queue.endUnsafe(stderr)
    Deferred.doneUnsafe(ended, Exit.succeed(how))
  }

  const write = (queue: Queue.Queue<Uint8Array, Cause.Done>, text: string) => {
    const bytes = new TextEncoder().encode(text.replaceAll("TOKEN", token))
    for (let at = 0; at < bytes.length;) {
      const size = cut.length === 0 ? bytes.length : (cut[turn++ % cut.length] ?? 1)
      Queue.offerUnsafe(queue, bytes.slice(at, at + size))
      at += size
    }
  }

  const builtIn = (line: string): Reply | undefined => {
    const [, name, value] = /^settings set (\S+) (.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) {
      settings.set(name, value)
      if (name === "prompt") prompt = value.slice(1, -1)
      if (name === "thread-stop-format") token = /^"\\x1e([0-9a-f]+)/.exec(value)?.[1] ?? ""
      return {}
    }
    const shown = /^settings show (\S+)$/.exec(line)?.[1]
    if (shown !== undefined) {
      const value = settings.get(shown) ?? ""
      const kind = /^(?:true|false)$/.test(value) ? "boolean" : "enum"
      return { out: `${shown} (${kind}) = ${value}\n` }
    }
    return line === "version" ? { out: `lldb version ${version}\n` } : undefined
  }

  const line = (text: string) => {
    write(stdout, `${prompt}${text}\n`)
    if (/^sigtrap[0-9a-f]+n\d+$/.test(text)) {
      write(stderr, `error: '${text}' is not a valid command.\n`)
      return
    }
    commands.push(text)
    const reply = replies(text) ?? builtIn(text) ?? { err: `error: '${text.split(" ")[0]}' is not a valid command.\n` }
    write(stderr, reply.err ?? "")
    write(stdout, reply.out ?? "")
    hanging = reply.hangs
    if (reply.dies !== undefined) finish(reply.dies)
    if (reply.late !== undefined) {
      // The mark is processed first, because LLDB's events come after it.
      const mark = waiting.shift()
      if (mark !== undefined) line(mark)
      write(stdout, reply.late)
    }
  }

  const work = () => {
    const next = hanging === undefined ? waiting.shift() : undefined
    if (next === undefined) return
    line(next)
    work()
  }

  const layer = Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make((command) =>
      Effect.sync(() => {
        if (command._tag === "StandardCommand") started.push(command)
        return ChildProcessSpawner.makeHandle({
          pid: ChildProcessSpawner.ProcessId(4000),
          exitCode: Effect.flatMap(Deferred.await(ended), (how) =>
            typeof how === "number" ? Effect.succeed(ChildProcessSpawner.ExitCode(how)) : Effect.fail(killed(how))
          ),
          isRunning: Effect.sync(() => !Deferred.isDoneUnsafe(ended)),
          kill: (options) =>
            Effect.sync(() => {
              signals.push(options?.killSignal ?? "SIGTERM")
              if (hanging === "interruptible") {
                hanging = undefined
                work()
              }
            }),
          stdin: Sink.forEach((bytes: Uint8Array) =>
            Effect.sync(() => {
              const lines = (partial + new TextDecoder().decode(bytes)).split("\n")
              partial = lines.pop() ?? ""
              waiting.push(...lines)
              work()
            })
          ).pipe(Sink.onExit(() => Effect.sync(() => finish(0)))),
          stdout: Stream.fromQueue(stdout),
          stderr: Stream.fromQueue(stderr),
          all: Stream.empty,
          getInputFd: () => Sink.drain,
          getOutputFd: () => Stream.empty,
          unref: Effect.succeed(Effect.void)
        })
      })
    )
  )

  return {
    layer,
    commands,
    signals,
    started,
    say: (text) => write(stdout, text),
    end: finish,
    prompt: () => prompt
  }
}

/** Starts the driver of LLDB on a script. */
export const start = (scripted: Scripted, options?: Partial<Lldb.Options>) =>
  Effect.provide(Lldb.make({ executable: "lldb", ...options }), scripted.layer)

/** Answers `p N` with N. */
export const numbered = (command: string): Reply | undefined => {
  const number = /^p (\d+)$/.exec(command)?.[1]
  return number === undefined ? undefined : { out: `(int) ${number}\n` }
}
