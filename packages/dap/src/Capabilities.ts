/**
 * What an adapter says it can do.
 *
 * Kept as the adapter wrote it, since adapters add keys of their own (`__lldb`, `$__lldb_version`), and read through
 * functions. It grows: some adapters announce capabilities only in a `capabilities` event while configurationDone is
 * handled.
 */
import type { DebugProtocol } from "@vscode/debugprotocol"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Lenient from "./internal/Lenient.ts"
import * as Message from "./Message.ts"

/** The capabilities as the adapter wrote them. */
export type Capabilities = Readonly<Record<string, unknown>>

/** The name of a yes-or-no capability of the specification. */
export type Capability = {
  readonly [Key in keyof DebugProtocol.Capabilities]-?: Required<DebugProtocol.Capabilities>[Key] extends boolean
    ? Key
    : never
}[keyof DebugProtocol.Capabilities] &
  string

/** Before the initialize response: nothing. */
export const none: Capabilities = {}

/** Adds newly announced capabilities; a later word replaces an earlier one. */
export const merge = (known: Capabilities, announced: unknown): Capabilities => {
  if (!Message.isRecord(announced)) return known
  const merged: Record<string, unknown> = { ...known, ...announced }
  // debugpy spells this one in its own way.
  if (Object.hasOwn(announced, "supportsTerminateDebuggee") && !Object.hasOwn(announced, "supportTerminateDebuggee")) {
    merged["supportTerminateDebuggee"] = announced["supportsTerminateDebuggee"]
  }
  return merged
}

/** Tells whether a capability was advertised. */
export const supports = (capabilities: Capabilities, name: Capability): boolean => capabilities[name] === true

/** An exception filter that the adapter offers; `filter` is what setExceptionBreakpoints wants. */
export const ExceptionFilter = Schema.Struct({
  filter: Schema.String,
  label: Lenient.optional(Schema.String),
  description: Lenient.optional(Schema.String),
  default: Lenient.optional(Schema.Boolean),
  supportsCondition: Lenient.optional(Schema.Boolean),
  conditionDescription: Lenient.optional(Schema.String)
})

/** An exception filter that the adapter offers. */
export type ExceptionFilter = typeof ExceptionFilter.Type

const decodeFilter = Schema.decodeUnknownOption(ExceptionFilter)

/** The exception filters on offer, in the adapter's order; entries without a `filter` are left out. */
export const exceptionFilters = (capabilities: Capabilities): ReadonlyArray<ExceptionFilter> => {
  const filters = capabilities["exceptionBreakpointFilters"]
  return Array.isArray(filters) ? filters.flatMap((filter) => Option.toArray(decodeFilter(filter))) : []
}
