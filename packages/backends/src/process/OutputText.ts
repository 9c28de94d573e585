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

/** Emits decoded text; an incomplete character waits for its remaining bytes. */
export const decoders = (emit: Backend.Listener["emit"]): OnBytes => {
  const stdout = new TextDecoder()
  const stderr = new TextDecoder()
  return (channel, bytes) => {
    const text = (channel === "stdout" ? stdout : stderr).decode(bytes, { stream: true })
    if (text !== "") emit({ _tag: "Output", channel, text })
  }
}
