/**
 * What running a program again to a moment of an earlier run needs from a debugger: hit counts that the debugger keeps without
 * stopping, and stops where the program reads what another run may not repeat. A part of `Backend.Connection`.
 */
import type * as Effect from "effect/Effect"
import type { Failure } from "./ProgramState.ts"

/**
 * What an instruction reads that another run may not repeat: a noun phrase, or the address of the path of a file. `folder` is the
 * descriptor of the folder that the path begins in.
 */
export type Reading =
  | { readonly by: string; readonly reads: string }
  | { readonly by: string; readonly path: bigint; readonly folder?: number }

/**
 * A call in which the system changed watched memory without a hit of the watchpoint: a function or a system call, and the innermost
 * place with source. `hits` is the number of hits before it. `bytes` are those after it, absent if they cannot be read.
 */
export interface SystemWrite {
  readonly hits: number
  readonly call: string
  readonly at?: string
  readonly bytes?: Uint8Array
}

/**
 * What was recorded of such calls, in their order. With `forgotten`, those up to that number of hits may be missing. `shared` is
 * true if the memory may have another address or be written by another process.
 */
export interface SystemWrites {
  readonly writes: ReadonlyArray<SystemWrite>
  readonly forgotten: number | undefined
  readonly shared: boolean
}

/**
 * Where memory is: in a variable of a module, on the stack of the first thread, or in memory that an allocator gives out. The last one
 * has other anonymous memory, too.
 */
export type MemoryKind = "static" | "stack" | "dynamic"

/**
 * A call of an allocation function that returned a block with the memory, and the innermost place of the program. `isInside`: it had
 * not returned when the recording began. `returns` is the address where it returned, `result` the number that it returned, and
 * `passes` how many recorded calls returned that there, up to this one.
 */
export interface Allocation {
  readonly function: string
  readonly at: string | undefined
  readonly isInside: boolean
  readonly returns: bigint
  readonly result: bigint
  readonly passes: number
}

/** The last allocation of memory. If the recording is not complete, a later one may be missing. */
export interface Allocations {
  readonly isComplete: boolean
  readonly last: Allocation | undefined
}

/**
 * Why a watchpoint stopped the program: the write is one that was asked for, or a breakpoint after it is due. The debugger will not
 * stop at this breakpoint again when the program resumes.
 */
export interface WriteStop {
  readonly isWrite: boolean
  readonly isBreakpoint: boolean
}

/** Requests of a stopped program. Frames are handles of the connection. */
export interface Reexecution {
  /** Returns how often a watchpoint was hit, with the hits that the debugger ignored, by the manager's number. */
  readonly hits: (watchpoint: number) => Effect.Effect<number, Failure>
  /**
   * Makes a watchpoint stop the program from a hit on, and at each hit after which it is at a breakpoint that is due. Without a number
   * the debugger decides again.
   */
  readonly stopAtWrites: (watchpoint: number, from: number | undefined) => Effect.Effect<void, Failure>
  /** Returns why the watchpoint of `stopAtWrites` stopped the program. */
  readonly writeStop: Effect.Effect<WriteStop, Failure>
  /**
   * Stops the program at the first instruction of functions, also of libraries that are loaded later, and of methods with the
   * same names; and where the program's own code reads the time, random numbers or the system by an instruction. The stops name no
   * breakpoint. Returns the request that ends this.
   */
  readonly stopAtCalls: (names: ReadonlyArray<string>) => Effect.Effect<Effect.Effect<void, Failure>, Failure>
  /**
   * Returns the random bytes that the system gave the program at its start (`AT_RANDOM`), in hexadecimal; undefined if they are not
   * known. The guard of stacks comes from them.
   */
  readonly seed: Effect.Effect<string | undefined, Failure>
  /** Gives a program at its first instruction the random bytes of another run. */
  readonly plant: (seed: string) => Effect.Effect<void, Failure>
  /** Returns what the instruction at a stop of `stopAtCalls` reads; undefined if another run repeats it. */
  readonly readingAt: (frame: number) => Effect.Effect<Reading | undefined, Failure>
  /** Returns an integer argument at the first instruction of a function, counted from 0; undefined if it is not known. */
  readonly argument: (frame: number, index: number) => Effect.Effect<bigint | undefined, Failure>
  /**
   * Records from now on the calls in which the system changes memory. It stops the program at none. Without a watchpoint, changes by
   * the program in such a call are recorded too, and their numbers of hits are 0.
   */
  readonly recordSystem: (
    memory: { readonly address: string; readonly size: number },
    watchpoint?: number
  ) => Effect.Effect<void, Failure>
  /** Returns where memory is; undefined if it is not known. */
  readonly kindOf: (address: string) => Effect.Effect<MemoryKind | undefined, Failure>
  /** Records from now on the calls of allocation functions that return a block with an address. It stops the program at none. */
  readonly recordAllocations: (address: string) => Effect.Effect<void, Failure>
  /** Ends the recording of allocations. */
  readonly allocations: Effect.Effect<Allocations, Failure>
  /** Ends the recording of the system's changes. Fails if the debugger cannot tell. */
  readonly systemWrites: Effect.Effect<SystemWrites, Failure>
}
