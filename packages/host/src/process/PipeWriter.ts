/**
 * Writes to a named pipe without ever blocking the loop; a full pipe makes the writer wait, in order.
 *
 * The end of file needs care. A reader sees it when the last writer closes, and what is still in the pipe is lost when
 * nobody has it open. So `end` closes our side only once a reader is there: if none is, a blocking open in the
 * background, which the system completes when one comes, says when.
 */
import { closeSync, constants, open, openSync, writeSync } from "node:fs"
import { Socket } from "node:net"
import { openDescriptor, wouldBlock } from "./PipeReader.ts"

/** A pipe that is being written. */
export interface PipeWriter {
  /** Completes when the pipe has taken every byte. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** End of file, after everything written so far. Does not wait for a reader. */
  readonly end: () => Promise<void>
  readonly close: () => Promise<void>
}

interface Sink {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Lets go of the pipe, whatever is still waiting. */
  readonly close: () => Promise<void>
}

const sinkNode = (path: string): Sink => {
  const socket = new Socket({ fd: openDescriptor(path), readable: false, writable: true })
  // Each write reports its own failure; without a listener the event would end the process.
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

/** Writes what fits and comes back for the rest, at distances up to 20 ms: for Bun, whose writer keeps a pipe open after
 * its end, and Deno, which cannot wait on one. */
const sinkByLooking = (path: string): Sink => {
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

const sink = process.versions["bun"] !== undefined || process.versions["deno"] !== undefined ? sinkByLooking : sinkNode

/** Completes with a descriptor once somebody reads the pipe; `cancel` makes it complete soon. */
const awaitReader = (path: string) => {
  const opened = new Promise<number | undefined>((resolve) =>
    open(path, constants.O_WRONLY, (error, descriptor) => resolve(error === null ? descriptor : undefined))
  )
  const cancel = async () => {
    // A reader of our own, kept until the other open has seen it.
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
  const letGo = async () => {
    // Keeps the bytes in the pipe alive while nobody reads.
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
      queue = queue.then(letGo)
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
