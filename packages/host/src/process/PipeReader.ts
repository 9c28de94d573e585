/**
 * Reads a named pipe without blocking. `drain` reads what is in it, up to a limit, so that it ends while a program still writes.
 *
 * The pipe is opened twice: the runtime waits for data on one descriptor, `drain` reads from the other. Bytes are
 * delivered in the event loop turn in which they are read, so that those of `drain` always come later. Node waits with a
 * socket and a fixed buffer, Bun with the stream of a file, which uses the event loop for a pipe. Deno supports neither:
 * there the pipe is polled, at intervals that grow to 20 ms while it is empty.
 */
import { closeSync, constants, openSync, readSync } from "node:fs"
import { Socket } from "node:net"

/** A reader of one pipe. */
export interface PipeReader {
  /** Reads and delivers everything that is in the pipe now, at most 1 MiB. */
  readonly drain: () => void
  readonly close: () => Promise<void>
}

type OnBytes = (bytes: Uint8Array) => void

/**
 * Bytes of one read. It is more than a pipe holds, so that no read fills it: libuv reads again, up to 32 times in one turn of the loop,
 * after a read that filled its buffer (`uv__read`), and other clients would wait for all of them.
 */
const CHUNK = 68 * 1024

/**
 * Bytes that `drain` reads at most: the most that a pipe holds for a program without privileges (pipe(7), `pipe-max-size`). A pipe has
 * 64 KiB unless the program asks for more. A program that writes as fast as it is read would otherwise keep `drain` from ending.
 */
const most = 1024 * 1024

/** Opens a pipe for reading and writing, without blocking. */
export const openDescriptor = (path: string): number => openSync(path, constants.O_RDWR | constants.O_NONBLOCK)

/** Returns whether a read or write failed because the pipe is empty or full (EAGAIN). */
export const wouldBlock = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "EAGAIN"

/** Reads until the pipe is empty or at least `limit` bytes are read; returns whether it had data. */
const drain = (descriptor: number, buffer: Uint8Array, onBytes: OnBytes, limit = most): boolean => {
  let read = 0
  while (read < limit) {
    let count
    try {
      count = readSync(descriptor, buffer, 0, buffer.length, null)
    } catch (error) {
      if (wouldBlock(error)) break
      throw error
    }
    if (count === 0) break
    read += count
    onBytes(buffer.subarray(0, count))
  }
  return read > 0
}

/** Starts to wait for data in a pipe; returns the function that stops it. */
type Watch = (path: string, onBytes: OnBytes) => () => Promise<void>

const watchNode: Watch = (path, onBytes) => {
  const socket = new Socket({
    fd: openDescriptor(path),
    readable: true,
    writable: false,
    onread: {
      buffer: new Uint8Array(CHUNK),
      callback: (count, buffer) => {
        onBytes(buffer.subarray(0, count))
        return true
      }
    }
  })
  socket.resume()
  return () =>
    new Promise((resolve) => {
      socket.once("close", () => resolve())
      socket.destroy()
    })
}

const watchBun: Watch = (path, onBytes) => {
  const descriptor = openDescriptor(path)
  const reader = Bun.file(descriptor).stream().getReader()
  const pump = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes(value)
    }
  }
  const pumping = pump()
  return async () => {
    await reader.cancel()
    await pumping
    closeSync(descriptor)
  }
}

const watchByPolling: Watch = (path, onBytes) => {
  const descriptor = openDescriptor(path)
  const buffer = new Uint8Array(CHUNK)
  let pause = 1
  let timer: ReturnType<typeof setTimeout>
  const poll = () => {
    // One read in a turn of the loop: the other clients have their turns between two of them.
    pause = drain(descriptor, buffer, onBytes, 1) ? 0 : Math.min(pause * 2 + 1, 20)
    timer = setTimeout(poll, pause)
  }
  timer = setTimeout(poll, 0)
  return async () => {
    clearTimeout(timer)
    closeSync(descriptor)
  }
}

const watch: Watch =
  process.versions["bun"] !== undefined ? watchBun : process.versions["deno"] !== undefined ? watchByPolling : watchNode

/** Starts to read a pipe; `onBytes` is called synchronously and must not keep the array. */
export const make = (path: string, onBytes: OnBytes): PipeReader => {
  const descriptor = openDescriptor(path)
  const buffer = new Uint8Array(CHUNK)
  const unwatch = watch(path, onBytes)
  return {
    drain: () => void drain(descriptor, buffer, onBytes),
    close: async () => {
      await unwatch()
      closeSync(descriptor)
    }
  }
}
