/**
 * Decodes the bytes of a program's two output streams to text; a character may be split between two pieces.
 */
import type { Backend } from "@sigtrap/manager"
import type { Event } from "@sigtrap/protocol"
import type { OnBytes } from "./Streams.ts"

const newline = 10

const encoder = new TextEncoder()

const startsAt = (bytes: Uint8Array, at: number, text: Uint8Array) =>
  at + text.length <= bytes.length && text.every((byte, index) => bytes[at + index] === byte)

/** The lines that the language's runtime writes to the program's standard error. `last` is the one before the program ends. */
export interface Notices {
  readonly lines: ReadonlyArray<string>
  readonly last?: string
}

/**
 * Removes the notices of the language's runtime from the program's standard error and passes them to `onNotice`. A notice is
 * recognised only if it arrives in one piece, so the program's output is never delayed, and at the start of a line; the last one also at the end
 * of a piece, since the program's own last line may have no end.
 */
export const without = ({ last, lines }: Notices, onBytes: OnBytes, onNotice: (notice: string) => void): OnBytes => {
  const encoded = [...lines, ...(last === undefined ? [] : [last])].map((text) => ({
    text,
    bytes: encoder.encode(text)
  }))
  const ending = encoded.find(({ text }) => text === last)
  let atLineStart = true
  return (channel, received) => {
    if (channel !== "stderr") return onBytes(channel, received)
    const rest = ending === undefined ? -1 : received.length - ending.bytes.length
    const end = ending !== undefined && rest >= 0 && startsAt(received, rest, ending.bytes) ? ending : undefined
    const bytes = end === undefined ? received : received.subarray(0, rest)
    let from = 0
    for (let at = 0; at < bytes.length;) {
      const found = atLineStart ? encoded.find((notice) => startsAt(bytes, at, notice.bytes)) : undefined
      if (found === undefined) {
        const lineEnd = bytes.indexOf(newline, at)
        atLineStart = lineEnd >= 0
        at = lineEnd < 0 ? bytes.length : lineEnd + 1
        continue
      }
      if (at > from) onBytes(channel, bytes.subarray(from, at))
      onNotice(found.text)
      at += found.bytes.length
      from = at
    }
    if (from < bytes.length) onBytes(channel, bytes.subarray(from))
    if (end === undefined) return
    onNotice(end.text)
    atLineStart = true
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

/** Text, and the number of its bytes if bytes that do not encode a character were replaced. */
interface Decoded {
  readonly text: string
  readonly written?: number
}

/** Decodes one stream. */
class Decoder {
  // A byte order mark is output like any other character.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  /** The bytes of a character that is not complete yet. */
  #waiting: ReadonlyArray<number> = []

  /** Returns the text of the bytes. */
  decode(bytes: Uint8Array): Decoded {
    const text = this.#decoder.decode(bytes, { stream: true })
    const end = [...this.#waiting, ...bytes.subarray(-3)].slice(-3)
    return this.#decoded(text, bytes.length, end.slice(end.length - incompleteAt(end)))
  }

  /** Returns the text of the bytes that waited for the rest of their character, and begins anew. */
  end(): Decoded {
    return this.#decoded(this.#decoder.decode(), 0, [])
  }

  #decoded(text: string, length: number, waiting: ReadonlyArray<number>): Decoded {
    const before = this.#waiting
    this.#waiting = waiting
    if (!text.includes("\ufffd")) return { text }
    const written = before.length + length - waiting.length
    return written === encoder.encode(text).length ? { text } : { text, written }
  }
}

/** Emits decoded text; an incomplete character waits for its remaining bytes. */
export const decoders = (emit: Backend.Listener["emit"]): OnBytes => make({ emit }).onBytes

/** True for an event after which the program writes no more. */
const isEnd = ({ _tag }: Event.Event): boolean => _tag === "Exited" || _tag === "Terminated" || _tag === "Lost"

/** The decoders of a program's output, and the listener of its session, which gets the bytes of an incomplete character before the program's end. */
export const make = <Listener extends Pick<Backend.Listener, "emit">>(
  listener: Listener
): { readonly listener: Listener; readonly onBytes: OnBytes } => {
  const decoder = { stdout: new Decoder(), stderr: new Decoder() }
  const emit = (channel: "stdout" | "stderr", decoded: Decoded) => {
    if (decoded.text !== "") listener.emit({ _tag: "Output", channel, ...decoded })
  }
  return {
    listener: {
      ...listener,
      emit: (event: Event.Event) => {
        if (isEnd(event)) {
          emit("stdout", decoder.stdout.end())
          emit("stderr", decoder.stderr.end())
        }
        listener.emit(event)
      }
    },
    onBytes: (channel, bytes) => emit(channel, decoder[channel].decode(bytes))
  }
}
