/**
 * Operations on memory, registers, instructions and loaded modules. `by` in an answer names its source: a DAP request, or
 * the console of LLDB or GDB.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { inFrame } from "./StopErrors.ts"

const addressErrors = [...inFrame, Errors.EvaluationFailed, Errors.SideEffects, Errors.VariableNotFound] as const

/** The source of an answer: a DAP request, or the console of LLDB or GDB. */
const By = Schema.Literals(["dap", "lldb", "gdb"])

const address = Field.text("ADDRESS", "Address, &EXPR, pointer expression or reference")

const unit = Schema.Literals([1, 2, 4, 8])

/** How words of memory are formatted. */
export const WordFormat = Schema.Literals([
  "hex",
  "decimal",
  "unsigned",
  "octal",
  "binary",
  "character",
  "float",
  "address",
  "string"
])
/** How words of memory are formatted. */
export type WordFormat = typeof WordFormat.Type

const Format = Schema.String.check(
  Schema.isPattern(/^(?:[xduotbcfas]|hex|decimal|unsigned|octal|binary|character|float|address|string)$/, {
    message: "Write a format as hex, decimal, unsigned, octal, binary, character, float, address or string"
  })
)

/** Reads memory (DAP `readMemory`, else LLDB `memory read`). */
export class MemoryRead extends Operation.make("memory.read", () => ({
  summary: "Read memory",
  description:
    "Reads bytes at an address, a pointer or the value of a reference. Lists ranges that cannot be read. With size or format, returns words too.",
  effect: "observe",
  effects: { address: "read", size: "observe", format: "observe", ascii: "observe" },
  frequency: "occasional",
  payload: {
    address,
    count: Field.limit(1_048_576, 64, "Bytes to read"),
    size: Field.optionalInteger(1, 8, "Bytes of a word: 1, 2, 4 or 8"),
    format: Operation.optional(
      Format.annotate({
        description: "Format: hex, decimal, unsigned, octal, binary, float, …",
        ...FieldFacts.placeholder("FORMAT")
      })
    ),
    ascii: Field.flagOn("Show the bytes as text too"),
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["address"],
  data: Schema.Struct({
    address: Schema.String,
    count: Schema.Int,
    data: Schema.String.annotate({ description: "Base64; unreadable bytes are zero" }),
    unreadable: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])),
    size: Schema.optionalKey(unit),
    values: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Words in order of address" })),
    by: By
  }),
  errors: [...addressErrors, Errors.Usage],
  examples: [
    { title: "Read the bytes of a variable", input: { address: "&n", count: 16 } },
    { title: "Read four words in hexadecimal", input: { address: "&n", count: 16, size: 4, format: "hex" } }
  ]
})) {}

