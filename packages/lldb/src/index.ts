/**
 * The LLDB command line: how its commands are written and its answers read.
 */
export * as Command from "./Command.ts"
export * as Parse from "./Parse.ts"
