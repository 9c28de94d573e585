/**
 * Payload fields: those that several operations share, each described once, and constructors for the common kinds.
 *
 * A placeholder is the word for a value in usage lines. A description has at most 60 characters and starts with
 * a capital. It names the default in brackets only where the schema has none, since surfaces add the default of the schema.
 */
import * as Schema from "effect/Schema"
import * as FieldFacts from "./FieldFacts.ts"
import { type Defaulted, optional, withDefault } from "./Operation.ts"
import { Name } from "./model/Session.ts"
import { Detail } from "./model/Stop.ts"

// The types of fields have names, so that declarations do not repeat them.

/** A truth value with a default. */
export interface Flag extends Defaulted<Schema.Boolean> {}
/** A truth value without a default. */
export interface OptionalFlag extends Schema.optionalKey<Schema.Boolean> {}
/** A text that is not empty, without a default. */
export interface OptionalText extends Schema.optionalKey<Schema.NonEmptyString> {}
/** Texts that are not empty, with a default. */
export interface Texts extends Defaulted<Schema.$Array<Schema.NonEmptyString>> {}
/** Words, which may be empty, with a default. */
export interface Words extends Defaulted<Schema.$Array<Schema.String>> {}
/** Words, which may be empty, without a default. */
export interface OptionalWords extends Schema.optionalKey<Schema.$Array<Schema.String>> {}
/** A whole number with a default. */
export interface Integer extends Defaulted<Schema.Int> {}
/** A whole number without a default. */
export interface OptionalInteger extends Schema.optionalKey<Schema.Int> {}
/** A text of a form, such as a duration or the name of a session, without a default. */
export interface OptionalWord extends Schema.optionalKey<Schema.String> {}
/** A text of a form, such as a duration, with a default. */
export interface Word extends Defaulted<Schema.String> {}
/** A number or a reference, without a default. */
export interface OptionalReference extends Schema.optionalKey<Schema.Union<readonly [Schema.Int, Schema.String]>> {}
/** Variables of an environment. */
export interface Environment extends Schema.optionalKey<Schema.$Record<Schema.String, Schema.String>> {}
/** Settings by key. */
export interface SettingsField extends Schema.optionalKey<
  Schema.$Record<Schema.String, Schema.Union<readonly [Schema.String, Schema.$Array<Schema.String>]>>
> {}

/** Returns a boolean field that is false by default. */
export const flag = (description: string): Flag => withDefault(Schema.Boolean.annotate({ description }), false)

/** Permission to replace the file that a call writes. Without it an existing file is left as it is. */
export const force: Flag = flag("Replace the file if it exists")

/** Returns a boolean field that is true by default. Its description is imperative: `--no-x` reads "Do not …". */
export const flagOn = (description: string): Flag => withDefault(Schema.Boolean.annotate({ description }), true)

/** Returns a boolean field without a default. */
export const optionalFlag = (description: string): OptionalFlag => optional(Schema.Boolean.annotate({ description }))

/** Returns a required text field. */
export const text = (placeholder: string, description: string) =>
  Schema.NonEmptyString.annotate({ description, ...FieldFacts.placeholder(placeholder) })

/** Returns a text field without a default. */
export const optionalText = (placeholder: string, description: string): OptionalText =>
  optional(text(placeholder, description))

/** Returns a field for a list of texts, empty by default. An item may not be empty. */
export const list = (placeholder: string, description: string): Texts =>
  withDefault(Schema.Array(Schema.NonEmptyString).annotate({ description, ...FieldFacts.placeholder(placeholder) }), [])

/** Most texts in a list whose items are each read by the debugger. */
const maxExpressions = 100

const atMost = Schema.isMaxLength(maxExpressions, {
  message: `Write at most ${maxExpressions}, and repeat the call for the rest`
})

/** Returns a required field for 1 to 100 expressions or names, each of which the debugger reads. */
export const expressions = (placeholder: string, description: string) =>
  Schema.NonEmptyArray(Schema.NonEmptyString)
    .check(atMost)
    .annotate({ description, ...FieldFacts.placeholder(placeholder) })

/** Returns a field for at most 100 expressions, each of which the debugger reads; empty by default. */
export const optionalExpressions = (placeholder: string, description: string): Texts =>
  withDefault(
    Schema.Array(Schema.NonEmptyString)
      .check(atMost)
      .annotate({ description, ...FieldFacts.placeholder(placeholder) }),
    []
  )

const words = (placeholder: string, description: string) =>
  Schema.Array(Schema.String).annotate({ description, ...FieldFacts.placeholder(placeholder) })

/** Returns a field for a list of words, empty by default. A word may be empty. */
export const wordList = (placeholder: string, description: string): Words =>
  withDefault(words(placeholder, description), [])

/** Returns a field for a list of words, without a default. A word may be empty. */
export const optionalWords = (placeholder: string, description: string): OptionalWords =>
  optional(words(placeholder, description))

/** Returns an integer field with bounds, both included. */
export const integer = (minimum: number, maximum: number, description: string, placeholder = "N") =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({
    description,
    ...FieldFacts.placeholder(placeholder)
  })

