/**
 * Ends steps in handlers of exceptions and where `longjmp` continues. LLDB does not follow them: `next` over a call that throws, and
 * `finish` of a function that throws, would run to the next breakpoint. Ends the step of a thread that a stop of another one interrupted.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { StepEnds } from "../../Dialect.ts"

/** The answer about a stop that ends a step: the breakpoint of LLDB, and the reason (DAP) and text of the stop. */
const landing = /^(\d+) (.+)$/

/** The resumes that step: only these are ended. */
const steps: ReadonlySet<Backend.Resume> = new Set<Backend.Resume>(["next", "step", "finish", "nexti"])

/** Makes the step ends of one connection. Programs without exceptions and `longjmp`, and an LLDB without Python, get no command. */
export const make = (text: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>): StepEnds => {
  let isAbsent = false
  let hasBegun = false
  /** The threads that were stepped since the last `continue`. */
  const stepped = new Set<number>()
  const asked = (line: string, frame?: number) => Effect.orElseSucceed(text(line, frame), () => undefined)
  /** LLDB continues an interrupted step when another thread is resumed, and stops at its end. */
  const abandoned = (how: Backend.Resume, thread: number) => {
    const others = [...stepped].filter((one) => one !== thread)
    if (how === "continue" || others.length > 0) stepped.clear()
    if (how !== "continue") stepped.add(thread)
    return others.length === 0 ? Effect.void : Effect.asVoid(asked(`sigtrap-step-abandon ${others.join(" ")}`))
  }
  const prepared = (how: Backend.Resume, thread: number, frame: number | undefined) =>
    Effect.suspend(() => {
      if (steps.has(how)) {
        if (isAbsent) return Effect.void
        const left = how !== "finish" ? "" : frame === undefined ? " innermost" : " selected"
        return Effect.map(asked(`sigtrap-step-begin ${thread}${left}`, frame), (answer) => {
          hasBegun = answer?.trim() === "begun"
          isAbsent = answer !== undefined && !hasBegun
        })
      }
      // The program may load a library that throws.
      isAbsent = false
      if (!hasBegun) return Effect.void
      hasBegun = false
      return Effect.asVoid(asked("sigtrap-step-end"))
    })
  return {
    resuming: (how, thread, frame) =>
      Effect.suspend(() => Effect.andThen(abandoned(how, thread), prepared(how, thread, frame))),
    landed: (numbers) =>
      hasBegun && numbers.length === 1
        ? Effect.map(asked("sigtrap-step-landed"), (answer) => {
            const [, number, reason] = landing.exec(answer?.trim() ?? "") ?? []
            return Number(number) === numbers[0] ? reason : undefined
          })
        : undefined
  }
}
