/**
 * Groups the `stopped` events (DAP) that an adapter sends for one stop, one for each thread, and delivers them together.
 *
 * lldb-dap writes these events on another thread than its answers. A request that is answered between two of them can resume
 * the program before the adapter has looked at the remaining threads; their hits are then lost. So a stop is delivered after
 * the output of a last stop command, which lldb-dap runs when all events are written. Another state event, or the time
 * `limit` without that output, delivers it too. Fibers: one timer for each held stop, in the scope of the connection.
 */
import { Events, Message } from "@sigtrap/dap"
import * as Effect from "effect/Effect"
import type { StopMark } from "../../adapters/Quirks.ts"
import { decode } from "../EventBodies.ts"

/** How long a stop is held without the output of the command, in milliseconds. */
const limit = 1000

/** Stops without that output after which none is held. */
const maxMissing = 3

/** Events that report a stop which is held, because they come after it. */
const later: ReadonlySet<string> = new Set(["continued", "exited", "terminated"])

/** The parts of a connection that this module uses. */
export interface Options {
  /** The texts of the last stop command; undefined if the adapter runs none. */
  readonly mark: () => StopMark | undefined
  readonly handle: (event: Message.Event) => void
  /** Returns the events of a stop that are handled. */
  readonly reported: (stop: ReadonlyArray<Message.Event>) => ReadonlyArray<Message.Event>
  /** Runs a function that handles the events of one stop. */
  readonly together: (handleAll: () => void) => void
  /** Runs an effect in the scope of the connection. */
  readonly fork: (effect: Effect.Effect<void>) => void
}

/** Returns an output without that of the command; undefined if nothing but the heading is left. */
const withoutMark = ({ added, heading }: StopMark, event: Message.Event, output: string): Message.Event | undefined => {
  const rest = output.replace(added, "")
  if (rest === output && output !== heading) return event
  if (rest === "" || rest === heading || !Message.isRecord(event.body)) return undefined
  return { ...event, body: { ...event.body, output: rest } }
}

/** Returns the receiver of the events of one connection. */
export const make = ({ fork, handle, mark, reported, together }: Options): ((event: Message.Event) => void) => {
  let held: ReadonlyArray<Message.Event> = []
  /** The number of the group, for its timer. */
  let group = 0
  let missing = 0

  const deliver = () => {
    const events = held
    held = []
    group += 1
    if (events.length === 0) return
    together(() => reported(events).forEach(handle))
  }

  const hold = (event: Message.Event) => {
    held = [...held, event]
    if (held.length > 1) return
    const mine = group
    const expire = Effect.sync(() => {
      if (mine !== group) return
      missing += 1
      deliver()
    })
    fork(Effect.delay(expire, limit))
  }

  const receiveOutput = (texts: StopMark, event: Message.Event) =>
    decode(Events.Output, event.body, ({ output }) => {
      if (texts.ends.test(output)) {
        missing = 0
        deliver()
      }
      const rest = withoutMark(texts, event, output)
      if (rest !== undefined) handle(rest)
    })

  return (event) => {
    const texts = mark()
    if (texts === undefined) return handle(event)
    if (event.event === "stopped" && missing < maxMissing) return hold(event)
    if (event.event === "output") return receiveOutput(texts, event)
    if (later.has(event.event)) deliver()
    handle(event)
  }
}
