/** Finds the names in a condition that mean nothing at the locations of a breakpoint, by LLDB's Python. */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BreakpointIds } from "../../BreakpointIds.ts"

const Found = Schema.fromJsonString(
  Schema.Struct({ unknown: Schema.Array(Schema.String), known: Schema.Array(Schema.String) })
)

/** Makes the request of one connection. An LLDB without Python finds none. */
export const make = (
  text: (line: string) => Effect.Effect<string, Backend.Failure>,
  ids: BreakpointIds
): Pick<Backend.Connection, "unknownNames"> => ({
  unknownNames: (breakpoint, names) =>
    Effect.map(
      text(`sigtrap-unknown-names ${JSON.stringify({ breakpoints: ids.allOf(breakpoint), names })}`),
      (output) => Option.getOrElse(Schema.decodeOption(Found)(output.trim()), () => ({ unknown: [], known: [] }))
    )
})
