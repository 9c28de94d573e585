/**
 * The parts of every error class: its registration under a stable code, the fields for session and state, and the quoting
 * of names in messages.
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Hint from "../answers/Hint.ts"
import { SessionState } from "../model/Session.ts"
import * as ShellWords from "../text/ShellWords.ts"

/** The facts about an error class that surfaces use. */
export interface Meta {
  /** Stable, upper case; never changes its meaning. */
  readonly code: string
  /** Exit code of the command line, 1-11. */
  readonly exit: number
  /** HTTP status, 400-599. */
  readonly httpApiStatus: number
  /** The fields whose text can come from the program, the debugger or a file of the project. */
  readonly foreign: ReadonlyArray<string>
}

const catalogue = new Map<string, Meta>()

/** Registers a class under its tag and returns the annotations of its schema. `foreign` is as in `Meta`. */
export const code = (
  tag: string,
  code: string,
  exit: number,
  httpApiStatus: number,
  foreign: ReadonlyArray<string> = []
) => {
  catalogue.set(tag, { code, exit, httpApiStatus, foreign })
  return { httpApiStatus, "sigtrap/code": code, "sigtrap/exit": exit }
}

/** Returns code, exit code and HTTP status of an error or an error class's tag. */
export const meta = (error: { readonly _tag: string }): Meta =>
  catalogue.get(error._tag) ?? { code: "INTERNAL", exit: 9, httpApiStatus: 500, foreign: [] }

/** Returns the exit code of an error with this code; that of an internal error if no class has it. */
export const exitOf = (code: string): number => [...catalogue.values()].find((one) => one.code === code)?.exit ?? 9

const located = {
  session: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(SessionState),
  remedies: Schema.optionalKey(Hint.Hints)
}
const withHints = { ...located, remedies: Hint.Hints }

/** The type of `where`. */
export interface Where {
  readonly fields: typeof located
}

/**
 * The session and its state, added where the error leaves the manager. `remedies` replace the hints that the class computes
 * from its facts.
 */
export const where: Where = { fields: located }

/** The type of `advised`. */
export interface Advised {
  readonly fields: typeof withHints
}

/** The same for a class that has no hints of its own. */
export const advised: Advised = { fields: withHints }

/** The class that the error class `Self` extends. Its name keeps declarations short. */
export interface ErrorClass<
  Self,
  Tag extends string,
  Located extends Model.Named,
  Fields extends Schema.Struct.Fields
> extends Schema.Class<Self, Schema.TaggedStruct<Tag, Model.Extended<Located, Fields>>, Cause.YieldableError> {}

/** Returns the class that the error class `Self` extends: `located` and its own fields, with the annotations of `code`. */
export function error<Self>(): <Tag extends string, Located extends Model.Named, Fields extends Schema.Struct.Fields>(
  tag: Tag,
  located: Located,
  fields: Fields,
  annotations: ReturnType<typeof code>
) => ErrorClass<Self, Tag, Located, Fields>
export function error() {
  return (tag: string, located: Model.Named, fields: Schema.Struct.Fields, annotations: ReturnType<typeof code>) =>
    Schema.TaggedError<Cause.YieldableError>()(tag, Model.extended(located, fields), annotations)
}

/** A field that lists names. */
export const Strings = Schema.Array(Schema.String)

/** Why each expression of a call failed, if there are several and none has a value. */
export const values = {
  values: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        expression: Schema.String,
        error: Schema.Struct({ code: Schema.String, message: Schema.String })
      })
    )
  )
}

const withValues = { ...located, ...values }

/** The type of `whereWithValues`. */
export interface WhereWithValues {
  readonly fields: typeof withValues
}

/** `where` and why each expression failed. */
export const whereWithValues: WhereWithValues = { fields: withValues }

/** Returns the end of a message about the first expression that failed: the messages of the others. */
export const others = ({ values: all = [] }: Schema.Struct.Type<typeof values>): string =>
  all
    .slice(1)
    .map(({ error }) => `; ${error.message}`)
    .join("")

/** Returns the end of a message that names similar words. */
export const nearest = (near: ReadonlyArray<string>): string =>
  near.length === 0 ? "" : `; nearest: ${near.join(", ")}`

/** The longest word in a message, in characters. */
const LONGEST = 1000

/** A word in quotes, as a POSIX shell reads it back; cut if it is long. */
export const quoted = (word: string): string =>
  word.length <= LONGEST
    ? ShellWords.quoteAlways(word)
    : `${ShellWords.quoteAlways(`${word.slice(0, LONGEST)}…`)} (${word.length} characters)`
