/** Searches for a mark in text that arrives in pieces; the cost of a piece depends on its own length only. */

/** The text before the mark, and the text after it. */
interface Found {
  readonly before: string
  readonly after: string
}

/** A search for one mark in the text so far. */
export interface MarkSearch {
  /** Adds a piece; returns the result when the mark is complete. */
  readonly push: (piece: string) => Found | undefined
  /** Returns all pieces. */
  readonly all: () => string
}

/** Starts a search. */
export const make = (mark: string): MarkSearch => {
  const pieces: Array<string> = []
  // The end of the text so far, as long as an incomplete mark.
  let end = ""
  let length = 0
  return {
    push: (piece) => {
      const window = end + piece
      const at = window.indexOf(mark)
      pieces.push(piece)
      if (at < 0) {
        end = window.slice(Math.max(0, window.length - mark.length + 1))
        length += piece.length
        return undefined
      }
      const all = pieces.join("")
      const start = length - end.length + at
      return { before: all.slice(0, start), after: all.slice(start + mark.length) }
    },
    all: () => pieces.join("")
  }
}
