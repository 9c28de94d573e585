/**
 * Decodes the bytes of a program's two output streams to text; a character may be split between two pieces.
 */
import type { Backend } from "@sigtrap/manager"
import type { OnBytes } from "./Streams.ts"

const newline = 10

const encoder = new TextEncoder()

const startsAt = (bytes: Uint8Array, at: number, text: Uint8Array) =>
  at + text.length <= bytes.length && text.every((byte, index) => bytes[at + index] === byte)

/**
 * Removes the notices of the language's runtime from the program's standard error and passes them to `onNotice`. A notice is
 * recognised only at the start of a line and if it arrives in one piece, so the program's output is never delayed.
 */
export const without = (
  notices: ReadonlyArray<string>,
  onBytes: OnBytes,
  onNotice: (notice: string) => void
): OnBytes => {
  const encoded = notices.map((text) => ({ text, bytes: encoder.encode(text) }))
  let atLineStart = true
  return (channel, bytes) => {
    if (channel !== "stderr") return onBytes(channel, bytes)
    let from = 0
    for (let at = 0; at < bytes.length;) {
      const found = atLineStart ? encoded.find((notice) => startsAt(bytes, at, notice.bytes)) : undefined
      if (found === undefined) {
        const end = bytes.indexOf(newline, at)
        atLineStart = end >= 0
        at = end < 0 ? bytes.length : end + 1
        continue
      }
      if (at > from) onBytes(channel, bytes.subarray(from, at))
      onNotice(found.text)
      at += found.bytes.length
      from = at
    }
    if (from < bytes.length) onBytes(channel, bytes.subarray(from))
  }
}

/** The bounds of the second byte after these first bytes; 0x80 to 0xbf after others (Unicode, table 3-7). */
const seconds: { readonly [first: number]: readonly [from: number, to: number] } = {
  0xe0: [0xa0, 0xbf],
  0xed: [0x80, 0x9f],
  0xf0: [0x90, 0xbf],
  0xf4: [0x80, 0x8f]
}

/** Returns the number of bytes of an incomplete character at the end. */
const incompleteAt = (bytes: ReadonlyArray<number>): number => {
  for (const back of [1, 2, 3]) {
    const byte = bytes.at(-back) ?? 0
    if (byte >= 0x80 && byte < 0xc0) continue
    const length = byte < 0xc2 || byte > 0xf4 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    const [from, to] = seconds[byte] ?? [0x80, 0xbf]
    const second = back === 1 ? from : (bytes.at(1 - back) ?? 0)
    return length > back && second >= from && second <= to ? back : 0
  }
  return 0
}

/** Decodes one stream. */
class Decoder {
  readonly #decoder = new TextDecoder()
  /** The bytes of a character that is not complete yet. */
  #waiting: ReadonlyArray<number> = []

  /** Returns the text of the bytes, and their number if bytes that do not encode a character were replaced. */
  decode(bytes: Uint8Array): { readonly text: string; readonly written?: number } {
    const text = this.#decoder.decode(bytes, { stream: true })
    const before = this.#waiting
    const end = [...before, ...bytes.subarray(-3)].slice(-3)
    this.#waiting = end.slice(end.length - incompleteAt(end))
    if (!text.includes("\ufffd")) return { text }
    const written = before.length + bytes.length - this.#waiting.length
    return written === encoder.encode(text).length ? { text } : { text, written }
  }
}

/** Emits decoded text; an incomplete character waits for its remaining bytes. */
export const decoders = (emit: Backend.Listener["emit"]): OnBytes => {
  const decoder = { stdout: new Decoder(), stderr: new Decoder() }
  return (channel, bytes) => {
    const decoded = decoder[channel].decode(bytes)
    if (decoded.text !== "") emit({ _tag: "Output", channel, ...decoded })
  }
}
