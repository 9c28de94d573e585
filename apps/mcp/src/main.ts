/**
 * The entry: lets Node keep what it compiled from this program, in the user's cache, and loads the rest. A second start
 * then takes a third less. Where Node cannot, or there is no home, everything works as well.
 */
import * as module from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"

const home = process.env["XDG_CACHE_HOME"]
const folder = home?.startsWith("/") === true ? home : join(homedir(), ".cache")
// Node 20 has no such cache.
module.enableCompileCache?.(join(folder, "sigtrap"))
// The server is idle most of the time: what the start takes for a moment shall not be kept, which would be 10 MB.
setFlagsFromString("--semi-space-growth-factor=1")

void import("./Program.ts")
