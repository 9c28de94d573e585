/**
 * Reads the thread and the frame that LLDB has selected. Commands of a user such as `up` and `thread select` change them.
 */
import { Command } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** Makes the function that returns what a command selected; undefined for other commands and unexpected output. */
export const make = (
  text: (command: string) => Effect.Effect<string, Backend.Failure>
): NonNullable<Backend.Connection["selectedBy"]> =>
  Effect.fnUntraced(function* (command) {
    if (!Command.selectsFrame(command)) return undefined
    const thread = /^thread #\d+: tid = (0x[0-9a-f]+|\d+)/.exec(yield* text("thread info"))?.[1]
    const frame = /^frame #(\d+):/.exec(yield* text("frame info"))?.[1]
    return thread === undefined || frame === undefined ? undefined : { thread: Number(thread), frame: Number(frame) }
  })
