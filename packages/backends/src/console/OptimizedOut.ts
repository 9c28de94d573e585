/**
 * The texts that debuggers write in place of a value that a compiler removed: LLDB's reasons why a variable has no value at an
 * instruction of optimized code, and `<optimized out>` of GDB.
 *
 * The value of a register of a caller counts too: the called functions may have used the register.
 */
const texts =
  /^<(?:error: )?(?:(?:parent failed to evaluate: )?(?:variable|register \w+ is) not available|[^<>]*optimized out[^<>]*)>$/

/** What sigtrap shows in place of such a value. */
export const shown = "<optimized out>"

/** True for the text of a value that a compiler removed. */
export const matches = (text: string): boolean => texts.test(text)
