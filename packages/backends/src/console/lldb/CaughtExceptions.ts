/**
 * Ends steps in handlers of exceptions. LLDB does not follow exceptions of C++: `next` over a call that throws, and `finish` of a function
 * that throws, would run to the next breakpoint.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { CaughtExceptions } from "../Dialect.ts"

/** The reason (DAP) and the text of the stop. */
const reason = "exception caught"

/** The resumes that an exception can end. */
const steps: ReadonlySet<Backend.Resume> = new Set<Backend.Resume>(["next", "step", "finish", "nexti"])

/** Makes the steps of one connection. It sends nothing for programs without exceptions of C++. An LLDB without Python follows none. */
export const make = (text: (line: string) => Effect.Effect<string, Backend.Failure>): CaughtExceptions => {
  let isAbsent = false
  let hasBegun = false
  const asked = (line: string) => Effect.orElseSucceed(text(line), () => undefined)
  return {
    resuming: (how, thread) =>
      Effect.suspend(() => {
        if (steps.has(how)) {
          if (isAbsent) return Effect.void
          return Effect.map(asked(`sigtrap-step-begin ${thread}`), (answer) => {
            hasBegun = answer?.trim() === "begun"
            isAbsent = answer !== undefined && !hasBegun
          })
        }
        if (!hasBegun) return Effect.void
        hasBegun = false
        return Effect.asVoid(asked("sigtrap-step-end"))
      }),
    landed: (numbers) =>
      hasBegun && numbers.length === 1
        ? Effect.map(asked("sigtrap-step-landed"), (answer) =>
            answer?.trim() === String(numbers[0]) ? reason : undefined
          )
        : undefined
  }
}
