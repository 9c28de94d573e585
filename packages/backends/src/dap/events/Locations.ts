/**
 * Translates the location of a breakpoint (DAP `Breakpoint`).
 */
import type { Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"

/** The location of a breakpoint; `file` is used if the breakpoint names no source. */
export const locationOf = (
  { instructionReference, line, source }: Pick<Models.Breakpoint, "instructionReference" | "line" | "source">,
  file?: string
): Backend.BreakpointLocation => {
  const path = source?.path ?? file
  return {
    ...(path === undefined ? {} : { file: path }),
    ...(line === undefined ? {} : { line }),
    ...(instructionReference === undefined ? {} : { address: instructionReference.toLowerCase() })
  }
}
