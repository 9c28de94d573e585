/**
 * Command lines and shell lines as a scenario runs them: against the scenario's own manager, in its directory.
 */
import type { CommandLine } from "@sigtrap/host/daemon/Protocol"
import { type Answer, Client, type Errors } from "@sigtrap/protocol"
import { Effect, Predicate, Result, Stream } from "effect"
import { spawn } from "node:child_process"
import { resolve } from "node:path"
import * as CommandRunner from "../CommandRunner.ts"

/** Where steps are carried out. */
export interface World {
  /** A temporary directory of the scenario's own. */
  readonly work: string
  /** Where commands are typed. */
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
  /** The environment of shell lines, which may need their user's home. */
  readonly shell: { readonly [name: string]: string }
}

/** What one command line wrote, and its exit code. */
export interface Written {
  readonly stdout: string
  readonly stderr: string
  readonly exit: number
}

/** An answer as data. */
export interface Answered {
  readonly exit: number
  readonly doc: { readonly [key: string]: unknown }
  readonly text: string
}

/** Runs one command line as it would be typed. */
export const cli = Effect.fnUntraced(function* (world: World, argv: ReadonlyArray<string>) {
  const line: CommandLine = {
    argv,
    directory: world.directory,
    environment: world.environment,
    terminal: { stdout: false, stderr: false, columns: 80, color: false }
  }
  const pieces = yield* Stream.runCollect(CommandRunner.exec(line))
  const text = (tag: "Stdout" | "Stderr") => pieces.map((piece) => (piece._tag === tag ? piece.text : "")).join("")
  const last = pieces.at(-1)
  const written: Written = {
    stdout: text("Stdout"),
    stderr: text("Stderr"),
    exit: last?._tag === "Exit" ? last.code : 1
  }
  return written
})

/** One command, its answer as a document. Options go before `--`, behind which everything is the program's. */
export const document = Effect.fnUntraced(function* (world: World, argv: ReadonlyArray<string>) {
  const end = argv.indexOf("--")
  const place = end === -1 ? argv.length : end
  const { exit, stderr, stdout } = yield* cli(world, [
    ...argv.slice(0, place),
    "--json",
    "--budget",
    "0",
    ...argv.slice(place)
  ])
  const read: unknown = Result.getOrElse(
    Result.try((): unknown => JSON.parse(stdout)),
    () => ({ text: stdout + stderr })
  )
  const answered: Answered = { exit, doc: Predicate.isReadonlyObject(read) ? read : {}, text: stdout + stderr }
  return answered
})

type Outcome = Result.Result<Answer.Answer<unknown>, Errors.SigtrapError>

/** One command in both of its forms, although it is carried out once: what it was answered is kept for the other form. */
export const both = Effect.fnUntraced(function* (world: World, argv: ReadonlyArray<string>) {
  const client = yield* Client.Client
  const answers: Array<Outcome> = []
  const recording = Client.Client.of({
    call: client.call,
    callAny: (operation, payload) =>
      Effect.flatMap(Effect.result(client.callAny(operation, payload)), (outcome) => {
        answers.push(outcome)
        return Effect.fromResult(outcome)
      })
  })
  const answered = yield* document(world, argv).pipe(Effect.provideService(Client.Client, recording))
  let next = 0
  const replaying = Client.Client.of({
    call: client.call,
    callAny: (operation, payload) => {
      const outcome = answers[next++]
      return outcome === undefined ? client.callAny(operation, payload) : Effect.fromResult(outcome)
    }
  })
  const written = yield* cli(world, argv).pipe(Effect.provideService(Client.Client, replaying))
  return { answered, written }
})

/** How a shell line is run. */
export interface ShellOptions {
  readonly cwd?: string | undefined
  readonly background?: boolean | undefined
}

/** Runs a line by `/bin/sh`, or words as they are. One in the background is not waited for. */
export const shell = (line: string | ReadonlyArray<string>, world: World, { background, cwd }: ShellOptions = {}) =>
  Effect.callback<Written & { readonly pid: number }>((done) => {
    const [program = "/bin/sh", ...args] = typeof line === "string" ? ["/bin/sh", "-c", line] : line
    const child = spawn(program, args, {
      cwd: resolve(world.directory, cwd ?? ""),
      env: world.shell,
      stdio: ["ignore", background === true ? "ignore" : "pipe", background === true ? "ignore" : "pipe"]
    })
    let stdout = ""
    let stderr = ""
    const pid = child.pid ?? 0
    child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += String(text)))
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += String(text)))
    child.on("error", (error) =>
      done(Effect.succeed({ exit: 127, stdout, stderr: `${stderr}${String(error)}\n`, pid }))
    )
    if (background === true) {
      child.unref()
      child.on("spawn", () => done(Effect.succeed({ exit: 0, stdout, stderr, pid })))
      return
    }
    // Not when its streams end: a process that it leaves in the background may hold them for ever.
    child.on("exit", (code) => setImmediate(() => done(Effect.succeed({ exit: code ?? 1, stdout, stderr, pid }))))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
