/**
 * Operations on what the machine has: memory, registers, instructions, loaded modules. `by` in an answer says whether
 * the debug adapter or the debugger's command line gave it.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"

const stopped = [...Errors.selection, Errors.NotStopped, Errors.ThreadNotFound, Errors.FrameNotFound] as const
const addressed = [...stopped, Errors.EvaluationFailed, Errors.SideEffects, Errors.StaleReference] as const

/** Who gave an answer: a request of the protocol, or the debugger's command line. */
export const By = Schema.Literals(["dap", "lldb", "gdb"])

const address = Schema.NonEmptyString.annotate({ description: "Address, &EXPR, pointer expression or reference" })

const unit = Schema.Literals([1, 2, 4, 8])

/** How the words of memory are written. */
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
/** How the words of memory are written. */
export type WordFormat = typeof WordFormat.Type

const Format = Schema.String.check(
  Schema.isPattern(/^(?:[xduotbcfas]|hex|decimal|unsigned|octal|binary|character|float|address|string)$/, {
    message: "Write a format as hex, decimal, unsigned, octal, binary, character, float, address or string"
  })
)

/** Reads memory (DAP `readMemory`, else LLDB `memory read`). */
export const MemoryRead = Operation.make("memory.read", {
  summary: "Read memory",
  description:
    "Reads bytes at an address, a pointer or a reference's value; bytes that cannot be read are listed as ranges. With a size or a format it lists words as well.",
  tier: "observe",
  frequency: "occasional",
  payload: {
    address,
    count: Field.limit(1_048_576, 64, "Bytes to read"),
    size: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 })).annotate({
        description: "Bytes of a word: 1, 2, 4 or 8"
      })
    ),
    format: Operation.optional(
      Format.annotate({
        description: "Words as hex, decimal, unsigned, octal, binary, character, float, address or string"
      })
    ),
    ascii: Operation.withDefault(Schema.Boolean.annotate({ description: "Show the bytes as text beside them" }), true),
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["address"],
  data: Schema.Struct({
    address: Schema.String,
    count: Schema.Int,
    data: Schema.String.annotate({ description: "Base64; zeros where nothing could be read" }),
    unreadable: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])),
    size: Schema.optionalKey(unit),
    values: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({ description: "Words in the order of their addresses" })
    ),
    by: By
  }),
  errors: [...addressed, Errors.Usage],
  examples: [
    { title: "A variable's bytes", input: { address: "&n", count: 16 } },
    { title: "Four words in hexadecimal", input: { address: "&n", count: 16, size: 4, format: "hex" } }
  ]
})

/** Writes memory and reads it back (DAP `writeMemory`, else LLDB `memory write`). */
export const MemoryWrite = Operation.make("memory.write", {
  summary: "Write memory",
  description:
    "Writes numbers of a size, bytes given as hexadecimal digits, or a file, and reads them back. Memory that is not writable is refused.",
  tier: "write",
  payload: {
    address,
    values: Operation.withDefault(
      Schema.Array(Schema.NonEmptyString).annotate({ description: "Numbers, each of the size; little end first" }),
      []
    ),
    size: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 })).annotate({
        description: "Bytes of each number: 1, 2, 4 or 8; 1 when left out"
      })
    ),
    hex: Operation.optional(
      Schema.String.check(
        Schema.isPattern(/^(?:0x)?(?:[0-9a-fA-F]{2}[ _]?){1,4096}$/, {
          message: "Write bytes as pairs of hexadecimal digits"
        })
      ).annotate({ description: "Bytes as hexadecimal digits, e.g. 01ff" })
    ),
    file: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "File whose bytes to write, 1 MiB at most" })
    ),
    reveal: Field.reveal,
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["address", "values"],
  data: Schema.Struct({ address: Schema.String, written: Schema.Int, readback: Schema.String, by: By }),
  errors: [...addressed, Errors.Usage],
  examples: [
    { title: "Set an int", input: { address: "&n", values: ["2"], size: 4 } },
    { title: "Set four bytes", input: { address: "&n", hex: "02000000" } }
  ]
})

