/**
 * The entry point: refuses a Node that is too old, and otherwise loads the program, which an older Node could not load.
 */
import * as NodeVersion from "@sigtrap/host/runtime/NodeVersion"

if (NodeVersion.isTooOld()) NodeVersion.refuse("sigtrap-http")
else void import("./Program.ts")
