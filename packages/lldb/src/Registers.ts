/**
 * Parses the registers that `register read` prints, by groups.
 */

/** A group of registers; values are LLDB's text. */
export interface Group {
  readonly name: string
  readonly registers: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

/** Prints all registers of the selected frame, also parts of other registers. */
export const all = "register read --all"

/** Parses the output of `all`. */
export const groups = (output: string): ReadonlyArray<Group> => {
  const found: Array<{ name: string; registers: Array<{ name: string; value: string }> }> = []
  for (const line of output.split("\n")) {
    const heading = /^(\S.*):$/.exec(line)?.[1]
    if (heading !== undefined) {
      found.push({ name: heading, registers: [] })
      continue
    }
    const [, name, value] = /^ +(\S+) = (.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) {
      found.at(-1)?.registers.push({ name, value: value.replace(/ {2,}/, " ").trim() })
    }
  }
  return found.filter(({ registers }) => registers.length > 0)
}
