/**
 * Debugger sessions: state, references, breakpoints, output, and the handlers of the operations.
 */
export * as Backend from "./Backend.ts"
export * as Handlers from "./Handlers.ts"
export * as Inspection from "./Inspection.ts"
export * as Journal from "./Journal.ts"
export * as Ledger from "./Ledger.ts"
export * as Local from "./Local.ts"
export * as Manager from "./Manager.ts"
export * as Processes from "./Processes.ts"
export * as Program from "./Program.ts"
export * as Simulators from "./Simulators.ts"
