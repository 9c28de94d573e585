/**
 * Answers requests about faults by LLDB commands: siginfo, instructions, memory regions, and reports of sanitizers.
 */
import { Memory, Sanitizers, Signals, type Frames } from "@sigtrap/lldb"
import { SignalCodes, type Backend, type Faults } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as ExpressionQueries from "./ExpressionQueries.ts"
import * as Operand from "./Operand.ts"
import * as LldbStacks from "./frames/Stacks.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  /** Runs a command and returns its output, also if it failed. */
  readonly commandText: (line: string) => Effect.Effect<string, Backend.Failure>
  /** Runs a command in a frame and returns its output. Fails if the command fails. */
  readonly command: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  /** Runs a command between two settings. */
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
}

/** The line of the first instruction, without address and offset. LLDB marks the one at the pc by an arrow. */
const instructionText = (output: string) =>
  /^(?:->)?\s+0x[0-9a-fA-F]+(?:\s+<[+-]\d+>)?:\s+(\S.*?)\s*$/m.exec(output)?.[1]

/** The address of the second instruction. */
const nextAddress = (output: string) => {
  const found = /^(?:->)?\s+0x[^\n]*\n\s+(0x[0-9a-fA-F]+)\b/m.exec(output)?.[1]
  return found === undefined ? undefined : BigInt(found)
}

/** Sizes of call instructions of x86-64 whose target LLDB names: by a distance, and by a place in memory. */
const callSizes: ReadonlyArray<bigint> = [5n, 6n]

/** Returns the function that an instruction calls, by LLDB's comment: `callq 0x1040 ; symbol stub for: sem_wait`. */
const calledIn = (output: string): string | undefined =>
  /:\s+callq?\s[^;]*;\s+(?:symbol stub for: |\(void \*\)0x[0-9a-f]+: )?([A-Za-z_]\w*)(?:@\S*)?\s*$/m.exec(output)?.[1]

/** Returns the number of a signal of Linux. */
const numberOf = (name: string): number | undefined => {
  const found = Object.entries(SignalCodes.names).find(([, known]) => known === name)
  return found === undefined ? undefined : Number(found[0])
}

/** Returns the signal in LLDB's output. */
const signalIn = (output: string): Faults.SignalInfo | undefined => {
  const found = Signals.parse(output, numberOf)
  if (found === undefined) return undefined
  const { address, name, sender, words } = found
  const isFault = address !== undefined || (words !== undefined && Signals.codeOf(words) !== undefined)
  // LLDB names the address of every fault in memory, so a code of a fault without one is that of a later signal.
  const isStale = name === "SIGSEGV" && !isFault && found.code !== undefined && found.code > 0
  const fromKernel = found.code === undefined || isStale ? undefined : SignalCodes.nameOf(name, found.code)
  const code = words === undefined ? fromKernel : (Signals.codeOf(words) ?? fromKernel)
  const isSent =
    !isFault && (isStale || (found.code !== undefined && found.code <= 0) || words?.startsWith("sent by") === true)
  return {
    name,
    by: "kernel",
    ...(code === undefined ? {} : { code }),
    ...(address === undefined ? {} : { address }),
    ...(code === SignalCodes.refusedCall && found.call !== undefined ? { call: found.call } : {}),
    ...(isSent ? { sent: true as const } : {}),
    ...(isSent && sender !== undefined ? { sender } : {})
  }
}

const asNumber = (expression: string) => `expression --allow-jit false -f x -- (unsigned long)(${expression})`

/** Makes the answers of one LLDB. */
export const make = ({ command, commandText, formatted }: Options): Faults.Faults => {
  /** The output of a command in a frame; empty if it failed. */
  const tried = (line: string, frame: number) =>
    command(line, frame).pipe(Effect.catchTag("AdapterError", () => Effect.succeed("")))
  /** The number of an expression that LLDB compiles. */
  const evaluated = (expression: string, frame: number) =>
    Effect.map(tried(asNumber(expression), frame), (output) => /\$\d+ = (0x[0-9a-fA-F]+)\s*$/.exec(output)?.[1])
  return {
    signal: (frame) => Effect.map(tried(Signals.info, frame), signalIn),

    instruction: Effect.fnUntraced(function* (frame, address) {
      const place = address === undefined ? Operand.here : Operand.at(address)
      // Other processors than x86 have one syntax, and LLDB refuses to choose it.
      const intel = yield* tried(Operand.inIntelSyntax(place), frame)
      const output = instructionText(intel) === undefined ? yield* tried(Operand.asItIs(place), frame) : intel
      const text = instructionText(output)
      return text === undefined ? undefined : Operand.parse(text, nextAddress(output))
    }),

    region: (address) => Effect.map(commandText(Memory.region(address)), Memory.regionOf),

    report: Effect.fnUntraced(function* (frame) {
      const found = Sanitizers.parse(yield* tried(Sanitizers.report, frame))
      if (found === undefined) return undefined
      const { access_size: size, access_type: type, address, description, instrumentation_class: tool, summary } = found
      return {
        tool,
        ...(description === undefined ? {} : { kind: description }),
        ...(summary === undefined ? {} : { summary }),
        // An error without an access, such as a double free, has the size 0.
        ...(size === undefined || size === 0 || type === undefined
          ? {}
          : { size, access: type === 1 ? ("write" as const) : ("read" as const) }),
        ...(address === undefined ? {} : { address })
      }
    }),

    history: (address) =>
      formatted(Sanitizers.history(address)).pipe(
        Effect.catchTag("AdapterError", () => Effect.succeed("")),
        Effect.map((output) =>
          Sanitizers.events(output).map(({ frames, ...event }) => ({
            ...event,
            frames: frames.map((frame) => {
              const { activation: _, handle: __, ...shown } = LldbStacks.frameOf(frame)
              return shown
            })
          }))
        )
      ),

    symbol: (address) =>
      Effect.map(commandText(`image lookup -a 0x${address.toString(16)}`), (output) => {
        // LLDB names no module before a variable that has its value in the file.
        const [, name, offset] = /^\s+Summary: (?:\S+?`)?([\w$~:].*?)(?: \+ (\d+))?(?: at .*)?$/m.exec(output) ?? []
        // LLDB names the section where a module has no symbol: `libc++.so.1.PT_LOAD[1]..bss + 3844`.
        const isSection = name === undefined || /\.PT_LOAD\[\d+\]\.|\.\.\w+$/.test(name)
        return isSection ? undefined : { name, offset: Number(offset ?? 0) }
      }),

    called: Effect.fnUntraced(function* (returnAddress) {
      for (const size of callSizes) {
        const line = `disassemble -c 1 -s 0x${(returnAddress - size).toString(16)}`
        const name = calledIn(yield* commandText(line))
        if (name !== undefined) return name
      }
      return undefined
    }),

    number: Effect.fnUntraced(function* (expression, frame) {
      // Some expressions end LLDB, and some need another frame.
      const found = yield* ExpressionQueries.compiled(tried, expression, frame).pipe(
        Effect.catchTag("AdapterError", () => Effect.succeed("none" as const))
      )
      if (found === "none") return undefined
      const value =
        found?.kind === "value"
          ? /^(?:0x[0-9a-fA-F]+|\d+)/.exec(found.value.value)?.[0]
          : found?.kind === "expression"
            ? yield* evaluated(found.expression, frame + found.callers)
            : yield* evaluated(expression, frame)
      return value === undefined ? undefined : BigInt(value)
    })
  }
}
