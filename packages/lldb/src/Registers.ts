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

/** Returns the command that reads an integer argument of a function at its first instruction; arguments count from 0. */
export const argument = (index: number): string => `register read arg${index + 1}`

/** Parses the output of a command that reads one register. */
export const only = (output: string): bigint | undefined => {
  const value = /^\s*\w+ = (0x[0-9a-f]+)/m.exec(output)?.[1]
  return value === undefined ? undefined : BigInt(value)
}
