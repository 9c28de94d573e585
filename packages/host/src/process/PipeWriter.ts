/**
 * Writes to a named pipe without blocking the event loop; if the pipe is full, writes wait in order.
 *
 * A reader sees the end of file when the last writer closes, and the data in the pipe is lost when no process has it
 * open. So `end` closes the pipe only when it has a reader: if it has none, a blocking open in the background completes
 * when one opens the pipe.
 */
import { closeSync, constants, open, openSync, writeSync } from "node:fs"
import { Socket } from "node:net"
import { openDescriptor, wouldBlock } from "./PipeReader.ts"

/** A writer of one pipe. */
export interface PipeWriter {
  /** Resolves when all bytes are in the pipe. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Ends the file after everything written so far. Does not wait for a reader. */
  readonly end: () => Promise<void>
  readonly close: () => Promise<void>
}

interface Sink {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Closes the pipe and drops pending writes. */
  readonly close: () => Promise<void>
}

const sinkNode = (path: string): Sink => {
  const socket = new Socket({ fd: openDescriptor(path), readable: false, writable: true })
  // Each write reports its failure; an error event without a listener would end the process.
  socket.on("error", () => {})
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error === null || error === undefined ? resolve() : reject(error)))
      }),
    close: () =>
      new Promise((resolve) => {
        if (socket.closed) return resolve()
        socket.once("close", () => resolve())
        socket.destroy()
      })
  }
}

/**
 * Writes what fits and polls for the rest, at intervals that grow to 20 ms. For Bun, whose writer keeps a pipe open after
 * its end, and for Deno, which cannot wait for a pipe.
 */
const sinkByPolling = (path: string): Sink => {
  const descriptor = openDescriptor(path)
  let closed = false
  const write = async (bytes: Uint8Array) => {
    for (let done = 0, pause = 1; done < bytes.length;) {
      if (closed) throw new Error("the pipe is closed")
      try {
        done += writeSync(descriptor, bytes, done, Math.min(bytes.length - done, 4096))
        pause = 1
      } catch (error) {
        if (!wouldBlock(error)) throw error
        await new Promise((resolve) => setTimeout(resolve, pause))
        pause = Math.min(pause * 2, 20)
      }
    }
  }
  return {
    write,
    close: async () => {
      if (!closed) closeSync(descriptor)
      closed = true
    }
  }
}

const sink = process.versions["bun"] !== undefined || process.versions["deno"] !== undefined ? sinkByPolling : sinkNode

/** Resolves to a descriptor when a reader opens the pipe; `cancel` ends the wait. */
const awaitReader = (path: string) => {
  const opened = new Promise<number | undefined>((resolve) =>
    open(path, constants.O_WRONLY, (error, descriptor) => resolve(error === null ? descriptor : undefined))
  )
  const cancel = async () => {
    // Opens the pipe for reading until the blocking open has completed.
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    await opened
    closeSync(reader)
  }
  return { opened, cancel }
}

const hasReader = (path: string): boolean => {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch {
    return false
  }
}

/** Opens the writing side of a pipe. */
export const make = (path: string): PipeWriter => {
  const out = sink(path)
  let queue: Promise<unknown> = Promise.resolve()
  let state: "open" | "ended" | "closed" = "open"
  let cancel = async () => {}
  const closeAfterReader = async () => {
    // Keeps the data in the pipe while it has no reader.
    const keeper = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    await out.close()
    if (state === "closed" || hasReader(path)) return closeSync(keeper)
    const reader = awaitReader(path)
    let waiting = true
    cancel = () => (waiting ? reader.cancel() : Promise.resolve())
    void reader.opened.then((descriptor) => {
      waiting = false
      closeSync(keeper)
      if (descriptor !== undefined) closeSync(descriptor)
    })
  }
  return {
    write: (bytes) => {
      if (state !== "open") return Promise.reject(new Error("the program's input is closed"))
      const written = queue.then(() => out.write(bytes))
      queue = written.catch(() => {})
      return written
    },
    end: async () => {
      if (state !== "open") return
      state = "ended"
      queue = queue.then(closeAfterReader)
      await queue
    },
    close: async () => {
      state = "closed"
      await out.close()
      await queue.catch(() => {})
      await cancel()
    }
  }
}
