/**
 * `sigtrap repl`: a prompt for people. Each line is a command line without the program's name, read by the grammar of scripts.
 *
 * The commands run in this process, as in the daemon, over one connection to it. An empty line repeats a step or a listing, `!TEXT`
 * is `raw TEXT`, Ctrl-C pauses the program, Ctrl-D leaves and the session stays. Without a terminal the lines are read without a
 * prompt, and the exit code is that of the last line that failed.
 */
import { ClientLayers, CommandLineActor, type DaemonLauncher } from "@sigtrap/host"
import { Caller, Client, Errors, Hint, Operation, Session, ShellWords } from "@sigtrap/protocol"
import { Doc, Failure } from "@sigtrap/text"
import { Cause, Effect, Exit, Fiber, Queue, Result, Stream } from "effect"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as ScriptLines from "@sigtrap/protocol/grammar/ScriptLines"
import * as Arguments from "../commands/Arguments.ts"
import * as ClientCommands from "../commands/ClientCommands.ts"
import * as HintText from "../render/HintText.ts"
import * as Candidates from "../runner/Candidates.ts"
import * as CommandRunner from "../runner/CommandRunner.ts"
import * as EarlyOptions from "../thin/EarlyOptions.ts"
import * as StandardStreams from "../thin/StandardStreams.ts"
import type { CommandLine } from "../thin/Wire.ts"
import { PromptSession } from "./PromptSession.ts"
import * as Terminal from "./Terminal.ts"

/** What a prompt is started with. */
export interface Options {
  readonly entry: EarlyOptions.EarlyOptions
  readonly words: ReadonlyArray<string>
  readonly line: CommandLine
  readonly environment: { readonly [name: string]: string }
  /** The command that starts this program as the daemon. */
  readonly self: DaemonLauncher.Command | undefined
}

/** The exit code of an interrupted wait. */
const INTERRUPTED = 130

const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("repl")] })

const printError = (terminal: Terminal.Terminal, error: Errors.SigtrapError) =>
  Effect.as(
    terminal.print("Stderr", Doc.render(Failure.render(error, { write: HintText.write }))),
    Errors.meta(error).exit
  )

/** Returns the words of a command, with the shorthand `!TEXT` for `raw TEXT`. */
const wordsOf = (command: string): Result.Result<ReadonlyArray<string>, Errors.Usage> => {
  const raw = /^!\s*(.*)$/s.exec(command)?.[1]
  if (raw !== undefined) return Result.succeed(["raw", raw])
  const { open, words } = ShellWords.parse(command)
  if (open) return Result.fail(usage(`${command}: a quote is not closed`))
  return Result.succeed(words[0] === "sigtrap" ? words.slice(1) : words)
}

/** Returns the line that an empty line after this one repeats; empty if it repeats nothing. */
const repeated = (line: string): string => {
  const words = wordsOf(line)
  const operation = Result.isFailure(words) || /[;\n]/.test(line) ? undefined : Candidates.operationOf(words.success)
  const how = operation === undefined ? "no" : Operation.meta(operation).repeats
  if (how === "no" || operation === undefined) return ""
  return how === "same" ? line : operation._tag
}

/** Runs the lines of a prompt. */
class Prompt {
  readonly #options: Options
  readonly #terminal: Terminal.Terminal
  readonly #session: PromptSession
  #running: Fiber.Fiber<number> | undefined
  #pressed = 0
  #repeat = ""
  /** The exit code of the last line that failed. */
  failed = 0

  constructor(options: Options, terminal: Terminal.Terminal, session: PromptSession) {
    this.#options = options
    this.#terminal = terminal
    this.#session = session
  }

