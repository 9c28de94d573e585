/**
 * One LLDB command line as a child process: sends commands, returns their output, and reports stops and other changes of
 * the program as notices.
 *
 * Commands run one after another. A random word follows each command and marks the end of its output on both streams. A
 * command that times out is interrupted, and its end is awaited, so that no output reaches the wrong caller; an LLDB
 * that does not end it is given up. This module knows nothing of sessions.
 *
 * Fibers: one waits for LLDB's end and ends with the scope; those of `internal/Process` and `internal/CommandQueue` are
 * described there.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Command from "./Command.ts"
import { CommandFailed, CommandRefused, type LldbError, LldbLost, type CommandTimedOut } from "./Errors.ts"
import * as CommandQueue from "./internal/CommandQueue.ts"
import * as StreamSplitter from "./internal/StreamSplitter.ts"
import * as Handshake from "./internal/Handshake.ts"
import { NoticeListeners } from "./internal/NoticeListeners.ts"
import * as Process from "./internal/Process.ts"
import * as Span from "./internal/Span.ts"
import { reader, type Notice } from "./Notice.ts"

export { CommandFailed, CommandRefused, CommandTimedOut, LldbError, LldbLost } from "./Errors.ts"
export type { Notice } from "./Notice.ts"

/** The output of a command, without notices. */
export interface Answer {
  /** Standard output, without the last newline. */
  readonly output: string
  /** Standard error without the last newline: warnings. A command that failed is a `CommandFailed`. */
  readonly errors: string
}

/** Options of one command. */
export interface RunOptions {
  /** Timeout from the time the command is sent; by default `deadlines.command`. */
  readonly timeout?: Duration.Input
  /** Whether LLDB is interrupted when the caller is; otherwise the command runs to its end. Default false. */
  readonly interruptible?: boolean
  /**
   * A command to send before it and one after it, such as a setting that is changed and reset. They are sent together
   * and must print nothing to stdout; their stderr counts as that of the command.
   */
  readonly around?: readonly [before: string, after: string]
}

/** Timeouts. */
export interface Deadlines {
  /** For the first commands; 15 seconds. */
  readonly start?: Duration.Input
  /** For one command; 30 seconds. */
  readonly command?: Duration.Input
  /** From the interruption of a command to its end; 2 seconds. */
  readonly drain?: Duration.Input
}

/** How LLDB is started. */
export interface Options {
  readonly executable: string
  /** Arguments after `--no-lldbinit --no-use-colors`. */
  readonly args?: ReadonlyArray<string>
  /** Variables to set, or with `undefined` to unset. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Whether `env` is added to the environment of this process (the default) or replaces it. */
  readonly extendEnv?: boolean
  readonly cwd?: string
  readonly deadlines?: Deadlines
}

/** The version of an LLDB. */
export interface Version {
  readonly major: number
  /** As LLDB prints it: `19.1.7`. */
  readonly text: string
}

/** Why a command has no answer. */
export type RunError = CommandFailed | CommandTimedOut | LldbLost | CommandRefused

/** A running LLDB. */
export interface Lldb {
  readonly version: Version
  readonly pid: number
  /** Whether it can run Python. The driver does not need Python; running this makes LLDB load it. */
  readonly python: Effect.Effect<boolean, CommandTimedOut | LldbLost>
  /** How the end of a command is recognized, for people to read. */
  readonly marker: string
  /** Runs one command, after those before it. */
  readonly run: (command: string, options?: RunOptions) => Effect.Effect<Answer, RunError>
  /**
   * Calls the listener for every notice, in order, when it is read; the first listener also gets all earlier notices.
   * Returns the function that removes the listener.
   */
  readonly onNotice: (listener: (notice: Notice) => void) => () => void
  /** Sends SIGINT to LLDB, which ends its current command or stops a running program. Returns at once. */
  readonly interrupt: Effect.Effect<void>
  /** Waits until this LLDB cannot be used any more, and returns why. */
  readonly lost: Effect.Effect<LldbLost>
  /** Returns the last 64 KiB that LLDB wrote to stderr. */
  readonly stderrTail: () => string
  /** Closes its standard input: LLDB kills what it launched, detaches from what it attached to (19 or newer), and exits. */
  readonly closeInput: Effect.Effect<void>
}

/** The service of one running LLDB. */
export const Lldb = Context.Service<Lldb>("@sigtrap/lldb/Lldb")

const stderrBytes = 64 * 1024

/** The number of characters of stderr that an error carries. */
const errorTail = 2000

/** LLDB's error for the end mark: a word that is not a command. */
const markLine = /^.*'sigtrap[0-9a-f]{16,}n\d+'.*\n/gm

const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** The two digits of each byte. */
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const random = (): string => {
  let text = ""
  for (const byte of crypto.getRandomValues(new Uint8Array(12))) text += hex[byte] ?? ""
  return text
}

