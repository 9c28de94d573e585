/**
 * Commands that are written in one line and started without a shell.
 *
 * Syntax that only a shell can carry out (pipes, lists, redirections, variables, command substitution) is refused by
 * name: a program that got `&&` as an argument would fail with a message that does not explain it.
 */
import { ShellWords } from "@sigtrap/protocol"
import * as Result from "effect/Result"

/** A parsed line: variables set before the command, then the words of the command. */
export interface Command {
  readonly env: ReadonlyArray<readonly [name: string, value: string]>
  readonly words: readonly [program: string, ...args: ReadonlyArray<string>]
}

/** Parses a line; fails with the reason why it cannot be started without a shell. */
export const read = (line: string): Result.Result<Command, string> => {
  const { open, operator, words } = ShellWords.parse(line)
  if (open) return Result.fail("a quote is not closed")
  if (operator !== undefined) {
    return Result.fail(`${operator} needs a shell, and no shell is started; put the command in a script`)
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
