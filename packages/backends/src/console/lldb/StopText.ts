/**
 * LLDB's text of a stop. It names breakpoints by LLDB's numbers, which are not the manager's and must not be shown.
 */

/** Matches a text that has only LLDB's numbers: "breakpoint 1.1", "breakpoint 1.1 4.1", "watchpoint 2". */
export const numbers = /^(?:breakpoint -?\d+\.\d+(?: -?\d+\.\d+)*|watchpoint \d+)$/

/** The stop reason of a thread, as fields of its place: what it hit, or LLDB's text. */
export const reasonFields = (
  text: string | undefined
): { readonly hit?: "breakpoint" | "watchpoint"; readonly stop_reason?: string } => {
  if (text === undefined) return {}
  if (!numbers.test(text)) return { stop_reason: text }
  return { hit: text.startsWith("watchpoint") ? "watchpoint" : "breakpoint" }
}
