/**
 * Parses the commands of a script into calls. `;` and line breaks separate commands, `#` begins a comment, words are quoted as
 * in a POSIX shell. `expect KEY=VALUE` checks the answer before it.
 */
import * as Result from "effect/Result"
import * as Errors from "../Errors.ts"
import * as Follow from "../client/Follow.ts"
import * as Hint from "../answers/Hint.ts"
import * as Operation from "../Operation.ts"
import * as Operations from "../Operations.ts"
import type { ScriptCommand } from "../operations/Script.ts"
import * as Payload from "../Payload.ts"
import * as ShellWords from "../text/ShellWords.ts"
import * as Argv from "./Argv.ts"
import * as Commands from "./Commands.ts"
import * as Options from "./Options.ts"

/** A command that calls an operation. `text` is the command as written; the input is not decoded yet. */
export interface ScriptCall {
  readonly _tag: "Call"
  readonly text: string
  readonly operation: Operation.Any
  readonly input: { readonly [field: string]: unknown }
}

/** A check of the answer before it: the value at a path of its JSON. */
export interface ScriptCheck {
  readonly _tag: "Check"
  readonly text: string
  readonly path: string
  readonly expected: string
}

/** A command of a script. */
export type ScriptStep = ScriptCall | ScriptCheck

/** Most commands of a script. */
export const limit = 50

/** Most words of one command. */
const wordLimit = 1000

/** Most characters of a file of commands. Its commands are parsed at once, while other clients wait. */
const fileLimit = 65_536

const usage = (problem: string) => Result.fail(new Errors.Usage({ problem, near: [], remedies: [Hint.help("script")] }))

/** A file of commands. Errors quote its text only if `quoted` is true: else it may be a file that the caller must not see. */
export interface ScriptFile {
  readonly name: string
  readonly text: string
  readonly quoted: boolean
}

/** A command of a text, and the line on which it ends, from 1. */
export interface Part {
  readonly text: string
  readonly line: number
}

/** Splits a text into commands at `;` and line breaks outside of quotes, without comments and empty commands. */
export const split = (text: string): ReadonlyArray<Part> => {
  const all: Array<Part> = []
  let command = ""
  let line = 1
  let quote = ""
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? ""
    if (quote === "" && letter === "#" && (command === "" || /\s/.test(text[at - 1] ?? ""))) {
      const end = text.indexOf("\n", at)
      at = (end === -1 ? text.length : end) - 1
    } else if (quote === "" && (letter === ";" || letter === "\n")) {
      all.push({ text: command.trim(), line })
      command = ""
    } else {
      if (letter === "\\" && quote !== "'") {
        command += letter
        at += 1
      } else if (letter === quote) quote = ""
      else if (quote === "" && (letter === "'" || letter === '"')) quote = letter
      command += text[at] ?? ""
    }
    if (text[at] === "\n") line += 1
  }
  return [...all, { text: command.trim(), line }].filter((part) => part.text !== "")
}

/** Returns the call, or says why a script cannot make it. */
const callOf = (
  text: string,
  operation: Operation.Any,
  input: ScriptCall["input"]
): Result.Result<ScriptStep, Errors.Usage> => {
  if (Operation.meta(operation).composite) return usage(`${text}: a script cannot contain another one`)
  if (Follow.isRequested(operation, input)) return usage(`${text}: a script cannot follow a session`)
  const set = Payload.callerFields.filter((field) => Object.hasOwn(input, field))
  if (set.length > 0) return usage(`${text}: leave out ${set.join(" and ")}`)
  return Result.succeed({ _tag: "Call", text, operation, input })
}

const fromLine = (
  text: string,
  environment: { readonly [name: string]: string }
): Result.Result<ScriptStep, Errors.Usage> => {
  const { open, words: all } = ShellWords.parse(text)
  if (open) return usage(`${text}: a quote is not closed`)
  if (all.length > wordLimit)
    return usage(`a command of the script has ${all.length} words; at most ${wordLimit} are read`)
  const [first, ...rest] = all[0] === "sigtrap" ? all.slice(1) : all
  if (first === undefined) return usage("a command is missing after sigtrap")
  if (first === "expect") {
    const [, path, expected] = /^([^=]+)=(.*)$/s.exec(rest.join(" ")) ?? []
    return path === undefined || expected === undefined
      ? usage(`${text}: write expect KEY=VALUE`)
      : Result.succeed({ _tag: "Check", text, path, expected })
  }
  // A tool's name has an underscore where a command has a blank.
  const words = Commands.resolve([first]) === undefined && first.includes("_") ? first.split("_") : [first]
  const { request } = Argv.parse([...words, ...rest], environment)
  if (Result.isFailure(request)) {
    const { near, problem, remedies } = request.failure
    // The help of all commands is for terminals.
    const useful = remedies.filter((hint) => !Hint.isLocal(hint) || Hint.helpTag(hint) !== undefined)
    const hints = useful.length === 0 ? [Hint.help("script")] : useful
    return Result.fail(new Errors.Usage({ problem: `${text}: ${problem}`, near, remedies: hints }))
  }
  if (request.success._tag !== "Call") return usage(`${text}: this command calls no operation`)
  const { command, input } = request.success
  const shown = Options.outputOptions(command.operation._tag).map(({ field }) => field)
  const fields = Object.entries(input).filter(([field]) => !shown.includes(field))
  return callOf(text, command.operation, Object.fromEntries(fields))
}

const fromOperation = ({
  input = {},
  operation: name
}: Exclude<ScriptCommand, string>): Result.Result<ScriptStep, Errors.Usage> => {
  const operation = Operations.find(name.replaceAll(" ", ".")) ?? Operations.find(name.replaceAll("_", "."))
  if (operation === undefined) return usage(`there is no operation ${name}`)
  return callOf(ShellWords.join(Commands.argvOf(operation, input)), operation, input)
}

const fromFile = ({ name, quoted }: ScriptFile, part: Part, environment: { readonly [name: string]: string }) =>
  Result.mapError(fromLine(part.text, environment), ({ near, problem, remedies }) =>
    quoted
      ? new Errors.Usage({ problem: `${name}:${part.line}: ${problem}`, near, remedies })
      : new Errors.Usage({
          problem: `${name}:${part.line} is not a command`,
          near: [],
          remedies: [Hint.help("script")]
        })
  )

/** Parses the commands of a script, those of its file last. The first mistake is reported; then nothing has run. */
export const parse = (
  commands: ReadonlyArray<ScriptCommand>,
  environment: { readonly [name: string]: string } = {},
  file?: ScriptFile
): Result.Result<ReadonlyArray<ScriptStep>, Errors.Usage> => {
  if (file !== undefined && file.text.length > fileLimit) {
    return usage(`${file.name} has ${file.text.length} characters; a file of commands has at most ${fileLimit}`)
  }
  const given = commands.flatMap((command) =>
    typeof command === "string"
      ? split(command).map(
          ({ text }) =>
            () =>
              fromLine(text, environment)
        )
      : [() => fromOperation(command)]
  )
  const read = file === undefined ? [] : split(file.text).map((part) => () => fromFile(file, part, environment))
  const all = [...given, ...read]
  if (all.length === 0) return usage("the script has no commands")
  // Counted before they are parsed, so that too many take no time from other clients.
  if (all.length > limit) return usage(`the script has ${all.length} commands; at most ${limit} run`)
  return Result.all(all.map((parsed) => parsed()))
}
