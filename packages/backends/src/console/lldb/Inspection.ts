/**
 * The further questions about a stopped program on an LLDB command line, inside an adapter or by itself.
 */
import { Command, Disassembly, Frames, Memory, Symbols, Variables } from "@sigtrap/lldb"
import type { Backend, Inspection } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { textOf } from "./Display.ts"
import * as LldbStacks from "./Stacks.ts"

/** What is asked through. */
export interface Options {
  readonly major: number
  /** Whether its dumps of debug information are safe to ask for. */
  readonly dumps: boolean
  /** The text of a command as it is, failures included. */
  readonly commandText: (line: string) => Effect.Effect<string, Backend.Failure>
  /** The text of a command that must succeed, in a frame. */
  readonly command: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  /** The answer to a question with a format of ours. */
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
  readonly modules: Effect.Effect<ReadonlyArray<Inspection.Module>, Backend.Failure>
}

/** The questions that every LLDB answers in one way. */
export type Answers = Omit<Inspection.Inspection, "globals" | "registers" | "modules" | "source">

/** The most bytes that one command writes, so that the line stays short. */
const writtenAtOnce = 512

/** Names of LLDB's formats. */
const formats: { readonly [format in Exclude<Inspection.Format, "raw">]: string } = {
  hex: "hex",
  decimal: "decimal",
  unsigned: "unsigned decimal",
  octal: "octal",
  binary: "binary",
  character: "character",
  float: "float",
  address: "address",
  string: "c-string",
  bytes: "bytes"
}

