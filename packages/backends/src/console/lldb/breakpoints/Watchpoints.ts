/**
 * Watchpoints that are set without an expression, and what LLDB cannot do for watchpoints.
 */
import { Breakpoint as Lldb, type Command } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** What a connection provides. */
interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly major: number
}

/** A command, or the text that cannot be part of one. */
type Built = ReturnType<typeof Command.set>

/** Runs a command that was built, and returns what it printed. */
export const run = ({ command }: Pick<Options, "command">, built: Built): Effect.Effect<string, Backend.Failure> =>
  Result.isSuccess(built)
    ? command(built.success)
    : Effect.fail(
        new Errors.AdapterError({
          command: "breakpoint",
          detail: `control characters in ${JSON.stringify(built.failure.text)}`
        })
      )

/**
 * What the manager does for a watchpoint. A write at which LLDB 19 itself does not stop ends a step that runs, without a stop, and LLDB
 * passes a breakpoint at the next instruction.
 */
export const unsupported = ["condition", "hits", "log"] as const

/**
 * Sets a watchpoint without an expression, so that the program runs as if it were not watched. Undefined if LLDB has no Python, or
 * for reads.
 */
export const setQuietly = Effect.fnUntraced(function* ({ command, major }: Options, watch: Lldb.Watch) {
  const built = Lldb.watchAddress(watch, major)
  if (Result.isFailure(built)) return undefined
  const text = yield* command(built.success)
  return Lldb.watchCreated(text) === undefined ? undefined : text
})
