/**
 * Our own two streams, written straight to their descriptors: making Node's stream objects costs a thin client more than
 * its whole conversation. Only a descriptor that is not ready (somebody made it non-blocking) falls back to them. A
 * reader that went away, as `head` does, ends the program as the signal would.
 */
import { fstatSync, writeSync } from "node:fs"

const WENT_AWAY = 141

/** Whether a descriptor is a terminal. Most are plainly not, and those need no module for terminals. */
export const isTerminal = (descriptor: 1 | 2): boolean => {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false
  } catch {
    return false
  }
  return (descriptor === 1 ? process.stdout : process.stderr).isTTY === true
}

const code = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

let waiting = 0
let onIdle: (() => void) | undefined

const later = (stream: "Stdout" | "Stderr", bytes: Uint8Array, done: () => void): void => {
  waiting += 1
  const target = stream === "Stdout" ? process.stdout : process.stderr
  if (target.listenerCount("error") === 0) target.on("error", () => process.exit(WENT_AWAY))
  target.write(bytes, () => {
    waiting -= 1
    done()
    if (waiting === 0) onIdle?.()
  })
}

/** Writes to one of our streams; calls back once the system has taken all of it. */
export const write = (stream: "Stdout" | "Stderr", text: string, done: () => void = () => {}): void => {
  let bytes = new TextEncoder().encode(text)
  // What waits already goes first.
  if (waiting > 0) return later(stream, bytes, done)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(stream === "Stdout" ? 1 : 2, bytes))
    } catch (error) {
      if (code(error) === "EAGAIN") return later(stream, bytes, done)
      process.exit(WENT_AWAY)
    }
  }
  done()
}

/** Ends the process once everything written is taken. */
export const exit = (status: number): void => {
  if (waiting === 0) process.exit(status)
  onIdle = () => process.exit(status)
}
