/**
 * The output of a session with its secrets masked, also those that are split over entries of one channel.
 *
 * Entries are masked when they are read, in blocks, with the output around each block. A block has a limited size, so that
 * the first page of long output costs no more than any other. A masked entry keeps its size in bytes and its line breaks, so
 * cursors are those of the journal. Blocks are of positions in the queue of output, so that other events between two pieces change nothing.
 */
import type { Secrets } from "../../model/secrets/Secrets.ts"
import type { EntryQueue, Recorded } from "./EntryQueue.ts"
import type { Journal } from "./Journal.ts"

/** What a reader of output needs of a journal. `output` has the pieces as the journal has them, for their channel and size. */
export type OutputSource = Pick<Journal, "at" | "before" | "next" | "output" | "outputDroppedSince">

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
  /** The position after the newest output when the block was masked; later output may complete a secret at its end. */
  readonly end: number
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

  /** The pieces of output, not masked. */
  get output(): EntryQueue {
    return this.#journal.output
  }

  /** Returns the entry with a number, masked; undefined if there is none. */
  at(seq: number): Recorded | undefined {
    const entry = this.#journal.at(seq)
    if (entry?.event._tag !== "Output") return entry
    return this.#block(this.output.positionOf(seq)).get(seq) ?? entry
  }

  /** Iterates over the entries before `seq`, the newest first, masked. */
  *before(seq: number): Generator<Recorded> {
    for (const entry of this.#journal.before(seq)) yield this.at(entry.seq) ?? entry
  }

  /** Returns how many pieces of output from `seq` on were dropped. */
  outputDroppedSince(seq: number): number {
    return this.#journal.outputDroppedSince(seq)
  }

  /** Returns the masked entries of the block of an entry. */
  #block(position: number): ReadonlyMap<number, Recorded> {
    const [from, to] = this.#bounds(position)
    const known = this.#blocks.get(from)
    const { end } = this.output
    if (known !== undefined && known.to === to && (known.end === end || known.end > to + maxEntries)) {
      return known.entries
    }
    const entries = this.#masked(from, to)
    this.#blocks.delete(from)
    this.#blocks.set(from, { end, to, entries })
    for (const [oldest] of this.#blocks) if (this.#blocks.size > maxBlocks) this.#blocks.delete(oldest)
    return entries
  }

  /** Returns the first position of an entry's block, and the one after it. Blocks do not depend on the entry that is read. */
  #bounds(position: number): readonly [from: number, to: number] {
    const end = (Math.floor(position / blockSize) + 1) * blockSize
    let from = end - blockSize
    let length = 0
    for (let at = from; at < end; at++) {
      const own = textOf(this.output.get(at)).length
      if (at > from && length + own > maxCharacters) {
        if (at > position) return [from, at]
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
    for (let position = from; position < to; position++) {
      const entry = this.output.get(position)
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
      const entry = this.output.get(start + count * step)
      if (entry === undefined) break
      if (entry.event._tag !== "Output" || entry.event.channel !== channel) continue
      const text = step === 1 ? entry.event.text.slice(0, around) : entry.event.text.slice(-around)
      texts.push(text)
      length += text.length
    }
    return (step === 1 ? texts : texts.toReversed()).join("")
  }
}

const textOf = (entry: Recorded | undefined): string => (entry?.event._tag === "Output" ? entry.event.text : "")
