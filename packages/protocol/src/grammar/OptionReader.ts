/**
 * Reads the options of a command line once its command is known: options of the command, options of every command, and
 * the words that are neither. Keeps the first mistake and reads all words, so `--json` also applies after a mistake.
 */
import * as Nearest from "../text/Nearest.ts"
import * as Result from "effect/Result"
import * as Aliases from "./Aliases.ts"
import type * as Builtins from "./Builtins.ts"
import * as Commands from "./Commands.ts"
import * as Options from "./Options.ts"
import * as Words from "./Words.ts"

/** Values by field: of the payload, or of the options that every command has. */
export interface Fields {
  readonly [field: string]: unknown
}

/** The options that a command line may have. */
export interface Syntax {
  /** The command's name, for messages; absent when there is no command. */
  readonly name?: string
  /** Options of the command. */
  readonly options: ReadonlyArray<Options.Option>
  /** Options of every command. */
  readonly globals: ReadonlyArray<Options.Option>
  /** Options that are accepted and change nothing. */
  readonly ignored: ReadonlyArray<Options.Option>
  /** Returns the words that replace an option's other name. */
  readonly alias: (name: string) => ReadonlyArray<string> | undefined
  /** Everything after the first word is one argument for another program. */
  readonly verbatim: boolean
}

/** The first mistake of a command line. */
interface Problem {
  readonly text: string
  readonly near: ReadonlyArray<string>
  /** True if the option is one of every command, which the help of the command does not list. */
  readonly isGlobal: boolean
}

/** The options and words of a command line. */
export interface Reading {
  readonly fields: Fields
  readonly globals: Fields
  readonly words: ReadonlyArray<string>
  /** The words after `--`; absent when there is none. */
  readonly after: ReadonlyArray<string> | undefined
  /** Fields that were given as options of the command. */
  readonly flags: ReadonlySet<string>
  readonly problem: Problem | undefined
}

/** Returns the syntax of a command that calls an operation; `written` is the name or alias that was typed. */
export const ofCommand = (command: Commands.Command, written: string): Syntax => ({
  name: command.name,
  // Read when an option is: they are computed from the schemas of the operation.
  get options() {
    return command.options
  },
  globals: Options.globals,
  ignored: command.meta.resumes ? [] : Options.idle,
  alias: (name) => Aliases.option(command.name, name, written),
  verbatim: command.verbatim
})

/** Returns the syntax of a builtin command, or of a command line without a command. */
export const ofBuiltin = (builtin?: Builtins.Builtin, globals = Options.globals): Syntax => ({
  ...(builtin?.client === true ? { name: builtin.name } : {}),
  options: builtin?.options ?? [],
  globals,
  ignored: builtin?.client === true ? [] : Options.idle,
  alias: (name) => {
    const long = Object.hasOwn(builtin?.letters ?? {}, name) ? builtin?.letters[name] : undefined
    return long === undefined ? undefined : [`--${long}`]
  },
  verbatim: false
})

const shortGlobal = ({ name }: Words.Token): string =>
  name.length === 1 && Object.hasOwn(Options.letters, name) ? (Options.letters[name] ?? name) : name

/** Options by flag. If two have the same flag, the first counts. */
type Table = ReadonlyMap<string, Options.Option>

const tableOf = (options: ReadonlyArray<Options.Option>): Table =>
  new Map(options.toReversed().map((option) => [option.flag, option]))

/** Finds the option of a flag, and whether `--no-` negates it. */
const lookup = (
  options: Table,
  flag: string
): { readonly option: Options.Option; readonly negative: boolean } | undefined => {
  const plain = options.get(flag)
  if (plain !== undefined) return { option: plain, negative: false }
  const positive = flag.startsWith("no-") ? options.get(flag.slice(3)) : undefined
  return positive?.kind === "boolean" && !positive.many ? { option: positive, negative: true } : undefined
}

/** Collects values while the words are read. */
class Reader {
  readonly fields: Record<string, unknown> = {}
  readonly globals: Record<string, unknown> = {}
  readonly flags = new Set<string>()
  problem: Reading["problem"]
  /** Number of unknown options. */
  unknown = 0
  /** The words that are left, last first: a word is taken from the end of a list in constant time. */
  readonly #left: Array<string>
  readonly #syntax: Syntax
  #ownTable: Table | undefined
  #othersTable: Table | undefined

  constructor(syntax: Syntax, argv: ReadonlyArray<string>) {
    this.#syntax = syntax
    this.#left = argv.toReversed()
  }

  /** Options of the command. */
  get #own(): Table {
    return (this.#ownTable ??= tableOf(this.#syntax.options))
  }

  /** Options of every command, and those that change nothing. */
  get #others(): Table {
    const { globals, ignored } = this.#syntax
    return (this.#othersTable ??= tableOf([...globals, ...ignored]))
  }

  /** Takes the next word. */
  next(): string | undefined {
    return this.#left.pop()
  }

  /** Returns the words that are left. */
  rest(): ReadonlyArray<string> {
    return this.#left.toReversed()
  }

  /** Puts words before those that are left. */
  insert(words: ReadonlyArray<string>): void {
    this.#left.push(...words.toReversed())
  }