  /** Runs one command line as the daemon would; succeeds with its exit code. */
  #exec(argv: ReadonlyArray<string>, silent = false): Effect.Effect<number> {
    const { environment, line } = this.#options
    const { directory, terminal } = line
    let code = 0
    let partial = ""
    return CommandRunner.exec({ argv, directory, terminal, environment }).pipe(
      Stream.runForEach((part) => {
        if (part._tag === "Exit") code = part.code
        else if (part._tag === "Partial") partial = part.text
        else if (!silent) return this.#terminal.print(part._tag, part.text)
        return Effect.void
      }),
      Effect.onInterrupt(() => this.#terminal.print("Stdout", partial)),
      Effect.map(() => code),
      Effect.provideService(Client.Client, this.#session.client)
    )
  }

  #command(command: string): Effect.Effect<number> {
    const words = wordsOf(command)
    const { entry: own, environment, line } = this.#options
    if (Result.isFailure(words)) return printError(this.#terminal, words.failure)
    const entry = EarlyOptions.parse(words.success, environment["SIGTRAP_FORMAT"])
    if (entry.client === undefined) return this.#exec(entry.argv)
    const { name, words: rest } = entry.client
    if (!Object.hasOwn(ClientCommands.commands, name)) {
      return printError(this.#terminal, usage(`${name} cannot run at the prompt; run it in a shell`))
    }
    const { runtimeDirectory } = own
    return ClientCommands.run(entry, name, rest, { directory: line.directory, environment, runtimeDirectory })
  }

  /** Runs the commands of a line in order up to the first failure; succeeds with its exit code. */
  #line(line: string): Effect.Effect<number> {
    return Effect.gen({ self: this }, function* () {
      const commands = line.startsWith("!") ? [line] : ScriptLines.split(line).map(({ text }) => text)
      for (const command of commands) {
        const code = yield* this.#command(command)
        if (code !== 0) return code
      }
      return 0
    })
  }

  /** Runs a line. A second Ctrl-C interrupts it. */
  run(line: string): Effect.Effect<number> {
    return Effect.gen({ self: this }, function* () {
      yield* this.#session.quiet
      this.#pressed = 0
      const fiber = yield* Effect.forkChild(this.#line(line))
      this.#running = fiber
      const exit = yield* Fiber.await(fiber)
      this.#running = undefined
      if (Exit.isFailure(exit) && !Cause.hasInterrupts(exit.cause)) return yield* exit
      const code = Exit.isSuccess(exit) ? exit.value : INTERRUPTED
      if (Exit.isFailure(exit)) yield* this.#terminal.print("Stderr", "no longer waiting\n")
      if (code !== 0) this.failed = code
      return code
    })
  }

  /** Pauses the program. The running line reports the stop; without one the pause does. */
  #pause(silent: boolean): Effect.Effect<unknown> {
    const { target } = this.#session
    const words = ["pause", ...(target === undefined ? [] : ["--session", target])]
    if (!silent) return Effect.andThen(this.#session.quiet, this.#exec(words))
    return Effect.flatMap(this.#exec(words, true), (code) =>
      code === 0
        ? Effect.void
        : this.#terminal.print("Stdout", "no program to pause; Ctrl-C again stops waiting for the command\n")
    )
  }

  /** Pauses the program at the first Ctrl-C; the second ends the wait of the running line. */
  readonly interrupts: Effect.Effect<never, Cause.Done> = Effect.forever(
    Effect.suspend(() =>
      Effect.andThen(
        Queue.take(this.#terminal.interrupts),
        Effect.suspend(() => {
          this.#pressed += 1
          if (this.#running === undefined) {
            return Effect.flatMap(this.#session.isRunning, (running) =>
              running
                ? Effect.asVoid(this.#pause(false))
                : this.#terminal.print("Stdout", "Ctrl-D leaves the prompt; the session stays\n")
            )
          }
          return this.#pressed === 1
            ? Effect.asVoid(Effect.forkChild(this.#pause(true)))
            : Fiber.interrupt(this.#running)
        })
      )
    )
  )

  /** Finds the session, and shows its status unless `silent`. */
  look(silent: boolean): Effect.Effect<unknown> {
    return this.#exec(["status"], silent)
  }

  /** Runs the commands of a file up to the first failure; succeeds with its exit code. */
  file(path: string): Effect.Effect<number> {
    return Effect.gen({ self: this }, function* () {
      const { directory } = this.#options.line
      const text = yield* Effect.try({
        try: () => readFileSync(resolve(directory, path), "utf8"),
        catch: (error) => usage(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
      })
      for (const { text: command } of ScriptLines.split(text)) {
        yield* this.#terminal.print("Stdout", `> ${command}\n`)
        const code = yield* this.run(command)
        if (code !== 0) return code
      }
      return 0
    }).pipe(
      Effect.catch((error) =>
        Effect.tap(printError(this.#terminal, error), (code) => Effect.sync(() => (this.failed = code)))
      )
    )
  }

  /** Reads and runs lines up to the end of the input. */
  readonly lines: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forever(
      Effect.gen({ self: this }, function* () {
        yield* this.#session.watch
        const entered = (yield* this.#terminal.next).trim()
        const line = entered === "" && this.#terminal.interactive ? this.#repeat : entered
        this.#repeat = repeated(line)
        if (/^(?:exit|\.exit)$/.test(line)) return yield* Cause.done()
        if (line !== "") yield* this.run(line)
      })
    ).pipe(Effect.catch(() => Effect.void))
  )
}

const started = Effect.fnUntraced(function* (options: Options) {
  const { environment, line, words: given } = options
  const interactive = process.stdin.isTTY && line.terminal.stdout
  const remote = yield* Client.Client
  const parsed = Result.map(Arguments.read("repl", given), ({ values, words: [first, second] }) => ({
    session: values.get("session") ?? first,
    extra: second,
    file: values.get("commands")
  }))
  const session = Result.isSuccess(parsed) ? parsed.success.session : undefined
  const within = { ...environment, ...(session === undefined ? {} : { SIGTRAP_SESSION: session }) }
  const place = { directory: line.directory, environment: within }
  const complete = (text: string) =>
    Effect.runPromise(Effect.provideService(Candidates.of(`sigtrap ${text}`, place), Client.Client, remote))
  const terminal = yield* Terminal.make({ interactive, environment, complete })
  if (Result.isFailure(parsed)) return yield* printError(terminal, parsed.failure)
  const { extra, file } = parsed.success
  if (extra !== undefined) return yield* printError(terminal, usage(`repl takes no '${extra}'`))
  const promptSession = new PromptSession(remote, terminal, { directory: line.directory, color: line.terminal.color })
  yield* Effect.addFinalizer(() => promptSession.end)
  const prompt = new Prompt({ ...options, environment: within }, terminal, promptSession)
  if (interactive) {
    yield* Effect.forkScoped(Effect.ignore(prompt.interrupts))
    yield* terminal.print(
      "Stdout",
      "Commands without the word sigtrap; help lists them. Ctrl-D or exit leaves, quit ends the session.\n"
    )
    yield* prompt.look(session === undefined)
  }
  const code = file === undefined ? 0 : yield* prompt.file(file)
  if (code !== 0 && !interactive) return code
  yield* prompt.lines
  if (!interactive) return prompt.failed
  const known = promptSession.session
  const stays = known !== undefined && Session.isLive(known.state)
  const words = stays ? `session ${known.session} stays; sigtrap repl ${known.session} returns to it\n` : ""
  yield* terminal.print("Stdout", `\n${words}`)
  return 0
})

/** Runs the prompt; succeeds with the exit code. */
export const run = (options: Options): Effect.Effect<number> => {
  const { runtimeDirectory } = options.entry
  const named = options.environment["SIGTRAP_AS"]
  const client = {
    kind: "cli",
    project: options.line.directory,
    ...(named === undefined ? {} : { name: named })
  } as const
  return Effect.flatMap(CommandLineActor.of(client, StandardStreams.origin()), (actor) =>
    Effect.scoped(started(options)).pipe(
      Effect.provide(ClientLayers.layerDaemon({ runtimeDirectory, daemon: options.self, actor })),
      Effect.provideService(Caller.Current, { actor, allowance: Caller.everything })
    )
  )
}
