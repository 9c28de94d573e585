/**
 * Runs commands of the LLDB inside lldb-dap, in a given frame or between two settings.
 *
 * lldb-dap runs a command in the frame of the last `scopes` request (DAP) and ignores the `frameId` of `evaluate`.
 */
import { Requests } from "@sigtrap/dap"
import { Parse, type Frames } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import type { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { adapterError } from "../Failures.ts"
import type { Connection } from "../Dialect.ts"
import { failures } from "./Failures.ts"

/** The commands of one connection. */
export interface Commands {
  /** Runs a command in a frame with a timeout and returns its output. Fails if the command fails. */
  readonly command: (line: string, frame?: number, millis?: number) => Effect.Effect<string, Backend.Failure>
  /**
   * Runs three commands: set a format, the command itself, restore the format. Returns the output of the second. The format of
   * frames stays set, because every stop needs it, until `restored`.
   */
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
  /** Resets the format of frames. Other commands of the dialect do not print frames in it. */
  readonly restored: Effect.Effect<void, Backend.Failure>
}

/** Matches the setting that stays set. */
const staying = /^settings set frame-format /

/** The name of a failed command in messages: its words before the options. */
const named = (line: string) => line.split(" -")[0] ?? line

const succeeded = (line: string, text: string): Effect.Effect<string, Errors.AdapterError> => {
  const problem = Parse.failure(text)
  return problem === undefined ? Effect.succeed(text) : Effect.fail(adapterError(failures, named(line), problem.trim()))
}

/** Makes the commands of a connection. */
export const make = ({ client, failed, text }: Pick<Connection, "client" | "failed" | "text">): Commands => {
  const alone = Semaphore.makeUnsafe(1)
  /** The format that is set, and the command that resets it. */
  let set: { readonly before: string; readonly after: string } | undefined
  const select = (frame: number) => Effect.mapError(client.request(Requests.Scopes, { frameId: frame }), failed)
  return {
    command: Effect.fnUntraced(function* (line, frame, millis) {
      const selected = frame === undefined ? Effect.void : select(frame)
      const [, answer] = yield* Effect.all([selected, text(line, frame, millis)], { concurrency: "unbounded" }).pipe(
        alone.withPermit
      )
      return yield* succeeded(line, answer)
    }),
    // Sent together, answered in order; uninterruptible so that an interrupted caller does not leave the format set.
    formatted: (commands) =>
      Effect.suspend(() => {
        const [before, query, after] = commands
        const isSet = set?.before === before
        const stays = staying.test(before)
        if (stays) set = { before, after }
        const sent = [...(isSet ? [] : [before]), query, ...(stays ? [] : [after])]
        return Effect.map(
          Effect.forEach(sent, (line) => text(line), { concurrency: "unbounded" }),
          (answers) => answers[isSet ? 0 : 1] ?? ""
        )
      }).pipe(
        Effect.uninterruptible,
        alone.withPermit,
        Effect.flatMap((answer) => succeeded(commands[1], answer))
      ),
    // It waits for no other command: LLDB runs commands in the order in which they are sent.
    restored: Effect.suspend(() => {
      const reset = set?.after
      set = undefined
      return reset === undefined ? Effect.void : Effect.asVoid(text(reset))
    })
  }
}
