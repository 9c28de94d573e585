/**
 * What a debugger offers to record values at breakpoints and the messages of logpoints without stopping for each hit. A part
 * of `Backend.Connection`, absent where the debugger has nothing of the kind.
 *
 * The manager records the first hit of each breakpoint by itself. It then asks for the values of the same frame in the
 * debugger's way. Only where both are equal does the debugger record the following hits.
 */
import type * as Effect from "effect/Effect"
import type { TracedField } from "./ProgramRuns.ts"
import type { Failure } from "./ProgramState.ts"

/**
 * One record. `time` is in milliseconds since `begin`; `values` are in the order of the expressions. `isPresent` is true if another thread
 * stopped the program at the same time, and it is still stopped.
 */
export interface Row {
  readonly id: number
  readonly thread: number
  readonly time: number
  readonly values: ReadonlyArray<string>
  readonly isPresent?: boolean
}

/** The hit of a logpoint: its values in the order of the expressions, and the debugger's number of the stop. */
export interface LoggedHit {
  readonly id: number
  readonly thread: number
  readonly stop: number
  readonly values: ReadonlyArray<string>
}

/** Hits of logpoints since the last ones, in order. `stop` is the debugger's number of the stop that is about to be reported. */
export interface Logged {
  readonly hits: ReadonlyArray<LoggedHit>
  readonly stop?: number
}

/** Records the values of logpoints inside the debugger. Hits before a stop or the end are reported before it. */
export interface Logpoints {
  /**
   * Returns the values of expressions in the innermost frame of a thread; undefined or fewer values if one has no text that is
   * certain to be that of `print` at every hit.
   */
  readonly values: Tracer["values"]
  /**
   * Records the following hits of a logpoint, at most `room`; further ones are passed without a record. A hit whose values
   * cannot be read stops the program. Returns false if the breakpoint cannot be recorded.
   */
  readonly begin: (id: number, expressions: ReadonlyArray<string>, room: number) => Effect.Effect<boolean, Failure>
  /** Reports the hits so far. */
  readonly take: Effect.Effect<void, Failure>
  /** The same, and each following hit stops the program. */
  readonly end: Effect.Effect<void, Failure>
}

/**
 * Where a debug server finds the values of a trace point, and what it reads there now. `refused` is the first expression that has no
 * such place, empty if it is the point itself.
 */
export type Places =
  | { readonly refused: string }
  | {
      readonly address: bigint
      /** The entry point of the program, from which the address and the places of static values are distances. */
      readonly entry: bigint
      readonly fields: ReadonlyArray<TracedField>
      readonly bytes: ReadonlyArray<Uint8Array>
    }

/** Records hits inside the debugger. At most one trace at a time. */
export interface Tracer {
  /** Returns the values of expressions in the innermost frame of a thread; undefined if the debugger cannot record. */
  readonly values: (
    thread: number,
    expressions: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string> | undefined, Failure>
  /**
   * Records the following hits of a breakpoint. The hit after `room` records of all breakpoints stops the program and is not
   * recorded. Returns false if the breakpoint cannot be recorded.
   */
  readonly begin: (id: number, expressions: ReadonlyArray<string>, room: number) => Effect.Effect<boolean, Failure>
  /** Returns the records since the last call, in order, and stops recording. */
  readonly end: Effect.Effect<ReadonlyArray<Row>, Failure>
  readonly logpoints: Logpoints
  /** Returns where the values of a trace point are that stopped a thread. Absent if the debugger cannot tell. */
  readonly places?: (
    id: number,
    thread: number,
    expressions: ReadonlyArray<string>
  ) => Effect.Effect<Places | undefined, Failure>
  /** Sets what completes before each stop is reported; undefined for nothing. Absent if the debugger cannot wait. */
  readonly beforeStop?: (work: Effect.Effect<void> | undefined) => void
}
