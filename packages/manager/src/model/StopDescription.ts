/**
 * Descriptions of stops. LLDB's `breakpoint 1.1` has LLDB's number, which must not be shown: it is not the manager's.
 */

/** True if a description consists only of the debugger's numbers of breakpoints or a watchpoint. */
export const areNumbers = (text: string): boolean =>
  /^(?:breakpoint -?\d+\.\d+(?: -?\d+\.\d+)*|watchpoint \d+)$/.test(text)

/** Replaces the debugger's breakpoint numbers by the manager's numbers. */
export const withManagerNumbers = (text: string, ids: ReadonlyArray<number>): string =>
  areNumbers(text) ? [text.split(" ")[0] ?? text, ...(ids.length === 0 ? [] : [ids.join(", ")])].join(" ") : text
