/**
 * Entry of the command line as a script: the thin client over `node:net`. The rest of the program and the servers are other
 * bundles, imported by a path that is computed at run time so that the bundler leaves them out.
 */
import { createConnection } from "node:net"
import { dirname, join } from "node:path"
import type * as ServerEntry from "@sigtrap/host/ServerEntry"
import { type Full, run, type World } from "./thin/ThinClient.ts"

const here = import.meta.filename
const folder = dirname(here)
const fromSources = here.endsWith(".ts")

const dial: World["dial"] = (path, listener) =>
  new Promise((resolve) => {
    const socket = createConnection(path)
    socket.setEncoding("utf8")
    socket.on("data", (text) => listener.text(String(text)))
    socket.once("error", () => resolve(undefined))
    socket.once("connect", () => {
      socket.removeAllListeners("error")
      socket.on("error", () => {})
      socket.once("close", listener.closed)
      resolve({ send: (text) => socket.write(text) })
    })
  })

const loadFull = async (): Promise<Full> => {
  const CompileCache = await import("@sigtrap/host/runtime/CompileCache")
  CompileCache.enable()
  const rest = join(folder, fromSources ? "daemon.ts" : "daemon.mjs")
  const loaded: { readonly full: Full } = await import(`file://${encodeURI(rest)}`)
  return loaded.full
}

void run(process.argv.slice(2), {
  dial,
  full: loadFull,
  server: async (name) => {
    const { [name]: path } = fromSources
      ? { mcp: "../../mcp/src/main.ts", serve: "../../http/src/main.ts" }
      : { mcp: "mcp.mjs", serve: "http.mjs" }
    const loaded: { readonly run: ServerEntry.Run } = await import(`file://${encodeURI(join(folder, path))}`)
    return loaded.run
  },
  self: async () => {
    const command = (await import("@sigtrap/host/daemon/Launcher")).scriptCommand(here)
    // Sources need the options of this process, which name the condition that finds the sources of packages.
    return command !== undefined && fromSources ? { ...command, args: [...process.execArgv, here] } : command
  }
})
