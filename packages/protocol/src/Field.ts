/**
 * Payload fields that several operations share, described once.
 */
import * as Schema from "effect/Schema"
import * as FieldFacts from "./FieldFacts.ts"
import { withDefault } from "./Operation.ts"
import { Name } from "./Session.ts"
import { Detail } from "./Stop.ts"

const duration = /^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h)?|inf)$/u

/** A duration as text: `30` or `30s`, `500ms`, `2m`, `1h`; `0` does not wait, `inf` waits for ever. */
export const Duration = Schema.String.check(
  Schema.isPattern(duration, { message: "Write a duration as 30s, 500ms, 2m or 1h" })
).annotate({ description: "Longest wait, e.g. 30s, 500ms, 2m; 0 does not wait" })

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** Milliseconds of a duration that follows `Duration`; `inf` is `Infinity`, anything else that does not fit is 0. */
export const millis = (text: string): number => {
  if (text === "inf") return Number.POSITIVE_INFINITY
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text)
  const unit = match?.[2]
  const factor = unit === "ms" || unit === "s" || unit === "m" || unit === "h" ? units[unit] : units.s
  return match?.[1] === undefined ? 0 : Math.round(Number(match[1]) * factor)
}

/** The session to act on. */
export const session = Schema.optionalKey(Name)

/** What is configured where the caller stands, by dotted keys. Surfaces fill it in. */
export const settings = Schema.optionalKey(
  Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)])).annotate({
    description: "Configuration of the session, by dotted keys"
  })
)

/** How LLDB is driven; `lldb` is short for `lldb-cli`. */
export const backend = Schema.optionalKey(
  Schema.Literals(["dap", "lldb-cli", "lldb"]).annotate({
    description: "How the debugger is driven: dap, or lldb-cli, the command line of LLDB; dap when left out"
  })
)

/** The longest wait for the next stop; `setting` gives its default. */
export const timeout = (setting: string) =>
  withDefault(Duration.annotate({ ...FieldFacts.setting(setting), ...FieldFacts.placeholder("DURATION") }), "30s")

/** How long to wait for the next stop, and how detailed its report is; `setting` gives the default timeout. */
export const reportWithin = (setting: string) => ({
  timeout: timeout(setting),
  wait: withDefault(Schema.Boolean.annotate({ description: "Wait for the next stop" }), true),
  context: withDefault(Detail.annotate(FieldFacts.setting("output.context")), "brief"),
  lines: withDefault(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 })).annotate({
      description: "Source lines either side",
      ...FieldFacts.setting("output.lines")
    }),
    1
  )
})

/** How long to wait for the next stop, and how detailed its report is. */
export const report = reportWithin("timeouts.wait")

/** The thread to act on. */
export const thread = Schema.optionalKey(
  Schema.Int.annotate({ description: "Thread id; the stopped one when left out" })
)

/** The frame to act in; the selected one when left out. */
export const frame = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })).annotate({
    description: "Frame number, 0 is innermost; the selected one when left out"
  })
)

/** How many entries to show, at most `most`. */
export const limit = (most: number, fallback: number, description: string) =>
  withDefault(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })).annotate({ description }), fallback)

/** The first entry to show. */
export const start = withDefault(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000 })).annotate({
    description: "First one to show, from 0"
  }),
  0
)

/** How many levels of a value's members to show. */
export const depth = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 })).annotate({
  description: "Levels of members to show"
})

/** The same, with the default of the setting `values.depth`. */
export const valueDepth = depth.annotate(FieldFacts.setting("values.depth"))

/** Where an earlier reading of a session's history ended. */
export const cursor = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
  description: "Cursor of an earlier answer"
})

/** Whether a reading waits until there is something new. */
export const follow = withDefault(
  Schema.Boolean.annotate({ description: "Wait for something new, at most the timeout" }),
  false
)

/** Whether values whose names are secret are shown. */
export const reveal = withDefault(
  Schema.Boolean.annotate({ description: "Show values whose names are secret, such as password" }),
  false
)

/** How much of a text a value shows. */
export const maxString = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })).annotate({
    description: "Most characters of a text value; 120 as text when left out",
    ...FieldFacts.setting("values.max_string")
  })
)
