/**
 * Locations of variables (DWARF expressions) that LLDB computes wrongly, as `image lookup -v` prints them.
 *
 * Measured with LLDB 19: an address in a computed value (`DW_OP_addr` before `DW_OP_stack_value`) is not relocated, so
 * the value is wrong in a position-independent program; a piece without a location (optimized out) is read as zeros.
 */

/** Prints the variables that are visible at the selected frame, with their locations. */
export const lookup = "image lookup -v -a $pc"

const variable = /^\s+Variable: .*?, name = "([^"]*)".*?, location = (.*?)(?:, decl = .*)?$/gm

/** Returns why LLDB's value is wrong; undefined if it is right. */
const problem = (location: string): string | undefined => {
  const operations = location.replace(/^\[[^)]*\) -> /, "").split(", ")
  const lost = operations.some(
    (one, index) => one.startsWith("DW_OP_piece") && (operations[index - 1] ?? "DW_OP_piece").startsWith("DW_OP_piece")
  )
  if (lost) return "partly optimized out"
  const addressed = operations.some((one) => one.startsWith("DW_OP_addr "))
  return addressed && operations.length > 1 && operations.includes("DW_OP_stack_value")
    ? "unknown: LLDB computes it from an address that it does not relocate"
    : undefined
}

/** Parses the output of `lookup`: the variables whose value is wrong, each with the reason. */
export const unreliable = (output: string): ReadonlyMap<string, string> =>
  new Map(
    [...output.matchAll(variable)].flatMap(([, name = "", location = ""]) => {
      const reason = problem(location)
      return reason === undefined ? [] : [[name, reason] as const]
    })
  )
