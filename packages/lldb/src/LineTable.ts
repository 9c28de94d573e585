/**
 * The line table of a source file, as LLDB prints it.
 *
 * A row may say that a statement begins at its address (`is_stmt` in DWARF, section 6.2.2). Of several rows at one address LLDB 19
 * keeps the last one, and marks it as the end of the prologue. Compilers write such rows where a statement begins.
 */
import type * as Result from "effect/Result"
import { command, type Refused } from "./Command.ts"

/** A row of the table. */
export interface Row {
  readonly address: bigint
  readonly isStatement: boolean
}

/** Builds the command that prints the line tables of a file. */
export const dump = (file: string, major: number): Result.Result<string, Refused> =>
  command("image dump line-table -v", [file], major)

const row = /^(0x[0-9a-fA-F]+): [^\n]*?:(\d+)(?::\d+)?((?:, is_\w+ = TRUE)*)$/gm

/** Parses the rows of one line from the output of `dump`, in the order of the table. */
export const rowsOf = (output: string, line: number): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  for (const [, address = "0x0", found, flags = ""] of output.matchAll(row)) {
    if (Number(found) !== line) continue
    rows.push({ address: BigInt(address), isStatement: /is_start_of_statement|is_prologue_end/.test(flags) })
  }
  return rows
}