/** Writes memory and reads it back (DAP `writeMemory`, else LLDB `memory write`). */
export class MemoryWrite extends Operation.make("memory.write", () => ({
  summary: "Write memory",
  description:
    "Writes integers of a size, bytes given as hexadecimal digits, or the contents of a file, and reads them back. Fails if the memory is not writable.",
  effect: "write-memory",
  effects: { address: "read", values: "write-memory", size: "observe", hex: "write-memory", file: "read-file" },
  payload: {
    address,
    values: Field.list("N", "Integers of `size` bytes, little-endian"),
    size: Field.optionalInteger(1, 8, "Bytes of each integer: 1, 2, 4 or 8 (1)"),
    hex: Operation.optional(
      Schema.String.check(
        Schema.isPattern(/^(?:0x)?(?:[0-9a-fA-F]{2}[ _]?){1,4096}$/, {
          message: "Write bytes as pairs of hexadecimal digits"
        })
      ).annotate({ description: "Bytes as hexadecimal digits, such as 01ff", ...FieldFacts.placeholder("HEX") })
    ),
    file: Field.optionalText("FILE", "File to write into memory, at most 1 MiB"),
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["address", "values"],
  data: Schema.Struct({ address: Schema.String, written: Schema.Int, readback: Schema.String, by: By }),
  errors: [...addressErrors, Errors.Usage],
  examples: [
    { title: "Set an int", input: { address: "&n", values: ["2"], size: 4 } },
    { title: "Set four bytes", input: { address: "&n", hex: "02000000" } }
  ]
})) {}

/** A register and its value; `old` is that of an earlier stop, if it has changed. */
export class Register extends Model.of<Register>()(
  Schema.Struct({
    name: Schema.String,
    value: Schema.String,
    changed: Schema.optionalKey(Schema.Boolean),
    old: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "Register" })
) {}

/** Shows registers of a frame (DAP `scopes`: Registers). */
export class Registers extends Operation.make("registers", () => ({
  summary: "Show registers",
  description:
    "Shows the general purpose registers of a frame. Names select registers or groups; all shows every group.",
  effect: "observe",
  effects: { names: "observe", all: "observe", format: "observe", changed: "observe" },
  frequency: "occasional",
  payload: {
    names: Field.list("NAME", "Registers or groups (general purpose)"),
    all: Field.flag("Show every group"),
    format: Operation.optional(
      Schema.String.check(
        Schema.isPattern(/^(?:[xduotba]|hex|decimal|unsigned|octal|binary|address)$/, {
          message: "Write a format as hex, decimal, unsigned, octal, binary or address"
        })
      ).annotate({
        description: "Format: hex, decimal, unsigned, octal, binary or address",
        ...FieldFacts.placeholder("FORMAT")
      })
    ),
    changed: Field.flag("Only registers that changed since last shown"),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["names"],
  data: Schema.Struct({
    groups: Schema.Array(Schema.Struct({ name: Schema.String, registers: Schema.Array(Register) })),
    not_found: Schema.Array(Schema.String)
  }),
  errors: inFrame,
  examples: [
    { title: "Show the general purpose registers", input: {} },
    { title: "Show two of them", input: { names: ["rip", "rsp"] } }
  ]
})) {}

/** A machine instruction. `bytes` are hexadecimal; `current` marks the instruction of the frame. */
export class Instruction extends Model.of<Instruction>()(
  Schema.Struct({
    address: Schema.String,
    bytes: Schema.optionalKey(Schema.String),
    text: Schema.String,
    symbol: Schema.optionalKey(Schema.String),
    offset: Schema.optionalKey(Schema.Int),
    file: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    current: Schema.optionalKey(Schema.Boolean)
  }).annotate({ identifier: "Instruction" })
) {}

/** Disassembles (LLDB `disassemble`, else DAP `disassemble`). */
export class Disassemble extends Operation.make("disassemble", () => ({
  summary: "Show instructions",
  description:
    "Disassembles around the current instruction of the frame, at an address, in a range or a whole function.",
  effect: "observe",
  effects: {
    at: "read",
    function: "observe",
    source: "observe",
    bytes: "observe",
    symbols: "observe",
    range: "observe",
    flavor: "observe"
  },
  payload: {
    at: Field.optionalText("FUNCTION|ADDRESS", "Function, address or *EXPR (the frame's instruction)"),
    count: Field.optionalInteger(1, 1000, "Most instructions (12 around the current; 200 of a function)"),
    function: Field.flag("Show the whole function of the frame"),
    source: Field.flag("Show source lines too"),
    bytes: Field.flag("Show the bytes of each instruction"),
    symbols: Field.flag("Show function and offset of each instruction"),
    range: Operation.optional(
      Schema.String.check(
        Schema.isPattern(/^(?:0x[0-9a-fA-F]{1,16}|\d{1,20})-(?:0x[0-9a-fA-F]{1,16}|\d{1,20})$/, {
          message: "Write a range of addresses as 0x1000-0x1040"
        })
      ).annotate({
        description: "First and last address; the last is excluded",
        ...FieldFacts.placeholder("FIRST-LAST")
      })
    ),
    flavor: Operation.optional(
      Schema.Literals(["intel", "att"]).annotate({ description: "Syntax of x86 instructions (the debugger's)" })
    ),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["at"],
  data: Schema.Struct({
    function: Schema.optionalKey(Schema.String),
    instructions: Schema.Array(Instruction),
    sources: Schema.optionalKey(
      Schema.Array(Schema.Struct({ file: Schema.String, line: Schema.Int, text: Schema.String }))
    ),
    by: By
  }),
  errors: [...addressErrors, Errors.SymbolNotFound, Errors.Usage],
  examples: [
    { title: "Show the current instructions", input: {} },
    { title: "Show a whole function", input: { at: "main" } }
  ]
})) {}

/** A loaded module: the program or a library. */
export class Module extends Model.of<Module>()(
  Schema.Struct({
    name: Schema.String,
    path: Schema.String,
    address: Schema.optionalKey(Schema.String),
    symbols: Schema.optionalKey(Schema.Literals(["loaded", "none"])),
    symbol_file: Schema.optionalKey(Schema.String),
    uuid: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "Module" })
) {}

/** Lists loaded modules (DAP `modules`, LLDB `image list`). */
export class Modules extends Operation.make("modules", () => ({
  summary: "List the loaded modules",
  description: "Lists the program and the loaded libraries with path, address and whether symbols were found.",
  effect: "observe",
  effects: { match: "observe" },
  payload: {
    match: Field.optionalText("TEXT", "Only modules whose path contains this"),
    session: Field.session
  },
  data: Schema.Struct({ modules: Schema.Array(Module) }),
  errors: Errors.selection,
  examples: [{ title: "List all of them", input: {} }]
})) {}
