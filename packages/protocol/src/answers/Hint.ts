/**
 * What a caller can do next, as data: a call of an operation, a local command for the user's terminal, or a remedy
 * outside sigtrap. Every surface renders a hint in its own form; nothing parses one.
 *
 * The errors use this module and the operations use the errors, so it imports only the types of the operations. A test
 * checks the input of each hint against the payload schema of its operation.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import type * as Operations from "../Operations.ts"

const Input = Schema.Record(Schema.String, Schema.Json)

/** A short reason for the hint: "to wait for a library". */
const note = Schema.optionalKey(Schema.String)

/** A command that runs in the user's terminal, not in the daemon: `doctor`, `setup`, `daemon`, `config`, `help`. */
export class Local extends Model.of<Local>()(
  Schema.Struct({
    /** The words of the command joined by dots: `daemon.restart`. */
    operation: Schema.String,
    /** `arguments`: the words after the command. For `help`, `command`: the tag that is helpTag. */
    input: Input,
    local: Schema.Literal(true),
    note
  })
) {}

/** A call of an operation. */
export class Call extends Model.of<Call>()(
  Schema.Struct({
    /** The tag of an operation. */
    operation: Schema.String,
    /** Its encoded payload. */
    input: Input,
    /** `input` holds only the fields to change in the call that was made. `HintCompletion` adds the others. */
    again: Schema.optionalKey(Schema.Literal(true)),
    note
  })
) {}

/** A remedy outside sigtrap: `apt-get install lldb`. */
export class Remedy extends Model.of<Remedy>()(Schema.Struct({ note: Schema.String })) {}

/** What a caller can do next. */
export const Hint = Schema.Union([Local, Call, Remedy]).annotate({ identifier: "Hint" })
/** What a caller can do next. */
export type Hint = typeof Hint.Type

/** The schema of hints. */
export interface HintsSchema extends Schema.$Array<typeof Hint> {}

/** Hints, best first. */
export const Hints: HintsSchema = Schema.Array(Hint)
/** Hints, best first. */
export type Hints = ReadonlyArray<Hint>

/** Most hints that a surface shows of one list. */
export const limit = 3

/** The longest text in the input of a hint that a surface shows, in characters. */
const longest = 4096

const isShort = (value: unknown): boolean =>
  typeof value === "string"
    ? value.length <= longest
    : typeof value !== "object" || value === null || Object.values(value).every(isShort)

/** Returns the hints that a surface shows. One with a longer text becomes the help of its operation. */
export const shown = (hints: Hints): Hints =>
  hints
    .slice(0, limit)
    .map((hint) => ("input" in hint && !isShort(hint.input) ? help(hint.operation, hint.note) : hint))

/** The encoded payload of an operation. */
type Encoded<T extends Operations.Tag> = Operations.PayloadInput<T>

const noted = (text: string | undefined) => (text === undefined ? {} : { note: text })

/** Returns the fields that are not `undefined`. */
const fieldsOf = (input: object): Call["input"] => JSON.parse(JSON.stringify(input))

/** Returns a hint to call an operation with this input. */
export const call = <T extends Operations.Tag>(operation: T, input: Encoded<T>, reason?: string): Call => ({
  operation,
  input: fieldsOf(input),
  ...noted(reason)
})

/**
 * Returns a hint to make the same call again with some fields changed. If the operation of that call lacks one of the fields,
 * the hint is a call of `operation` with the changes alone. If the result is not valid or equals the call that was made, the
 * hint becomes the operation's help. `HintCompletion` decides this.
 */
export const again = <T extends Operations.Tag>(operation: T, changes: Partial<Encoded<T>>, reason?: string): Call => ({
  operation,
  input: fieldsOf(changes),
  again: true,
  ...noted(reason)
})

/** Returns a hint to run a local command with these words in the user's terminal. */
export const local = (command: string, words: ReadonlyArray<string> = [], reason?: string): Local => ({
  operation: command,
  input: words.length === 0 ? {} : { arguments: words },
  local: true,
  ...noted(reason)
})

/** Returns a hint to read the help of an operation or local command. */
export const help = (command: string, reason?: string): Local => ({
  operation: "help",
  input: { command },
  local: true,
  ...noted(reason)
})

/** A remedy outside sigtrap. */
export const remedy = (text: string): Remedy => ({ note: text })

/** True if the hint calls an operation. */
export const isCall = (hint: Hint): hint is Call => "operation" in hint && !("local" in hint)

/** True if the hint is a command for the user's terminal. */
export const isLocal = (hint: Hint): hint is Local => "local" in hint

const words = ({ input }: Local): ReadonlyArray<string> => {
  const given = input["arguments"]
  return Array.isArray(given) ? given.map((word) => (typeof word === "string" ? word : JSON.stringify(word))) : []
}

/** Returns the words of a local command, without the program's name. */
export const argv = (hint: Local): ReadonlyArray<string> => {
  const command = helpTag(hint)
  return command === undefined ? [...hint.operation.split("."), ...words(hint)] : [...command.split("."), "--help"]
}

/** Returns the tag that a help hint explains; `undefined` for other commands and for general help. */
export const helpTag = ({ input, operation }: Local): string | undefined => {
  const { command } = input
  return operation === "help" && typeof command === "string" ? command : undefined
}