/** Returns an integer field without a default; both bounds are included. */
export const optionalInteger = (
  minimum: number,
  maximum: number,
  description: string,
  placeholder = "N"
): OptionalInteger => optional(integer(minimum, maximum, description, placeholder))

const durationPattern = /^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h)?|inf)$/u

/** A duration as text: `30` or `30s`, `500ms`, `2m`, `1h`; `0` does not wait, `inf` has no limit. */
export const Duration = Schema.String.check(
  Schema.isPattern(durationPattern, { message: "write a duration as 30s, 500ms, 2m or 1h" })
).annotate({
  description: "Longest wait, such as 30s, 500ms, 2m; 0 does not wait",
  ...FieldFacts.placeholder("DURATION")
})

/** Returns a duration field without a default. */
export const optionalDuration = (description: string): OptionalWord => optional(Duration.annotate({ description }))

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** Returns the milliseconds of a `Duration`: `inf` is `Infinity`, a text of another form is 0. */
export const millis = (text: string): number => {
  if (text === "inf") return Number.POSITIVE_INFINITY
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text)
  const unit = match?.[2]
  const factor = unit === "ms" || unit === "s" || unit === "m" || unit === "h" ? units[unit] : units.s
  return match?.[1] === undefined ? 0 : Math.round(Number(match[1]) * factor)
}

/** The session to act on. */
export const session: OptionalWord = Schema.optionalKey(Name)

/** Configuration of the session, by dotted key. Surfaces fill it in. */
export const settings: SettingsField = Schema.optionalKey(
  Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)])).annotate({
    description: "Configuration of the session, by dotted key"
  })
)

/** The environment of the caller. Surfaces fill it in. */
export const environment = (description: string): Environment =>
  Schema.optionalKey(Schema.Record(Schema.String, Schema.String).annotate({ description }))

/** How the debugger is driven; `lldb` is short for `lldb-cli`. */
export const backend = Schema.optionalKey(
  Schema.Literals(["dap", "lldb-cli", "lldb"]).annotate({
    description: "How the debugger is driven: dap or LLDB's console (dap)"
  })
)

/** Returns the field for the longest wait for the next stop; `setting` gives its default. */
export const timeout = (setting: string): Word => withDefault(Duration.annotate(FieldFacts.setting(setting)), "30s")

/** Returns the fields of a stop report: how long to wait for it and how detailed it is. `setting` is the timeout's. */
export const reportWithin = (setting: string) => ({
  timeout: timeout(setting),
  wait: flagOn("Wait for the next stop"),
  context: withDefault(Detail.annotate(FieldFacts.setting("output.context")), "brief"),
  lines: withDefault(integer(0, 50, "Source lines before and after").annotate(FieldFacts.setting("output.lines")), 1)
})

/** The fields of a stop report. */
export const report = reportWithin("timeouts.wait")

/** The thread to act on. */
export const thread: OptionalInteger = Schema.optionalKey(
  Schema.Int.annotate({ description: "Thread number or id (the thread that stopped)", ...FieldFacts.placeholder("N") })
)

/** The frame to act in: a number in the selected thread, or a reference to a frame of any thread. */
export const frame: OptionalReference = optional(
  Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })),
    Schema.String.check(Schema.isPattern(/^(?:\d{1,7}|[@:]f\d+)$/, { message: "Write a frame as 2 or @f2" }))
  ]).annotate({
    description: "Frame: 0 is the innermost, or @f2 (the selected one)",
    ...FieldFacts.placeholder("FRAME")
  })
)

/** The text or number of a stop: its number, `#12`, or a negative one that counts back from the current stop. */
const Stop = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: -1_000_000_000, maximum: 1_000_000_000 })),
  Schema.String.check(Schema.isPattern(/^(?:#?\d{1,9}|-\d{1,9})$/, { message: "Write a stop as 12, #12 or -1" }))
])

/** Returns the field for a stop of the session, without a default. */
export const stop = (description: string): OptionalReference =>
  optional(Stop.annotate({ description, ...FieldFacts.placeholder("STOP") }))

/** The stop that the caller saw. */
export const atStop = optionalInteger(0, 1_000_000_000, "Resume only if this is the number of the current stop")

/** Returns the field for the largest number of entries to show, at most `most`. */
export const limit = (most: number, fallback: number, description: string): Integer =>
  withDefault(integer(1, most, description), fallback)

/** The first entry to show. */
export const start: Integer = withDefault(integer(0, 10_000_000, "First entry to show, counted from 0"), 0)

/** How many levels of a value's members to show. */
export const depth = integer(0, 10, "Levels of members to show")

/** The same, with the default of the setting `values.depth`. */
export const valueDepth = depth.annotate(FieldFacts.setting("values.depth"))

/** The end of an earlier answer, where reading continues. */
export const cursor = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
  description: "Start after this cursor of an earlier answer",
  ...FieldFacts.placeholder("N")
})

/** Whether a read waits until there is something new. */
export const follow = flag("Wait for new entries, at most the timeout")

/** Whether secrets are shown. */
export const reveal = flag("Show secrets: values of secret names, tokens, keys")

/** The longest text of a value. */
export const maxString: OptionalInteger = Schema.optionalKey(
  integer(1, 1_000_000, "Most characters of a text value (120 in text output)").annotate(
    FieldFacts.setting("values.max_string")
  )
)
