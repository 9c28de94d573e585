/**
 * Formats values, disassembles, and finds types and functions of a program that is stopped under GDB.
 */
import type { Backend, Inspection } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Console, Script } from "./Console.ts"

const text = Schema.NullOr(Schema.String)

const Instruction = Schema.Struct({
  address: Schema.String,
  text: Schema.String,
  bytes: Schema.String,
  symbol: text,
  file: text,
  line: Schema.NullOr(Schema.Int)
})

/** Disassembles a function, the function around an address, a range, or N instructions; `here` is the frame's next one. */
const disassembled: Script<ReadonlyArray<typeof Instruction.Type>> = {
  title: "disassembling",
  text: `
from contextlib import nullcontext
inferior = gdb.selected_inferior()
try:
    frame = gdb.selected_frame()
    machine = frame.architecture()
except gdb.error:
    frame = None
    machine = inferior.architecture()
code = given["code"]
def whole(where):
    found = gdb.execute_mi("-data-disassemble", "-a", where, "--", "0")["asm_insns"]
    return int(found[0]["address"], 0), int(found[-1]["address"], 0)
flavor = gdb.with_parameter("disassembly-flavor", given["flavor"]) if given["flavor"] else nullcontext()
with flavor:
    if code["kind"] == "from":
        found = machine.disassemble(int(gdb.parse_and_eval("(unsigned long)(" + code["address"] + ")")), count=code["count"])
    elif code["kind"] == "here":
        found = machine.disassemble(frame.pc(), count=1)
    elif code["kind"] == "range":
        found = machine.disassemble(int(code["from"], 0), int(code["to"], 0) - 1)
    else:
        found = machine.disassemble(*whole(code["name"] if code["kind"] == "function" else code["address"]))
told = []
for one in found:
    at = one["addr"]
    block = gdb.block_for_pc(at)
    while block is not None and block.function is None:
        block = block.superblock
    sal = gdb.find_pc_line(at)
    told.append({
        "address": hex(at),
        "text": one["asm"],
        "bytes": " ".join("%02x" % b[0] for b in inferior.read_memory(at, one["length"])),
        "symbol": block and block.function.print_name,
        "file": sal.symtab and sal.symtab.fullname(),
        "line": sal.line or None,
    })
answer(told)
`,
  answer: Schema.Array(Instruction)
}

const Formatted = Schema.Struct({ value: Schema.String, type: Schema.String })

const formatted: Script<typeof Formatted.Type> = {
  title: "writing a value",
  text: `
with gdb.with_parameter("may-write-memory", "off"), gdb.with_parameter("may-call-functions", "off"):
    value = gdb.parse_and_eval(given["expression"])
    how = given["format"]
    if how == "raw":
        written = value.format_string(raw=True)
    elif how == "bytes":
        size = value.type.strip_typedefs().sizeof
        if value.address is not None:
            data = bytes(gdb.selected_inferior().read_memory(value.address, size))
        else:
            data = bytes(int(value.cast(gdb.lookup_type("unsigned char").array(size - 1))[i]) for i in range(size))
        written = " ".join("%02x" % b for b in data)
    else:
        written = value.format_string(format=how)
    answer({"value": written, "type": str(value.type)})
`,
  answer: Formatted
}

/** GDB's format letters. */
const letters: Readonly<Record<Inspection.Format, string>> = {
  raw: "raw",
  bytes: "bytes",
  hex: "x",
  decimal: "d",
  unsigned: "u",
  octal: "o",
  binary: "t",
  character: "c",
  float: "f",
  address: "a",
  string: "s"
}

const TypeFound = Schema.Struct({ name: Schema.String, definition: Schema.String, size: Schema.Int })

const described: Script<ReadonlyArray<typeof TypeFound.Type>> = {
  title: "describing a type",
  text: `
found = []
for kind in ("", "struct ", "union ", "enum "):
    try:
        known = gdb.lookup_type(given["name"]) if kind == "" else gdb.parse_and_eval("(%s%s *) 0" % (kind, given["name"])).type.target()
        said = gdb.execute("ptype/m %s" % (known.tag and kind + given["name"] or str(known)), to_string=True)
        said = said.split("type = ", 1)[-1].rstrip()
        found.append({"name": str(known), "definition": said, "size": known.sizeof})
        break
    except gdb.error:
        pass
answer(found)
`,
  answer: Schema.Array(TypeFound)
}

const Position = Schema.Struct({ address: Schema.String, file: text, line: Schema.NullOr(Schema.Int) })

const starts: Script<ReadonlyArray<typeof Position.Type>> = {
  title: "finding a function",
  text: `
found = []
try:
    for sal in gdb.decode_line(given["name"])[1] or ():
        found.append({"address": hex(sal.pc), "file": sal.symtab and sal.symtab.fullname(), "line": sal.line or None})
except gdb.error:
    pass
answer(found)
`,
  answer: Schema.Array(Position)
}

/** The requests that Python scripts in GDB answer. The others use DAP. */
export interface Answers extends Pick<Inspection.Inspection, "formatted" | "disassemble" | "functions" | "type"> {
  /** The instruction at a frame. */
  readonly instruction: Backend.Connection["instruction"]
}

/** Matches a name that can be part of a GDB command. */
const name = /^[\w:<>,~ *&()]+$/

/** Matches a name that GDB reads as the number of a line. */
const lineNumber = /^\s*\d|:\s*\d/

/** Makes the answers of one GDB. */
export const make = ({ ask }: Console): Answers => ({
  disassemble: (code, flavor) =>
    Effect.map(ask(disassembled, { code, flavor: flavor ?? null }), (found) => ({
      by: "gdb" as const,
      instructions: found.map(({ file, line, symbol, ...rest }) => ({
        ...rest,
        ...(symbol === null ? {} : { symbol }),
        ...(file === null ? {} : { file }),
        ...(line === null ? {} : { line })
      }))
    })),
  formatted: (expression, frame, format) => ask(formatted, { expression, format: letters[format] }, frame),
  functions: (wanted) =>
    name.test(wanted) && !lineNumber.test(wanted)
      ? Effect.map(ask(starts, { name: wanted }), (found) =>
          found.map(({ address, file, line }) => ({
            address,
            function: wanted,
            ...(file === null ? {} : { file }),
            ...(line === null ? {} : { line })
          }))
        )
      : Effect.succeed([]),
  type: (wanted) => (name.test(wanted) ? ask(described, { name: wanted }) : Effect.succeed([])),
  instruction: (frame) =>
    ask(disassembled, { code: { kind: "here" }, flavor: null }, frame).pipe(
      Effect.map(([first]) =>
        first === undefined ? undefined : `${first.address} ${first.text.replaceAll(/\s+/g, " ")}`
      ),
      Effect.catchTag("AdapterError", () => Effect.succeed(undefined))
    )
})
