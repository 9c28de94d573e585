/**
 * Each debugger: where it is, how it starts, its quirks, and the backends that drive them.
 */
export * as DapBackend from "./DapBackend.ts"
export * as LldbDap from "./LldbDap.ts"
export * as ProgramStreams from "./ProgramStreams.ts"
export * as Quirks from "./Quirks.ts"
