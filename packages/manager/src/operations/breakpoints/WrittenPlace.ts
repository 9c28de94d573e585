/**
 * Where the instruction is that wrote to watched memory. On x86-64 the program stops after it: at the next instruction, or, if a call
 * wrote its return address, at the first instruction of the called function.
 */
import * as Effect from "effect/Effect"
import type { Connection, Failure, StackFrame } from "../../ports/Backend.ts"

/** A line of a function. */
export type WrittenPlace = Pick<StackFrame, "function" | "file" | "line">

/** True if the innermost frame has just been called, and the return address of the call is the watched memory. */
const isCall = Effect.fnUntraced(function* (
  { evaluate, inspection }: Connection,
  frame: StackFrame,
  returns: string | undefined,
  watched: bigint
) {
  const { value } = yield* evaluate("(unsigned long)$sp", frame.handle, "read")
  const digits = /0x[0-9a-f]+/i.exec(value)?.[0] ?? /^\d+/.exec(value)?.[0]
  if (digits === undefined || returns === undefined) return false
  const stack = BigInt(digits)
  if (watched < stack || watched >= stack + 8n) return false
  const { bytes } = yield* inspection.memory(stack, 8)
  return bytes.length === 8 && new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true) === BigInt(returns)
})

/**
 * Returns the line of the instruction before the innermost frame's, at a stop of a watchpoint on an address; undefined if it is not
 * known. A repeated instruction may stop the program before it has finished, so it has none.
 */
export const of = Effect.fn("WrittenPlace.of")(
  function* (
    connection: Connection,
    [frame, caller]: ReadonlyArray<StackFrame>,
    address: string
  ): Effect.fn.Return<WrittenPlace | undefined, Failure> {
    const { lineBefore } = connection.inspection
    if (frame?.address === undefined) return undefined
    const isCalled = yield* isCall(connection, frame, caller?.address, BigInt(address)).pipe(
      Effect.orElseSucceed(() => false)
    )
    if (isCalled) return caller
    if (lineBefore === undefined) return undefined
    if (/\brep\w*\s/.test((yield* connection.instruction(frame.handle)) ?? "")) return undefined
    const found = yield* lineBefore(BigInt(frame.address))
    return found === undefined ? undefined : { function: frame.function, ...found }
  },
  Effect.orElseSucceed(() => undefined)
)

/** Returns the instructions of a function before an address, in the syntax of AT&T; none if they are not known. */
export const instructionsBefore = Effect.fn("WrittenPlace.instructionsBefore")(
  function* ({ inspection }: Connection, address: string): Effect.fn.Return<ReadonlyArray<string>, Failure> {
    const { instructions } = yield* inspection.disassemble({ kind: "around", address }, "att")
    const end = instructions.findIndex((one) => BigInt(one.address) === BigInt(address))
    return instructions.slice(0, Math.max(0, end)).map(({ text }) => text)
  },
  Effect.orElseSucceed((): ReadonlyArray<string> => [])
)
