/**
 * The LLDB command line as a library: running one, building commands, parsing their output.
 */
export * as Breakpoint from "./Breakpoint.ts"
export * as Command from "./Command.ts"
export * as Disassembly from "./Disassembly.ts"
export * as Errors from "./Errors.ts"
export * as Frames from "./Frames.ts"
export * as Instruction from "./Instruction.ts"
export * as Locations from "./Locations.ts"
export * as Lldb from "./Lldb.ts"
export * as Lookup from "./Lookup.ts"
export * as Memory from "./Memory.ts"
export * as Modules from "./Modules.ts"
export * as Notice from "./Notice.ts"
export * as Parse from "./Parse.ts"
export * as Registers from "./Registers.ts"
export * as Symbols from "./Symbols.ts"
export * as Variables from "./Variables.ts"
