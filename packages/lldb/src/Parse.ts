/**
 * Reads what LLDB commands print, where the form is fixed enough to be read exactly.
 */

/** One place of a breakpoint, as `breakpoint list -v` tells it. */
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

const hex = (text: string) => `0x${BigInt(text).toString(16)}`

/**
 * The places of one breakpoint in the output of `breakpoint list -v ID`. Unresolved places, of code that is not
 * loaded yet, are left out.
 */
export const breakpointPlaces = (output: string): ReadonlyArray<BreakpointPlace> => {
  const places: Array<BreakpointPlace> = []
  let fields = new Map<string, string>()
  const finish = () => {
    const address = fields.get("address")
    const known = fields.get("resolved") === "true" && address !== undefined && /^0x[0-9a-fA-F]+$/.test(address)
    if (known) {
      const [, file, line, column] = fileLine.exec(fields.get("location") ?? "") ?? []
      const name = fields.get("function") ?? fields.get("symbol")
      const module = fields.get("module")
      places.push({
        ...(file === undefined || line === undefined ? {} : { file, line: Number(line) }),
        ...(column === undefined ? {} : { column: Number(column) }),
        ...(name === undefined ? {} : { function: name }),
        ...(module === undefined ? {} : { module }),
        address: hex(address)
      })
    }
    fields = new Map()
  }
  for (const line of output.split("\n")) {
    if (/^\s+\d+\.\d+:\s*$/.test(line)) finish()
    const [, name, value] = field.exec(line) ?? []
    if (name !== undefined && value !== undefined) fields.set(name, value.trim())
  }
  finish()
  return places
}

/** LLDB's major version in texts such as `lldb version 19.1.7`; absent when there is none. */
export const version = (text: string): string | undefined => /(?:lldb(?: version |-))(\d+(?:\.\d+)*)/.exec(text)?.[1]

/** What LLDB 22 says of every failed expression in a C program, before it says why. */
const languageNote = "Expression evaluation in pure C not supported."

/** Said, with the corrected expression, even where corrections are not applied and the expression has failed. */
const corrected = /^ *Evaluated this expression after applying Fix-It\(s\):\n.*(?:\n|$)/m

/** The text of a failed command, without `error: `; absent when it succeeded. LLDB reports failure in text only. */
export const failure = (output: string): string | undefined => {
  const match = /^error: (.*)$/s.exec(output.replace(corrected, "").trim())
  return match?.[1]
}

/** The compiler's first message of a failed expression, without position and drawing. */
export const expressionProblem = (text: string): string => {
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
  return (first ?? text.trim()).slice(0, 300)
}
