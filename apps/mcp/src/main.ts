/**
 * The entry point: turns on Node's compile cache in the user's cache folder and loads the program. A second start then takes
 * a third less time. Without a writable folder the program starts without the cache. A Node that is too old is refused in one
 * sentence, because it could not load the program.
 */
import * as module from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import * as NodeVersion from "@sigtrap/host/runtime/NodeVersion"

const home = process.env["XDG_CACHE_HOME"]
const folder = home?.startsWith("/") === true ? home : join(homedir(), ".cache")
// Node 20 has no compile cache.
module.enableCompileCache?.(join(folder, "sigtrap"))
// The server is idle most of the time, so V8 may not keep the 10 MB of heap that only the start needs.
setFlagsFromString("--semi-space-growth-factor=1")

if (NodeVersion.isTooOld()) NodeVersion.refuse("sigtrap-mcp")
else void import("./Program.ts")
