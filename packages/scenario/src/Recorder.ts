/**
 * Writes the history of a session as a scenario: its program, the breakpoints that were set before it ran, and the
 * commands that resumed it with the stops that followed.
 */
import type { Operations } from "@sigtrap/protocol"
import { stringify } from "yaml"
import type { Commands } from "./Commands.ts"

type Events = Operations.Data<"events">["events"]

/** A session to write. */
export interface Session {
  readonly status: Operations.Data<"status">
  readonly events: Events
  readonly name: string
  readonly program: string
}

/** Returns the location of a breakpoint that an event reports as set. */
const locationOf = ({ kind, reason, text }: Events[number]): string | undefined =>
  kind === "breakpoint" && reason === "set" ? / at (.+)$/.exec(text)?.[1] : undefined

/** Returns what a step expects: the next stop or exit after it. */
const expectation = (end: Events[number] | undefined): object => {
  if (end === undefined) return {}
  return end.kind === "stopped"
    ? { "data.event": "stopped", ...(end.reason === undefined ? {} : { "data.reason": end.reason }) }
    : { "data.event": "exited", ...(end.exit_code === undefined ? {} : { "data.exit_code": end.exit_code }) }
}

const stepsOf = (events: Events, resolve: Commands["Service"]["resolve"]): ReadonlyArray<object> => {
  const steps: Array<object> = []
  let resumed = false
  events.forEach((event, index) => {
    if (event.kind === "resumed" && event.reason !== undefined) {
      const isStart = !resumed && event.reason === "start"
      resumed = true
      // The first start is the scenario's target. A reason that is not a command is a command line of the debugger.
      if (isStart || resolve(event.reason.split(" "))?.name !== event.reason) return
      const end = events.slice(index + 1).find(({ kind }) => kind === "stopped" || kind === "exited")
      steps.push({ command: event.reason, expect: expectation(end) })
    } else if (resumed) {
      const location = locationOf(event)
      if (location !== undefined) steps.push({ command: ["break", location] })
    }
  })
  return steps
}

/** Returns the text of the scenario and the number of its steps. */
export const write = (
  { events, name, program, status }: Session,
  resolve: Commands["Service"]["resolve"]
): { readonly text: string; readonly steps: number } => {
  const first = events.findIndex(({ kind }) => kind === "resumed")
  const early = (first < 0 ? events : events.slice(0, first)).flatMap((event) => locationOf(event) ?? [])
  const isLive = status.state === "stopped" || status.state === "running"
  const steps = [...stepsOf(events, resolve), ...(isLive ? [{ command: "stop" }] : [])]
  const text = stringify({
    name: `${name} as recorded`,
    target: {
      program,
      ...(status.args === undefined || status.args.length === 0 ? {} : { args: status.args }),
      ...(early.length === 0 ? {} : { break: early })
    },
    steps: steps.length === 0 ? [{ check_state: status.state }] : steps
  })
  return { text, steps: steps.length }
}
