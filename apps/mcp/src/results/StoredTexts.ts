/**
 * Texts that were too long for one answer, for as long as somebody may want to read on: the newest ones, by number. What
 * is forgotten is said to be, and the call can be made again.
 */

/** Texts of a server. */
export interface Kept {
  /** Keeps a text; the number under which it is read. */
  readonly keep: (text: string) => number
  /** A page of a text from a place on, and where the next one begins; nothing when the text is not there any more. */
  readonly page: (id: number, from: number) => Page | undefined
}

/** A page of a text. Places count characters. */
interface Page {
  readonly text: string
  readonly total: number
  readonly next?: number
}

/** How many texts are kept, and how many characters in all. */
const limits = { texts: 16, characters: 4_194_304 }

const encoder = new TextEncoder()

/** The longest beginning of a text that has at most so many bytes, up to the end of a line when there is one. */
export const beginning = (text: string, most: number): string => {
  if (encoder.encode(text).length <= most) return text
  let cut = text.slice(0, most)
  while (encoder.encode(cut).length > most) cut = cut.slice(0, cut.length - Math.ceil((cut.length || 1) / 20))
  const line = cut.lastIndexOf("\n")
  const whole = line > cut.length / 2 ? cut.slice(0, line + 1) : cut
  return /[\ud800-\udbff]$/.test(whole) ? whole.slice(0, -1) : whole
}

/** Most bytes of a page. */
const pageLimit = 1780

/** The texts of one server. */
export const make = (): Kept => {
  const texts = new Map<number, string>()
  let last = 0
  const size = () => [...texts.values()].reduce((sum, text) => sum + text.length, 0)
  return {
    keep: (text) => {
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
