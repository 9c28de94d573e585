/**
 * What some adapters leave out when they tell of a stop, asked for before the stop is passed on: which breakpoint it
 * was, or what kind of exception. The program stands still meanwhile.
 */
import { Requests, type Client, type Events } from "@sigtrap/dap"
import { Errors, type Event } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import * as GdbConsole from "../console/gdb/Console.ts"
import * as Scripts from "../console/gdb/Scripts.ts"
import type { Quirks } from "../adapters/Quirks.ts"

/** A stop as an adapter tells it (DAP `stopped`). */
type Stopped = typeof Events.Stopped.body.Type

/** What is needed to ask. */
export interface Options {
  readonly client: Client.Client
  readonly ids: BreakpointIds
  /** Whether a core file is looked at, whose stop is that of its signal. */
  readonly core?: boolean
}

/** The console by which GDB is asked; what it cannot tell is left out. */
const gdb = (client: Client.Client) =>
  GdbConsole.make({
    client,
    failed: () => new Errors.AdapterError({ command: "evaluate", detail: "refused" })
  })

/** How a program ended whose adapter says 0 for a signal and for no beginning too; nothing is asked of others. */
export const ended = (
  { client }: Options,
  exitCode: number | undefined,
  quirks: Quirks
): Effect.Effect<Event.Event | undefined> | undefined =>
  quirks.namelessSignals !== true || (exitCode ?? 0) !== 0
    ? undefined
    : gdb(client)
        .ask(Scripts.endedBy, {})
        .pipe(
          Effect.map(({ code, signal }): Event.Event | undefined =>
            signal !== null ? { _tag: "Exited", signal } : code === null ? { _tag: "Exited" } : undefined
          ),
          Effect.timeout(within),
          Effect.orElseSucceed(() => undefined)
        )

/** A stop for a signal, with its name and the address that faulted. */
const signalled = (client: Client.Client, body: Stopped): Effect.Effect<Stopped> =>
  gdb(client)
    .ask(Scripts.signal, {})
    .pipe(
      Effect.map(({ address, name }) =>
        name === null
          ? body
          : {
              ...body,
              reason: "exception",
              description: `signal ${name}${address === null ? "" : ` (fault address=${address})`}`
            }
      ),
      Effect.timeout(within),
      Effect.orElseSucceed(() => body)
    )

/** How long an answer may take; the stop is told without it then. */
const within = "2 seconds"

/** The stop with what was missing; nothing when nothing is to be asked. */
export const complete = (options: Options, body: Stopped, quirks: Quirks): Effect.Effect<Stopped> | undefined => {
  const { client, ids } = options
  const { threadId } = body
  if (threadId === undefined) return undefined
  if (quirks.namelessSignals === true && (body.reason === "signal" || options.core === true)) {
    return signalled(client, body)
  }
  const bare = body.description === undefined && body.text === undefined
  if (quirks.stopsWithoutText === true && body.reason === "exception" && bare) {
    return client.request(Requests.ExceptionInfo, { threadId }, { timeout: within }).pipe(
      Effect.map(({ description, exceptionId }) => {
        const text = description ?? exceptionId
        return text === undefined ? body : { ...body, description: text }
      }),
      Effect.orElseSucceed(() => body)
    )
  }
  if (quirks.stopsWithoutIds === true && body.reason === "breakpoint" && body.hitBreakpointIds.length === 0) {
    return client.request(Requests.StackTrace, { threadId, startFrame: 0, levels: 1 }, { timeout: within }).pipe(
      Effect.map(({ stackFrames }) => {
        const [frame] = stackFrames
        const file = frame?.source?.path
        return frame === undefined || file === undefined
          ? body
          : { ...body, hitBreakpointIds: [...body.hitBreakpointIds, ...ids.theirsAt(file, frame.line)] }
      }),
      Effect.orElseSucceed(() => body)
    )
  }
  return undefined
}
