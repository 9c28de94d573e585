/**
 * The backends and the debug adapters: where each is, how it starts, its dialect and its quirks.
 */
export * as Adapter from "./adapters/Adapter.ts"
export * as AdapterSockets from "./process/AdapterSockets.ts"
export * as Backends from "./Backends.ts"
export * as CommandAdapter from "./adapters/CommandAdapter.ts"
export * as DapBackend from "./dap/Backend.ts"
export * as LldbCliBackend from "./lldb-cli/Backend.ts"
export * as LldbDap from "./adapters/LldbDap.ts"
export * as PrestartedAdapters from "./dap/start/PrestartedAdapters.ts"
export * as ProgramStreams from "./process/Streams.ts"
export * as Quirks from "./adapters/Quirks.ts"
export * as Registry from "./adapters/Registry.ts"
export * as Simulators from "./simulator/Simulators.ts"
export * as Trials from "./adapters/Trials.ts"
