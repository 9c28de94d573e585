/**
 * Encodes GDB commands. Every path and word of a GDB command line passes through here.
 *
 * GDB splits a command at a line break, also one after a backslash, so text with a control character other than tab is
 * refused. GDB reads a file name as `buildargv` does: whitespace ends it, quotes group, and a backslash makes the next
 * character literal.
 */
import { ShellWords } from "@sigtrap/protocol"
import * as Result from "effect/Result"

/** A text that cannot be part of a command, since it has a control character. */
export interface Refused {
  readonly _tag: "Refused"
  readonly text: string
}

const forbidden = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** Returns the text unless it has a control character other than tab. */
export const plain = (text: string): Result.Result<string, Refused> =>
  forbidden.test(text) ? Result.fail({ _tag: "Refused", text }) : Result.succeed(text)

/** Returns a file name in which whitespace, quotes and backslashes are escaped; an empty one in quotes. */
const fileName = (file: string): Result.Result<string, Refused> =>
  Result.map(plain(file), (text) => (text === "" ? "''" : text.replaceAll(/[ \t\\'"]/g, "\\$&")))

/** Builds a command from fixed words and file names. */
export const command = (words: string, files: ReadonlyArray<string>): Result.Result<string, Refused> =>
  Result.map(Result.all(files.map(fileName)), (names) => [words, ...names].join(" "))

/**
 * Builds the command that makes GDB start the program through `/bin/sh` with these words. GDB passes the rest of the line to
 * a shell, so each word is quoted.
 */
export const execWrapper = (words: ReadonlyArray<string>): Result.Result<string, Refused> =>
  Result.map(Result.all(words.map(plain)), (all) =>
    ["set exec-wrapper /bin/sh", ...all.map(ShellWords.quoteAlways)].join(" ")
  )

/** Returns the first text with a control character other than tab in a JSON value. */
export const refusedIn = (value: unknown): string | undefined => {
  let found: string | undefined
  JSON.stringify(value, (_, part: unknown) => {
    if (found === undefined && typeof part === "string" && forbidden.test(part)) found = part
    return part
  })
  return found
}
