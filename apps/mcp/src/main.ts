/**
 * The entry of the MCP server. The command `sigtrap mcp` and the package @sigtrap/mcp call `run`; importing this module
 * starts nothing.
 */
import { setFlagsFromString } from "node:v8"
import * as ServerEntry from "@sigtrap/host/ServerEntry"

/** Runs the server, or `install`, in this process. */
export const run: ServerEntry.Run = ServerEntry.make("sigtrap mcp", () => {
  // The server is idle most of the time, so V8 may not keep the 10 MB of heap that only the start needs. Bun has no such flag.
  if (process.versions["bun"] === undefined) setFlagsFromString("--semi-space-growth-factor=1")
  return import("./Program.ts")
})
