/**
 * Further requests about a stopped program: places of all threads, registers, memory, instructions, types, modules. A
 * part of `Backend.Connection`, and its implementation for a debugger that supports none of them.
 */
import { Errors, Hint, type Location, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Faults, Lookup } from "./Faults.ts"
import type { Failure, StackFrame, Value } from "./ProgramState.ts"

/** Location of a thread, and why it stopped. */
export interface ThreadPlace {
  readonly id: number
  /** What the thread hit. The numbers are the manager's and not known here. */
  readonly hit?: "breakpoint" | "watchpoint"
  /** The debugger's text, without numbers of its own; absent with `hit`. */
  readonly stop_reason?: string
  readonly location?: Location.Position
}

/** A group of registers, as the debugger groups them. Values are text. */
export interface RegisterGroup {
  readonly name: string
  readonly registers: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

/** A global or static variable of any file. `file` is the name or path of the file that declares it. */
export interface GlobalVariable {
  readonly name: string
  readonly value: string
  readonly type: string
  readonly file?: string
  readonly address?: string
  readonly opens: boolean
}

/** What answered a request. */
export type By = Operations.Data<"memory.read">["by"]

/** Bytes of memory. `unreadable` are ranges of offsets, end excluded, where `bytes` has zeros. */
export interface Memory {
  readonly bytes: Uint8Array
  readonly unreadable: ReadonlyArray<readonly [number, number]>
  readonly by: By
}

/** One instruction. */
export type Instruction = Operations.Data<"disassemble">["instructions"][number]

/** One loaded module. */
export type Module = Operations.Data<"modules">["modules"][number]

/** What to disassemble: a function by name or around an address, `count` instructions from an address, or a range. */
export type Code =
  | { readonly kind: "function"; readonly name: string }
  | { readonly kind: "around"; readonly address: string }
  | { readonly kind: "from"; readonly address: string; readonly count: number }
  | { readonly kind: "range"; readonly from: string; readonly to: string }

/** A type. `definition` is in the program's language, `size` in bytes. */
export interface TypeDescription {
  readonly name: string
  readonly definition: string
  readonly size?: number
}

/** Format of a value: those of `print --format`, and `raw` without the debugger's formatters. */
export type Format =
  | "raw"
  | "hex"
  | "decimal"
  | "unsigned"
  | "octal"
  | "binary"
  | "character"
  | "float"
  | "address"
  | "string"
  | "bytes"

/** Further requests. Frames are handles of the connection. An unknown name is an `AdapterError`. */
export interface Inspection {
  /** Places of all threads in one request. Threads that are absent must be requested one by one. */
  readonly places: Effect.Effect<ReadonlyArray<ThreadPlace>, Failure>
  /** Returns the innermost frames of all threads. Threads that are absent must be requested one by one. */
  readonly stacks: (count: number) => Effect.Effect<ReadonlyMap<number, ReadonlyArray<StackFrame>>, Failure>
  /** Returns the names of the arguments of a frame's function. */
  readonly argumentNames: (frame: number) => Effect.Effect<ReadonlyArray<string>, Failure>
  readonly globals: (frame: number) => Effect.Effect<ReadonlyArray<Value>, Failure>
  /** Returns global and static variables of the program's own modules, or of one file (name or path). */
  readonly otherGlobals: (file: string | undefined) => Effect.Effect<ReadonlyArray<GlobalVariable>, Failure>
  readonly registers: (frame: number) => Effect.Effect<ReadonlyArray<RegisterGroup>, Failure>
  /** Returns the value of an expression in another format. The expression must not change the program. */
  readonly formatted: (
    expression: string,
    frame: number,
    format: Format
  ) => Effect.Effect<{ readonly type?: string; readonly value: string }, Failure>
  readonly memory: (address: bigint, count: number) => Effect.Effect<Memory, Failure>
  /** Writes to writable memory only. */
  readonly write: (address: bigint, bytes: Uint8Array) => Effect.Effect<By, Failure>
  readonly disassemble: (
    code: Code,
    flavor?: "intel" | "att"
  ) => Effect.Effect<{ readonly instructions: ReadonlyArray<Instruction>; readonly by: By }, Failure>
  readonly modules: Effect.Effect<ReadonlyArray<Module>, Failure>
  /** Source files in the debug information, as absolute paths where known. */
  readonly files: Effect.Effect<ReadonlyArray<string>, Failure>
  /**
   * Returns the line of the instruction before an address in the same function; none if it has no line. `function` is the innermost
   * inlined one there, if there is one. Absent if the debugger cannot tell.
   */
  readonly lineBefore?: (
    address: bigint
  ) => Effect.Effect<(Location.Position & { readonly function?: string }) | undefined, Failure>
  /** Returns where the functions of a name begin. */
  readonly functions: (name: string) => Effect.Effect<ReadonlyArray<Location.Position>, Failure>
  /** Returns names of the program's functions, or last parts of them, that begin with a text, without arguments. */
  readonly functionNames: (start: string) => Effect.Effect<ReadonlyArray<string>, Failure>
  readonly type: (name: string) => Effect.Effect<ReadonlyArray<TypeDescription>, Failure>
  /** Requests about symbols and values at addresses; absent if the debugger cannot answer them. */
  readonly lookup?: Lookup
  /** Requests about faults; absent if the debugger cannot answer them. */
  readonly faults?: Faults
}

/** Returns the requests of a debugger that supports none of them. */
export const none = (by: string): Inspection => {
  const unsupported = (what: string) =>
    Effect.fail(new Errors.Unsupported({ what, by, remedies: [Hint.call("context", {})] }))
  return {
    places: Effect.succeed([]),
    stacks: () => Effect.succeed(new Map()),
    argumentNames: () => unsupported("telling arguments from local variables"),
    globals: () => unsupported("global variables"),
    otherGlobals: () => unsupported("global variables of other files"),
    registers: () => unsupported("registers"),
    formatted: () => unsupported("formats"),
    memory: () => unsupported("reading memory"),
    write: () => unsupported("writing memory"),
    disassemble: () => unsupported("disassembling"),
    modules: unsupported("listing modules"),
    files: unsupported("listing source files"),
    functions: () => unsupported("finding functions"),
    functionNames: () => Effect.succeed([]),
    type: () => unsupported("describing types")
  }
}
