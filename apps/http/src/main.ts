/**
 * The entry point: refuses a Node that is too old, and otherwise turns on Node's compile cache and loads the program, which an older
 * Node could not load.
 */
import * as CompileCache from "@sigtrap/host/runtime/CompileCache"
import * as NodeVersion from "@sigtrap/host/runtime/NodeVersion"

if (NodeVersion.isTooOld()) NodeVersion.refuse("sigtrap-http")
else {
  CompileCache.enable()
  void import("./Program.ts")
}