const environment = {
  TERM: "dumb",
  // A symbol server that does not answer would block LLDB before its first command.
  DEBUGINFOD_URLS: undefined,
  LLDB_DEBUGINFOD_URLS: undefined
}

/** How the end of a command's output is recognized, as text for users. All versions of LLDB use the same. */
export const marker = "a random word on both streams"

/** Returns why a command cannot be sent, if so. */
const refusal = (command: string): CommandRefused["reason"] | undefined => {
  if (control.test(command)) return "control-character"
  if (Command.interactive(command)) return "interactive"
  return Command.changesReservedSetting(command) ? "settings" : undefined
}

/** Starts an LLDB that belongs to the scope. */
export const make = Effect.fn("Lldb.make")(function* (options: Options) {
  const limits = {
    start: Duration.fromInputUnsafe(options.deadlines?.start ?? "15 seconds"),
    command: Duration.fromInputUnsafe(options.deadlines?.command ?? "30 seconds"),
    drain: Duration.fromInputUnsafe(options.deadlines?.drain ?? "2 seconds")
  }
  const secret = random()
  const token = secret.slice(0, 12)
  const prompt = `<sigtrap-${secret}>`

  let version: Version = { major: 0, text: "" }
  let started = false
  let closing = false
  let exitReported = false
  let marks = 0
  let stderr = ""
  const lost = Deferred.makeUnsafe<LldbLost>()
  const listeners = new NoticeListeners()

  const emit = (notice: Notice) => {
    if (notice.kind !== "text" && notice.kind !== "exited") exitReported = false
    listeners.emit(notice)
  }

  // The line of an exit has no token, and the output of a command may look like one: `process status` confirms it.
  const confirmExit = (notice: Extract<Notice, { kind: "exited" }>) => {
    const { pid, reason = "", status } = notice
    commands.submit({ command: "process status" }, limits.command, false, (exit) => {
      const output = Exit.isSuccess(exit) ? exit.value.output : ""
      const denied = Exit.isSuccess(exit)
        ? !/^Process \d+ exited with status/m.test(output)
        : !Deferred.isDoneUnsafe(lost)
      if (denied) {
        emit({ kind: "text", stream: "output", text: `Process ${pid} exited with status = ${status} ${reason}`.trim() })
      } else if (!exitReported) {
        exitReported = true
        emit(notice)
      }
    })
  }

  const streams = StreamSplitter.make(
    prompt,
    reader(token),
    (notice) => {
      if (!started) return
      if (notice.kind === "exited") confirmExit(notice)
      else emit(notice)
    },
    () => commands.confirmed(),
    {
      possible: () => started && version.major > 19,
      seen: () => commands.submit({ command: "process status" }, limits.command, false, () => undefined)
    }
  )

  const process = yield* Process.start({
    executable: options.executable,
    args: ["--no-lldbinit", "--no-use-colors", ...(options.args ?? [])],
    env: { ...environment, ...options.env },
    extendEnv: options.extendEnv ?? true,
    cwd: options.cwd,
    onOutput: streams.output,
    onErrors: (text) => {
      stderr = stderr.length > 2 * stderrBytes ? (stderr + text).slice(-stderrBytes) : stderr + text
      streams.errors(text)
    }
  })

  const stderrTail = () => stderr.replace(markLine, "").slice(-stderrBytes)
  const tail = () => stderrTail().trim().slice(-errorTail)

  const markLost = (error: LldbLost) => {
    if (Deferred.isDoneUnsafe(lost)) return
    Deferred.doneUnsafe(lost, Exit.succeed(error))
    streams.flush()
    commands.fail(error)
  }

  const commands: CommandQueue.CommandQueue = yield* CommandQueue.make({
    streams,
    mark: () => `sigtrap${random()}n${++marks}`,
    send: process.send,
    interrupt: process.signal("SIGINT"),
    drain: limits.drain,
    onStuck: (command) => markLost(new LldbLost({ reason: "stuck", command, stderr: tail() }))
  })

  yield* process.gone.pipe(
    Effect.map((ended) => {
      const command = commands.running()
      const during = command === undefined ? {} : { command }
      markLost(
        closing
          ? new LldbLost({ reason: "closed" })
          : new LldbLost({ reason: "ended", ...ended, ...during, stderr: tail() })
      )
    }),
    Effect.forkScoped
  )

  const send = (command: string, { around, interruptible = false, timeout }: RunOptions = {}) =>
    Effect.callback<Answer, CommandQueue.Failure>((resume) => {
      const limit = timeout === undefined ? limits.command : Duration.fromInputUnsafe(timeout)
      const drop = commands.submit({ command, around }, limit, interruptible, resume)
      return Effect.sync(drop)
    })

  const { executable } = options
  version = yield* Handshake.make({ executable, send, prompt, token, limit: limits.start, tail })
  started = true

  // On `quit` LLDB kills what it launched and detaches from what it attached to; on a signal it does neither.
  yield* Effect.addFinalizer(() => {
    closing = true
    if (Deferred.isDoneUnsafe(lost)) return Effect.void
    if (commands.running() === undefined) process.send("quit\n")
    return Effect.andThen(process.closeInput, Effect.timeoutOption(Deferred.await(lost), limits.drain))
  })

  const lldb: Lldb = {
    version,
    pid: process.pid,
    marker,
    python: send("script print(6 * 7)").pipe(
      Effect.map(({ output }) => output.trim() === "42"),
      Effect.catchTag("CommandFailed", () => Effect.succeed(false))
    ),
    run: Effect.fnUntraced(
      function* (command, how) {
        for (const line of [command, ...(how?.around ?? [])]) {
          const reason = refusal(line)
          if (reason !== undefined) return yield* new CommandRefused({ command: line, reason })
        }
        return yield* send(command, how)
      },
      (work, command) => Span.within("Lldb.run", kindOf(command))(work)
    ),
    onNotice: (listener) => listeners.add(listener),
    interrupt: process.signal("SIGINT"),
    lost: Deferred.await(lost),
    stderrTail,
    closeInput: process.closeInput
  }
  return lldb
})

