/**
 * Answers requests about a stopped program by LLDB commands: threads, memory, instructions, globals, functions, types. Used
 * by lldb-dap's dialect and by the backend lldb-cli.
 */
import { Command, Disassembly, Frames, Lookup, Symbols, Variables } from "@sigtrap/lldb"
import type { Backend, Inspection } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { textOf } from "./values/Display.ts"
import { withoutVariables } from "./Failures.ts"
import * as Faults from "./Faults.ts"
import * as Memory from "./Memory.ts"
import * as StopText from "./StopText.ts"
import type { CallFrames } from "./frames/CallFrames.ts"
import * as LldbStacks from "./frames/Stacks.ts"
import * as FormattedValues from "./values/FormattedValues.ts"
import * as TypeNames from "./values/TypeNames.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly major: number
  /** `image dump symfile` does not crash the adapter. */
  readonly dumps: boolean
  /** Runs a command and returns its output, also if it failed. */
  readonly commandText: (line: string) => Effect.Effect<string, Backend.Failure>
  /** Runs a command in a frame and returns its output. Fails if the command fails. */
  readonly command: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  /** Runs three commands: set a format, the command itself, restore the format. Returns the output of the second. */
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
  readonly modules: Effect.Effect<ReadonlyArray<Inspection.Module>, Backend.Failure>
  readonly calls: Pick<CallFrames, "completed">
}

/** The requests that have the same answer in both backends. */
export type Answers = Omit<Inspection.Inspection, "globals" | "registers" | "modules" | "source">

/** Matches system libraries, whose thousands of symbols are not listed. */
const system = /^(?:\/usr)?\/lib|^\[|^\/System\//

/** Matches names of generated files, such as `<stdin>` of LLDB's own expressions. */
const generated = /<[^/]*>$/

/** Returns a built command. Fails if its text contains control characters. */
const built = (
  line: Result.Result<string, Command.Refused>,
  what: string
): Effect.Effect<string, Errors.AdapterError> =>
  Result.isSuccess(line)
    ? Effect.succeed(line.success)
    : Effect.fail(new Errors.AdapterError({ command: what, detail: "control characters are not allowed" }))

/** Makes the function that reads the stacks of all threads, each up to a number of frames. */
const stacksOf = (formatted: Options["formatted"], calls: Options["calls"]) =>
  Effect.fnUntraced(function* (count: number) {
    const listed = yield* Effect.flatMap(formatted(Frames.stacks(count)), Frames.framesInSteps)
    const byThread = new Map<number, { readonly thread: number; readonly frames: Array<Backend.StackFrame> }>()
    for (const frame of listed) {
      const known = byThread.get(frame.tid) ?? { thread: frame.thread, frames: [] }
      // A gap in the frame numbers ends the stack.
      if (known.frames.length === frame.index) known.frames.push(LldbStacks.frameOf(frame))
      byThread.set(frame.tid, known)
    }
    const stacks = new Map<number, ReadonlyArray<Backend.StackFrame>>()
    for (const [tid, { frames, thread }] of byThread) {
      stacks.set(tid, (yield* calls.completed(thread, 0, count, frames))?.frames ?? frames)
    }
    return stacks
  })

/** Makes the answers of one LLDB. */
export const make = ({ calls, command, commandText, dumps, formatted, major, modules }: Options): Answers => {
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
    // Code without a symbol belongs to no function and is disassembled from the address on.
    const instructions =
      code.kind === "around"
        ? yield* ask(code).pipe(
            Effect.catchTag("AdapterError", () => ask({ kind: "from", address: code.address, count: 12 }))
          )
        : yield* ask(code)
    return { instructions, by: "lldb" as const }
  })

  const faults = Faults.make({ command, commandText, formatted })
  return {
    lineBefore: Effect.fnUntraced(function* (address) {
      const question = yield* built(Lookup.at(address - 1n, undefined, major), "image lookup")
      const code = Lookup.parse(yield* commandText(question))
      const isSameFunction = code?.ranges.some(({ end, start }) => start < address && address < end) ?? false
      if (!isSameFunction || code?.row === undefined) return undefined
      const name = code.inlined ?? code.function
      return { file: code.row.file, line: code.row.line, ...(name === undefined ? {} : { function: name }) }
    }),
    places: Effect.map(Effect.flatMap(formatted(Frames.threads), Frames.threadListInSteps), (threads) =>
      threads.map(({ tid, stopReason, index: _, name: __, ...location }) => ({
        id: tid,
        ...StopText.reasonFields(stopReason),
        location
      }))
    ),

    stacks: stacksOf(formatted, calls),

    argumentNames: Effect.fnUntraced(function* (frame) {
      const args = command("frame variable --no-locals --scope -D 0", frame)
      return Symbols.argumentNames(yield* withoutVariables(args, ""))
    }),

    otherGlobals: Effect.fnUntraced(function* (file) {
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

    formatted: FormattedValues.make(command),

    faults,
    lookup: faults,
    memory: Memory.read({ command, commandText }),
    write: Memory.write({ command, commandText }),
    disassemble,

    files: Effect.gen(function* () {
      const listed = Symbols.listedFiles(yield* commandText(Symbols.listFiles))
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
            Effect.flatMap(Symbols.dumpedFilesInSteps)
          )
      )
      return [...new Set(lists.flat())].toSorted()
    }),

    functions: Effect.fnUntraced(function* (wanted) {
      const line = yield* built(Command.command("image lookup -v -n", [wanted], major), "image lookup")
      return yield* Symbols.functionsInSteps(yield* commandText(line))
    }),

    functionNames: Effect.fnUntraced(function* (start) {
      if (!/^[\w:~]*$/.test(start)) return []
      const pattern = Symbols.beginningPattern(start)
      const line = yield* built(Command.command("image lookup -r -F", [pattern], major), "image lookup")
      return Symbols.beginningWith(yield* Symbols.functionNamesInSteps(yield* commandText(line)), start)
    }),

    type: Effect.fnUntraced(function* (wanted) {
      const lookedUp = Effect.fnUntraced(function* (name: string) {
        const line = yield* built(Command.command("image lookup -t", [name], major), "image lookup")
        return yield* Symbols.typesInSteps(yield* commandText(line))
      })
      const found = yield* lookedUp(wanted)
      return found.length > 0 || !wanted.includes("<") ? found : yield* lookedUp(TypeNames.ofGcc(wanted))
    })
  }
}
