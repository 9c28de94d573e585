/**
 * Divides the words of a command line before the command is known: into options, values of options, and other words.
 * Imports nothing, because the thin client loads it at every command, with a generated copy of the `Spellings`.
 */

/** An option as typed. */
export interface Token {
  /** The name, without dashes and value. */
  readonly name: string
  /** The name with its dashes, without the value. */
  readonly written: string
  /** The value after `=`. */
  readonly value?: string
}

/** The names of commands and options, which decide where the command is in a command line. */
export interface Spellings {
  /** The name of each command, by every spelling including aliases. */
  readonly commands: { readonly [spelling: string]: string }
  /** Names of options that take the next word as their value, in every command that has them. */
  readonly valued: ReadonlyArray<string>
  /** Options that take a value in some commands only, and the commands in which they are flags. */
  readonly mixed: { readonly [option: string]: ReadonlyArray<string> }
}

/** Maximum number of words in a command's name. */
export const LONGEST_NAME = 3

/**
 * Reads a word as an option. Only a dash and a letter begin an option: `-3` and `-[Class sel:]` are words, and the numbers `-inf` and
 * `-nan` too.
 */
export const option = (word: string): Token | undefined => {
  if (/^-(?:inf|infinity|nan)$/i.test(word)) return undefined
  const [, dashes, name, value] = /^(--?)([A-Za-z][^=]*)(?:=(.*))?$/s.exec(word) ?? []
  if (dashes === undefined || name === undefined) return undefined
  return { name, written: `${dashes}${name}`, ...(value === undefined ? {} : { value }) }
}

/** Returns the name of the command that begins at the first word; the longest spelling wins. */
export const commandAt = ({ commands }: Spellings, words: ReadonlyArray<string>): string | undefined => {
  for (let length = Math.min(LONGEST_NAME, words.length); length > 0; length -= 1) {
    const spelling = words.slice(0, length).join(" ")
    if (Object.hasOwn(commands, spelling)) return commands[spelling]
  }
  return undefined
}

/** The names of options that take a value, as a set: a line may have thousands of options. */
const valuedNames = new WeakMap<Spellings, ReadonlySet<string>>()

const valuedOf = (spellings: Spellings): ReadonlySet<string> => {
  const known = valuedNames.get(spellings) ?? new Set(spellings.valued)
  valuedNames.set(spellings, known)
  return known
}

/**
 * Whether an option takes the next word as its value. An option that has a value only in some commands takes it, unless
 * the words from index `next` on name a command in which the option is a flag.
 */
const takesNext = (
  spellings: Spellings,
  { name, value }: Token,
  argv: ReadonlyArray<string>,
  next: number
): boolean => {
  if (value !== undefined) return false
  if (valuedOf(spellings).has(name)) return true
  const flagIn = Object.hasOwn(spellings.mixed, name) ? spellings.mixed[name] : undefined
  if (flagIn === undefined) return false
  const command = commandAt(spellings, argv.slice(next, next + LONGEST_NAME))
  return command === undefined || !flagIn.includes(command)
}

/** A divided command line. */
export interface Division {
  /** Indexes of the words that are neither options nor values of options. */
  readonly places: ReadonlyArray<number>
  /** The options, in their order. */
  readonly options: ReadonlyArray<Token>
}

/** Divides a command line before its command is known. `--` ends it. */
export const divide = (spellings: Spellings, argv: ReadonlyArray<string>): Division => {
  const places: Array<number> = []
  const options: Array<Token> = []
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ""
    if (word === "--") break
    const token = option(word)
    if (token === undefined) places.push(index)
    else {
      options.push(token)
      if (takesNext(spellings, token, argv, index + 1)) index += 1
    }
  }
  return { places, options }
}
