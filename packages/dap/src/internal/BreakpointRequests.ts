/**
 * The requests that set breakpoints, or ask where they can be set.
 */
import * as Schema from "effect/Schema"
import type * as Arguments from "../Arguments.ts"
import type { Capability } from "../Capabilities.ts"
import * as Models from "../Models.ts"
import { list, optional } from "./Lenient.ts"
import * as ListedBody from "./ListedBody.ts"
import { limited, make, takes } from "./RequestKind.ts"

const breakpoints = Schema.Struct({ breakpoints: list(Models.Breakpoint) })

const join = (parts: ReadonlyArray<typeof breakpoints.Type>) => ({
  breakpoints: parts.flatMap((part) => part.breakpoints)
})

/** A request that sets breakpoints; the response has an entry for each. */
const setting = <Args extends { readonly breakpoints?: ReadonlyArray<unknown> | undefined }>(
  command: string,
  capability?: Capability
) =>
  limited(make<Args, typeof breakpoints.Type>(command, breakpoints, capability), {
    field: "breakpoints",
    range: (length, args) => ListedBody.first(length, args?.breakpoints?.length ?? ListedBody.maxItems),
    join
  })

/** Replaces all breakpoints of one source file. */
export const SetBreakpoints = setting<Arguments.SetBreakpoints>("setBreakpoints")

/** Replaces all function breakpoints. */
export const SetFunctionBreakpoints = setting<Arguments.SetFunctionBreakpoints>(
  "setFunctionBreakpoints",
  "supportsFunctionBreakpoints"
)

/** Replaces the exception filters. Up to lldb-dap 19 the response has no body. */
export const SetExceptionBreakpoints = limited(
  takes<Arguments.SetExceptionBreakpoints>()("setExceptionBreakpoints", breakpoints),
  { field: "breakpoints", range: ListedBody.whole, join }
)

/** Replaces all instruction breakpoints. */
export const SetInstructionBreakpoints = setting<Arguments.SetInstructionBreakpoints>(
  "setInstructionBreakpoints",
  "supportsInstructionBreakpoints"
)

/** Replaces all data breakpoints. */
export const SetDataBreakpoints = setting<Arguments.SetDataBreakpoints>("setDataBreakpoints", "supportsDataBreakpoints")

/** Returns whether a data breakpoint is possible; it is not if the body has no `dataId`. */
export const DataBreakpointInfo = takes<Arguments.DataBreakpointInfo>()(
  "dataBreakpointInfo",
  Schema.Struct({
    dataId: optional(Schema.String),
    description: optional(Schema.String),
    accessTypes: optional(Schema.Array(Schema.String)),
    canPersist: optional(Schema.Boolean)
  }),
  "supportsDataBreakpoints"
)

/** Returns the possible breakpoint locations in a range of lines. */
export const BreakpointLocations = limited(
  takes<Arguments.BreakpointLocations>()(
    "breakpointLocations",
    Schema.Struct({ breakpoints: list(Models.BreakpointLocation) }),
    "supportsBreakpointLocationsRequest"
  ),
  {
    field: "breakpoints",
    range: ListedBody.whole,
    join: (parts) => ({ breakpoints: parts.flatMap((part) => part.breakpoints) })
  }
)
