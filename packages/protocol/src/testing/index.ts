/**
 * Fakes for testing what uses the contract.
 */
export * as Recorder from "./Recorder.ts"
