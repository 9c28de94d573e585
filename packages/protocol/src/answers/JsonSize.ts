/**
 * The size of JSON text, measured without parsing it: parsing a million values takes a second and blocks every other client.
 */

/** Limits of a text. */
export interface Limits {
  /** Values, where a list or object counts as one more. */
  readonly values: number
  /** Levels of lists and objects. */
  readonly depth: number
}

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const OPEN = { list: 91, object: 123 }
const CLOSE = { list: 93, object: 125 }

/** Returns the index after the string that begins at `from`. */
const afterString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slash = end - 1
    while (text.charCodeAt(slash) === BACKSLASH) slash -= 1
    // An even number of backslashes before a quote escape each other.
    if ((end - 1 - slash) % 2 === 0) return end + 1
  }
  return text.length
}

/**
 * Returns which limit a text exceeds. Stops there, and takes time in proportion to the part before it. Values are counted by
 * commas and brackets, so a text may have up to twice as many as it is refused for.
 */
export const excess = (text: string, { depth, values }: Limits): keyof Limits | undefined => {
  let seen = 0
  let level = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = afterString(text, at) - 1
    else if (code === COMMA) seen += 1
    else if (code === OPEN.list || code === OPEN.object) {
      seen += 1
      level += 1
      if (level > depth) return "depth"
    } else if (code === CLOSE.list || code === CLOSE.object) level -= 1
    if (seen > values) return "values"
  }
  return undefined
}
