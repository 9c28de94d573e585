/**
 * Where a step began, to decide at a later stop whether the step is finished. Frames are compared by stack pointer.
 */
import * as Effect from "effect/Effect"
import type { Connection, Resume } from "../../ports/Backend.ts"

/** The innermost frame of a thread. */
export interface Position {
  readonly handle: number
  readonly function: string
  readonly line: number | undefined
  readonly stackPointer: bigint | undefined
  /** The address of the next instruction. */
  readonly address: bigint | undefined
}

/** The thread and frame in which a step began. */
export interface StepOrigin extends Position {
  readonly how: Exclude<Resume, "continue">
  readonly thread: number
}

const stackPointer = (live: Connection, frame: number) =>
  live.evaluate("$sp", frame, "read").pipe(
    Effect.map(({ value }) => /0x[0-9a-f]+|\d+/i.exec(value)?.[0]),
    Effect.map((text) => (text === undefined ? undefined : BigInt(text))),
    Effect.orElseSucceed(() => undefined)
  )

/** Reads the innermost frame of a thread, with the stack pointer of another one if named; none for a thread without frames. */
export const position = Effect.fnUntraced(function* (live: Connection, thread: number, other?: number) {
  const frame = (yield* live.stack(thread, 0, 1)).frames[0]
  if (frame === undefined) return undefined
  const found: Position = {
    handle: frame.handle,
    function: frame.function,
    line: frame.line,
    stackPointer: yield* stackPointer(live, other ?? frame.handle),
    address: /^0x[\da-f]+$/i.test(frame.address ?? "") ? BigInt(frame.address ?? 0) : undefined
  }
  return found
})

/** True if the step has finished; true when unknown. */
export const isFinished = (origin: StepOrigin, at: Position): boolean => {
  if (origin.how === "stepi" || origin.how === "nexti") return true
  if (origin.stackPointer === undefined || at.stackPointer === undefined) return true
  if (origin.how === "finish") return at.stackPointer > origin.stackPointer
  const moved = origin.line !== at.line || origin.function !== at.function
  return moved && (origin.how === "step" || at.stackPointer >= origin.stackPointer)
}
