/**
 * The arguments that a caller adds to those of a runner. All belong to the run without a debugger. The test that is then debugged has been
 * chosen, so those that choose tests are left out of its run: they would add tests, or exclude this one.
 */

/** What is known of a runner's options. Names have their dashes. */
export interface Options {
  /** Options that take no value, so that what follows one is an argument of its own. */
  readonly flags?: ReadonlyArray<string>
  /** Options that choose tests, or that the runner sets itself. */
  readonly choosing?: ReadonlyArray<string>
  /** True if words without a dash may be for the program. Otherwise they are names of tests or files. */
  readonly keepsWords?: boolean
}

/** An option with its value, or a word that is none. */
export interface Item {
  /** The name of the option, with its dashes; absent for a word. */
  readonly name?: string
  readonly words: ReadonlyArray<string>
}

/** Splits arguments into options and words. A word after an option is its value, unless the option has one or takes none. */
export const split = (args: ReadonlyArray<string>, flags: ReadonlyArray<string> = []): ReadonlyArray<Item> => {
  const found: Array<Item> = []
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? ""
    if (!word.startsWith("-") || word === "-") {
      found.push({ words: [word] })
      continue
    }
    const name = word.replace(/=[^]*$/, "")
    const next = args[index + 1]
    const takesNext = name === word && word !== "--" && !flags.includes(name) && next?.startsWith("-") === false
    found.push({ name, words: takesNext ? [word, next] : [word] })
    if (takesNext) index += 1
  }
  return found
}

/** Returns the arguments that the run of a chosen test has. */
export const forChosen = (args: ReadonlyArray<string>, options: Options): ReadonlyArray<string> =>
  split(args, options.flags).flatMap(({ name, words }) => {
    const isKept =
      name === undefined ? options.keepsWords === true : name !== "--" && options.choosing?.includes(name) !== true
    return isKept ? words : []
  })
