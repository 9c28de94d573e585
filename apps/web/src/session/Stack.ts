/**
 * The stacks that were read, and the frame whose values are shown.
 */
import type { Report, StackFrame } from "../connection/Answers.ts"

/** A stack that was read, with hidden frames or without. */
export interface Stack {
  readonly frames: ReadonlyArray<StackFrame>
  readonly folded: Pick<Report, "left_out" | "hidden_frames">
  readonly all: boolean
}

/** The frame that values were read in. */
export interface ValuesFrame {
  readonly thread: number | undefined
  readonly index: number
  readonly name: string
}
