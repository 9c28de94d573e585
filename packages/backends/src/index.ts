/**
 * Each debugger: where it is, how it starts, its quirks, and the backends that drive them.
 */
export * as Adapter from "./Adapter.ts"
export * as AdapterSockets from "./AdapterSockets.ts"
export * as Backends from "./Backends.ts"
export * as DapBackend from "./DapBackend.ts"
export * as LldbCliBackend from "./LldbCliBackend.ts"
export * as LldbDap from "./LldbDap.ts"
export * as ProgramStreams from "./ProgramStreams.ts"
export * as Quirks from "./Quirks.ts"
export * as Registry from "./Registry.ts"
export * as Simulators from "./Simulators.ts"
