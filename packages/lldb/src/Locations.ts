/**
 * Locations of variables (DWARF expressions) that LLDB computes wrongly, as `image lookup -v` prints them.
 *
 * Measured with LLDB 19: an address in a computed value (`DW_OP_addr` before `DW_OP_stack_value`) is not relocated, so
 * the value is wrong in a position-independent program; a piece without a location (optimized out) is read as zeros. In a
 * function that the compiler split into parts, each part is unwound by the rules of the first one, so that the frame's address
 * may be wrong, and with it every variable in the frame.
 */
import * as Lookup from "./Lookup.ts"

/** Prints the instruction pointer of the selected frame. LLDB compiles an expression with `$pc`, which crashes it in some programs. */
export const instructionPointer = "register read pc"

/** Parses the output of `instructionPointer`. */
export const addressIn = (output: string): string | undefined => /= (0x[0-9a-f]+)/.exec(output)?.[1]

/** Returns the command that prints the variables that are visible at an address, with their locations. */
export const lookupAt = (address: string): string => `image lookup -v -a ${address}`

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

/** Parses the output of `lookupAt`: the variables whose value is wrong, each with the reason. */
export const unreliable = (output: string): ReadonlyMap<string, string> =>
  new Map(
    [...output.matchAll(variable)].flatMap(([, name = "", location = ""]) => {
      const reason = problem(location)
      return reason === undefined ? [] : [[name, reason] as const]
    })
  )

const register = /^DW_OP_(?:reg\d+|regx)(?: (.+))?$/

/** Returns what a variable without memory is: `in the register rbx`; undefined if its location is an address. */
const outsideMemory = (location: string): string | undefined => {
  const operations = location.replace(/^\[[^)]*\) -> /, "").split(", ")
  const [, name] = operations.map((one) => register.exec(one)).find((found) => found !== null) ?? []
  if (name !== undefined) return `in the register ${name.toLowerCase()}`
  return operations.some((one) => /^DW_OP_(?:stack_value|implicit_value)/.test(one))
    ? "a value that the debug information computes"
    : undefined
}

/** A variable that has no address. */
export interface WithoutAddress {
  /** The location in words: `in the register rbx`. */
  readonly where: string
  readonly type: string
}

const placed =
  /^\s+Variable: id = \{0x[\da-f]+\}, name = "(\w+)", type = "([^"]*)".*?, location = (.*?)(?:, decl = .*)?$/gm

/**
 * Parses the output of `lookupAt`: the variables that have no address (register and implicit locations, DWARF 5, section 2.6.1.1), by
 * their name. For `&NAME` LLDB copies the value to memory of its own and returns the address of the copy. A reference is left out: its
 * `&` is that of what it refers to.
 */
export const withoutAddress = (output: string): ReadonlyMap<string, WithoutAddress> => {
  const found = new Map<string, WithoutAddress>()
  const seen = new Set<string>()
  // LLDB prints the variables of the innermost block first.
  for (const [, name = "", type = "", location = ""] of output.matchAll(placed)) {
    const where = seen.has(name) || type.endsWith("&") ? undefined : outsideMemory(location)
    seen.add(name)
    if (where !== undefined) found.set(name, { where, type })
  }
  return found
}

const constant = /^\s+Variable: id = \{(0x[\da-f]+)\}, name = "([^"]*)".*?, location = <empty>(?:, decl = .*)?$/gm

/**
 * Parses the output of `lookupAt`: the variables of which the debug information has a constant that LLDB does not read, by their entry. LLDB
 * misses a constant that gcc wrote into the abbreviation of the entry (DWARF 5, `DW_FORM_implicit_const`).
 */
export const constants = (output: string): ReadonlyMap<string, string> =>
  new Map([...output.matchAll(constant)].map(([, entry = "", name = ""]) => [name, entry] as const))

const typed =
  /^\s+Variable: id = \{(0x[\da-f]+)\}, name = "(\w+)", type = "([^"]*)"(?=.*, location = (.*?)(?:, decl = .*)?$)/gm

/** A variable that may be or point to an array whose length is computed when the program runs. */
export interface SizedAtRun {
  /** The entry of the variable. */
  readonly entry: string
  readonly type: string
  /** True for a pointer to an array. */
  readonly pointer: boolean
}

/**
 * Parses the output of `lookupAt`: the variables that may be or point to an array whose length is computed when the program runs, by
 * their name. LLDB does not read the lengths that gcc writes. Such an array is at an address in another variable or a register.
 */
export const sizedAtRun = (output: string): ReadonlyMap<string, SizedAtRun> =>
  new Map(
    [...output.matchAll(typed)].flatMap(([, entry = "", name = "", type = "", location = ""]) => {
      const pointer = type.includes("(*)[")
      const indirect = /\[|^\w+$/.test(type) && /DW_OP_(?:deref|breg)/.test(location)
      return pointer || indirect ? [[name, { entry, type, pointer }] as const] : []
    })
  )

/** Parses the output of `lookupAt`: the names of the variables of the function. Those of its file are not among them. */
export const visible = (output: string): ReadonlySet<string> =>
  new Set([...output.matchAll(variable)].map(([, name = ""]) => name))

const declared = /^\s+Variable: id = \{(0x[0-9a-f]+)\}, name = "([^"]*)"/gm

/**
 * Parses the output of `lookupAt`: the identities of the variables by their names. Of variables of one name it is that of the
 * innermost block, which LLDB prints first.
 */
export const declarations = (output: string): ReadonlyMap<string, string> =>
  new Map([...output.matchAll(declared)].map(([, id = "", name = ""]) => [name, id] as const).toReversed())

/** Prints a variable of a file; fails if no file has one of the name. */
export const ofFile = (name: string): string => `target variable ${name}`

/** Prints the frame that called a frame with an index. */
export const caller = (index: number): string => `thread backtrace --start ${index + 1} --count 1`

/** True if the output of `caller` has a frame in code of a module. A false frame is in data, or there is none. */
export const isCode = (output: string): boolean => /^\s+frame #\d+: 0x[\da-f]+ \S.*`/m.test(output)

/** Parses the output of `lookupAt`: the variables in the frame of the function. */
export const inFrame = (output: string): ReadonlyArray<string> =>
  [...output.matchAll(variable)].flatMap(([, name = "", location = ""]) =>
    location.includes("DW_OP_fbreg") ? [name] : []
  )

/** Parses the output of `lookupAt`: the variables in the frame of a function whose first part is not the one that runs. */
export const inSplitFrame = (output: string): ReadonlyArray<string> => {
  const { ranges = [], row } = Lookup.parse(output) ?? {}
  const [first] = ranges
  if (first === undefined || ranges.length < 2 || row === undefined) return []
  if (first.start < row.end && row.end <= first.end) return []
  return inFrame(output)
}
