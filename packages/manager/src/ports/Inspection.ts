/**
 * What else can be asked of a debugger about a stopped program: places of all threads, registers, memory, instructions,
 * types, modules. A part of `Backend.Connection`; an interface and the answer of a debugger that knows none of it.
 */
import { Errors, Hint, type Location, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Failure, StackFrame, Value } from "./Backend.ts"

/** Where a thread stands and why it stopped. */
export interface ThreadPlace {
  readonly id: number
  readonly stop_reason?: string
  readonly location?: Location.Position
}

/** Registers that belong together, as the debugger groups them; values are text. */
export interface RegisterGroup {
  readonly name: string
  readonly registers: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

/** A global or static variable of any file, not opened; `file` declares it, by its name or its path. */
export interface Elsewhere {
  readonly name: string
  readonly value: string
  readonly type: string
  readonly file?: string
  readonly address?: string
  readonly opens: boolean
}

/** Who gave an answer. */
export type By = Operations.Data<"memory.read">["by"]

/** Bytes that were read; `unreadable` are ranges from and up to an offset, where `bytes` has zeros. */
export interface Memory {
  readonly bytes: Uint8Array
  readonly unreadable: ReadonlyArray<readonly [number, number]>
  readonly by: By
}

/** One instruction, in the order of addresses. */
export type Instruction = Operations.Data<"disassemble">["instructions"][number]

/** One loaded module. */
export type Module = Operations.Data<"modules">["modules"][number]

/** What to disassemble: a function by name, the function around an address, or so many instructions from an address. */
export type Code =
  | { readonly kind: "function"; readonly name: string }
  | { readonly kind: "around"; readonly address: string }
  | { readonly kind: "from"; readonly address: string; readonly count: number }
  | { readonly kind: "range"; readonly from: string; readonly to: string }

/** A type: `definition` as the language writes it, `size` in bytes. */
export interface TypeFound {
  readonly name: string
  readonly definition: string
  readonly size?: number
}

/** How a value is written; the words of `print --format`, and `raw` without the language's formatters. */
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

/** The further questions. Frames are handles of the connection; a name that is not known is an `AdapterError`. */
export interface Inspection {
  /** Places of all threads at once; threads that are left out have to be asked for singly. */
  readonly places: Effect.Effect<ReadonlyArray<ThreadPlace>, Failure>
  /** The innermost frames of all threads at once; threads that are left out have to be asked for singly. */
  readonly stacks: (count: number) => Effect.Effect<ReadonlyMap<number, ReadonlyArray<StackFrame>>, Failure>
  /** Names of the arguments of a frame's function. */
  readonly argumentNames: (frame: number) => Effect.Effect<ReadonlyArray<string>, Failure>
  readonly globals: (frame: number) => Effect.Effect<ReadonlyArray<Value>, Failure>
  /** Global and static variables of the program's own modules, or of one file, a name or a path. */
  readonly elsewhere: (file: string | undefined) => Effect.Effect<ReadonlyArray<Elsewhere>, Failure>
  readonly registers: (frame: number) => Effect.Effect<ReadonlyArray<RegisterGroup>, Failure>
  /** The value of an expression that only reads, written in another way. */
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
  /** Source files that the debug information names, absolute paths where it has them. */
  readonly files: Effect.Effect<ReadonlyArray<string>, Failure>
  /** Source text of a frame that only the debugger has. */
  readonly source: (frame: number) => Effect.Effect<string | undefined, Failure>
  /** Where functions of a name begin. */
  readonly functions: (name: string) => Effect.Effect<ReadonlyArray<Location.Position>, Failure>
  readonly type: (name: string) => Effect.Effect<ReadonlyArray<TypeFound>, Failure>
}

/** The inspection of a debugger that has none of it. */
export const none = (by: string): Inspection => {
  const unsupported = (what: string) =>
    Effect.fail(new Errors.Unsupported({ what, by, remedies: [Hint.call("context", {})] }))
  return {
    places: Effect.succeed([]),
    stacks: () => Effect.succeed(new Map()),
    argumentNames: () => unsupported("telling arguments from local variables"),
    globals: () => unsupported("global variables"),
    elsewhere: () => unsupported("global variables of other files"),
    registers: () => unsupported("registers"),
    formatted: () => unsupported("formats"),
    memory: () => unsupported("reading memory"),
    write: () => unsupported("writing memory"),
    disassemble: () => unsupported("disassembling"),
    modules: unsupported("listing modules"),
    files: unsupported("listing source files"),
    source: () => Effect.succeed(undefined),
    functions: () => unsupported("finding functions"),
    type: () => unsupported("describing types")
  }
}
