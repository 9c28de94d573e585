/**
 * Reads the frames of the user in a stack that a sanitizer wrote: `#0 FUNCTION FILE:LINE:COLUMN (MODULE+0xOFFSET)`, of
 * AddressSanitizer `#0 0xADDRESS in FUNCTION FILE:LINE:COLUMN`.
 */
import type { Location } from "@sigtrap/protocol"
import * as RuntimeFrames from "../RuntimeFrames.ts"

const frame =
  /^\s+#\d+ (?:0x[0-9a-f]+ in )?(.+?) (\/\S*?|<\S*?>|\.\S*?)(?::(\d+))?(?::\d+)?(?: \(([^()\s]+)\+0x[0-9a-f]+\).*)?$/

/** A frame without source: `#4 0x5567 in _start (/src/app+0x1120)`. */
const bare = /^\s+#\d+ /

/** Most frames of a stack. */
const mostFrames = 3

/** Returns the frames of the user in the lines of a stack, the innermost one first. The stack ends at another line. */
export const parse = (lines: ReadonlyArray<string>): ReadonlyArray<Location.Position> => {
  const found: Array<Location.Position> = []
  for (const line of lines) {
    if (!bare.test(line) || found.length === mostFrames) break
    const [, name, file, number, module] = frame.exec(line) ?? []
    if (name === undefined || file === undefined) continue
    const place = { function: name, file, ...(module === undefined ? {} : { module }) }
    if (RuntimeFrames.isUserFrame(place)) {
      found.push({ ...place, ...(number === undefined ? {} : { line: Number(number) }) })
    }
  }
  return found
}
