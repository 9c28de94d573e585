/**
 * The contract of sigtrap: operations, models, events and errors, as Effect schemas. No I/O.
 */
export * as Answer from "./Answer.ts"
export * as Breakpoint from "./Breakpoint.ts"
export * as Client from "./Client.ts"
export * as Errors from "./Errors.ts"
export * as Event from "./Event.ts"
export * as Field from "./Field.ts"
export * as Frame from "./Frame.ts"
export * as Location from "./Location.ts"
export * as Operation from "./Operation.ts"
export * as Operations from "./Operations.ts"
export * as Output from "./Output.ts"
export * as Session from "./Session.ts"
export * as Snapshot from "./Snapshot.ts"
export * as Stop from "./Stop.ts"
export * as Variable from "./Variable.ts"
