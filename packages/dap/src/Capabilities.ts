/**
 * The capabilities of an adapter.
 *
 * The record is kept as received, because adapters add keys of their own (`__lldb`, `$__lldb_version`). It can grow: some
 * adapters announce capabilities in a `capabilities` event while they handle configurationDone.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Lenient from "./internal/Lenient.ts"
import * as Message from "./Message.ts"

/** The capabilities as received. */
export type Capabilities = Readonly<Record<string, unknown>>

/** The name of a boolean capability of the specification. */
export type Capability =
  | "supportsConfigurationDoneRequest"
  | "supportsFunctionBreakpoints"
  | "supportsConditionalBreakpoints"
  | "supportsHitConditionalBreakpoints"
  | "supportsEvaluateForHovers"
  | "supportsStepBack"
  | "supportsSetVariable"
  | "supportsRestartFrame"
  | "supportsGotoTargetsRequest"
  | "supportsStepInTargetsRequest"
  | "supportsCompletionsRequest"
  | "supportsModulesRequest"
  | "supportsRestartRequest"
  | "supportsExceptionOptions"
  | "supportsValueFormattingOptions"
  | "supportsExceptionInfoRequest"
  | "supportTerminateDebuggee"
  | "supportSuspendDebuggee"
  | "supportsDelayedStackTraceLoading"
  | "supportsLoadedSourcesRequest"
  | "supportsLogPoints"
  | "supportsTerminateThreadsRequest"
  | "supportsSetExpression"
  | "supportsTerminateRequest"
  | "supportsDataBreakpoints"
  | "supportsReadMemoryRequest"
  | "supportsWriteMemoryRequest"
  | "supportsDisassembleRequest"
  | "supportsCancelRequest"
  | "supportsBreakpointLocationsRequest"
  | "supportsClipboardContext"
  | "supportsSteppingGranularity"
  | "supportsInstructionBreakpoints"
  | "supportsExceptionFilterOptions"
  | "supportsSingleThreadExecutionRequests"
  | "supportsDataBreakpointBytes"
  | "supportsANSIStyling"

/** The capabilities before the initialize response. */
export const none: Capabilities = {}

/** Adds announced capabilities; later values override earlier ones. */
export const merge = (known: Capabilities, announced: unknown): Capabilities => {
  if (!Message.isRecord(announced)) return known
  const merged: Record<string, unknown> = { ...known, ...announced }
  // debugpy writes supportsTerminateDebuggee.
  if (Object.hasOwn(announced, "supportsTerminateDebuggee") && !Object.hasOwn(announced, "supportTerminateDebuggee")) {
    merged["supportTerminateDebuggee"] = announced["supportsTerminateDebuggee"]
  }
  return merged
}

/** Returns whether a capability is advertised. */
export const supports = (capabilities: Capabilities, name: Capability): boolean => capabilities[name] === true

/** An exception filter of the adapter; `filter` is its id in setExceptionBreakpoints. */
export const ExceptionFilter = Schema.Struct({
  filter: Schema.String,
  label: Lenient.optional(Schema.String),
  description: Lenient.optional(Schema.String),
  default: Lenient.optional(Schema.Boolean),
  supportsCondition: Lenient.optional(Schema.Boolean),
  conditionDescription: Lenient.optional(Schema.String)
})

/** An exception filter of the adapter. */
export type ExceptionFilter = typeof ExceptionFilter.Type

const decodeFilter = Schema.decodeUnknownOption(ExceptionFilter)

/** Returns the exception filters in the adapter's order; entries without `filter` are skipped. */
export const exceptionFilters = (capabilities: Capabilities): ReadonlyArray<ExceptionFilter> => {
  const filters = capabilities["exceptionBreakpointFilters"]
  return Array.isArray(filters) ? filters.flatMap((filter) => Option.toArray(decodeFilter(filter))) : []
}
