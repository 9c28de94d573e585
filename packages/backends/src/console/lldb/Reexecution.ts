/**
 * What running a program again needs from LLDB: the hit counts of watchpoints with ignored hits, and breakpoints on functions
 * that read what another run may not repeat. These breakpoints are LLDB's only; the manager has no number for them.
 */
import { Breakpoint, Registers } from "@sigtrap/lldb"
import type { Backend, Reexecution } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { BreakpointIds } from "../BreakpointIds.ts"

/** What a connection provides. */
export interface Options {
  readonly text: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  readonly watchIds: BreakpointIds
  readonly major: number
}

const Numbers = Schema.fromJsonString(Schema.Array(Schema.Int))

/** What the command `sigtrap-unrepeatable` prints. */
const Reading = Schema.fromJsonString(
  Schema.Struct({
    reads: Schema.optionalKey(Schema.String),
    path: Schema.optionalKey(Schema.String),
    by: Schema.optionalKey(Schema.String)
  })
)

/** Makes the requests of one connection. */
export const make = ({ major, text, watchIds }: Options): Reexecution.Reexecution => ({
  hits: Effect.fnUntraced(function* (id) {
    const debuggerId = watchIds.debuggerIdOf(id)
    const answer = debuggerId === undefined ? "" : yield* text(`watchpoint list -v ${debuggerId}`)
    const hits = Breakpoint.watchHits(answer)
    if (hits !== undefined) return hits
    return yield* new Errors.AdapterError({ command: "watchpoint list", detail: answer.trim().slice(0, 300) })
  }),
  stopAtCalls: Effect.fnUntraced(function* (names) {
    const built = Breakpoint.atEntries(names, major)
    const made = Result.isSuccess(built) ? Breakpoint.created(yield* text(built.success)) : undefined
    const numbers = Schema.decodeOption(Numbers)((yield* text("sigtrap-stop-at-instructions")).trim())
    const ids = [...(made === undefined ? [] : [made.id]), ...Option.getOrElse(numbers, () => [])]
    return ids.length === 0 ? Effect.void : Effect.asVoid(text(`breakpoint delete ${ids.join(" ")}`))
  }),
  seed: Effect.map(text("sigtrap-seed"), (output) => /^[0-9a-f]{32}$/.exec(output.trim())?.[0]),
  plant: (seed) => Effect.asVoid(text(`sigtrap-set-seed ${seed}`)),
  readingAt: (frame) =>
    Effect.map(text("sigtrap-unrepeatable", frame), (output) => {
      const found = Option.getOrUndefined(Schema.decodeOption(Reading)(output.trim()))
      if (found?.by === undefined) return undefined
      if (found.reads !== undefined) return { by: found.by, reads: found.reads }
      return found.path === undefined ? undefined : { by: found.by, path: BigInt(found.path) }
    }),
  argument: (frame, index) => Effect.map(text(Registers.argument(index), frame), Registers.only)
})
