/**
 * Commands to the LLDB inside an adapter, in a chosen frame or between two settings.
 *
 * lldb-dap runs a command in the frame of the last `scopes` request, whatever frame the command's own request names.
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
  /** The text of a command that must succeed, in a frame, within `millis`. */
  readonly command: (line: string, frame?: number, millis?: number) => Effect.Effect<string, Backend.Failure>
  /** The text of the middle one of three commands; the others set a format and restore it. */
  readonly formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>
}

/** The name of a failed command in messages: its words before the options. */
const named = (line: string) => line.split(" -")[0] ?? line

const succeeded = (line: string, text: string): Effect.Effect<string, Errors.AdapterError> => {
  const problem = Parse.failure(text)
  return problem === undefined ? Effect.succeed(text) : Effect.fail(adapterError(failures, named(line), problem.trim()))
}

/** Makes the commands of a connection. */
export const make = ({ client, failed, text }: Pick<Connection, "client" | "failed" | "text">): Commands => {
  const alone = Semaphore.makeUnsafe(1)
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
      Effect.forEach(commands, (line) => text(line), { concurrency: "unbounded" }).pipe(
        Effect.uninterruptible,
        alone.withPermit,
        Effect.flatMap(([, answer = ""]) => succeeded(commands[1], answer))
      )
  }
}
