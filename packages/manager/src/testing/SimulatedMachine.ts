/**
 * Machine state of a simulated program: 256 bytes of memory, two registers, its instructions.
 *
 * Memory begins at `base`; its upper half is read-only. The address of a function is `base` plus its line.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Inspection } from "../ports/Inspection.ts"
import type * as SimulatedProgram from "./SimulatedProgram.ts"

/** Address of the memory. */
const base = 0x1000

const size = 256

/** The simulated program. */
export interface Subject {
  readonly program: () => SimulatedProgram.Program
  /** Returns the place of a frame's handle; none for a handle of an earlier stop. */
  readonly place: (handle: number) => SimulatedProgram.Place | undefined
}

const refused = (command: string, detail: string, reason?: Errors.AdapterReason) =>
  Effect.fail(new Errors.AdapterError({ command, detail, ...(reason === undefined ? {} : { reason }) }))

/** Returns the line at an address; the first line for a register. */
const placeOf = (address: string): number => (address.startsWith("$") ? 0 : Number(BigInt(address)) - base)

/** Returns the inspection of a simulated program. */
export const make = (subject: Subject): Inspection => {
  const { place, program } = subject
  const memory = Uint8Array.from({ length: size }, (_, i) => i)
  const beginning = (name: string) => program().source.functions[name]
  const at = (handle: number) => {
    const found = place(handle)
    return found === undefined ? refused("scopes", "no such frame") : Effect.succeed(found)
  }
  return {
    places: Effect.succeed([]),
    stacks: () => Effect.succeed(new Map()),
    argumentNames: (frame) => Effect.map(at(frame), ({ variables }) => Object.keys(variables ?? {}).slice(0, 1)),
    globals: (frame) => Effect.map(at(frame), () => [{ name: "counter", value: "7", type: "int", handle: 0 }]),
    otherGlobals: (file) =>
      Effect.succeed(
        [
          { name: "counter", value: "7", type: "int", file: "app.c", opens: false },
          { name: "counter", value: "9", type: "int", file: "other.c", opens: false },
          { name: "limit", value: "100", type: "int", file: "other.c", opens: false },
          // As rustc describes the methods of a type.
          {
            name: "<app::Circle as app::Shape>::{vtable}",
            value: "{size:8}",
            type: "table",
            file: "other.c",
            opens: false
          }
        ].filter((one) => file === undefined || one.file === file)
      ),
    registers: (frame) =>
      Effect.map(at(frame), ({ line = 0 }) => [
        {
          name: "General Purpose Registers",
          registers: [
            { name: "pc", value: `0x${line}` },
            { name: "sp", value: "0x9" }
          ]
        },
        { name: "Floating Point Registers", registers: [{ name: "st0", value: "0" }] }
      ]),
    formatted: (expression, frame, format) => Effect.map(at(frame), () => ({ value: `${format} of ${expression}` })),
    memory: (address, count) => {
      const offset = Number(address) - base
      const bytes = Uint8Array.from({ length: count }, (_, i) => memory[offset + i] ?? 0)
      const end = Math.max(0, Math.min(count, size - offset))
      const known = offset >= 0 ? end : 0
      return Effect.succeed({ bytes, unreadable: known === count ? [] : [[known, count] as const], by: "dap" as const })
    },
    write: (address, bytes) => {
      const offset = Number(address) - base
      if (offset < 0 || offset + bytes.length > size / 2) return refused("memory write", "not writable")
      return Effect.sync(() => {
        memory.set(bytes, offset)
        return "dap" as const
      })
    },
    disassemble: (code) => {
      const line =
        code.kind === "function" ? beginning(code.name) : placeOf(code.kind === "range" ? code.from : code.address)
      if (line === undefined) return refused("disassemble", "Unable to find symbol", "unknown-function")
      const instructions = Array.from({ length: 20 }, (_, i) => ({
        address: `0x${(base + line + i).toString(16)}`,
        text: "nop"
      }))
      return Effect.succeed({ instructions, by: "dap" as const })
    },
    modules: Effect.succeed([
      { name: "app", path: "/src/app" },
      { name: "libc.so", path: "/lib/libc.so" }
    ]),
    files: Effect.sync(() => [program().source.file]),
    functions: (name) => {
      const line = beginning(name)
      return Effect.sync(() => (line === undefined ? [] : [{ function: name, file: program().source.file, line }]))
    },
    functionNames: (start) =>
      Effect.sync(() => Object.keys(program().source.functions).filter((name) => name.startsWith(start))),
    type: (name) =>
      Effect.succeed(
        name === "pair"
          ? [{ name: "pair", definition: "struct pair {\n    int first;\n    char name[4];\n}", size: 8 }]
          : []
      )
  }
}
