/**
 * Payload fields: those that several operations share, each described once, and constructors for the common kinds.
 *
 * A placeholder is the word for a value in usage lines. A description has at most 60 characters and starts with
 * a capital. It names the default in brackets only where the schema has none, since surfaces add the default of the schema.
 */
import * as Schema from "effect/Schema"
import * as FieldFacts from "./FieldFacts.ts"
import { optional, withDefault } from "./Operation.ts"
import { Name } from "./Session.ts"
import { Detail } from "./Stop.ts"

/** Returns a boolean field that is false by default. */
export const flag = (description: string) => withDefault(Schema.Boolean.annotate({ description }), false)

/** Returns a boolean field that is true by default. Its description is imperative: `--no-x` reads "Do not …". */
export const flagOn = (description: string) => withDefault(Schema.Boolean.annotate({ description }), true)

/** Returns a boolean field without a default. */
export const optionalFlag = (description: string) => optional(Schema.Boolean.annotate({ description }))

/** Returns a required text field. */
export const text = (placeholder: string, description: string) =>
  Schema.NonEmptyString.annotate({ description, ...FieldFacts.placeholder(placeholder) })

/** Returns a text field without a default. */
export const optionalText = (placeholder: string, description: string) => optional(text(placeholder, description))

/** Returns a field for a list of texts, empty by default. An item may not be empty. */
export const list = (placeholder: string, description: string) =>
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
export const optionalExpressions = (placeholder: string, description: string) =>
  withDefault(
    Schema.Array(Schema.NonEmptyString)
      .check(atMost)
      .annotate({ description, ...FieldFacts.placeholder(placeholder) }),
    []
  )

const words = (placeholder: string, description: string) =>
  Schema.Array(Schema.String).annotate({ description, ...FieldFacts.placeholder(placeholder) })

/** Returns a field for a list of words, empty by default. A word may be empty. */
export const wordList = (placeholder: string, description: string) => withDefault(words(placeholder, description), [])

/** Returns a field for a list of words, without a default. A word may be empty. */
export const optionalWords = (placeholder: string, description: string) => optional(words(placeholder, description))

/** Returns an integer field with bounds, both included. */
export const integer = (minimum: number, maximum: number, description: string, placeholder = "N") =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({
    description,
    ...FieldFacts.placeholder(placeholder)
  })

/** Returns an integer field without a default; both bounds are included. */
export const optionalInteger = (minimum: number, maximum: number, description: string, placeholder = "N") =>
  optional(integer(minimum, maximum, description, placeholder))

const durationPattern = /^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h)?|inf)$/u

/** A duration as text: `30` or `30s`, `500ms`, `2m`, `1h`; `0` does not wait, `inf` has no limit. */
export const Duration = Schema.String.check(
  Schema.isPattern(durationPattern, { message: "Write a duration as 30s, 500ms, 2m or 1h" })
).annotate({
  description: "Longest wait, such as 30s, 500ms, 2m; 0 does not wait",
  ...FieldFacts.placeholder("DURATION")
})

/** Returns a duration field without a default. */
export const optionalDuration = (description: string) => optional(Duration.annotate({ description }))

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
export const session = Schema.optionalKey(Name)

/** Configuration of the session, by dotted key. Surfaces fill it in. */
export const settings = Schema.optionalKey(
  Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)])).annotate({
    description: "Configuration of the session, by dotted key"
  })
)

/** The environment of the caller. Surfaces fill it in. */
export const environment = (description: string) =>
  Schema.optionalKey(Schema.Record(Schema.String, Schema.String).annotate({ description }))

/** How the debugger is driven; `lldb` is short for `lldb-cli`. */
export const backend = Schema.optionalKey(
  Schema.Literals(["dap", "lldb-cli", "lldb"]).annotate({
    description: "How the debugger is driven: dap or LLDB's console (dap)"
  })
)

/** Returns the field for the longest wait for the next stop; `setting` gives its default. */
export const timeout = (setting: string) => withDefault(Duration.annotate(FieldFacts.setting(setting)), "30s")

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
export const thread = Schema.optionalKey(
  Schema.Int.annotate({ description: "Thread number or id (the thread that stopped)", ...FieldFacts.placeholder("N") })
)

/** The frame to act in. */
export const frame = optionalInteger(0, 1_000_000, "Frame number, 0 is the innermost (the selected one)")

/** The stop that the caller saw. */
export const atStop = optionalInteger(0, 1_000_000_000, "Resume only if this is the number of the current stop")

/** Returns the field for the largest number of entries to show, at most `most`. */
export const limit = (most: number, fallback: number, description: string) =>
  withDefault(integer(1, most, description), fallback)

/** The first entry to show. */
export const start = withDefault(integer(0, 10_000_000, "First entry to show, counted from 0"), 0)

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
export const maxString = Schema.optionalKey(
  integer(1, 1_000_000, "Most characters of a text value (120 in text output)").annotate(
    FieldFacts.setting("values.max_string")
  )
)
