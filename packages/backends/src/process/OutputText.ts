/**
 * What a program writes as text: bytes of its two streams, decoded across the borders of their pieces.
 */
import type { Backend } from "@sigtrap/manager"
import type { OnBytes } from "./Streams.ts"

const newline = 10

const encoder = new TextEncoder()

const startsAt = (bytes: Uint8Array, at: number, text: Uint8Array) =>
  at + text.length <= bytes.length && text.every((byte, index) => bytes[at + index] === byte)

/**
 * Takes out of the program's standard error what its runtime writes there because it is debugged, line by line; it is
 * handed to `taken`. Only what comes in one piece is known: nothing of the program is ever held back.
 */
export const without = (notices: ReadonlyArray<string>, onBytes: OnBytes, taken: (notice: string) => void): OnBytes => {
  const known = notices.map((text) => ({ text, bytes: encoder.encode(text) }))
  let fresh = true
  return (channel, bytes) => {
    if (channel !== "stderr") return onBytes(channel, bytes)
    let from = 0
    for (let at = 0; at < bytes.length;) {
      const found = fresh ? known.find((notice) => startsAt(bytes, at, notice.bytes)) : undefined
      if (found === undefined) {
        const end = bytes.indexOf(newline, at)
        fresh = end >= 0
        at = end < 0 ? bytes.length : end + 1
        continue
      }
      if (at > from) onBytes(channel, bytes.subarray(from, at))
      taken(found.text)
      at += found.bytes.length
      from = at
    }
    if (from < bytes.length) onBytes(channel, bytes.subarray(from))
  }
}

/** Emits what is decoded; a character that is not complete waits for its rest. */
export const decoders = (emit: Backend.Listener["emit"]): OnBytes => {
  const stdout = new TextDecoder()
  const stderr = new TextDecoder()
  return (channel, bytes) => {
    const text = (channel === "stdout" ? stdout : stderr).decode(bytes, { stream: true })
    if (text !== "") emit({ _tag: "Output", channel, text })
  }
}
