/**
 * Debugging scenarios: the format of the files, the runner, and the report.
 */
export * from "./Commands.ts"
export * from "./Machine.ts"
export * as Expectation from "./Expectation.ts"
export * as FileLookup from "./FileLookup.ts"
export * as Recorder from "./Recorder.ts"
export * as Report from "./Report.ts"
export * as Runner from "./Runner.ts"
export * as Scenario from "./Scenario.ts"
