/** The names that LLDB gives to results of expressions, such as `$3`, and to the values in them. */

/** Returns the command that prints a name for a value in the tree of a result. `steps` are the indexes of the children on the way. */
export const nameOf = (result: string, steps: ReadonlyArray<number>): string =>
  `sigtrap-name-result ${result} ${steps.join(" ")}`

/** True if a text is such a name. LLDB without Python has none. */
export const isName = (text: string): boolean => /^\$\w+$/.test(text)
