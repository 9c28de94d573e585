/**
 * Fakes for testing what uses the contract.
 */
export * as ErrorSamples from "./ErrorSamples.ts"
export * as HintCheck from "./HintCheck.ts"
export * as Recorder from "./Recorder.ts"
export * as SteppedClock from "./SteppedClock.ts"