  /** Reads one option, and takes its value from the next word if it needs one. */
  take(token: Words.Token): void {
    const other = this.#syntax.alias(token.name)
    if (other !== undefined && other.length > 1) {
      this.insert(other)
      return
    }
    const flag = other?.[0]?.slice(2) ?? token.name
    const long = token.written.startsWith("--") || other !== undefined
    const own = long ? lookup(this.#own, flag) : undefined
    const short = other === undefined ? shortGlobal(token) : flag
    const found = own ?? (long || short !== token.name ? lookup(this.#others, short) : undefined)
    if (found === undefined) {
      if (!Commands.reserved.options.some((name) => name === token.name)) this.#unknown(token)
      return
    }
    this.#read(token, found, own === undefined ? this.globals : this.fields)
    if (own !== undefined) this.flags.add(found.option.field)
  }

  #read(
    token: Words.Token,
    { negative, option }: { readonly option: Options.Option; readonly negative: boolean },
    target: Record<string, unknown>
  ): void {
    const isGlobal = target === this.globals
    if (option.kind !== "boolean" && token.value === undefined && option.bare === undefined) {
      const next = this.#left.at(-1)
      if (next === undefined || next === "--" || /^--[A-Za-z]/.test(next)) {
        return this.#complain(`${token.written} needs a value: ${option.metavar}`, [], isGlobal)
      }
    }
    // A number after an option that may have one is its value: no program has such a name without a directory.
    const isNumber = token.value === undefined && option.bare !== undefined && /^\d+$/.test(this.#left.at(-1) ?? "")
    const value = token.value ?? (isNumber ? this.next() : option.bare)
    const text = value ?? (option.kind === "boolean" ? "true" : (this.next() ?? ""))
    const read = Options.read(option, token.written, text)
    if (Result.isFailure(read)) return this.#complain(read.failure, [], isGlobal)
    const found = negative ? read.success === false : read.success
    const before = target[option.field]
    // The list is this reader's own. Copying it for each value would take quadratic time.
    if (option.many && Array.isArray(before) && Array.isArray(found)) for (const one of found) before.push(one)
    else target[option.field] = Array.isArray(found) ? [...found] : found
  }

  #unknown(token: Words.Token): void {
    this.unknown += 1
    // The search for similar names takes a while, and only the first mistake is reported.
    if (this.problem !== undefined) return
    const { name } = this.#syntax
    const near = token.written.startsWith("--") ? this.#nearNames(token.written) : this.#nearLetters(token)
    this.#complain(`unknown option ${token.written}${name === undefined ? "" : ` of ${name}`}`, near)
  }

  /** Returns options for a long name: the one that means the same, then those of similar spelling. */
  #nearNames(written: string): ReadonlyArray<string> {
    const { globals, options } = this.#syntax
    const known = [...options, ...globals].flatMap(({ flag, kind, fallback }) =>
      kind === "boolean" && fallback === true ? [`--no-${flag}`] : [`--${flag}`]
    )
    const same = Aliases.sameMeaning(written.slice(2)).map((flag) => `--${flag}`)
    const meant = same.filter((flag) => known.includes(flag)).slice(0, 1)
    return meant.length > 0 ? meant : Nearest.names(written, known)
  }

  /** Returns options for a letter or a long name with one dash: the letter in the other case, then options with that start. */
  #nearLetters({ name, written }: Words.Token): ReadonlyArray<string> {
    if (name.length > 1) return this.#nearNames(`-${written}`)
    const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
    const isLetter = Object.hasOwn(Options.letters, other) || this.#syntax.alias(other) !== undefined
    const begins = this.#syntax.options.filter(({ flag }) => flag.startsWith(name.toLowerCase()))
    return [...(isLetter ? [`-${other}`] : []), ...begins.map(({ flag }) => `--${flag}`)].slice(0, 3)
  }

  #complain(text: string, near: ReadonlyArray<string> = [], isGlobal = false): void {
    this.problem ??= { text, near, isGlobal }
  }
}

/** Most unknown options that are read. What follows them changes nothing of the error. */
const mostUnknown = 100

const isCombined = (word: string): boolean => /^-[qvhV]{2,8}$/.test(word)

/** Reads the words of a command line after the command's name was removed. */
export const read = (syntax: Syntax, argv: ReadonlyArray<string>): Reading => {
  const reader = new Reader(syntax, argv)
  const words: Array<string> = []
  const { fields, flags, globals } = reader
  let globalOptions: Table | undefined
  for (let word = reader.next(); word !== undefined; word = reader.next()) {
    if (word === "--") return { fields, globals, words, after: reader.rest(), flags, problem: reader.problem }
    if (reader.unknown > mostUnknown) break
    const token = Words.option(word)
    const isArgument =
      syntax.verbatim &&
      words.length > 0 &&
      (token?.written.startsWith("--") !== true ||
        lookup((globalOptions ??= tableOf(syntax.globals)), token.name) === undefined)
    if (token === undefined || isArgument) words.push(word)
    else if (isCombined(word)) reader.insert(Array.from(token.name, (letter) => `-${letter}`))
    else reader.take(token)
  }
  return { fields, globals, words, after: undefined, flags, problem: reader.problem }
}
