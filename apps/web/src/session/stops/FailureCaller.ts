/**
 * The function that called the frame in which the program failed. Its variables often have the cause.
 */
import type { Report, StackFrame, Value } from "../../connection/Answers.ts"
import { isFailure } from "../words/StopWords.ts"

/** The variables of a caller, as they were read at a stop. */
export interface CallerValues {
  readonly stop: number
  readonly frame: StackFrame
  readonly values: ReadonlyArray<Value>
}

/** Returns the next frame with source above the one in which the program failed; undefined if the stop is not a failure. */
export const callerOf = (
  report: Pick<Report, "reason" | "signal" | "frames"> | undefined,
  failed: number
): StackFrame | undefined =>
  isFailure(report)
    ? report?.frames?.find(
        ({ file, index, label, raised }) =>
          index > failed && file !== undefined && label !== true && raised === undefined
      )
    : undefined