/** System libraries have thousands of symbols and no debug information worth listing. */
const system = /^(?:\/usr)?\/lib|^\[|^\/System\//

/** Text that the debugger or a compiler made up, such as LLDB's own expressions: `<stdin>`. */
const generated = /<[^/]*>$/

/** A backtick is evaluated on the command line, and a newline is a second command. */
const unfit = /[\u0000-\u001f\u007f`]/

const path = /^[A-Za-z_][\w.>[\]-]*$/

/** A value of several lines in one. */
export const trimmed = (value: string) => value.trim().replaceAll(/\s*\n\s*/g, " ")

/** A command that was built, or why it cannot be. */
export const built = (
  line: Result.Result<string, Command.Refused>,
  what: string
): Effect.Effect<string, Errors.AdapterError> =>
  Result.isSuccess(line)
    ? Effect.succeed(line.success)
    : Effect.fail(new Errors.AdapterError({ command: what, detail: "control characters are not allowed" }))

/** The answers of one LLDB. */
export const make = ({ command, commandText, dumps, formatted, major, modules }: Options): Answers => {
  const read = Effect.fnUntraced(function* (address: bigint, count: number) {
    const range = (from: bigint, length: number) =>
      Effect.map(commandText(Memory.read(from, length)), (text) => Memory.bytes(text, from, length))
    const whole = yield* range(address, count)
    if (whole.length === count) return { bytes: whole, unreadable: [], by: "lldb" as const }
    // One byte that cannot be read fails the whole, so each range is read by itself.
    const bytes = new Uint8Array(count)
    const unreadable: Array<readonly [number, number]> = []
    const gap = (from: number, to: number) => {
      const last = unreadable.at(-1)
      if (last !== undefined && last[1] === from) unreadable[unreadable.length - 1] = [last[0], to]
      else unreadable.push([from, to])
    }
    let offset = 0
    while (offset < count) {
      const at = address + BigInt(offset)
      const region = Memory.regionOf(yield* commandText(Memory.region(at)))
      const left = BigInt(count - offset)
      const length = Number(region === undefined || region.to <= at || region.to - at > left ? left : region.to - at)
      const found = region?.readable === true ? yield* range(at, length) : new Uint8Array(0)
      bytes.set(found, offset)
      if (found.length < length) gap(offset + found.length, offset + length)
      offset += length
    }
    return { bytes, unreadable, by: "lldb" as const }
  })

  const write = Effect.fnUntraced(function* (address: bigint, bytes: Uint8Array) {
    for (let at = address; at < address + BigInt(bytes.length);) {
      const region = Memory.regionOf(yield* commandText(Memory.region(at)))
      if (region === undefined || !region.writable || region.to <= at) {
        return yield* new Errors.AdapterError({
          command: "memory write",
          detail: `0x${at.toString(16)} is not writable${region?.name === undefined ? "" : ` (${region.name})`}`
        })
      }
      at = region.to
    }
    for (let offset = 0; offset < bytes.length; offset += writtenAtOnce) {
      yield* command(Memory.write(address + BigInt(offset), bytes.subarray(offset, offset + writtenAtOnce)))
    }
    return "lldb" as const
  })

  const commandOf = (code: Inspection.Code) =>
    code.kind === "function"
      ? built(Disassembly.ofFunction(code.name, major), "disassemble")
      : Effect.succeed(
          code.kind === "around"
            ? Disassembly.around(code.address)
            : code.kind === "range"
              ? Disassembly.between(code.from, code.to)
              : Disassembly.from(code.address, code.count)
        )

  const disassemble = Effect.fnUntraced(function* (code: Inspection.Code, flavor?: "intel" | "att") {
    const ask = (one: Inspection.Code) =>
      Effect.flatMap(commandOf(one), (line) =>
        formatted(Disassembly.formatted(Disassembly.flavoured(line, flavor)))
      ).pipe(Effect.map(Disassembly.instructions))
    // Code without a symbol belongs to no function; then it is shown from there on.
    const instructions =
      code.kind === "around"
        ? yield* ask(code).pipe(
            Effect.catchTag("AdapterError", () => ask({ kind: "from", address: code.address, count: 12 }))
          )
        : yield* ask(code)
    return { instructions, by: "lldb" as const }
  })

  return {
    places: Effect.map(formatted(Frames.threads), (text) =>
      Frames.threadList(text).map(({ tid, stopReason, index: _, name: __, ...location }) => ({
        id: tid,
        ...(stopReason === undefined ? {} : { stop_reason: stopReason }),
        location
      }))
    ),

    stacks: (count) =>
      Effect.map(formatted(Frames.stacks(count)), (text) => {
        const byThread = new Map<number, Array<Backend.StackFrame>>()
        for (const frame of Frames.frames(text)) {
          const known = byThread.get(frame.tid) ?? []
          // Numbers that do not follow each other belong to no stack.
          if (known.length === frame.index) byThread.set(frame.tid, [...known, LldbStacks.frameOf(frame)])
        }
        return byThread
      }),

    argumentNames: Effect.fnUntraced(function* (frame) {
      return Symbols.argumentNames(yield* command("frame variable --no-locals --scope -D 0", frame))
    }),

    elsewhere: Effect.fnUntraced(function* (file) {
      const own = (yield* modules).filter((one) => !system.test(one.path)).map((one) => one.path)
      const line = yield* built(Variables.declared(own, file, major), "target variable")
      return Variables.declarations(yield* commandText(line)).map(({ file: declared, node }) => ({
        name: node.name,
        value: textOf(node),
        type: node.type,
        opens: node.opens || node.text === "",
        ...(node.location.startsWith("0x") ? { address: `0x${BigInt(node.location).toString(16)}` } : {}),
        ...(declared === undefined ? {} : { file: declared })
      }))
    }),

    formatted: Effect.fnUntraced(function* (expression, frame, format) {
      if (unfit.test(expression)) {
        return yield* new Errors.Unsupported({
          what: "such an expression with a format",
          by: "LLDB",
          remedies: [Hint.call("context", {})]
        })
      }
      const how = format === "raw" ? "-R" : `-f "${formats[format]}"`
      const evaluated = `expression ${how} -- ${expression}`
      const text = path.test(expression)
        ? yield* command(`frame variable ${how} -- ${expression}`, frame).pipe(
            Effect.catchTag("AdapterError", () => command(evaluated, frame))
          )
        : yield* command(evaluated, frame)
      const found = Symbols.result(text)
      return found === undefined ? { value: trimmed(text.trim()) } : { type: found.type, value: trimmed(found.value) }
    }),

    memory: read,
    write,
    disassemble,

    files: Effect.gen(function* () {
      const listed = Symbols.listed(yield* commandText(Symbols.listFiles))
      if (listed !== undefined) {
        const own = listed.filter(([module]) => !system.test(module)).flatMap(([, found]) => found)
        return [...new Set(own)].filter((file) => !generated.test(file)).toSorted()
      }
      if (!dumps) {
        return yield* new Errors.Unsupported({
          what: "listing source files",
          by: "an LLDB without Python",
          remedies: [Hint.call("context", {})]
        })
      }
      const lists = yield* Effect.forEach(
        (yield* modules).filter((one) => !system.test(one.path)),
        (one) =>
          built(Command.command("image dump symfile", [one.name], major), "image dump symfile").pipe(
            Effect.flatMap(commandText),
            Effect.map(Symbols.dumped)
          )
      )
      return [...new Set(lists.flat())].toSorted()
    }),

    functions: Effect.fnUntraced(function* (wanted) {
      const line = yield* built(Command.command("image lookup -v -n", [wanted], major), "image lookup")
      return Symbols.functions(yield* commandText(line))
    }),

    type: Effect.fnUntraced(function* (wanted) {
      const line = yield* built(Command.command("image lookup -t", [wanted], major), "image lookup")
      return Symbols.types(yield* commandText(line))
    })
  }
}
