/**
 * Words about stops. LLDB's own speak of breakpoints by its numbers, `breakpoint 1.1`, which are not ours and look as if they
 * were.
 */

/** Whether a debugger's words about a stop say nothing but its numbers of breakpoints or of a watchpoint. */
export const areNumbers = (text: string): boolean =>
  /^(?:breakpoint -?\d+\.\d+(?: -?\d+\.\d+)*|watchpoint \d+)$/.test(text)

/** The same about one thread in our numbers, as far as they are known. */
export const inOurNumbers = (text: string, ids: ReadonlyArray<number>): string =>
  areNumbers(text) ? [text.split(" ")[0] ?? text, ...(ids.length === 0 ? [] : [ids.join(", ")])].join(" ") : text
