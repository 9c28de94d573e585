/**
 * Requests about a stop at a fault: the signal, the instruction, the memory at an address, and the report of a sanitizer. A part of
 * `Inspection`. Every frame is a handle of the connection; `undefined` means that the debugger does not know.
 */
import type { Frame } from "@sigtrap/protocol"
import type * as Effect from "effect/Effect"
import type { Failure } from "./ProgramState.ts"

/**
 * A signal as the kernel describes it (sigaction(2)): the name of its code, such as `SEGV_MAPERR`, and the address of a fault. `sent` is
 * true if a process sent it, `sender` is that process. `call` is the system call that a filter refused. `by` is where this was read.
 */
export interface SignalInfo {
  readonly name: string
  readonly code?: string
  readonly address?: bigint
  readonly sent?: true
  readonly sender?: number
  readonly call?: RefusedCall
  readonly by: "kernel" | "debugger" | "core" | "memory"
}

/** A system call: its number on an architecture, as audit.h of the kernel names that. */
export interface RefusedCall {
  readonly number: number
  readonly architecture: number
}

/** A range of memory `[from, to)`. It is unmapped if it has no permission and no name. */
export interface Region {
  readonly from: bigint
  readonly to: bigint
  readonly readable: boolean
  readonly writable: boolean
  readonly executable: boolean
  readonly name?: string
}

/**
 * Memory that an instruction accesses: base + index * scale + displacement. `access` is absent if it may read and write. `aligned` is
 * true if the address must be a multiple of the size.
 */
export interface MemoryOperand {
  readonly base?: string
  readonly index?: string
  readonly scale: number
  readonly displacement: bigint
  readonly size?: number
  readonly access?: "read" | "write"
  readonly aligned?: true
}

/**
 * An instruction. `divisor` is the register with the divisor of integers, `target` the register with the address that is called or jumped
 * to, `trap` the number that an instruction carries which stops the program on purpose.
 */
export interface Instruction {
  readonly mnemonic: string
  readonly text: string
  readonly operand?: MemoryOperand
  readonly divisor?: string
  readonly target?: string
  readonly trap?: number
}

/** The report of a sanitizer. `kind` is its own word, `summary` its sentence. */
export interface SanitizerReport {
  readonly tool: string
  readonly kind?: string
  readonly summary?: string
  readonly access?: "read" | "write"
  readonly size?: number
  readonly address?: bigint
}

/** Where memory was allocated or freed. `thread` is the sanitizer's number of the thread. */
export interface MemoryEvent {
  readonly kind: "allocated" | "freed"
  readonly thread: number
  readonly frames: ReadonlyArray<Omit<Frame.Frame, "index" | "ref">>
}

/** A variable or a function at an address, and the offset of the address in it. */
export interface Symbol {
  readonly name: string
  readonly offset: number
}

/** Requests about symbols and values at addresses. */
export interface Lookup {
  /** The symbol that contains an address. */
  readonly symbol: (address: bigint) => Effect.Effect<Symbol | undefined, Failure>
  /** The function that the call instruction before a return address calls. */
  readonly called: (returnAddress: bigint) => Effect.Effect<string | undefined, Failure>
  /** Evaluates an expression of the debugger in a frame and returns its value as a number. It runs no code of the program. */
  readonly number: (expression: string, frame: number) => Effect.Effect<bigint | undefined, Failure>
}

/** The requests about a stop at a fault. */
export interface Faults extends Lookup {
  /** The signal at which the thread of a frame stopped. */
  readonly signal: (frame: number) => Effect.Effect<SignalInfo | undefined, Failure>
  /** The instruction at a frame, or the one at an address. */
  readonly instruction: (frame: number, address?: bigint) => Effect.Effect<Instruction | undefined, Failure>
  /** The range of memory that contains an address. */
  readonly region: (address: bigint) => Effect.Effect<Region | undefined, Failure>
  /** The report of the sanitizer that stopped the thread of a frame. */
  readonly report: (frame: number) => Effect.Effect<SanitizerReport | undefined, Failure>
  /** Where the memory at an address was allocated and freed, as a sanitizer remembers it. */
  readonly history: (address: bigint) => Effect.Effect<ReadonlyArray<MemoryEvent>, Failure>
}
