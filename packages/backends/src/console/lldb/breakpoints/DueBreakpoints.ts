/**
 * The breakpoints at the address where a thread stopped for another reason. LLDB before 21 passes them when it resumes. Later versions
 * stop there (llvm-project pull request 126988). All versions report SIGTRAP at a breakpoint that is set or removed while the program
 * runs, if a thread reaches it before LLDB has recorded the change.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BreakpointIds } from "../../BreakpointIds.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly text: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly ids: BreakpointIds
  readonly major: number
}

/** What the commands print: numbers of LLDB. */
const Numbers = Schema.fromJsonString(Schema.NullOr(Schema.Array(Schema.Int)))

/** Makes the requests of one connection. LLDB from 21 on has no breakpoints that are due. An LLDB without Python knows none. */
export const make = ({
  ids,
  major,
  text
}: Options): Pick<
  Backend.Connection,
  "dueBreakpoints" | "breakpointsAtSignal" | "namesFalseConditions" | "knowsEscaping"
> => {
  const numbers = (command: string, thread: number) =>
    Effect.map(text(`${command} ${thread}`), (output) => {
      const found = Option.getOrNull(Schema.decodeOption(Numbers)(output.trim()))
      return found === null ? undefined : ids.managerIdsOf(found, undefined)
    })
  return {
    namesFalseConditions: true,
    knowsEscaping: true,
    breakpointsAtSignal: (thread) => numbers("sigtrap-signal-breakpoints", thread),
    ...(major >= 21
      ? {}
      : { dueBreakpoints: (thread) => Effect.map(numbers("sigtrap-due-breakpoints", thread), (found) => found ?? []) })
  }
}
