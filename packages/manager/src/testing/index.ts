/**
 * Fakes for tests without a debugger.
 */
export * as Behaviour from "./Behaviour.ts"
export * as Debuggee from "./Debuggee.ts"
export * as DiskReader from "./DiskReader.ts"
export * as FakeBackend from "./FakeBackend.ts"
export * as FakeMachine from "./FakeMachine.ts"
export * as SimulatedProgram from "./SimulatedProgram.ts"
