/**
 * Tells whether the program catches a panic of Rust, before the stack is unwound.
 *
 * The unwinder has two phases (Itanium C++ ABI, Exception Handling). The first one looks for a frame that catches; the second one
 * unwinds to it. Both call the personality routine for each frame of Rust, with the phase and the exception. At the first call of the
 * second phase no frame has been left, and the second private word of the exception has the place of the frame that catches,
 * the stack pointer in it
 * (libgcc `_Unwind_RaiseException`, LLVM libunwind `unwind_phase2`). Each runtime calls the code of the user in a function of a known
 * name. If that function is between the panic and the frame that catches, the runtime catches the panic: it ends the thread or fails
 * the test. Else the program itself catches it.
 */
import { Hex, Registers, type Client, type Errors } from "@sigtrap/rsp"
import * as Effect from "effect/Effect"
import type { Range } from "./PanicFunctions.ts"
import type { RunBreakpoints } from "./RunBreakpoints.ts"

/** The bit of the second phase in the actions of a call. */
const cleanupPhase = 2n

/** The place of the second private word in an exception: behind the class, the cleanup function and the first word. */
const privateWord = 24n

/** Bytes of a word. */
const word = 8

/** The most bytes between a frame that catches and the code of the user: the runtime's own frames. */
const nearest = 16n * 1024n

/** The panics of one run. */
export interface Panics {
  /** Follows the panic of a thread. Returns false if the functions of the program are not known. */
  readonly begin: (thread: number) => Effect.Effect<boolean, Errors.RequestError>
  /** Returns at a call of the personality routine whether the program catches the panic; undefined if this call does not tell. */
  readonly isCaught: (thread: number) => Effect.Effect<boolean | undefined, Errors.RequestError>
}

const has = (value: bigint) => (range: Range) => value > range.start && value < range.end

/** Returns true if a part of the stack has the address of an instruction in one of the ranges. */
const pointsTo = (stack: Uint8Array, entry: bigint, ranges: ReadonlyArray<Range>): boolean => {
  for (let at = 0; at + word <= stack.length; at += word) {
    if (ranges.some(has(Hex.toBigInt(stack.subarray(at, at + word)) - entry))) return true
  }
  return false
}

/** Makes the panics of a run. */
export const make = (client: Client.Client, breakpoints: Pick<RunBreakpoints, "unwinding">): Panics => {
  const panicking = new Set<number>()

  const register = Effect.fnUntraced(function* (role: string, thread: number) {
    const number = Registers.find(yield* client.registers, role)?.number
    return number === undefined ? undefined : Hex.toBigInt(yield* client.readRegister(number, thread))
  })

  return {
    begin: Effect.fnUntraced(function* (thread) {
      const found = yield* breakpoints.unwinding(true)
      if (found === undefined || found.functions.userCode.length === 0) return false
      panicking.add(thread)
      return true
    }),
    isCaught: Effect.fnUntraced(function* (thread) {
      if (!panicking.has(thread)) return undefined
      const actions = yield* register("arg2", thread)
      if (actions !== undefined && (actions & cleanupPhase) === 0n) return undefined
      panicking.delete(thread)
      const found = yield* breakpoints.unwinding(panicking.size > 0)
      const [exception, sp] = [yield* register("arg4", thread), yield* register("sp", thread)]
      if (actions === undefined || exception === undefined || sp === undefined || found === undefined) return false
      const frame = Hex.toBigInt(yield* client.readMemory(exception + privateWord, word))
      if (frame <= sp || frame % BigInt(word) !== 0n) return false
      // The last word is the address in the frame that catches, which the function of the user's code may be itself.
      const end = frame - BigInt(word)
      const start = end - sp > nearest ? end - nearest : sp
      const stack = yield* client.readMemory(start, Number(end - start))
      if (BigInt(stack.length) !== end - start) return false
      return !pointsTo(stack, found.entry, found.functions.userCode)
    })
  }
}
