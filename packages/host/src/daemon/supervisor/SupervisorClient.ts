/**
 * Asks the supervisor of a daemon that does not answer.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createConnection } from "node:net"
import type { Place } from "../../runtime/RuntimePath.ts"
import { answerIn, type Answer } from "./SupervisorProtocol.ts"

export type { Answer } from "./SupervisorProtocol.ts"

/** Maximum length of an answer; a daemon has at most 16 sessions. */
const LIMIT = 1_048_576

/** Timeout of the answer, in milliseconds. */
export const TIMEOUT = 500

const exchange = (path: string, request: "status" | "stop") =>
  Effect.callback<Answer | undefined>((resume) => {
    let text = ""
    const socket = createConnection(path).setEncoding("utf8")
    const end = () => resume(Effect.succeed(answerIn(text)))
    socket.on("connect", () => socket.write(`${request}\n`))
    socket.on("data", (piece) => {
      text += String(piece)
      if (text.length > LIMIT) return void socket.destroy()
      if (!text.endsWith("\n")) return
      socket.end()
      end()
    })
    socket.on("error", end)
    socket.on("close", end)
    return Effect.sync(() => socket.destroy())
  })

/** Sends `status` or `stop`; returns `undefined` if no supervisor answers within a time in milliseconds. */
export const ask = (
  { supervisor }: Place,
  request: "status" | "stop",
  within = TIMEOUT
): Effect.Effect<Answer | undefined> =>
  Effect.map(Effect.timeoutOption(exchange(supervisor, request), within), Option.getOrUndefined)
