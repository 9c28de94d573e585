/**
 * Entry of the compiled executable: the thin client over Bun's socket, which starts faster than its `node:net`. The rest of
 * the program is in the same file.
 */
import * as AnswerFile from "@sigtrap/host/runtime/AnswerFile"
import { run, type World } from "./thin/ThinClient.ts"

const dial: World["dial"] = async (path, listener) => {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let unsent: Array<Uint8Array> = []
  try {
    const socket = await Bun.connect({
      unix: path,
      socket: {
        data: (_, bytes) => listener.text(decoder.decode(bytes, { stream: true })),
        close: listener.closed,
        error: listener.closed,
        drain: () => flush()
      }
    })
    const flush = () => {
      for (let bytes = unsent.shift(); bytes !== undefined; bytes = unsent.shift()) {
        const sent = socket.write(bytes)
        if (sent < bytes.length) {
          unsent = [bytes.subarray(Math.max(sent, 0)), ...unsent]
          return
        }
      }
    }
    return {
      send: (text) => {
        unsent.push(encoder.encode(text))
        if (unsent.length === 1) flush()
      }
    }
  } catch {
    return undefined
  }
}

void run(process.argv.slice(2), {
  dial,
  answers: AnswerFile.inExecutable("answers.bin"),
  full: async () => (await import("./daemon.ts")).full,
  server: async (name) =>
    name === "mcp"
      ? (await import("@sigtrap/mcp/start/Start")).make({
          answers: AnswerFile.inExecutable("mcp.bin"),
          load: () => import("@sigtrap/mcp/Program")
        })
      : (await import("@sigtrap/http/main")).run,
  self: async () => ({ program: process.execPath, args: [] })
})
