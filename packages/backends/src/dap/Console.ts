/**
 * Commands of the user and of the dialect for the debugger inside an adapter (DAP `evaluate`, context `repl`).
 */
import { Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import { Command, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { adapterError } from "../console/Failures.ts"
import type { Quirks } from "../adapters/Quirks.ts"
import type { Connection, Dialect } from "../console/Dialect.ts"
import type { StuckCall } from "../process/StuckCall.ts"
import type { Translator } from "./events/Events.ts"

/** The parts of a connection that this module uses. */
export interface Options extends Pick<Connection, "calling" | "failed"> {
  readonly client: Client.Client
  readonly dialect: Dialect | undefined
  readonly events: Translator
  /** The adapter's name in messages. */
  readonly name: string
  readonly quirks: Quirks
  readonly stuckCall: StuckCall
  /** A request that every adapter answers at once; shows that the adapter responds. */
  readonly ping: Effect.Effect<unknown, unknown>
}

/** Timeout of the event after the response to a command that resumes. */
const resumeTimeout = "500 millis"

/** Default and maximum timeout of a user's command, in milliseconds. */
const usualCommand = 30_000
const longestCommand = 3_600_000

/** The console of one connection. */
export interface Console extends Pick<Connection, "text"> {
  /** Runs a command of the user. */
  readonly command: Backend.Connection["command"]
}

/** Makes the console of one connection. */
export const make = (options: Options): Console => {
  const { calling, client, dialect, events, failed, name, ping, quirks, stuckCall } = options

  const text: Connection["text"] = (line, frame, millis) =>
    calling(
      client.request(
        Requests.Evaluate,
        {
          expression: dialect?.expression(line) ?? line,
          context: "repl",
          ...(frame === undefined ? {} : { frameId: frame })
        },
        millis === undefined ? {} : { timeout: millis }
      )
    ).pipe(
      Effect.mapError((error: Dap.RequestError) => failed(error)),
      Effect.map(({ result }) => (quirks.echoesCommands === true ? result.replace(/^\(lldb\) .*\n?/, "") : result))
    )

  return {
    text,
    command: Effect.fnUntraced(function* (line, frame, timeout = usualCommand) {
      if (dialect?.interactive(line) === true) {
        return yield* new Errors.Unsupported({
          what: `the command ${line.trim() === "" ? "''" : line.trim()}, which would wait for a terminal or end the debugger,`,
          by: name,
          remedies: [Hint.call("raw", { command: "help" })]
        })
      }
      const limit = Math.min(timeout, longestCommand)
      const stateChange = events.awaitStateChange()
      const select = frame === undefined ? undefined : dialect?.select?.(client, frame)
      // Sent together, so that no other request comes between them.
      const run = Effect.all(
        [select === undefined ? Effect.void : Effect.ignore(select), text(line, frame, limit + 2 * usualCommand)],
        {
          concurrency: "unbounded"
        }
      ).pipe(Effect.map(([, answer]) => answer))
      // The command may call a function of the program that does not return.
      const answer = yield* stuckCall
        .bounded(run, line, limit, ping)
        .pipe(Effect.ensuring(Effect.sync(stateChange.cancel)))
      // A command that resumes is answered at once. Its event can arrive before the response or shortly after it.
      if (Command.resumes(line)) yield* Effect.timeoutOption(stateChange.happened, resumeTimeout)
      else yield* Effect.ignore(ping)
      const problem = Parse.failure(answer)
      if (problem === undefined) return answer
      return yield* adapterError(quirks.failures, line, problem.trim())
    })
  }
}
