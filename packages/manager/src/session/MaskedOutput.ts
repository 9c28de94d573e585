/**
 * The output of a session with its secrets masked, also those that are split over entries of one channel.
 *
 * Entries are masked when they are read, in blocks, with the output around each block. A block has a limited size, so that
 * the first page of long output costs no more than any other. A masked entry keeps its size in bytes and its line breaks, so
 * cursors are those of the journal.
 */
import type { Secrets } from "../model/Secrets.ts"
import type { Journal, Recorded } from "./Journal.ts"

/** What a reader of output needs of a journal. */
export type OutputSource = Pick<Journal, "at" | "next" | "oldest"> & {
  /** Returns the entry with a number as the journal has it, for its channel and size; undefined if there is none. */
  readonly unmasked: Journal["at"]
}

/** Entries of a block at most. */
const blockSize = 16
/** Characters of a block at most, except of one that is a single entry. */
const maxCharacters = 65_536
/** Characters of output that are searched before and after a block: a private key of 4096 bits has 3300. */
const around = 4096
/** Entries that are looked at for them. */
const maxEntries = 4096
/** Blocks that are kept. */
const maxBlocks = 8

/** The masked entries of a block. */
interface Block {
  /** The number of the next entry when the block was masked; later output may complete a secret at its end. */
  readonly next: number
  readonly to: number
  readonly entries: ReadonlyMap<number, Recorded>
}

/** Masked output. */
export class MaskedOutput implements OutputSource {
  readonly #journal: Journal
  readonly #secrets: Secrets
  readonly #blocks = new Map<number, Block>()

  constructor(journal: Journal, secrets: Secrets) {
    this.#journal = journal
    this.#secrets = secrets
  }

  /** Number of the next event. */
  get next(): number {
    return this.#journal.next
  }

  /** Number of the oldest event that is kept. */
  get oldest(): number {
    return this.#journal.oldest
  }

  /** Returns the entry with a number, masked; undefined if there is none. */
  at(seq: number): Recorded | undefined {
    const entry = this.#journal.at(seq)
    return entry?.event._tag === "Output" ? (this.#block(seq).get(seq) ?? entry) : entry
  }

  /** Returns the entry with a number, not masked. */
  unmasked(seq: number): Recorded | undefined {
    return this.#journal.at(seq)
  }

  /** Returns the masked entries of the block of an entry. */
  #block(seq: number): ReadonlyMap<number, Recorded> {
    const [from, to] = this.#bounds(seq)
    const known = this.#blocks.get(from)
    const { next } = this.#journal
    if (known !== undefined && known.to === to && (known.next === next || known.next > to + maxEntries)) {
      return known.entries
    }
    const entries = this.#masked(from, to)
    this.#blocks.delete(from)
    this.#blocks.set(from, { next, to, entries })
    for (const [oldest] of this.#blocks) if (this.#blocks.size > maxBlocks) this.#blocks.delete(oldest)
    return entries
  }

  /** Returns the first number of an entry's block, and the number after it. Blocks do not depend on the entry that is read. */
  #bounds(seq: number): readonly [from: number, to: number] {
    const end = (Math.floor(seq / blockSize) + 1) * blockSize
    let from = end - blockSize
    let length = 0
    for (let at = from; at < end; at++) {
      const own = textOf(this.#journal.at(at)).length
      if (at > from && length + own > maxCharacters) {
        if (at > seq) return [from, at]
        from = at
        length = 0
      }
      length += own
    }
    return [from, end]
  }

  /** Returns the entries from `from` up to `to` that have secrets, masked. */
  #masked(from: number, to: number): ReadonlyMap<number, Recorded> {
    const channels = new Map<string, Array<Recorded>>()
    for (let seq = from; seq < to; seq++) {
      const entry = this.#journal.at(seq)
      if (entry?.event._tag !== "Output") continue
      const { channel } = entry.event
      channels.set(channel, [...(channels.get(channel) ?? []), entry])
    }
    const masked = new Map<number, Recorded>()
    for (const [channel, entries] of channels) {
      const texts = entries.map(textOf)
      const shown = this.#secrets.inPieces(texts, this.#near(channel, from - 1, -1), this.#near(channel, to, 1))
      for (const [index, entry] of entries.entries()) {
        const text = shown[index]
        if (entry.event._tag !== "Output" || text === undefined || text === texts[index]) continue
        masked.set(entry.seq, { ...entry, event: { ...entry.event, text } })
      }
    }
    return masked
  }

  /** Returns output of a channel before (`step` -1) or after an entry. */
  #near(channel: string, start: number, step: 1 | -1): string {
    const texts: Array<string> = []
    let length = 0
    for (let count = 0; count < maxEntries && length < around; count++) {
      const seq = start + count * step
      if (seq < this.#journal.oldest || seq >= this.#journal.next) break
      const entry = this.#journal.at(seq)
      if (entry?.event._tag !== "Output" || entry.event.channel !== channel) continue
      const text = step === 1 ? entry.event.text.slice(0, around) : entry.event.text.slice(-around)
      texts.push(text)
      length += text.length
    }
    return (step === 1 ? texts : texts.toReversed()).join("")
  }
}

const textOf = (entry: Recorded | undefined): string => (entry?.event._tag === "Output" ? entry.event.text : "")
