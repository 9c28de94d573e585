/**
 * Debugger sessions: state, references, breakpoints, output, and the handlers of the operations.
 */
export * as Backend from "./ports/Backend.ts"
export * as FileReader from "./ports/FileReader.ts"
export * as Handlers from "./Handlers.ts"
export * as Inspection from "./ports/Inspection.ts"
export * as Intent from "./ports/Intent.ts"
export * as IntentStore from "./ports/IntentStore.ts"
export * as Journal from "./session/Journal.ts"
export * as Ledger from "./ports/Ledger.ts"
export * as Local from "./Local.ts"
export * as Manager from "./session/Manager.ts"
export * as Processes from "./ports/Processes.ts"
export * as Launch from "./launch/Launch.ts"
export * as SessionRoots from "./launch/SessionRoots.ts"
export * as Simulators from "./ports/Simulators.ts"
export * as SourceFiles from "./model/SourceFiles.ts"
export * as SourceRoots from "./model/SourceRoots.ts"
