/**
 * Watchpoints that are set without an expression, and what LLDB cannot do for watchpoints.
 *
 * A debug register of a processor watches 1, 2, 4 or 8 aligned bytes (Intel SDM 3B, 19.2.5). For other memory LLDB 19 takes larger
 * registers, and then stops at writes to the memory beside it. So such memory is watched by several watchpoints of LLDB, each of which
 * fits a register.
 */
import { Breakpoint as Lldb, type Command } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The parts of a connection that this module uses. */
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

/** Most bytes that one debug register watches. */
const registerSize = 8n

/** Returns the parts of watched memory that fit debug registers exactly. */
export const partsOf = (watch: Lldb.Watch): ReadonlyArray<Lldb.Watch> => {
  const parts: Array<Lldb.Watch> = []
  const end = BigInt(watch.address) + BigInt(watch.size)
  for (let at = BigInt(watch.address); at < end;) {
    let size = registerSize
    while (at % size !== 0n || at + size > end) size /= 2n
    parts.push({ ...watch, address: `0x${at.toString(16)}`, size: Number(size) })
    at += size
  }
  return parts
}

/**
 * Sets a watchpoint without an expression, so that the program runs as if it were not watched. Undefined if LLDB has no Python, or
 * for reads.
 */
const setQuietly = Effect.fnUntraced(function* ({ command, major }: Options, watch: Lldb.Watch) {
  const built = Lldb.watchAddress(watch, major)
  if (Result.isFailure(built)) return undefined
  const text = yield* command(built.success)
  return Lldb.watchCreated(text) === undefined ? undefined : text
})

const setOne = Effect.fnUntraced(function* (options: Options, watch: Lldb.Watch) {
  const quiet = yield* setQuietly(options, watch)
  const text = quiet ?? (yield* run(options, Lldb.watch(watch, options.major)))
  return { text, id: Lldb.watchCreated(text) }
})

/** Most registers that are tried for one watchpoint: x86-64 and most processors with arm64 have four. */
const mostParts = 4

/** Sets a watchpoint. Returns LLDB's numbers of its parts; none and the answer if LLDB refuses it. */
export const set = Effect.fnUntraced(function* (options: Options, watch: Lldb.Watch) {
  const parts = partsOf(watch)
  const ids: Array<number> = []
  if (parts.length > 1 && parts.length <= mostParts) {
    for (const part of parts) {
      const { id } = yield* setOne(options, part)
      if (id === undefined) break
      ids.push(id)
    }
    if (ids.length === parts.length) return { ids, text: "" }
    if (ids.length > 0) yield* options.command(deletion(ids))
  }
  // Larger registers may suffice where the exact ones do not.
  const { id, text } = yield* setOne(options, watch)
  return { ids: id === undefined ? [] : [id], text }
})

/** Builds the command that removes watchpoints. */
const deletion = (ids: ReadonlyArray<number>): string => `watchpoint delete ${ids.join(" ")}`
