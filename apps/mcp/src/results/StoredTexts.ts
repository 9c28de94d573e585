/**
 * Stores the newest texts that were too long for one answer, so that a client can read the rest page by page. The oldest
 * are removed first; a client then repeats the call that made the text.
 */

/** The stored texts of one server. */
export interface StoredTexts {
  /** Stores a text; returns its id. */
  readonly store: (text: string) => number
  /** Returns the page at an offset; nothing if the text was removed. */
  readonly page: (id: number, from: number) => Page | undefined
}

/** A page of a text. Offsets and sizes are in UTF-16 code units. */
interface Page {
  readonly text: string
  readonly total: number
  /** The offset of the next page, if there is one. */
  readonly next?: number
}

/** The largest number of texts and of code units in all texts. */
const limits = { texts: 16, characters: 4_194_304 }

const encoder = new TextEncoder()

/**
 * Returns the beginning of a text in at most `limit` bytes of UTF-8. It ends at a line break if there is one in its second
 * half.
 */
export const beginning = (text: string, limit: number): string => {
  if (encoder.encode(text).length <= limit) return text
  let cut = text.slice(0, limit)
  while (encoder.encode(cut).length > limit) cut = cut.slice(0, cut.length - Math.ceil((cut.length || 1) / 20))
  const line = cut.lastIndexOf("\n")
  const whole = line > cut.length / 2 ? cut.slice(0, line + 1) : cut
  return /[\ud800-\udbff]$/.test(whole) ? whole.slice(0, -1) : whole
}

/** The largest page in bytes. */
const pageLimit = 1780

/** Makes the store of one server. */
export const make = (): StoredTexts => {
  const texts = new Map<number, string>()
  let last = 0
  const size = () => [...texts.values()].reduce((sum, text) => sum + text.length, 0)
  return {
    store: (text) => {
      texts.set((last += 1), text.slice(0, limits.characters))
      for (const id of texts.keys()) {
        if (texts.size <= limits.texts && size() <= limits.characters) break
        texts.delete(id)
      }
      return last
    },
    page: (id, from) => {
      const text = texts.get(id)
      if (text === undefined) return undefined
      const page = beginning(text.slice(from), pageLimit)
      const next = from + page.length
      return { text: page, total: text.length, ...(next < text.length ? { next } : {}) }
    }
  }
}
