/**
 * Answers that are the same at every time and in every directory: help, schemas, the list of the commands and the completion
 * scripts. They are printed into a file when this program is built, so that the client needs no daemon for them. A command line with
 * other options, or with words that no answer has, runs like any other.
 */
import * as AnswerFile from "@sigtrap/host/runtime/AnswerFile"
import { commandOf, isGroup } from "./SpelledCommands.ts"

/** An answer, stored as JSON. `text` is missing if it is the indented data, `data` if it has the text only. */
export interface Answer {
  readonly text?: string
  readonly data?: unknown
}

/** Returns the key of an answer, from words without `--json`; undefined if the words ask for something else. */
export const keyOf = (words: ReadonlyArray<string>): string | undefined => {
  const [first = "help", ...rest] = words
  const last = words.at(-1)
  if (last === "--help" || last === "-h") {
    const name = words.slice(0, -1)
    if (name.length === 0) return "help"
    // Another first word could be an alias of the user.
    if (commandOf([first]) === undefined && !isGroup(first)) return undefined
    return named("help", name)
  }
  switch (commandOf([first])) {
    case "help":
      return rest.length === 1 && rest[0] === "--agent" ? "help --agent" : named("help", rest)
    case "schema":
      return named("schema", rest)
    case "commands":
      return rest.length === 0 ? "commands" : undefined
    case "completion":
      return rest.length === 1 && /^[a-z]+$/.test(rest[0] ?? "") ? `completion ${rest[0]}` : undefined
    default:
      return undefined
  }
}

/** Returns the key of an answer about a command, by any of the command's spellings; about a group by its name. */
const named = (what: string, words: ReadonlyArray<string>): string | undefined => {
  if (words.length === 0) return what
  const [word = ""] = words
  const name = commandOf(words) ?? (words.length === 1 && isGroup(word) ? word : undefined)
  return name === undefined ? undefined : `${what} ${name}`
}

/** Returns the answer that is stored in the file of the program under a key; undefined if there is none. */
export const read = (file: AnswerFile.Source, key: string): Answer | undefined => {
  const text = AnswerFile.reader(file)(key)
  if (text === undefined) return undefined
  const answer: Answer = JSON.parse(text)
  return answer
}

/** Returns what the command prints. `cmd` is the first word of the key. */
export const print = (key: string, { data, text }: Answer, json: boolean): string => {
  const [cmd] = key.split(" ")
  if (!json) return text ?? `${JSON.stringify(data, undefined, 2)}\n`
  return `${JSON.stringify({ ok: true, cmd, data: data ?? { text }, warnings: [], truncated: [] })}\n`
}
