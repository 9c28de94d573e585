/**
 * What a client wanted to do when it was refused because another one drives.
 */
import type { EventLine } from "../../connection/Answers.ts"

/** What operations do, as a verb. */
const verbs = new Map([
  ["continue", "continue"],
  ["next", "step"],
  ["step", "step"],
  ["finish", "step out"],
  ["until", "run to a line"],
  ["restart", "restart the program"],
  ["stop", "end the program"],
  ["break", "set a breakpoint"],
  ["breakpoint.remove", "remove a breakpoint"],
  ["breakpoint.enable", "enable a breakpoint"],
  ["breakpoint.disable", "disable a breakpoint"],
  ["breakpoint.edit", "change a breakpoint"],
  ["logpoint", "set a logpoint"],
  ["watch", "set a watchpoint"],
  ["catch", "set a catchpoint"],
  ["stepi", "step"],
  ["nexti", "step"],
  ["run", "run the program"],
  ["detach", "detach from the program"],
  ["input", "write to the program's input"],
  ["raw", "run a command of the debugger"],
  ["control.take", "take control"],
  ["control.release", "give control back"],
  ["set", "set a value"],
  ["eval", "run code in the program"]
])

/** Operations that resume the program. */
const resumes = new Set(["continue", "next", "step", "finish", "until", "stepi", "nexti"])

/** Returns what a client must take control for, to call an operation: "step", "set a value". */
export const controlFor = (operation: string | undefined): string =>
  operation === undefined || resumes.has(operation) ? "step" : (verbs.get(operation) ?? `call ${operation}`)

/** Returns what a refused call was for: `wanted to continue and was refused`. Undefined for another event. */
export const refusedWords = (event: EventLine["event"]): string | undefined =>
  event._tag === "Acted" && !event.ok && event.code === "LEASE_HELD"
    ? `wanted to ${verbs.get(event.operation) ?? `call ${event.operation}`} and was refused`
    : undefined
