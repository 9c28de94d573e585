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
export const By = Schema.Literals(["dap", "lldb"])

const address = Schema.NonEmptyString.annotate({ description: "Address, &EXPR, pointer expression or reference" })

/** Reads memory (DAP `readMemory`, else LLDB `memory read`). */
export const MemoryRead = Operation.make("memory.read", {
  summary: "Read memory",
  description:
    "Reads bytes at an address, a pointer or a reference's value; bytes that cannot be read are listed as ranges.",
  tier: "observe",
  payload: {
    address,
    count: Field.limit(1_048_576, 64, "Bytes to read"),
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
    by: By
  }),
  errors: addressed,
  examples: [{ title: "A variable's bytes", input: { address: "&n", count: 16 } }]
})

/** Writes memory and reads it back (DAP `writeMemory`, else LLDB `memory write`). */
export const MemoryWrite = Operation.make("memory.write", {
  summary: "Write memory",
  description:
    "Writes bytes, given as hexadecimal digits, and reads them back. Memory that is not writable is refused.",
  tier: "write",
  payload: {
    address,
    hex: Schema.String.check(
      Schema.isPattern(/^(?:0x)?(?:[0-9a-fA-F]{2}[ _]?){1,4096}$/, {
        message: "Write bytes as pairs of hexadecimal digits"
      })
    ).annotate({ description: "Bytes as hexadecimal digits, e.g. 01ff" }),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["address", "hex"],
  sentence: "hex",
  data: Schema.Struct({ address: Schema.String, written: Schema.Int, readback: Schema.String, by: By }),
  errors: addressed,
  examples: [{ title: "Set four bytes", input: { address: "&n", hex: "02000000" } }]
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
  payload: {
    names: Operation.withDefault(
      Schema.Array(Schema.NonEmptyString).annotate({ description: "Registers or groups" }),
      []
    ),
    all: Operation.withDefault(Schema.Boolean.annotate({ description: "Every group" }), false),
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
  errors: [...addressed, Errors.SymbolNotFound],
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
