/**
 * Requests to one adapter: each belongs to the call that it is sent for, ends at the time limit of the call, and is watched for its
 * answer, so that a debugger that does not answer is reported.
 */
import { type Client, Errors as Dap, type Requests } from "@sigtrap/dap"
import { CallRequests } from "@sigtrap/protocol"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as UnansweredRequests from "../../process/UnansweredRequests.ts"
import * as AdapterInfo from "../AdapterInfo.ts"
import type { Started } from "./AdapterStart.ts"

/** How long an adapter may take to exit after its output has ended. */
const exitTimeout = "1 second"

/** Requests that last as long as the program wants, beside those that have a timeout of their own. */
const unlimited: ReadonlySet<string> = new Set(["launch", "attach", "evaluate"])

/** What the requests of a client need. */
export interface Options {
  readonly connected: Client.Client
  readonly unanswered: UnansweredRequests.UnansweredRequests
  readonly process: Pick<Started["process"], "exit">
  /** Time in milliseconds that a call may wait for the adapter. */
  readonly millis: number
}

/** Fails a request whose adapter has exited, with its exit code or signal. */
const explained = (closed: Dap.ConnectionClosed, { exit }: Pick<Started["process"], "exit">) =>
  Effect.flatMap(Effect.timeoutOption(exit, exitTimeout), (ended) =>
    Effect.fail(
      Option.match(ended, {
        onNone: () => closed,
        onSome: (how) => new Dap.ConnectionClosed({ reason: "ended", detail: `it ${AdapterInfo.endOf(how)}` })
      })
    )
  )

/** True if the error says that an adapter did not answer within the time limit. */
const isLate = ({ _tag }: Dap.RequestError): boolean => _tag === "RequestTimedOut"

const overdue = (command: string) => (millis: number) =>
  new Dap.RequestTimedOut({ command, after: Duration.millis(millis) })

/** Returns a client whose requests are limited, watched for answers, and fail with the exit of the adapter if it has exited. */
export const make = ({ connected, millis, process, unanswered }: Options): Client.Client => ({
  ...connected,
  request: <Args, Body>(
    kind: Requests.Request<Args, Body>,
    args: Args,
    how?: Client.RequestOptions
  ): Effect.Effect<Body, Dap.RequestError> => {
    const { command } = kind
    const send = (timeout: number) => connected.request(kind, args, { ...how, timeout })
    const limit = { connection: connected, name: command, millis, isLate, late: overdue(command) }
    const sent =
      how?.timeout === undefined
        ? CallRequests.limited(limit, send)
        : CallRequests.noted(command, connected.request(kind, args, how))
    const isLimited = how?.timeout !== undefined || unlimited.has(command)
    return (isLimited ? sent : unanswered.during(command, sent)).pipe(
      // The output of an adapter ends shortly before its exit is known.
      Effect.catchTag("ConnectionClosed", (closed) =>
        closed.reason === "ended" ? explained(closed, process) : Effect.fail(closed)
      )
    )
  }
})
