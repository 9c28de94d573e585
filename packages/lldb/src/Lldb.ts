/**
 * One LLDB command line as a process of ours: commands in, answers out, and what happens to the program as notices.
 *
 * Commands are carried out one after another. Each is followed by a random word that ends its answer on both streams; a
 * command that takes too long is interrupted and waited for, so that an answer never reaches the wrong caller, and an
 * LLDB that does not come back is given up. It knows nothing of sessions.
 *
 * One fiber of ours belongs to the scope: it waits for LLDB's end. Those of the parts are named there.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Command from "./Command.ts"
import { CommandRefused, LldbError, LldbLost, type CommandFailed, type CommandTimedOut } from "./Errors.ts"
import * as Commands from "./internal/Commands.ts"
import * as Dialogue from "./internal/Dialogue.ts"
import * as Process from "./internal/Process.ts"
import * as Settings from "./internal/Settings.ts"
import { reader, type Notice } from "./Notice.ts"
import * as Parse from "./Parse.ts"

export { CommandFailed, CommandRefused, CommandTimedOut, LldbError, LldbLost } from "./Errors.ts"
export type { Notice } from "./Notice.ts"

/** What a command printed, the notices taken out. */
export interface Answer {
  /** Standard output, without the last newline. */
  readonly output: string
  /** Standard error without the last newline: warnings; a command that failed is a `CommandFailed`. */
  readonly errors: string
}

/** How a command is run. */
export interface RunOptions {
  /** How long it may take once it is its turn; `deadlines.command` when left out. */
  readonly timeout?: Duration.Input
  /** Whether LLDB is interrupted when the caller is; otherwise the command ends by itself. Default false. */
  readonly interruptible?: boolean
  /**
   * A command before it and one after it, such as a setting that is made for the question and taken back. They are sent
   * with it in one go and say nothing; what they say to stderr counts as the question's.
   */
  readonly around?: readonly [before: string, after: string]
}

/** Limits of time. */
export interface Deadlines {
  /** Until LLDB answers its first commands; 15 seconds. */
  readonly start?: Duration.Input
  /** For one command; 30 seconds. */
  readonly command?: Duration.Input
  /** Between an interruption and the end of the command that was interrupted; 2 seconds. */
  readonly drain?: Duration.Input
}

/** What is started. */
export interface Options {
  readonly executable: string
  /** Added behind `--no-lldbinit --no-use-colors`. */
  readonly args?: ReadonlyArray<string>
  /** Variables to set, or with `undefined` to unset. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Whether `env` is added to our own environment (the default) or replaces it. */
  readonly extendEnv?: boolean
  readonly cwd?: string
  readonly deadlines?: Deadlines
}

/** Which LLDB it is. */
export interface Version {
  readonly major: number
  /** As it says itself: `19.1.7`. */
  readonly text: string
}

/** One LLDB. */
export interface Lldb {
  readonly version: Version
  readonly pid: number
  /** Whether it can run Python, which nothing here needs; asking makes LLDB load it. */
  readonly python: Effect.Effect<boolean, CommandTimedOut | LldbLost>
  /** How the end of a command is known, for people to read. */
  readonly marker: string
  /** Runs one command, after those before it. */
  readonly run: (
    command: string,
    options?: RunOptions
  ) => Effect.Effect<Answer, CommandFailed | CommandTimedOut | LldbLost | CommandRefused>
  /**
   * Tells every notice, in order, when it is read. What was noticed before the first listener is told to it at once.
   * Gives what takes the listener away.
   */
  readonly onNotice: (listener: (notice: Notice) => void) => () => void
  /** Sends SIGINT to LLDB: it ends what it does, or stops a program that runs. Returns at once. */
  readonly interrupt: Effect.Effect<void>
  /** Waits until this LLDB cannot be used any more, and says why. */
  readonly lost: Effect.Effect<LldbLost>
  /** The last 64 KiB that it wrote to stderr. */
  readonly stderrTail: () => string
  /** Ends its standard input: LLDB ends what it launched, lets go of what it attached to (from 19 on), and exits. */
  readonly closeInput: Effect.Effect<void>
}

const keptErrors = 64 * 1024

/** What of it is told in an error. */
const toldErrors = 2000

/** What LLDB says of our marks. */
const markLine = /^.*'sigtrap[0-9a-f]{16,}n\d+'.*\n/gm

const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

const random = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const environment = {
  TERM: "dumb",
  // A symbol server that does not answer would block LLDB before its first answer.
  DEBUGINFOD_URLS: undefined,
  LLDB_DEBUGINFOD_URLS: undefined
}

/** How the end of every command is known, for people to read: there is one way, which all versions have. */
export const marker = "a random word that is no command, on both streams"

