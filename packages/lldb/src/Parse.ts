/**
 * Parses output of LLDB commands whose form is fixed.
 */

/** A location of a breakpoint in `breakpoint list -v`. */
export interface BreakpointPlace {
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly function?: string
  readonly module?: string
  readonly address?: string
}

const field = /^\s+([a-z ]+?) = (.*)$/
const fileLine = /^(.+?):(\d+)(?::(\d+))?$/

/** A location of a breakpoint, also of code that is not loaded. */
export interface BreakpointLocation extends Omit<BreakpointPlace, "address"> {
  /** LLDB's number of the location, such as `2.1`. */
  readonly number: string
  /** The address in the program if the code is loaded, otherwise in the file. */
  readonly address: bigint
  readonly loaded: boolean
}

const locationOf = (number: string, fields: ReadonlyMap<string, string>): BreakpointLocation | undefined => {
  const address = /^(?:.*\[)?(0x[0-9a-fA-F]+)\]?$/.exec(fields.get("address") ?? "")?.[1]
  if (address === undefined || number === "") return undefined
  const [, file, line, column] = fileLine.exec(fields.get("location") ?? "") ?? []
  const name = fields.get("function") ?? fields.get("symbol")
  const module = fields.get("module")
  return {
    number,
    ...(file === undefined || line === undefined ? {} : { file, line: Number(line) }),
    ...(column === undefined ? {} : { column: Number(column) }),
    ...(name === undefined ? {} : { function: name }),
    ...(module === undefined ? {} : { module }),
    address: BigInt(address),
    loaded: fields.get("resolved") === "true"
  }
}

/** Parses all locations in the output of `breakpoint list -v`, of one breakpoint or of all. */
export const breakpointLocations = (output: string): ReadonlyArray<BreakpointLocation> => {
  const locations: Array<BreakpointLocation> = []
  let fields = new Map<string, string>()
  let number = ""
  const finish = () => {
    const location = locationOf(number, fields)
    if (location !== undefined) locations.push(location)
    fields = new Map()
  }
  for (const line of output.split("\n")) {
    // The number of the first location follows the options of the breakpoint on their line.
    const next = /^(?:[^=]*\s)(\d+\.\d+):\s*$/.exec(line)?.[1]
    if (next !== undefined) {
      finish()
      number = next
    }
    const [, name, value] = field.exec(line) ?? []
    if (name !== undefined && value !== undefined) fields.set(name, value.trim())
  }
  finish()
  return locations
}

/** Parses the hit counts of breakpoints in the output of `breakpoint list`, by LLDB's number. */
export const breakpointHits = (output: string): ReadonlyMap<number, number> =>
  new Map(
    output.split("\n").flatMap((line): ReadonlyArray<readonly [number, number]> => {
      const [, id, count] = /^(\d+): .*, hit count = (\d+)/.exec(line) ?? []
      return id === undefined || count === undefined ? [] : [[Number(id), Number(count)]]
    })
  )

/**
 * Parses the locations of a breakpoint in the output of `breakpoint list -v ID`. Unresolved locations, of code that is not
 * loaded yet, are skipped.
 */
export const breakpointPlaces = (output: string): ReadonlyArray<BreakpointPlace> =>
  breakpointLocations(output)
    .filter(({ loaded }) => loaded)
    .map(({ address, loaded: _, number: __, ...place }) => ({ ...place, address: `0x${address.toString(16)}` }))

/** Returns the version in a text such as `lldb version 19.1.7`, if any. */
export const version = (text: string): string | undefined => /(?:lldb(?: version |-))(\d+(?:\.\d+)*)/.exec(text)?.[1]

/** LLDB 22 prints this for every failed expression in a C program, before the reason. */
const languageNote = "Expression evaluation in pure C not supported."

/** LLDB prints this with the corrected expression, even if the correction is not applied and the expression fails. */
const corrected = /^ *Evaluated this expression after applying Fix-It\(s\):\n.*(?:\n|$)/m