/** Returns the first word of a command if it is one of LLDB's own, for traces: the rest are values. */
const kindOf = (command: string): string =>
  /^(?:breakpoint|disassemble|expression|frame|image|memory|process|register|script|settings|source|target|thread|type|watchpoint)(?= )/.exec(
    command
  )?.[0] ?? "other"

/** Starts an LLDB that belongs to the layer. */
export const layer = (options: Options): Layer.Layer<Lldb, LldbError, ChildProcessSpawner.ChildProcessSpawner> =>
  Layer.effect(Lldb, make(options))

/** Files of a program's standard streams, as absolute paths; `/dev/null` by default. */
export interface Stdio {
  readonly stdin?: string
  readonly stdout?: string
  readonly stderr?: string
}

/** A program to launch. */
export interface LaunchOptions {
  readonly program: string
  readonly args?: ReadonlyArray<string>
  readonly cwd?: string
  /** Variables that are added to the environment of LLDB. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdio?: Stdio
  /** Whether the program stops before its first instruction. */
  readonly stopAtEntry?: boolean
  /** Commands before the program runs, when LLDB knows its symbols: `breakpoint set -n main`. */
  readonly commands?: ReadonlyArray<string>
}

/** The commands that launch a program, or the text that cannot be part of one. */
const launchCommands = (options: LaunchOptions, major: number): Result.Result<ReadonlyArray<string>, Command.Refused> =>
  Result.gen(function* () {
    const { args = [], commands = [], cwd, env = {}, program, stdio = {}, stopAtEntry = false } = options
    let create = `process launch${stopAtEntry ? " --stop-at-entry" : ""}`
    if (cwd !== undefined) create += yield* Command.command(" --working-dir", [cwd], major)
    for (const [name, value] of Object.entries(env)) {
      create += yield* Command.command(" --environment", [`${name}=${value}`], major)
    }
    if (args.length > 0) create += yield* Command.command(" --", args, major)
    return [
      yield* Command.setPath("target.input-path", stdio.stdin ?? "/dev/null"),
      yield* Command.setPath("target.output-path", stdio.stdout ?? "/dev/null"),
      yield* Command.setPath("target.error-path", stdio.stderr ?? "/dev/null"),
      yield* Command.command("target create", [program], major),
      ...commands,
      create
    ]
  })

/**
 * Launches a program in the LLDB that is provided, and returns its pid. Its stops and its end are notices.
 *
 * A plain `process launch` gives the program LLDB's own terminal, from which the driver reads answers: the output of the program
 * arrives between them, and a program that reads takes the commands. So its streams are files here.
 */
export const launch = Effect.fn("Lldb.launch")(function* (
  options: LaunchOptions
): Effect.fn.Return<number, RunError, Lldb> {
  const lldb = yield* Lldb
  const commands = yield* Effect.mapError(
    Effect.fromResult(launchCommands(options, lldb.version.major)),
    ({ text }) => new CommandRefused({ command: text, reason: "control-character" })
  )
  for (const command of commands) yield* lldb.run(command)
  // The line of a launch is a notice, which has listeners of its own.
  const status = "process status"
  const { errors, output } = yield* lldb.run(status)
  const pid = /^Process (\d+) /m.exec(output)?.[1]
  if (pid !== undefined) return Number(pid)
  return yield* new CommandFailed({ command: status, text: errors, output })
})
