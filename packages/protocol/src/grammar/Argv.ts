/**
 * Parses a command line into a call of an operation, a builtin command or a request for help.
 *
 * Options come before or after the command. `--` ends them; if the command starts a program, the words after `--` are the
 * program's arguments. An option begins with a dash and a letter: `-3` and `-[Class sel:]` are words. The first mistake is
 * reported, but all words are read, so `--json` also applies after a mistake.
 */
import * as Errors from "../Errors.ts"
import * as Hint from "../answers/Hint.ts"
import * as Nearest from "../text/Nearest.ts"
import * as Payload from "../Payload.ts"
import * as Result from "effect/Result"
import * as Aliases from "./Aliases.ts"
import * as Builtins from "./Builtins.ts"
import * as Commands from "./Commands.ts"
import * as ForeignCommands from "./ForeignCommands.ts"
import * as OptionReader from "./OptionReader.ts"
import * as Options from "./Options.ts"
import { spellings } from "./Spellings.generated.ts"
import * as Words from "./Words.ts"

/** Values by field. */
export type Fields = OptionReader.Fields

/** What the command line requests. The input of a call is not decoded yet. */
export type Request =
  | { readonly _tag: "Call"; readonly command: Commands.Command; readonly input: Fields }
  | {
      readonly _tag: "Builtin"
      readonly builtin: Builtins.Builtin
      readonly words: ReadonlyArray<string>
      readonly options: Fields
    }
  | { readonly _tag: "Help"; readonly command?: Commands.Command | Builtins.Builtin; readonly group?: string }

/** A parsed command line: its global options, and the request or the first mistake. */
export interface Parsed {
  readonly globals: Fields
  /** The command's name; absent if the command is unknown. */
  readonly name?: string
  readonly request: Result.Result<Request, Errors.Usage>
}

/** Returns the index of the first word that is neither an option nor an option's value. */
export const firstWord = (argv: ReadonlyArray<string>): number | undefined => Words.divide(spellings, argv).places[0]

const usage = (problem: string, hint: Hint.Hint, near: ReadonlyArray<string> = []) =>
  Result.fail(new Errors.Usage({ problem, near, remedies: [hint] }))

/** Returns how help and errors name a field: a positional argument in capitals, any other as its option. */
export const nameOf = (command: Commands.Command, field: string): string => {
  const known = command.options.find((candidate) => candidate.field === field)
  return command.meta.positional.includes(field)
    ? (known?.metavar ?? field.toUpperCase())
    : `--${known?.flag ?? Options.flagOf(field)}`
}

const operator = /^(?:[-+*/%&|^=<>?:]|[=!<>]=|&&|\|\||<<|>>)$/

/** Joins expressions that were written with blanks: a word that is an operator joins the words before and after it. */
const joined = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all: Array<string> = []
  for (const [index, word] of words.entries()) {
    const binds = index > 0 && (operator.test(word) || operator.test(words[index - 1] ?? ""))
    all.push(binds ? `${all.pop() ?? ""} ${word}` : word)
  }
  return all
}

/** Returns the two sides of an assignment. The `=` between them, as in GDB, is optional. */
const assigned = ([target = "", ...value]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [, left = target, right] = /^([^=]*[^=!<>])=(?!=)(.*)$/s.exec(target) ?? []
  if (right !== undefined && (right === "") === value.length > 0) return [left, right === "" ? value.join(" ") : right]
  const [first = "", ...rest] = value
  const sign = /^=(?!=)(.*)$/s.exec(first)
  return sign === null ? [target, ...value] : [target, [...(sign[1] === "" ? [] : [sign[1] ?? ""]), ...rest].join(" ")]
}

