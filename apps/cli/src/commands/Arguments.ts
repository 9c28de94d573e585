/**
 * The words of a command that this program carries out itself: options with and without values, and the rest. An option
 * that does not exist is an error which names the nearest.
 */
import { Errors, Hint, Nearest } from "@sigtrap/protocol"
import { Result } from "effect"

/** What a command takes, by long names without dashes; `letters` are short names. */
export interface Grammar {
  readonly command: string
  readonly flags: ReadonlyArray<string>
  readonly valued: ReadonlyArray<string>
  readonly letters?: { readonly [letter: string]: string }
}

/** Words that were read. */
export interface Words {
  readonly words: ReadonlyArray<string>
  readonly flags: ReadonlySet<string>
  readonly values: ReadonlyMap<string, string>
}

/** Options of every command that mean something here. */
const everywhere = { flags: ["json", "pretty", "quiet", "verbose"], valued: ["directory", "color"] } as const

const letters: { readonly [letter: string]: string } = { q: "quiet", v: "verbose", C: "directory" }

/** Reads words; nothing behind `--` is an option. */
export const read = (grammar: Grammar, argv: ReadonlyArray<string>): Result.Result<Words, Errors.Usage> => {
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const words: Array<string> = []
  const known = [...grammar.flags, ...everywhere.flags]
  const valued = [...grammar.valued, ...everywhere.valued]
  const remedies = [Hint.help(grammar.command)]
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ""
    if (word === "--") {
      words.push(...argv.slice(index + 1))
      break
    }
    const match = /^(--?)([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word)
    const [, dashes, written, given] = match ?? []
    if (written === undefined) {
      words.push(word)
      continue
    }
    const name = dashes === "-" ? (grammar.letters?.[written] ?? letters[written] ?? written) : written
    if (known.includes(name) && given === undefined) flags.add(name)
    else if (valued.includes(name)) {
      const value = given ?? argv[++index]
      if (value === undefined) {
        return Result.fail(new Errors.Usage({ problem: `${word} needs a value`, near: [], remedies }))
      }
      values.set(name, value)
    } else {
      const near = Nearest.names(
        `--${name}`,
        [...known, ...valued].map((option) => `--${option}`)
      )
      return Result.fail(new Errors.Usage({ problem: `unknown option ${word} of ${grammar.command}`, near, remedies }))
    }
  }
  return Result.succeed({ words, flags, values })
}
