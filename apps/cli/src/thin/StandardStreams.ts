/**
 * Writes to stdout and stderr by their descriptors: creating Node's stream objects takes longer than a whole command. The
 * stream objects are used only for a non-blocking descriptor that is full. If the reader closes its end, as `head` does,
 * the process exits as SIGPIPE would end it. If the text cannot be written, as on a full disk, it exits with 1.
 */
import { fstatSync, statSync, writeSync } from "node:fs"

/** Exit code after SIGPIPE. */
const readerClosed = 141

/** Returns whether a descriptor is a terminal. Loads Node's terminal module only for character devices other than the null device. */
export const isTerminal = (descriptor: 1 | 2): boolean => {
  try {
    const output = fstatSync(descriptor)
    if (!output.isCharacterDevice() || output.rdev === statSync("/dev/null").rdev) return false
  } catch {
    return false
  }
  return (descriptor === 1 ? process.stdout : process.stderr).isTTY === true
}

/** Returns the device number of the terminal on the standard input, if there is one, and the pid of the parent process. */
export const origin = (): { readonly device?: number; readonly parent: number } => {
  const parent = process.ppid
  try {
    const input = fstatSync(0)
    // The null device is a character device, too; a major number below 4 is not a terminal.
    const isTerminal = input.isCharacterDevice() && (process.platform !== "linux" || ((input.rdev >>> 8) & 0xfff) >= 4)
    return isTerminal ? { device: input.rdev, parent } : { parent }
  } catch {
    return { parent }
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/**
 * Returns the exit code of a command whose answer cannot be written: that of SIGPIPE if the reader closed its end, else 1. Prints the
 * reason of the latter, such as a full disk.
 */
export const unwritten = (error: unknown): number => {
  if (codeOf(error) === "EPIPE") return readerClosed
  try {
    const reason = error instanceof Error ? error.message : String(error)
    writeSync(2, `error: the answer was not written: ${reason}\n`)
  } catch {
    // The error output cannot be written either.
  }
  return 1
}

/** Texts that a stream object has not written yet. */
let pending = 0
let onIdle: (() => void) | undefined

const writeByStream = (stream: "Stdout" | "Stderr", bytes: Uint8Array, done: () => void): void => {
  pending += 1
  const target = stream === "Stdout" ? process.stdout : process.stderr
  if (target.listenerCount("error") === 0) target.on("error", (error) => process.exit(unwritten(error)))
  target.write(bytes, () => {
    pending -= 1
    done()
    if (pending === 0) onIdle?.()
  })
}

/** Writes to a stream and calls `done` when all of the text is written. */
export const write = (stream: "Stdout" | "Stderr", text: string, done: () => void = () => {}): void => {
  let bytes = new TextEncoder().encode(text)
  // Pending texts are written first.
  if (pending > 0) return writeByStream(stream, bytes, done)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(stream === "Stdout" ? 1 : 2, bytes))
    } catch (error) {
      if (codeOf(error) === "EAGAIN") return writeByStream(stream, bytes, done)
      process.exit(unwritten(error))
    }
  }
  done()
}

/** Exits when all texts are written. */
export const exit = (status: number): void => {
  if (pending === 0) process.exit(status)
  onIdle = () => process.exit(status)
}
