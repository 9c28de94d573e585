/**
 * Runs the command lines and shell lines of a scenario in its workspace, against the scenario's own manager.
 */
import { type Answer, Client, type Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { Commands } from "./Commands.ts"
import { Machine } from "./Machine.ts"
import type { Workspace } from "./Workspace.ts"

/** The JSON answer of a command line, and its text. */
export interface Json {
  readonly exit: number
  readonly document: { readonly [key: string]: unknown }
  readonly text: string
}

/** Runs one command line without added options. */
export const run = Effect.fnUntraced(function* ({ directory, environment }: Workspace, argv: ReadonlyArray<string>) {
  const commands = yield* Commands
  return yield* commands.run({ argv, directory, environment })
})

/** Runs one command line with `--json`. Options go before `--`, because the words after it are the program's arguments. */
export const json = Effect.fnUntraced(function* (workspace: Workspace, argv: ReadonlyArray<string>) {
  const end = argv.indexOf("--")
  const place = end === -1 ? argv.length : end
  const { exit, stderr, stdout } = yield* run(workspace, [
    ...argv.slice(0, place),
    "--json",
    "--budget",
    "0",
    ...argv.slice(place)
  ])
  const parsed: unknown = Result.getOrElse(
    Result.try((): unknown => JSON.parse(stdout)),
    () => ({ text: stdout + stderr })
  )
  const answer: Json = { exit, document: Predicate.isReadonlyObject(parsed) ? parsed : {}, text: stdout + stderr }
  return answer
})

type Outcome = Result.Result<Answer.Answer<unknown>, Errors.SigtrapError>

/**
 * Runs one command line and returns its output as JSON and as text. The operations are called once: their answers are
 * recorded for the JSON and replayed for the text.
 */
export const both = Effect.fnUntraced(function* (workspace: Workspace, argv: ReadonlyArray<string>) {
  const client = yield* Client.Client
  const outcomes: Array<Outcome> = []
  const recording = Client.Client.of({
    call: client.call,
    callAny: (operation, payload) =>
      Effect.flatMap(Effect.result(client.callAny(operation, payload)), (outcome) => {
        outcomes.push(outcome)
        return Effect.fromResult(outcome)
      })
  })
  const answer = yield* json(workspace, argv).pipe(Effect.provideService(Client.Client, recording))
  let next = 0
  const replaying = Client.Client.of({
    call: client.call,
    callAny: (operation, payload) => {
      const outcome = outcomes[next++]
      return outcome === undefined ? client.callAny(operation, payload) : Effect.fromResult(outcome)
    }
  })
  const output = yield* run(workspace, argv).pipe(Effect.provideService(Client.Client, replaying))
  return { answer, output }
})

/** Options of a shell line. */
export interface ShellOptions {
  /** Relative to the directory of the command lines. */
  readonly cwd?: string | undefined
  readonly background?: boolean | undefined
  /** Variables beside those of the workspace. */
  readonly environment?: { readonly [name: string]: string }
}

/** Runs a text by `/bin/sh`, or a list of words without a shell. */
export const shell = Effect.fnUntraced(function* (
  line: string | ReadonlyArray<string>,
  workspace: Workspace,
  { background, cwd = "", environment = {} }: ShellOptions = {}
) {
  const machine = yield* Machine
  const path = yield* Path.Path
  const [program = "/bin/sh", ...args] = typeof line === "string" ? ["/bin/sh", "-c", line] : line
  return yield* machine.run({
    command: [program, ...args],
    directory: path.resolve(workspace.directory, cwd),
    environment: { ...workspace.shellEnvironment, ...environment },
    background
  })
})
