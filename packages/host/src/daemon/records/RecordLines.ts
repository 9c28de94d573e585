/**
 * Lines of a record that a killed process may have left behind: each has a checksum and a JSON text. Reading stops at the
 * first line that is incomplete or damaged, so that the result is always a prefix of what was written.
 */
import { createHash } from "node:crypto"

/** Returns a digest of a text: 64 bits in hexadecimal. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** Returns the line of a JSON text, which must not contain a line break. */
export const encode = (json: string): string => `${digest(json)} ${json}\n`

/**
 * The JSON texts of the valid lines at the start of a text. `isDamaged` is true if a complete line follows that is not valid: an
 * incomplete line is what a killed process leaves, a complete one was changed later.
 */
export interface Lines {
  readonly texts: ReadonlyArray<string>
  readonly isDamaged: boolean
}

/** Decodes the lines of a text. */
export const decode = (text: string): Lines => {
  const found: Array<string> = []
  for (let from = 0; ;) {
    const end = text.indexOf("\n", from)
    if (end === -1) return { texts: found, isDamaged: false }
    const json = text.slice(from + 17, end)
    if (text[from + 16] !== " " || digest(json) !== text.slice(from, from + 16)) {
      return { texts: found, isDamaged: true }
    }
    found.push(json)
    from = end + 1
  }
}
