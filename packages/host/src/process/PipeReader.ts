/**
 * Reads a named pipe without ever blocking, and to the last byte on demand.
 *
 * Two descriptors of the same pipe: one belongs to the runtime, which waits on it and hands over what arrives; the
 * other is ours, for `drain`. Bytes are delivered in the same turn of the loop in which they were read, so that what
 * `drain` reads is always later. Node waits through a socket with a fixed buffer; Bun through the stream of a file, which
 * for a pipe waits on the same loop. Deno can wait on neither, so there the pipe is looked at again and again, at
 * distances that grow to 20 ms while it is silent.
 */
import { closeSync, constants, openSync, readSync } from "node:fs"
import { Socket } from "node:net"

/** A pipe that is being read. */
export interface PipeReader {
  /** Delivers everything that is in the pipe now. */
  readonly drain: () => void
  readonly close: () => Promise<void>
}

type OnBytes = (bytes: Uint8Array) => void

const CHUNK = 64 * 1024

/** Opens a pipe so that neither this nor any read waits. */
export const openDescriptor = (path: string): number => openSync(path, constants.O_RDWR | constants.O_NONBLOCK)

/** Whether a read or write found the pipe empty or full. */
export const wouldBlock = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "EAGAIN"

/** Reads until the pipe is empty; whether anything was there. */
const drain = (descriptor: number, buffer: Uint8Array, onBytes: OnBytes): boolean => {
  for (let any = false; ; any = true) {
    let count
    try {
      count = readSync(descriptor, buffer, 0, buffer.length, null)
    } catch (error) {
      if (wouldBlock(error)) return any
      throw error
    }
    if (count === 0) return any
    onBytes(buffer.subarray(0, count))
  }
}

/** Starts waiting on a pipe; the result stops it. */
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

const watchByLooking: Watch = (path, onBytes) => {
  const descriptor = openDescriptor(path)
  const buffer = new Uint8Array(CHUNK)
  let pause = 1
  let timer: ReturnType<typeof setTimeout>
  const look = () => {
    pause = drain(descriptor, buffer, onBytes) ? 0 : Math.min(pause * 2 + 1, 20)
    timer = setTimeout(look, pause)
  }
  timer = setTimeout(look, 0)
  return async () => {
    clearTimeout(timer)
    closeSync(descriptor)
  }
}

const watch: Watch =
  process.versions["bun"] !== undefined ? watchBun : process.versions["deno"] !== undefined ? watchByLooking : watchNode

/** Reads a pipe from now on; `onBytes` is called synchronously and may not keep the array. */
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