/** Returns the text of a failed command without `error: `; none if it succeeded. LLDB reports failures as text only. */
export const failure = (output: string): string | undefined => {
  const match = /^error: (.*)$/s.exec(output.replace(corrected, "").trim())
  return match?.[1]
}

/** Maximum length of a message in characters; a longer one ends in `…`. */
const longestProblem = 1000

const limited = (text: string): string =>
  text.length > longestProblem ? `${text.slice(0, longestProblem - 1)}…` : text

/** Matches LLDB's list of functions that an expression calls and the program does not contain. */
const missingFunctions = /Couldn't look up symbols:\s*\n([\s\S]*?)(?:\n\s*(?:Hint:|hint:|\n)|$)/

/** LLDB's messages about a variable without a readable value and about names that it does not find, and what they mean. */
const unread: ReadonlyArray<readonly [form: RegExp, meaning: string]> = [
  [
    /couldn't get the value of variable (\w+): [^\n]*DW_OP_entry_value[^\n]*/,
    "only the caller may know the value of $1 at entry"
  ],
  [/couldn't get the value of variable (\w+): [^\n]*(?:variable not available|optimized out)/, "$1 is optimized out"],
  [/couldn't get the value of variable (\w+): [^\n]*?\b(DW_OP_\w+)[^\n]*/, "LLDB cannot read $2, where $1 is"],
  [/no member named '(\w+)' in namespace '\$__lldb_local_vars'/, "LLDB cannot read $1"],
  // Without Python, which sigtrap needs to evaluate in a calling frame.
  [/use of undeclared identifier '\$__lldb_local_vars'/, "LLDB compiles no expression in a lambda of gcc"],
  // `a * b` is a declaration of `b` to a compiler that does not know `a`.
  [/unknown type name '(\w+)'/, "use of undeclared identifier '$1'"]
]

/** Returns the first compiler message of a failed expression, without position and source excerpt. */
export const expressionProblem = (text: string): string => {
  for (const [form, meaning] of unread) {
    const found = form.exec(text)?.[0]
    if (found !== undefined) return limited(found.replace(form, meaning))
  }
  const absent = missingFunctions
    .exec(text)?.[1]
    ?.trim()
    .split(/\s*\n\s*/)
  if (absent !== undefined && absent[0] !== "") {
    return limited(`the program has no code to call for ${absent.join(", ")}: the compiler inlined or omitted it`)
  }
  const first = text
    .replace(corrected, "")
    .split("\n")
    .map((line) => line.replace(/^(?:error: )?(?:<user expression \d+>:\d+:\d+: )?(?:error: )?/, "").trim())
    .find(
      (line) =>
        line !== "" &&
        line !== "expression failed to parse:" &&
        !line.startsWith(languageNote) &&
        !line.startsWith("note: ")
    )
  return limited(first ?? text.trim())
}

/** The command that prints the packets between LLDB and the debug server, the newest last. */
export const packetHistory = "process plugin packet history"

/** Returns the pids of the children that the program forked, from the output of `packetHistory`, which has the newest packets. */
export const forkedChildren = (history: string): ReadonlyArray<number> => [
  ...new Set(
    [...history.matchAll(/;reason:v?fork;[^#$]*?;v?fork:p([0-9a-f]+)\./g)].map(([, pid = ""]) =>
      Number.parseInt(pid, 16)
    )
  )
]

/** The end of a process as its debug server reported it (gdb-remote packets `W` and `X`). */
export type ServerEnd = { readonly code: number } | { readonly signal: number }

/** Returns how the process ended, from the output of `packetHistory`; none if the debug server did not report an end. */
export const serverEnd = (history: string): ServerEnd | undefined => {
  const [kind, value] = [...history.matchAll(/read packet: \$([WX])([0-9a-f]{2})(?:;[^#]*)?#/g)].at(-1)?.slice(1) ?? []
  if (kind === undefined || value === undefined) return undefined
  return kind === "W" ? { code: Number.parseInt(value, 16) } : { signal: Number.parseInt(value, 16) }
}
