/**
 * Corrects what LLDB says at the beginning of a function, where the arguments are not in the frame yet.
 *
 * Stops: a step into a function is completed up to its body. A stop at which libraries were loaded binds breakpoints in them
 * and resumes. Values: arguments whose slots are not written have no value.
 */
import { Frames } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { readsUnset, type FunctionEntries, type FunctionEntry } from "./FunctionEntries.ts"
import type { Prologues } from "../../Dialect.ts"
import { placeOf } from "../frames/FrameHandles.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly functions: FunctionEntries
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
  /** Binds all breakpoints again; returns those that changed. */
  readonly refresh: Effect.Effect<ReadonlyArray<Backend.Placement>, Backend.Failure>
  readonly placed: (placement: Backend.Placement) => void
}

/** The text of LLDB for a stop at which libraries were loaded. */
const libraryStop = /^shared-library-event/

/** Matches the compiler's code that adjusts `this` and jumps to a virtual function (Itanium C++ ABI). GDB steps through it. */
const thunk = /^(?:virtual|non-virtual|covariant return) thunk to /

const notSetUp = "not set up yet"

/** Makes the corrections of one connection. */
export const make = ({ command, formatted, functions, placed, refresh }: Options): Prologues => {
  const frames = new Map<number, Backend.StackFrame>()

  /** Returns the function of a frame if its arguments are not set up. Calls happen in bodies, so only frame 0 can be early. */
  const unsetIn = (handle: number): Effect.Effect<FunctionEntry | undefined, Backend.Failure> => {
    const { address, module } = frames.get(handle) ?? {}
    return address === undefined || placeOf(handle).frame !== 0
      ? Effect.succeed(undefined)
      : functions.unsetAt(BigInt(address), module)
  }

  return {
    // lldb-dap names the internal breakpoint instead; its number is negative.
    isLibraryStop: (numbers, text) =>
      libraryStop.test(text ?? "") || (numbers.length > 0 && numbers.every((number) => number < 0)),

    loaded: Effect.gen(function* () {
      yield* Effect.ignore(command("sigtrap-library-event"))
      for (const placement of yield* refresh) placed(placement)
      const threads = yield* Frames.threadListInSteps(yield* formatted(Frames.threads))
      return threads.every(({ stopReason }) => stopReason === undefined || libraryStop.test(stopReason))
    }),

    completeStep: Effect.fnUntraced(function* (thread) {
      const threads = yield* Frames.threadListInSteps(yield* formatted(Frames.threads))
      const stopped = threads.filter(({ stopReason }) => stopReason !== undefined)
      const [one] = stopped
      if (one === undefined || stopped.length > 1 || one.tid !== thread) return false
      const { address, function: name = "", index, module } = one
      if (thunk.test(name)) {
        yield* command(`thread step-in ${index}`)
        return true
      }
      if (address === undefined) return false
      const at = BigInt(address)
      const found = yield* functions.unsetAt(at, module)
      if (found?.entry !== at || found.body === undefined) return false
      yield* command(`thread until -t ${index} -f 0 -a 0x${found.body.toString(16)}`)
      return true
    }),

    seen: (stack) => {
      for (const frame of stack.frames) if (placeOf(frame.handle).frame === 0) frames.set(frame.handle, frame)
      return stack
    },
    addressOf: (frame) => frames.get(frame)?.address,
    forget: () => frames.clear(),

    corrected: (values) => ({
      locals: Effect.fnUntraced(function* (frame) {
        const found = yield* unsetIn(frame)
        const shown = yield* values.locals(frame)
        if (found === undefined) return shown
        return shown.map((value) => {
          if (!found.unset.includes(value.name)) return value
          const { child_count: _, ...rest } = value
          return { ...rest, value: notSetUp, handle: 0, attributes: ["uninitialized" as const] }
        })
      }),

      evaluate: Effect.fnUntraced(function* (expression, frame, how, timeout) {
        const found = yield* unsetIn(frame)
        const names = found === undefined ? [] : readsUnset(found, expression)
        if (names.length === 0) return yield* values.evaluate(expression, frame, how, timeout)
        return yield* new Errors.AdapterError({
          command: "print",
          detail: `${names.join(", ")} is ${notSetUp}: the function has not stored it in the frame`
        })
      }),

      forget: () => {
        frames.clear()
        values.forget()
      }
    })
  }
}
