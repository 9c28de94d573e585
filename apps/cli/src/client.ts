/**
 * The rest of the thin client, which `main` loads for the command lines that it does not run itself: over Node's pipes, or over `node:net`
 * where it lacks them. The rest of the program and the servers are other bundles, imported by a path that is computed at run time so that
 * the bundler leaves them out.
 */
import { dirname, join } from "node:path"
import type * as ServerEntry from "@sigtrap/host/ServerEntry"
import type * as McpMain from "@sigtrap/mcp/main"
import * as LoadedDaemon from "./thin/LoadedDaemon.ts"
import * as PipeDial from "./thin/PipeDial.ts"
import type { Rest } from "./thin/PlainCommand.ts"
import * as ThinClient from "./thin/ThinClient.ts"

const here = import.meta.filename
const folder = dirname(here)
const fromSources = here.endsWith(".ts")
/** The script that starts this program. */
const script = join(folder, fromSources ? "main.ts" : "sigtrap.js")

/** Connects by `node:net`, whose modules take four milliseconds to load. */
const dialByNet: ThinClient.World["dial"] = async (path, listener) => {
  // Node 22 has this function, which does not load the machinery of `import()`.
  const { createConnection } = process.getBuiltinModule?.("node:net") ?? (await import("node:net"))
  return new Promise((resolve) => {
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
}

const dial: ThinClient.World["dial"] = (path, listener) => PipeDial.dial(path, listener) ?? dialByNet(path, listener)

const loadFull = async (): Promise<ThinClient.Full> => {
  const CompileCache = await import("@sigtrap/host/runtime/CompileCache")
  CompileCache.enable()
  const rest = join(folder, fromSources ? "daemon.ts" : "daemon.mjs")
  const loaded: { readonly full: ThinClient.Full } = await LoadedDaemon.load(rest)
  return loaded.full
}

const world: ThinClient.World = {
  dial,
  answers: fromSources ? undefined : join(folder, "answers.bin"),
  full: loadFull,
  server: async (name) => {
    // The start of the MCP server answers its client before anything else is loaded; `import()` would take as long as that.
    if (name === "mcp" && !fromSources) {
      const { run }: typeof McpMain = import.meta.require(join(folder, "mcp.cjs"))
      return run
    }
    const path = fromSources ? (name === "mcp" ? "../../mcp/src/main.ts" : "../../http/src/main.ts") : "http.mjs"
    const loaded: { readonly run: ServerEntry.Run } = await import(`file://${encodeURI(join(folder, path))}`)
    return loaded.run
  },
  self: async () => {
    const command = (await import("@sigtrap/host/daemon/start/Executable")).scriptCommand(script)
    // Sources need the options of this process, which name the condition that finds the sources of packages.
    return command !== undefined && fromSources ? { ...command, args: [...process.execArgv, script] } : command
  }
}

/** What `main` calls: `run` for a command line that it does not run itself, `end` for one that it began. */
export const rest: Rest = {
  run: (words, isAlone) => ThinClient.run(words, world, isAlone),
  end: (words, outcome) => ThinClient.end(words, outcome, world),
  interrupt: (words, partial) => ThinClient.interrupt(words, partial)
}