/** Starts an LLDB, which belongs to the scope. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const limits = {
    start: Duration.fromInputUnsafe(options.deadlines?.start ?? "15 seconds"),
    command: Duration.fromInputUnsafe(options.deadlines?.command ?? "30 seconds"),
    drain: Duration.fromInputUnsafe(options.deadlines?.drain ?? "2 seconds")
  }
  const secret = random()
  const token = secret.slice(0, 12)
  const prompt = `<sigtrap-${secret}>`

  let started = false
  let closing = false
  let exited = false
  let count = 0
  let stderr = ""
  const lost = Deferred.makeUnsafe<LldbLost>()
  const listeners = new Set<(notice: Notice) => void>()
  const early: Array<Notice> = []

  const tell = (notice: Notice) => {
    if (notice.kind !== "text" && notice.kind !== "exited") exited = false
    if (listeners.size === 0) early.push(notice)
    for (const listener of listeners) listener(notice)
  }

  // The line of an exit has no token: what the program made a command print may look like one. LLDB is asked.
  const confirmExit = (notice: Extract<Notice, { kind: "exited" }>) => {
    const { pid, reason = "", status } = notice
    commands.submit({ command: "process status" }, limits.command, false, (exit) => {
      const said = Exit.isSuccess(exit) ? exit.value.output : ""
      const denied = Exit.isSuccess(exit)
        ? !/^Process \d+ exited with status/m.test(said)
        : !Deferred.isDoneUnsafe(lost)
      if (denied) {
        tell({ kind: "text", stream: "output", text: `Process ${pid} exited with status = ${status} ${reason}`.trim() })
      } else if (!exited) {
        exited = true
        tell(notice)
      }
    })
  }

  const dialogue = Dialogue.make(
    prompt,
    reader(token),
    (notice) => {
      if (!started) return
      if (notice.kind === "exited") confirmExit(notice)
      else tell(notice)
    },
    () => commands.confirmed()
  )

  const process = yield* Process.start({
    executable: options.executable,
    args: ["--no-lldbinit", "--no-use-colors", ...(options.args ?? [])],
    env: { ...environment, ...options.env },
    extendEnv: options.extendEnv ?? true,
    cwd: options.cwd,
    onOutput: dialogue.output,
    onErrors: (text) => {
      stderr = stderr.length > 2 * keptErrors ? (stderr + text).slice(-keptErrors) : stderr + text
      dialogue.errors(text)
    }
  })

  const lose = (error: LldbLost) => {
    if (Deferred.isDoneUnsafe(lost)) return
    Deferred.doneUnsafe(lost, Exit.succeed(error))
    dialogue.flush()
    commands.fail(error)
  }

  const said = () => stderr.replace(markLine, "").slice(-keptErrors)
  const tail = () => said().trim().slice(-toldErrors)

  const commands: Commands.Commands = yield* Commands.make({
    dialogue,
    mark: () => `sigtrap${random()}n${++count}`,
    send: process.send,
    interrupt: process.signal("SIGINT"),
    drain: limits.drain,
    onStuck: (command) => lose(new LldbLost({ reason: "stuck", command, stderr: tail() }))
  })

  yield* process.gone.pipe(
    Effect.map((ended) => {
      const command = commands.running()
      const during = command === undefined ? {} : { command }
      lose(
        closing
          ? new LldbLost({ reason: "closed" })
          : new LldbLost({ reason: "ended", ...ended, ...during, stderr: tail() })
      )
    }),
    Effect.forkScoped
  )

  const send = (command: string, { around, interruptible = false, timeout }: RunOptions = {}) =>
    Effect.callback<Answer, Commands.Failure>((resume) => {
      const limit = timeout === undefined ? limits.command : Duration.fromInputUnsafe(timeout)
      const drop = commands.submit({ command, around }, limit, interruptible, resume)
      return Effect.sync(drop)
    })

  const begin = Effect.gen(function* () {
    yield* send(`settings set prompt "${prompt}"`)
    const said = yield* send("version")
    const text = Parse.version(said.output)
    const major = Number.parseInt(text ?? "", 10)
    if (text === undefined || Number.isNaN(major)) {
      return yield* unusable(options, `it does not say which LLDB it is: ${said.output.slice(0, 200)}`)
    }
    for (const [name, value] of Settings.all(major, token)) {
      // A version that lacks one is told by the probes, when it matters.
      yield* Effect.catchTag(send(`settings set ${name} ${value}`), "CommandFailed", () => Effect.void)
    }
    for (const [question, expected] of Settings.probes(token)) {
      const { output } = yield* send(question)
      if (!output.includes(expected)) {
        return yield* unusable(options, `a setting is not in force: ${question} says ${output.slice(0, 200)}`)
      }
    }
    return { major, text }
  })

  const version: Version = yield* begin.pipe(
    Effect.timeoutOrElse({
      duration: limits.start,
      orElse: () => unusable(options, `it does not answer within ${Duration.format(limits.start)}. It said: ${tail()}`)
    }),
    Effect.catchTags({
      CommandFailed: ({ command, text }) => unusable(options, `${command} says: ${text}`),
      CommandTimedOut: (error) => unusable(options, error.message),
      LldbLost: (error) =>
        Effect.fail(new LldbError({ reason: "failed", executable: options.executable, detail: error.message }))
    })
  )
  started = true

  // LLDB ends what it launched and lets go of what it attached to when it is told to quit, and not when it is signalled.
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
    run: (command, how) => {
      for (const line of [command, ...(how?.around ?? [])]) {
        const reason = control.test(line)
          ? "control-character"
          : Command.interactive(line)
            ? "interactive"
            : Command.unsettles(line)
              ? "settings"
              : undefined
        if (reason !== undefined) return Effect.fail(new CommandRefused({ command: line, reason }))
      }
      return send(command, how)
    },
    onNotice: (listener) => {
      for (const notice of early.splice(0)) listener(notice)
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    interrupt: process.signal("SIGINT"),
    lost: Deferred.await(lost),
    stderrTail: said,
    closeInput: process.closeInput
  }
  return lldb
})

const unusable = ({ executable }: Options, detail: string) =>
  Effect.fail(new LldbError({ reason: "unusable", executable, detail }))