/** One register; `symbol` is what its value points to. */
export const Register = Schema.Struct({
  name: Schema.String,
  value: Schema.String,
  changed: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Register" })

/** Shows registers of a frame (DAP `scopes`: Registers). */
export const Registers = Operation.make("registers", {
  summary: "Show registers",
  description: "Shows the general purpose registers of a frame; names pick registers or groups, all shows every group.",
  tier: "observe",
  frequency: "occasional",
  payload: {
    names: Operation.withDefault(
      Schema.Array(Schema.NonEmptyString).annotate({ description: "Registers or groups" }),
      []
    ),
    all: Operation.withDefault(Schema.Boolean.annotate({ description: "Every group" }), false),
    format: Operation.optional(
      Schema.String.check(
        Schema.isPattern(/^(?:[xduotba]|hex|decimal|unsigned|octal|binary|address)$/, {
          message: "Write a format as hex, decimal, unsigned, octal, binary or address"
        })
      ).annotate({ description: "Values as hex, decimal, unsigned, octal, binary or address" })
    ),
    changed: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Only those that changed since they were last shown" }),
      false
    ),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["names"],
  data: Schema.Struct({
    groups: Schema.Array(Schema.Struct({ name: Schema.String, registers: Schema.Array(Register) })),
    not_found: Schema.Array(Schema.String)
  }),
  errors: stopped,
  examples: [
    { title: "General purpose registers", input: {} },
    { title: "Two of them", input: { names: ["rip", "rsp"] } }
  ]
})

/** One instruction; `bytes` are hexadecimal, `current` marks where the frame stands. */
export const Instruction = Schema.Struct({
  address: Schema.String,
  bytes: Schema.optionalKey(Schema.String),
  text: Schema.String,
  symbol: Schema.optionalKey(Schema.String),
  offset: Schema.optionalKey(Schema.Int),
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int),
  current: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Instruction" })
/** One instruction. */
export type Instruction = typeof Instruction.Type

/** Disassembles (LLDB `disassemble`). */
export const Disassemble = Operation.make("disassemble", {
  summary: "Show instructions",
  description: "Shows the instructions around the frame's place, at an address, or of a function.",
  tier: "observe",
  payload: {
    at: Operation.optional(Schema.NonEmptyString.annotate({ description: "Function, address or *EXPR" })),
    count: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
        description: "Most instructions; 12 around the current one, 200 of a function"
      })
    ),
    function: Operation.withDefault(Schema.Boolean.annotate({ description: "The whole function of the frame" }), false),
    source: Operation.withDefault(Schema.Boolean.annotate({ description: "Show source lines between" }), false),
    bytes: Operation.withDefault(Schema.Boolean.annotate({ description: "Show the bytes" }), false),
    symbols: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Show function and offset of each instruction" }),
      false
    ),
    range: Operation.optional(
      Schema.String.check(
        Schema.isPattern(/^(?:0x[0-9a-fA-F]{1,16}|\d{1,20})-(?:0x[0-9a-fA-F]{1,16}|\d{1,20})$/, {
          message: "Write a range of addresses as 0x1000-0x1040"
        })
      ).annotate({ description: "From one address up to another, A-B" })
    ),
    flavor: Operation.optional(
      Schema.Literals(["intel", "att"]).annotate({ description: "How x86 instructions are written" })
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
  errors: [...addressed, Errors.SymbolNotFound, Errors.Usage],
  examples: [
    { title: "Around the current one", input: {} },
    { title: "A whole function", input: { at: "main" } }
  ]
})

/** A loaded module. */
export const Module = Schema.Struct({
  name: Schema.String,
  path: Schema.String,
  address: Schema.optionalKey(Schema.String),
  symbols: Schema.optionalKey(Schema.Literals(["loaded", "none"])),
  symbol_file: Schema.optionalKey(Schema.String),
  uuid: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Module" })
/** A loaded module. */
export type Module = typeof Module.Type

/** Lists loaded modules (DAP `modules`, LLDB `image list`). */
export const Modules = Operation.make("modules", {
  summary: "List the loaded modules",
  description: "Lists program and libraries that are loaded, with address and whether symbols were found.",
  tier: "observe",
  payload: {
    match: Operation.optional(Schema.NonEmptyString.annotate({ description: "Only those whose path contains this" })),
    session: Field.session
  },
  data: Schema.Struct({ modules: Schema.Array(Module) }),
  errors: Errors.selection,
  examples: [{ title: "All of them", input: {} }]
})
