/**
 * Debugger sessions: state, references, breakpoints, output, and the handlers of the operations.
 */
export * as Backend from "./Backend.ts"
export * as Ledger from "./Ledger.ts"
export * as Manager from "./Manager.ts"
export * as Processes from "./Processes.ts"
