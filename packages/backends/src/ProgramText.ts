/**
 * What a program writes as text: bytes of its two streams, decoded across the borders of their pieces.
 */
import type { Backend } from "@sigtrap/manager"
import type { OnBytes } from "./ProgramStreams.ts"

/** Emits what is decoded; a character that is not complete waits for its rest. */
export const decoders = (emit: Backend.Listener["emit"]): OnBytes => {
  const stdout = new TextDecoder()
  const stderr = new TextDecoder()
  return (channel, bytes) => {
    const text = (channel === "stdout" ? stdout : stderr).decode(bytes, { stream: true })
    if (text !== "") emit({ _tag: "Output", channel, text })
  }
}
