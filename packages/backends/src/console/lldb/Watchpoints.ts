/**
 * The options of watchpoints by LLDB commands, and watchpoints that are set without an expression.
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

/** What the manager does for a watchpoint. LLDB counts the ignored hits of one with a condition whether or not it holds. */
export const unsupportedOf = ({ condition }: Backend.BreakpointRequest) =>
  condition === undefined ? (["log"] as const) : (["hits", "log"] as const)

/**
 * Gives a watchpoint its condition and its next hit that stops. LLDB compares all its hits with the ignore count, so those
 * before this command are added.
 */
export const setOptions = Effect.fnUntraced(function* (
  options: Options,
  id: number,
  { condition, hits = 1 }: Backend.BreakpointRequest
) {
  yield* run(options, Lldb.modifyWatch(id, condition, options.major))
  const before = Lldb.watchHits(yield* options.command(`watchpoint list -v ${id}`)) ?? 0
  yield* options.command(Lldb.ignoreWatch(id, condition === undefined ? before + hits : 1))
})

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