/** Assigns the words to the positional fields, in order. */
const call = (
  command: Commands.Command,
  { fields, words, after, flags }: OptionReader.Reading
): Result.Result<Fields, Errors.Usage> => {
  const { positional, sentence, rest } = command.meta
  const help = Hint.help(command.operation._tag)
  const input: Record<string, unknown> = { ...fields }
  const left = [...(command.name === "set" && words.length > 0 ? assigned(words) : words)]
  if (after !== undefined && rest === undefined) left.push(...after)
  for (const field of positional) {
    const known = command.options.find((candidate) => candidate.field === field)
    if (left.length === 0) break
    if (flags.has(field) || known === undefined) continue
    const all = known.many ? left.splice(0) : left.splice(0, 1)
    const texts =
      sentence === field ? [[...all, ...left.splice(0)].join(" ")] : field === "expressions" ? joined(all) : all
    const listed: Array<unknown> = []
    for (const text of texts) {
      const read = Options.read(known, known.metavar, text)
      if (Result.isFailure(read)) {
        // People write the name of the program where attach takes its number.
        return command.operation._tag === "attach" && field === "pid"
          ? usage(`${read.failure}; --name attaches by name`, Hint.call("attach", { name: text }))
          : usage(read.failure, help)
      }
      if (Array.isArray(read.success)) for (const one of read.success) listed.push(one)
      else input[field] = read.success
    }
    if (listed.length > 0) input[field] = listed
  }
  const [extra] = left
  if (extra !== undefined) {
    return rest === undefined
      ? usage(`${command.name} takes no '${extra}'`, help)
      : usage(
          `${command.name} takes no '${extra}'; arguments of the program follow --`,
          Hint.local(command.operation._tag, [...words.slice(0, words.length - left.length), "--", ...left])
        )
  }
  if (rest !== undefined && after !== undefined) {
    const before = input[rest]
    input[rest] = [...(Array.isArray(before) ? before : []), ...after]
  }
  return Result.succeed(input)
}

/** First words of commands that only LLDB has. */
const debuggerWords =
  /^(?:apropos|disassemble|expression|frame|image|memory|platform|process|register|script|settings|source|target|thread|type|watchpoint|x)$/

const unknownCommand = (words: ReadonlyArray<string>): Result.Result<never, Errors.Usage> => {
  const [first = "", second] = words
  const advice = ForeignCommands.advice(words)
  if (advice !== undefined) return usage(advice.problem, advice.hint)
  const group = Commands.names
    .filter((name) => name.startsWith(`${first} `))
    .map((name) => name.slice(first.length + 1))
  if (group.length > 0) {
    const near = second === undefined ? [] : Nearest.names(second, group).map((name) => `${first} ${name}`)
    const all = near.length > 0 ? "" : `; ${first} has: ${group.join(", ")}`
    const problem =
      second === undefined ? `${first} needs one of: ${group.join(", ")}` : `unknown command '${first} ${second}'${all}`
    return usage(problem, Hint.help(`${first} ${group[0] ?? ""}`.replaceAll(" ", ".")), near)
  }
  if (debuggerWords.test(first)) {
    return usage(
      `${first} is a command of the debugger, not of sigtrap`,
      Hint.call("raw", { command: words.join(" ") })
    )
  }
  const near = first === "" ? [] : Nearest.names(first, Commands.names)
  // Abbreviations of two words are near to every short word.
  const aliases = [...Aliases.commands.keys()].filter((name) => !/^(?:br|i) /.test(name))
  return usage(
    `unknown command '${first}'`,
    Hint.local("help"),
    near.length > 0 || first === "" ? near : Nearest.names(first, aliases)
  )
}

/** Adds the session and request ID, from global options or the environment, to the input of a call. */
const shared = (
  command: Commands.Command,
  input: Fields,
  globals: Fields,
  environment: { readonly [name: string]: string }
): Fields => {
  // `stop NAMES` and `stop --all` ignore SIGTRAP_SESSION: they name the sessions to end.
  const named = command.name === "stop" && (input["names"] !== undefined || input["all"] !== undefined)
  const session = globals["session"] ?? (named ? undefined : environment["SIGTRAP_SESSION"] || undefined)
  return {
    ...input,
    ...(Payload.hasField(command.operation, "session") && session !== undefined ? { session } : {}),
    ...(globals["request-id"] === undefined ? {} : { request_id: globals["request-id"] })
  }
}

