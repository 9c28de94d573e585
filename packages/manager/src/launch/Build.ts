/**
 * Running the programs that build what is to be debugged: compilers, test runners that only list or build their tests.
 *
 * Each runs without a shell and without input, in a process group of its own, for a bounded time. When it has ended, has
 * failed or took too long, nothing of its group is left. Of what it says a tail is kept for whoever has to read why it
 * failed; what is read by a program is kept up to a bound.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as CommandLine from "../model/CommandLine.ts"

/** The longest time of one program; a build of a large tree takes minutes. */
const within = "10 minutes"

/** Most bytes that are kept of what a program writes for another to read. */
const largest = 32 * 1024 * 1024

/** Most characters of the tail, and most lines. */
const tail = { characters: 16_384, lines: 40 } as const

/** How long what was written last may take to arrive once the program is gone. */
const drain = "1 second"

/** Where a program runs. */
export interface Where {
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
}

/** What became of a program: what it wrote to its standard output, and the last lines of both its streams. */
export interface Ended {
  /** Why it failed; absent when it ended with 0. */
  readonly problem?: string
  readonly stdout: string
  readonly tail: string
}

const lastLines = (text: string) => text.trimEnd().split("\n").slice(-tail.lines).join("\n")

const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** A command as it can be pasted. */
export const line = (words: ReadonlyArray<string>): string => words.map(quoted).join(" ")

/** The error of a program that failed. */
export const failed = (words: ReadonlyArray<string>, { problem, tail }: Ended): Errors.LaunchFailed =>
  new Errors.LaunchFailed({
    program: words[0] ?? "",
    detail: `${line(words)} ${problem ?? "failed"}`,
    build: line(words),
    ...(tail === "" ? {} : { log: tail })
  })

/** The service. */
export class Build extends Context.Service<
  Build,
  {
    /** Runs a program to its end. It fails only where it cannot be run at all. */
    readonly run: (
      words: readonly [string, ...ReadonlyArray<string>],
      where: Where
    ) => Effect.Effect<Ended, Errors.LaunchFailed>
    /** Runs a line of words; a build that fails is an error with its last lines. */
    readonly build: (text: string, where: Where) => Effect.Effect<void, Errors.LaunchFailed | Errors.Usage>
  }
>()("@sigtrap/manager/Build") {
  static readonly layer = Layer.effect(
    Build,
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner

      const run = Effect.fnUntraced(function* (words: readonly [string, ...ReadonlyArray<string>], where: Where) {
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
              Effect.mapError(
                () =>
                  new Errors.LaunchFailed({
                    program,
                    detail: `${program} cannot be run in ${where.cwd}: no such program, or no such directory`,
                    build: line(words)
                  })
              )
            )
          const out = handle.stdout.pipe(
            Stream.decodeText(),
            Stream.runForEach((text) =>
              Effect.sync(() => {
                keep(text)
                size += text.length
                if (size <= largest) stdout.push(text)
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
              onSuccess: (code) => (Number(code) === 0 ? undefined : `ended with code ${code}`),
              onFailure: (error) =>
                `ended by ${/SIG[A-Z0-9]+/.exec(`${error.message} ${String(error.cause)}`)?.[0] ?? "a signal"}`
            })
          )
          yield* Effect.timeoutOption(Fiber.await(reading), drain)
          return problem
        }).pipe(
          // Its end comes with the scope, by which the whole group is gone.
          Effect.scoped,
          Effect.timeoutOrElse({ duration: within, orElse: () => Effect.succeed(`took longer than ${within}`) })
        )
        const problem = yield* ended
        const kept = size > largest ? "" : stdout.join("")
        const answer: Ended = {
          ...(problem === undefined ? {} : { problem }),
          stdout: kept,
          tail: lastLines(last)
        }
        return answer
      })

      return Build.of({
        run,
        build: Effect.fnUntraced(function* (text, where) {
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
