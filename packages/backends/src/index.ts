/**
 * Each debugger: where it is, how it starts, its quirks, and the backends that drive them.
 */
export * as ProgramStreams from "./ProgramStreams.ts"
