/**
 * Takes out of a stop the SIGSTOP that was sent for an earlier pause. If the program stopped for another reason before it got that
 * signal, the signal stops it right after the next resume. No client asked for that stop, so the program is resumed.
 */
import { Events, Message } from "@sigtrap/dap"
import { decode } from "../EventBodies.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  /** True if a SIGSTOP was sent that has not stopped the program yet. */
  readonly isOwed: () => boolean
  /** Records that the SIGSTOP has stopped the program. */
  readonly received: () => void
  /** True if a pause was requested since the last resume. The signal is then its stop. */
  readonly isPausing: () => boolean
  /** Resumes the program. */
  readonly resume: (thread: number) => void
}

const signal = /^signal SIGSTOP\b/

/** Returns the thread that a SIGSTOP stopped; undefined for another stop. */
const threadOf = ({ body }: Message.Event): number | undefined => {
  let thread: number | undefined
  decode(Events.Stopped, body, ({ description, text, threadId }) => {
    if (signal.test(description ?? text ?? "")) thread = threadId
  })
  return thread
}

/** Makes the function that returns the events of a stop that are reported. */
export const make =
  ({ isOwed, isPausing, received, resume }: Options) =>
  (stop: ReadonlyArray<Message.Event>): ReadonlyArray<Message.Event> => {
    const stopped = isOwed() ? stop.flatMap((event) => threadOf(event) ?? []) : []
    const [thread] = stopped
    if (thread === undefined) return stop
    received()
    if (isPausing()) return stop
    const rest = stop.filter((event) => threadOf(event) === undefined)
    if (rest.length === 0) resume(thread)
    return focused(rest)
  }

/** Gives the first event the focus if none has it. */
const focused = (stop: ReadonlyArray<Message.Event>): ReadonlyArray<Message.Event> => {
  const hasFocus = stop.some(({ body }) => Message.isRecord(body) && body["preserveFocusHint"] !== true)
  return stop.map((event, index) =>
    hasFocus || index > 0 || !Message.isRecord(event.body)
      ? event
      : { ...event, body: { ...event.body, preserveFocusHint: false } }
  )
}
