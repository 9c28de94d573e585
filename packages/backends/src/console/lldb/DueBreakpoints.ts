/**
 * The breakpoints at the address where a thread stopped for another reason. LLDB before 21 passes them when it resumes. Later versions
 * stop there (llvm-project pull request 126988).
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BreakpointIds } from "../BreakpointIds.ts"

/** What a connection provides. */
export interface Options {
  readonly text: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly ids: BreakpointIds
  readonly major: number
}

/** What the command `sigtrap-due-breakpoints` prints. */
const Numbers = Schema.fromJsonString(Schema.Array(Schema.Int))

/** Makes the request of one connection; none for an LLDB that stops at these breakpoints. An LLDB without Python knows none. */
export const make = ({ ids, major, text }: Options): Pick<Backend.Connection, "dueBreakpoints"> =>
  major >= 21
    ? {}
    : {
        dueBreakpoints: (thread) =>
          Effect.map(text(`sigtrap-due-breakpoints ${thread}`), (output) =>
            ids.managerIdsOf(
              Option.getOrElse(Schema.decodeOption(Numbers)(output.trim()), () => []),
              undefined
            )
          )
      }
