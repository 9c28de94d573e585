/**
 * Runs the builtin commands of the daemon: help, schemas, completion, version. None needs a session. `__complete`
 * prints nothing if the names cannot be read.
 */
import { Version } from "@sigtrap/host"
import { type Client, Errors, Hint, Nearest } from "@sigtrap/protocol"
import { Effect } from "effect"
import type * as Argv from "@sigtrap/protocol/grammar/Argv"
import type { Builtin } from "@sigtrap/protocol/grammar/Builtins"
import * as CommandSchemas from "../help/CommandSchemas.ts"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as Candidates from "./Candidates.ts"
import * as Completion from "../help/Completion.ts"
import * as JsonDocument from "../render/JsonDocument.ts"
import * as Help from "../help/Help.ts"

/** The answer of a command: text, and data for `--json`. */
export interface Result {
  readonly text: string
  readonly data: unknown
}

const text = (lines: ReadonlyArray<string>): Result => {
  const whole = lines.length === 0 ? "" : `${lines.join("\n")}\n`
  return { text: whole, data: { text: whole } }
}

/** Returns the help for a command, for a group of commands such as `control`, or for the program. */
export const help = (target: Commands.Command | Builtin | undefined, group?: string): Result =>
  text(
    target !== undefined
      ? "operation" in target
        ? Help.command(target)
        : Help.builtin(target)
      : ((group === undefined ? undefined : Help.group(group)) ?? Help.root())
  )

const unknown = (what: string, word: string, known: ReadonlyArray<string>) =>
  new Errors.Usage({
    problem: `no ${what} '${word}'`,
    near: Nearest.names(word, known),
    remedies: [Hint.local("help")]
  })

const explain = (words: ReadonlyArray<string>): Effect.Effect<Result, Errors.Usage> => {
  if (words.length === 0) return Effect.succeed(help(undefined))
  const name = words.join(" ")
  const found = Commands.resolve(words)
  const target = found?.length === words.length ? (found.command ?? found.builtin) : undefined
  if (target !== undefined) return Effect.succeed(help(target))
  const group = words.length === 1 ? Help.group(name) : undefined
  return group === undefined ? Effect.fail(unknown("command", name, Commands.names)) : Effect.succeed(text(group))
}

const schema = (words: ReadonlyArray<string>): Effect.Effect<Result, Errors.Usage> => {
  const printed = (data: unknown): Result => ({ text: JsonDocument.print(data, true), data })
  if (words.length === 0) return Effect.succeed(printed(CommandSchemas.schemas()))
  const found = Commands.resolve(words)
  if (found?.command !== undefined) return Effect.succeed(printed(CommandSchemas.schema(found.command)))
  if (found?.builtin !== undefined) {
    return Effect.succeed(printed(CommandSchemas.builtinSchema(found.builtin.name)))
  }
  return Effect.fail(unknown("command with a schema", words.join(" "), Commands.names))
}

const completion = ([shell]: ReadonlyArray<string>): Effect.Effect<Result, Errors.Usage> => {
  if (shell === undefined || !Completion.isShell(shell)) {
    const problem = shell === undefined ? "SHELL is missing" : `no completion for '${shell}'`
    return Effect.fail(
      new Errors.Usage({ problem, near: Completion.shells, remedies: [Hint.local("completion", ["bash"])] })
    )
  }
  const script = Completion.script(shell)
  return Effect.succeed({ text: script, data: { shell, script } })
}

/** `__complete line TEXT`: what may replace the last word of a line; `__complete KIND`: the names of a kind. */
const candidates = ([what = "", ...rest]: ReadonlyArray<string>, place: Candidates.Place) =>
  Effect.map(what === "line" ? Candidates.of(rest.join(" "), place) : Candidates.ofWord(what, place), text)

/** Runs one of the commands. */
export const run = (
  { builtin, words, options }: Argv.Request & { readonly _tag: "Builtin" },
  place: Candidates.Place
): Effect.Effect<Result, Errors.Usage, Client.Client> => {
  switch (builtin.name) {
    case "help":
      return options["agent"] === true ? Effect.succeed(text(Help.agent())) : explain(words)
    case "schema":
      return schema(words)
    case "commands": {
      const commands = CommandSchemas.commands()
      return Effect.succeed({
        text: text(commands.map(({ name, summary }) => `${name.padEnd(18)}${summary}`)).text,
        data: { commands }
      })
    }
    case "completion":
      return completion(words)
    case "version":
      return Effect.succeed(Version.answer)
    case "__complete":
      return candidates(words, place)
    default:
      return Effect.fail(
        new Errors.Usage({
          problem: `${builtin.name} runs in the client, not in the daemon`,
          near: [],
          remedies: [Hint.help(builtin.name)]
        })
      )
  }
}