/** Parses a command line that calls an operation. `rest` is the line without the command's name. */
const parseCall = (
  { command, options, written }: Extract<Commands.Resolved, { readonly command: Commands.Command }>,
  rest: ReadonlyArray<string>,
  environment: { readonly [name: string]: string }
): Parsed => {
  const reading = OptionReader.read(OptionReader.ofCommand(command, written), [...options, ...rest])
  const { globals, problem, words } = reading
  const help = Hint.help(command.operation._tag)
  const request = (): Result.Result<Request, Errors.Usage> => {
    if (globals["help"] === true) return Result.succeed({ _tag: "Help", command })
    if (problem !== undefined) {
      const instead = ForeignCommands.optionHint(command.name, problem.text)
      const own = problem.isGlobal ? Hint.local("help") : help
      return usage(problem.text, instead ?? own, instead === undefined ? problem.near : [])
    }
    const [what] = words
    if (what !== undefined && written === "info" && command.name === "status") {
      return usage(`info has no '${what}'`, Hint.local("info", ["locals"]), Nearest.names(what, Aliases.infoWords))
    }
    if (what !== undefined && written === "resume" && /^[A-Za-z_]/.test(what)) {
      return usage(
        `resume is another name of continue, and takes no session '${what}'`,
        Hint.call("recover", { name: what })
      )
    }
    return Result.map(call(command, reading), (input) => ({
      _tag: "Call",
      command,
      input: shared(command, input, globals, environment)
    }))
  }
  return { globals, name: command.name, request: request() }
}

/** Parses a command line of a builtin command, or without a command. `first` has the words of an unknown command. */
const parseBuiltin = (
  builtin: Builtins.Builtin | undefined,
  rest: ReadonlyArray<string>,
  first: ReadonlyArray<string>
): Parsed => {
  const { after = [], fields, globals, problem, words } = OptionReader.read(OptionReader.ofBuiltin(builtin), rest)
  const request = (): Result.Result<Request, Errors.Usage> => {
    if (globals["help"] === true) {
      if (builtin !== undefined) return Result.succeed({ _tag: "Help", command: builtin })
      const [group, ...others] = first
      if (group === undefined) return Result.succeed({ _tag: "Help" })
      const isGroup = others.length === 0 && Commands.names.some((name) => name.startsWith(`${group} `))
      return isGroup ? Result.succeed({ _tag: "Help", group }) : unknownCommand(first)
    }
    if (globals["version"] === true)
      return Result.succeed({ _tag: "Builtin", builtin: Builtins.version, words: [], options: {} })
    // The word after an unknown option is its value for the user, not a command.
    const isValue = problem !== undefined && rest[0]?.startsWith("-") === true
    if (builtin === undefined && first.length > 0 && !isValue) return unknownCommand(first)
    if (problem !== undefined) return usage(problem.text, Hint.local("help"), problem.near)
    const [extra] = words
    if (extra !== undefined && (builtin?.name === "commands" || builtin?.name === "version")) {
      // GDB's `commands 1` adds commands to a breakpoint.
      const hint = builtin.name === "commands" ? Hint.help("breakpoint.edit", "option cmd") : Hint.help(builtin.name)
      return usage(`${builtin.name} takes no '${extra}'`, hint)
    }
    if (builtin === undefined && after.length > 0) {
      return usage("write the command before --, which ends its options", Hint.local("help"))
    }
    return builtin === undefined
      ? Result.succeed({ _tag: "Help" })
      : Result.succeed({ _tag: "Builtin", builtin, words: [...words, ...after], options: fields })
  }
  return { globals, ...(builtin === undefined ? {} : { name: builtin.name }), request: request() }
}

/** Parses a command line. */
export const parse = (argv: ReadonlyArray<string>, environment: { readonly [name: string]: string } = {}): Parsed => {
  const { places } = Words.divide(spellings, argv)
  const words = places.map((place) => argv[place] ?? "")
  const advice = ForeignCommands.advice(words)
  const resolved = advice === undefined ? Commands.resolve(words) : undefined
  const used = new Set(places.slice(0, resolved?.length ?? 0))
  const rest = argv.filter((_, index) => !used.has(index))
  return resolved?.command === undefined
    ? parseBuiltin(resolved?.builtin, rest, words)
    : parseCall(resolved, rest, environment)
}
