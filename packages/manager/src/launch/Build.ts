/**
 * Runs build commands: compilers, and test runners that list or build their tests.
 *
 * Each runs without a shell and without input, in its own process group, with a timeout. The whole group is ended with
 * it. The last lines of its output are kept for error messages, its standard output up to a limit.
 */
import { Errors, Hint, ShellWords } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as CommandLine from "../model/CommandLine.ts"

/** Timeout of one program. */
const timeout = "10 minutes"

/** Maximum size of the standard output that is kept, in characters; of a larger one only the last lines are. */
const maxStdout = 32 * 1024 * 1024

/** Maximum size of the last output that is kept. */
const tail = { characters: 16_384, lines: 40 } as const

/** Time in which the last output must arrive after the program has exited. */
const drain = "1 second"

/** Directory and environment of a program. */
export interface Where {
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
}

/** A program that has ended: its standard output, and the last lines of both streams. */
export interface Ended {
  /** Why it failed; absent after exit code 0. */
  readonly problem?: string
  /** The exit code, if it failed with one. */
  readonly code?: number
  readonly stdout: string
  readonly tail: string
}

type Failure = Pick<Ended, "problem" | "code">

const lastLines = (text: string) => text.trimEnd().split("\n").slice(-tail.lines).join("\n")

/** Returns the error of a failed program. */
export const failed = (
  words: ReadonlyArray<string>,
  { problem, tail }: Ended,
  does?: Errors.LaunchFailed["does"]
): Errors.LaunchFailed =>
  new Errors.LaunchFailed({
    ...(does === undefined ? {} : { does }),
    program: words[0] ?? "",
    detail: `${ShellWords.join(words)} ${problem ?? "failed"}`,
    build: ShellWords.join(words),
    ...(tail === "" ? {} : { log: tail })
  })

/** Most characters of a command that an error quotes if it was not started. */
const mostQuoted = 1000

/** Returns the error of a command that cannot be started. */
const unstarted = (words: readonly [string, ...ReadonlyArray<string>], { cwd }: Where, why: string) => {
  const program = words[0].slice(0, mostQuoted)
  return new Errors.LaunchFailed({
    program,
    detail: `${program} cannot be started in ${cwd}: ${why}`,
    build: ShellWords.join(words).slice(0, mostQuoted)
  })
}

/** Runs build commands. */
export class Build extends Context.Service<
  Build,
  {
    /** Runs a program to its end. Fails only if it cannot be started. */
    readonly run: (
      words: readonly [string, ...ReadonlyArray<string>],
      where: Where
    ) => Effect.Effect<Ended, Errors.LaunchFailed>
    /** Runs a build command. Fails with its last lines if it fails. */
    readonly build: (text: string, where: Where) => Effect.Effect<void, Errors.LaunchFailed | Errors.Usage>
  }
>()("@sigtrap/manager/Build") {
  static readonly layer = Layer.effect(
    Build,
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner

      const run = Effect.fn("Build.run")(function* (words: readonly [string, ...ReadonlyArray<string>], where: Where) {
        let size = 0
        let last = ""
        const stdout: Array<string> = []
        const keep = (text: string) => {
          last = `${last}${text}`.slice(-tail.characters)
        }
        const ended = Effect.gen(function* () {
          const [program, ...args] = words
          const handle = yield* spawner
            .spawn(
              ChildProcess.make(program, args, {
                cwd: where.cwd,
                env: where.env,
                extendEnv: false,
                stdin: "ignore",
                forceKillAfter: "2 seconds"
              })
            )
            .pipe(
              Effect.mapError(() => unstarted(words, where, "no such program, or no such directory")),
              // Node throws for names and arguments that the system refuses.
              Effect.catchDefect(() => Effect.fail(unstarted(words, where, "its name or its arguments are too long")))
            )
          const out = handle.stdout.pipe(
            Stream.decodeText(),
            Stream.runForEach((text) =>
              Effect.sync(() => {
                keep(text)
                size += text.length
                if (size <= maxStdout) stdout.push(text)
                else stdout.length = 0
              })
            )
          )
          const err = handle.stderr.pipe(
            Stream.decodeText(),
            Stream.runForEach((text) => Effect.sync(() => keep(text)))
          )
          const reading = yield* Effect.forkScoped(
            Effect.all([Effect.ignore(out), Effect.ignore(err)], { concurrency: 2, discard: true })
          )
          const problem = yield* handle.exitCode.pipe(
            Effect.match({
              onSuccess: (code): Failure | undefined =>
                Number(code) === 0 ? undefined : { problem: `ended with code ${code}`, code: Number(code) },
              onFailure: (error): Failure => ({
                problem: `ended by ${/SIG[A-Z0-9]+/.exec(`${error.message} ${String(error.cause)}`)?.[0] ?? "a signal"}`
              })
            })
          )
          yield* Effect.timeoutOption(Fiber.await(reading), drain)
          return problem
        }).pipe(
          // Closing the scope ends the process group.
          Effect.scoped,
          Effect.timeoutOrElse({
            duration: timeout,
            orElse: () => Effect.succeed({ problem: `took longer than ${timeout}` })
          })
        )
        const failure: Failure | undefined = yield* ended
        const answer: Ended = {
          ...failure,
          stdout: stdout.join(""),
          tail: lastLines(last)
        }
        return answer
      })

      return Build.of({
        run,
        build: Effect.fn("Build.build")(function* (text, where) {
          const command = CommandLine.read(text)
          if (Result.isFailure(command)) {
            return yield* new Errors.Usage({
              problem: `--build '${text}': ${command.failure}`,
              near: [],
              remedies: [Hint.again("start", { build: "make app" })]
            })
          }
          const { env, words } = command.success
          const ended = yield* run(words, { ...where, env: { ...where.env, ...Object.fromEntries(env) } })
          if (ended.problem !== undefined) return yield* failed(words, ended)
        })
      })
    })
  )
}
