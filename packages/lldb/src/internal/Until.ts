/** A text that arrives in pieces, until a mark is in it; searching costs what arrives, not what has arrived. */

/** The text before the mark, and what came behind it. */
interface Found {
  readonly before: string
  readonly after: string
}

/** One search. */
export interface Until {
  /** Takes the next piece; gives what was found once the mark is there. */
  readonly push: (piece: string) => Found | undefined
  /** Everything that was taken. */
  readonly all: () => string
}

/** Searches for a text, in pieces of any size. */
export const make = (mark: string): Until => {
  const pieces: Array<string> = []
  // The end of what was taken, as long as a mark that is not whole yet.
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
