/**
 * Commands for the current instruction and for the value that a function has returned, and parsers of their output.
 */

/** An instruction: its address, and its text with operands. */
export interface Instruction {
  readonly address: string
  readonly text: string
}

/** A returned value: its type and LLDB's text. */
export interface Returned {
  readonly type: string
  readonly value: string
}

/** Prints the instruction at the pc of the selected frame. */
export const here = "disassemble --pc --count 1"

/** Steps the selected thread by one instruction: into calls, or over them. */
export const step = { stepi: "thread step-inst", nexti: "thread step-inst-over" } as const

/** Parses the instruction at the arrow in the output of `disassemble --pc`. */
export const parse = (output: string): Instruction | undefined => {
  const match = /^->\s+(0x[0-9a-fA-F]+)(?:\s+<[+-]\d+>)?:\s+(\S.*?)\s*$/m.exec(output)
  const [, address, text] = match ?? []
  if (address === undefined || text === undefined) return undefined
  return { address: `0x${BigInt(address).toString(16)}`, text: text.replace(/[ \t]+/g, " ") }
}

/** Prints the value that the function returned, after a step out of it. */
export const threadInfo = "thread info"

/** Matches the beginning of a value with a summary and members: the summary is the value. */
const summarized = /^(\S.*\S|\S) \{[ \t]*\n/

/**
 * Parses the returned value in the output of `thread info`, without the name of LLDB's variable for it, and without the members
 * of a value that has a summary.
 */
export const returned = (output: string): Returned | undefined => {
  const match = /^\s*Return value: \(([^\n]*?)\) (?:\$\d+ = )?(.*\S)/ms.exec(output)
  const [, type, value] = match ?? []
  if (type === undefined || value === undefined) return undefined
  return { type, value: (summarized.exec(value)?.[1] ?? value).replace(/\s*\n\s*/g, " ") }
}
