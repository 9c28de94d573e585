/**
 * New runs of a program in which a debug server counts the writes to memory, without symbols: `last-write` across many writes. The
 * runs that it finds are held, and a debugger takes them over.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Held, RunFailure } from "./ProgramRuns.ts"
import type { Allocation } from "./Reexecution.ts"

/** How long the debugger counts before these runs are made. Tests shorten it. */
export const DebuggerTimeout = Context.Reference<Duration.Input>("@sigtrap/manager/WriteRuns/DebuggerTimeout", {
  defaultValue: () => "3 seconds"
})

/** A moment that a run reaches by itself: the stop by its n-th signal from now on, or its n-th pass of one of these addresses. */
export type Moment =
  | { readonly kind: "signal"; readonly count: number }
  | { readonly kind: "pass"; readonly addresses: ReadonlyArray<bigint>; readonly count: number }

/** What is counted, and until when. */
export interface WriteSearch {
  /** The memory: 1, 2, 4 or 8 bytes at a multiple of the size. */
  readonly address: bigint
  readonly size: number
  /** Moments that follow one another; the last one is that before which is counted. */
  readonly until: ReadonlyArray<Moment>
  /** The write that is looked for, counted back from the moment. */
  readonly nth: number
  /** Counts writes that do not change the memory, too. */
  readonly sameValues: boolean
  /** The random bytes of the kernel that the runs get (`AT_RANDOM`). */
  readonly seed: Uint8Array
  readonly input: ReadonlyArray<{ readonly bytes: Uint8Array; readonly eof: boolean }>
  /** The end of a function call: a pass of the address with a stack pointer above the memory. */
  readonly end?: bigint
  /** The allocation of the memory: the pass of an address, counted among those at which the first result register has this value. */
  readonly allocation?: Pick<Allocation, "returns" | "result" | "passes">
  /** Gets the number of writes so far. */
  readonly progress: { writes: number }
}

/** What was found. */
export interface FoundWrites {
  /** The number of writes up to the moment. */
  readonly total: number
  /** The bytes at the first instruction, if they can be read there, and after the last write. */
  readonly initial?: Uint8Array
  readonly last?: Uint8Array
  /** The number of the wanted write, if there is one. */
  readonly hit?: number
  /** The number of writes at the last end of the function call; 0 if it did not end. */
  readonly ended: number
  /** The numbers of writes at the allocation of the memory, and at the pass of its address before; absent if it was not passed. */
  readonly allocated?: { readonly before: number; readonly at: number }
  /** The run that is stopped at the moment. */
  readonly anchor: Held
  /** The run that is stopped two writes before the wanted one, or at its first instruction, and the number of writes in it. */
  readonly before?: { readonly held: Held; readonly writes: number }
}

/** Counts writes in new runs of one program. */
export interface WriteRuns {
  /** Ends with the scope, except what a debugger has taken over. `undefined`: the runs did not reach the moment, or they differ. */
  readonly search: (options: WriteSearch) => Effect.Effect<FoundWrites | undefined, RunFailure>
}
