/**
 * The entry point: turns on Node's compile cache and loads the program. A Node that is too old is refused in one sentence,
 * because it could not load the program.
 */
import { setFlagsFromString } from "node:v8"
import * as CompileCache from "@sigtrap/host/runtime/CompileCache"
import * as NodeVersion from "@sigtrap/host/runtime/NodeVersion"

CompileCache.enable()
// The server is idle most of the time, so V8 may not keep the 10 MB of heap that only the start needs.
setFlagsFromString("--semi-space-growth-factor=1")

if (NodeVersion.isTooOld()) NodeVersion.refuse("sigtrap-mcp")
else void import("./Program.ts")
