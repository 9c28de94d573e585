/**
 * The commands that call operations, one each. Names, options and examples are computed from the operations.
 */
import * as Envelope from "../answers/Envelope.ts"
import * as Operation from "../Operation.ts"
import * as Operations from "../Operations.ts"
import * as Payload from "../Payload.ts"
import * as ShellWords from "../text/ShellWords.ts"
import * as Predicate from "effect/Predicate"
import * as Aliases from "./Aliases.ts"
import * as Builtins from "./Builtins.ts"
import * as Options from "./Options.ts"
import { LONGEST_NAME } from "./Words.ts"

/** A command that calls an operation. */
export interface Command {
  /** The name, of one or more words: `breakpoint list`. */
  readonly name: string
  readonly operation: Operation.Any
  readonly meta: Operation.Meta
  readonly options: ReadonlyArray<Options.Option>
  /** True if all words after the first argument, options included, are part of it, as for `raw`. */
  readonly verbatim: boolean
}

/** Makes a command. What needs the schemas of its operation is computed when it is first read. */
const make = (operation: Operation.Any): Command => {
  let options: ReadonlyArray<Options.Option> | undefined
  return {
    name: Envelope.command(operation),
    operation,
    get meta() {
      return Operation.meta(operation)
    },
    get options() {
      return (options ??= Options.of(operation))
    },
    get verbatim() {
      return Operation.meta(operation).verbatim
    }
  }
}

/** One command for each operation, in reading order. */
export const all: ReadonlyArray<Command> = Operations.all.map(make)

const byName = new Map(all.map((command) => [command.name, command]))

/** Returns the command of that name. */
export const find = (name: string): Command | undefined => byName.get(name)

/** Options that only the thin client reads; other readers ignore them. */
export const reserved = { options: ["foreground"] } as const

/** The names of all commands, without aliases. */
export const names: ReadonlyArray<string> = [
  ...all.map(({ name }) => name),
  ...Builtins.all.map(({ name }) => name).filter((name) => !name.startsWith("_"))
]

/** The command at the start of a line. */
export type Resolved =
  | {
      readonly command: Command
      readonly builtin?: never
      /** The number of words in its name. */
      readonly length: number
      /** Options that its alias adds. */
      readonly options: ReadonlyArray<string>
      /** The name or alias that was typed. */
      readonly written: string
    }
  | { readonly builtin: Builtins.Builtin; readonly command?: never; readonly length: number }

/** Finds a command by its first words, aliases included, the longest match first. */
export const resolve = (words: ReadonlyArray<string>): Resolved | undefined => {
  for (let length = Math.min(LONGEST_NAME, words.length); length > 0; length -= 1) {
    const name = words.slice(0, length).join(" ")
    const alias = Aliases.commands.get(name) ?? Aliases.formatted(name)
    if (alias?.before !== undefined && alias.before.test(words[length] ?? "-") === false) continue
    const command = find(alias?.command ?? name)
    if (command !== undefined) return { command, length, options: alias?.options ?? [], written: name }
    const builtin = Builtins.find(name)
    if (builtin !== undefined) return { builtin, length }
  }
  return undefined
}

/** Returns a value as one word. Objects are written as JSON, since they may have a `toString` that is not a function. */
const word = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)

const list = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).filter(Predicate.isNotNullish).map(word)

const looksLikeOption = (text: string) => text === "--" || /^--?[A-Za-z]/.test(text)

const flags = (option: Options.Option | undefined, flag: string, value: unknown): ReadonlyArray<string> => {
  if (option?.kind === "boolean" && !option.many) return [value === false ? `--no-${flag}` : `--${flag}`]
  return list(value).flatMap((text) =>
    text.startsWith("-") || text === "" || option?.bare !== undefined ? [`--${flag}=${text}`] : [`--${flag}`, text]
  )
}

interface Fields {
  readonly [field: string]: unknown
}

/** The defaults of the options of a command, as JSON. */
const defaults = new WeakMap<ReadonlyArray<Options.Option>, ReadonlyMap<string, string | undefined>>()

const defaultsOf = (options: ReadonlyArray<Options.Option>) => {
  const known = defaults.get(options)
  if (known !== undefined) return known
  const made = new Map(options.map(({ fallback, field }) => [field, JSON.stringify(fallback)]))
  defaults.set(options, made)
  return made
}

/** Returns the fields of a call that differ from their defaults. */
export const withoutDefaults = (operation: Operation.Any, input: Fields): Fields => {
  const { options } = find(Envelope.command(operation)) ?? make(operation)
  const fallbacks = defaultsOf(options)
  const given = Object.entries(input).filter(([field, value]) => {
    const text = JSON.stringify(value)
    return text !== fallbacks.get(field) && text !== "[]" && value !== false
  })
  return Object.fromEntries(given)
}

/** Returns the words of a call without the fields that have their default. */
export const wordsOf = (operation: Operation.Any, input: Fields): ReadonlyArray<string> => {
  return argvOf(operation, withoutDefaults(operation, input))
}

/**
 * Returns the words that make a call, without the program's name: positional fields, options, then the words after `--`.
 * Parsing them gives the same payload. Fields that the client fills in are left out.
 */
export const argvOf = (operation: Operation.Any, input: Fields): ReadonlyArray<string> => {
  const { name, meta, options } = find(Envelope.command(operation)) ?? make(operation)
  const given = Object.keys(input).filter(
    (field) => Predicate.isNotNullish(input[field]) && !Payload.callerFields.includes(field)
  )
  const positional: Array<string> = []
  for (const field of meta.positional) {
    if (!given.includes(field) || list(input[field]).some((one) => looksLikeOption(one) || one === "")) break
    positional.push(field)
  }
  const named = given.filter((field) => !positional.includes(field) && field !== meta.rest)
  const rest = meta.rest === undefined ? [] : list(input[meta.rest])
  return [
    ...name.split(" "),
    ...positional.flatMap((field) => list(input[field])),
    ...named.flatMap((field) => {
      const option = options.find((candidate) => candidate.field === field)
      return flags(option, option?.flag ?? Options.flagOf(field), input[field])
    }),
    ...(rest.length === 0 ? [] : ["--", ...rest])
  ]
}

/** Returns a command line that can be pasted into a shell. */
export const line = (argv: ReadonlyArray<string>): string => ShellWords.join(["sigtrap", ...argv])
