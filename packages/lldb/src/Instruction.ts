/**
 * Reads what LLDB says of one instruction and of the value that a function has just returned.
 */

/** An instruction: its address, and its text with operands. */
export interface Instruction {
  readonly address: string
  readonly text: string
}

/** A returned value: its type and LLDB's text of it. */
export interface Returned {
  readonly type: string
  readonly value: string
}

/** The command that shows the instruction at the selected frame's place. */
export const here = "disassemble --pc --count 1"

/** The command that steps one instruction of the selected thread: into calls, or over them. */
export const step = { stepi: "thread step-inst", nexti: "thread step-inst-over" } as const

/** The instruction that an arrow marks in the output of `disassemble --pc`. */
export const parse = (output: string): Instruction | undefined => {
  const match = /^->\s+(0x[0-9a-fA-F]+)(?:\s+<[+-]\d+>)?:\s+(\S.*?)\s*$/m.exec(output)
  const [, address, text] = match ?? []
  if (address === undefined || text === undefined) return undefined
  return { address: `0x${BigInt(address).toString(16)}`, text: text.replace(/[ \t]+/g, " ") }
}

/** The command that says what the selected thread's function has returned, after a step out of it. */
export const about = "thread info"

/** The returned value in the output of `thread info`; LLDB names it as a variable of its own, which is left out. */
export const returned = (output: string): Returned | undefined => {
  const match = /^\s*Return value: \(([^\n]*?)\) (?:\$\d+ = )?(.*\S)/ms.exec(output)
  const [, type, value] = match ?? []
  return type === undefined || value === undefined ? undefined : { type, value: value.replace(/\s*\n\s*/g, " ") }
}
