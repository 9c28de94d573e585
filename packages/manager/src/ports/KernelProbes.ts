/**
 * Probes of the kernel in a process of this machine: the kernel records values each time a thread executes an instruction, without a
 * stop (uprobes of Linux). A part of `Processes`, absent where the system has none.
 */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { TracedField } from "./TracedField.ts"

/** A probe: the address of an instruction, and values at offsets from the frame pointer or, if static, at absolute addresses. */
export interface Probe {
  readonly id: number
  readonly address: bigint
  readonly fields: ReadonlyArray<TracedField>
}

/** What the kernel recorded at a probe. `time` is in milliseconds, on the monotonic clock of the kernel. */
export interface Row {
  readonly id: number
  readonly thread: number
  readonly time: number
  /** The bytes of the values in the order of memory. */
  readonly values: ReadonlyArray<Uint8Array>
}

/** The records since the last time, in order, and how many there was no room for. */
export interface Taken {
  readonly rows: ReadonlyArray<Row>
  readonly lost: number
}

/** Why probes cannot record. */
export class ProbeFailure extends Data.TaggedError("ProbeFailure")<{ readonly reason: string }> {}

/** Probes of one process. They are removed when their scope closes. */
export interface Recording {
  /**
   * Inserts probes and records from now on. The process must be stopped, and the debugger must have no breakpoint at their addresses.
   * Returns the time of the kernel's monotonic clock, in milliseconds.
   */
  readonly arm: (probes: ReadonlyArray<Probe>) => Effect.Effect<number, ProbeFailure>
  /** The number of records so far that were not taken, at least; also those of forked children. */
  readonly count: Effect.Effect<number>
  /** Removes the probes from the process and returns the records. Probes can be armed again. */
  readonly disarm: Effect.Effect<Taken, ProbeFailure>
}

/** Whose probes are made: a process, the name of its session, and the most records and values of a record. */
export interface Options {
  readonly pid: number
  readonly session: string
  readonly records: number
  readonly values: number
}

/** Makes probes in processes. */
export interface KernelProbes {
  /** Opens the probes of a process; fails with the reason if this process must not or the kernel cannot. */
  readonly open: (options: Options) => Effect.Effect<Recording, ProbeFailure, Scope.Scope>
}
