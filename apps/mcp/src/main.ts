/**
 * The entry of the MCP server. The command `sigtrap mcp` and the package @sigtrap/mcp call `run`; importing this module
 * starts nothing. The server is another bundle, imported by a path that is computed at run time.
 */
import { dirname, join } from "node:path"
import type { Run } from "@sigtrap/host/ServerEntry"
import * as Start from "./start/Start.ts"

const here = import.meta.filename
const fromSources = here.endsWith(".ts")
const beside = (file: string) => join(dirname(here), file)

/** Runs the server, or `install`, in this process. */
export const run: Run = Start.make({
  answers: fromSources ? undefined : beside("mcp.bin"),
  load: async () => {
    const loaded: Start.Program = await import(`file://${encodeURI(beside(fromSources ? "Program.ts" : "mcp.mjs"))}`)
    return loaded
  }
})
