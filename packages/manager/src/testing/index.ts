/**
 * Fakes for testing what uses the manager, without a debugger.
 */
export * as FakeBackend from "./FakeBackend.ts"
export * as SimulatedProgram from "./SimulatedProgram.ts"
