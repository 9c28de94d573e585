/**
 * Answers and errors as compact text, for terminals and agents. Pure: no I/O, no clock, no terminal.
 */
export * as Doc from "./Doc.ts"
export * as Failure from "./Failure.ts"
export * as Questions from "./Questions.ts"
export * as Render from "./Render.ts"
export * as RunReport from "./RunReport.ts"
export * as Sanitise from "./Sanitise.ts"
export * as View from "./View.ts"
