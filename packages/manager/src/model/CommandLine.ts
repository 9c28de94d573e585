/**
 * A command in one line, split into words as a POSIX shell quotes them, for programs that are run without a shell.
 *
 * Nothing is expanded. What a shell would do more than splitting (pipes, lists, redirections, variables, commands in
 * commands) is refused by name, since a program that was handed `&&` as an argument would fail in words of its own.
 */
import * as Result from "effect/Result"

/** A line that was read: variables set before the command, then the command's words. */
export interface Command {
  readonly env: ReadonlyArray<readonly [name: string, value: string]>
  readonly words: readonly [program: string, ...args: ReadonlyArray<string>]
}

const operators = /[|&;<>()`$\n\r]/

interface Split {
  readonly words: ReadonlyArray<string>
  /** What only a shell can do, if anything. */
  readonly foreign: string | undefined
  readonly open: boolean
}

const split = (line: string): Split => {
  const words: Array<string> = []
  let foreign: string | undefined
  let word: string | undefined
  let quote = ""
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ""
    const next = line[at + 1] ?? ""
    if (quote === "'") {
      if (letter === "'") quote = ""
      else word = `${word ?? ""}${letter}`
    } else if (letter === "\\" && (quote === "" || /[\\"$`\n]/.test(next))) {
      if (next !== "\n") word = `${word ?? ""}${next}`
      at++
    } else if (quote === '"') {
      if (letter === '"') quote = ""
      else {
        if (/[$`]/.test(letter)) foreign ??= letter
        word = `${word ?? ""}${letter}`
      }
    } else if (letter === "'" || letter === '"') {
      quote = letter
      word ??= ""
    } else if (/[ \t]/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      if (operators.test(letter)) foreign ??= letter === "\n" ? "a second line" : letter
      word = `${word ?? ""}${letter}`
    }
  }
  if (word !== undefined) words.push(word)
  return { words, foreign, open: quote !== "" }
}

/** The words of a line, whatever else a shell would do with it. */
export const words = (line: string): ReadonlyArray<string> => split(line).words

/** Reads a line that is to be run; fails with why it cannot be without a shell. */
export const read = (line: string): Result.Result<Command, string> => {
  const { foreign, open, words } = split(line)
  if (open) return Result.fail("a quote is not closed")
  if (foreign !== undefined) {
    return Result.fail(`${foreign} needs a shell, and none is started; put it into a script and name that`)
  }
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  const [program, ...args] = first < 0 ? [] : words.slice(first)
  if (program === undefined || program === "") return Result.fail("it names no program")
  const env = words.slice(0, first).map((word) => {
    const end = word.indexOf("=")
    return [word.slice(0, end), word.slice(end + 1)] as const
  })
  return Result.succeed({ env, words: [program, ...args] })
}
