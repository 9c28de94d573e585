/**
 * The handlers of `events` and `exceptions`, which read the session's journal. `follow` waits until a page is not empty.
 */
import { type Event, Hint, type Lease, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Recorded } from "../../session/events/Journal.ts"
import type { Session } from "../../session/Session.ts"
import type { PastStop } from "../../session/stops/PastStops.ts"
import type { Reply } from "../Reply.ts"
import * as JournalPages from "./JournalPages.ts"

type HistoryEvent = Operations.Data<"events">["events"][number]

const place = (location: { readonly file?: string; readonly line?: number } | undefined) =>
  location?.file === undefined ? "" : ` at ${location.file}${location.line === undefined ? "" : `:${location.line}`}`

/** Describes what a caller did: `next`, `raw 'version': TIER_REQUIRED`, `print x; locals (2 reads)`. */
const acted = ({ code, command, joined = 1 }: Extract<Event.Event, { readonly _tag: "Acted" }>): string =>
  `${command}${code === undefined ? "" : `: ${code}`}${joined === 1 ? "" : ` (${joined} reads)`}`

const endOfLease: { readonly [reason in Lease.Reason]: string } = {
  taken: "",
  released: "gave up control",
  expired: "has no control any more: its time is up",
  idle: "has no control any more: it made no call within the time of control.idle",
  disconnected: "has no control any more: its last connection has closed",
  ended: "has no control any more: the session has ended"
}

/** Describes a change of the control lease: `cli:pts/3 took control from mcp:claude-code`. */
const leaseChanged = ({ lease, previous, reason }: Extract<Event.Event, { readonly _tag: "LeaseChanged" }>): string =>
  lease === undefined
    ? `${previous?.id ?? "a client"} ${endOfLease[reason]}`
    : `${lease.holder.id} took control${previous === undefined ? "" : ` from ${previous.id}`}`

type Description = Omit<HistoryEvent, "seq" | "time" | "stop" | "kind">

/** The kinds of events; all others are `other`. */
const kinds: { readonly [tag in Event.Event["_tag"]]?: HistoryEvent["kind"] } = {
  Starting: "starting",
  Process: "process",
  Forked: "forked",
  Resumed: "resumed",
  ResumeRefused: "refused",
  Continued: "continued",
  Stopped: "stopped",
  Exited: "exited",
  Terminated: "terminated",
  Detached: "detached",
  Lost: "lost",
  Output: "output",
  BreakpointChanged: "breakpoint",
  Acted: "acted",
  LeaseChanged: "lease",
  Unanswered: "unanswered",
  Answered: "answered",
  Progress: "progress",
  Gap: "gap"
}

const kindOf = ({ _tag }: Event.Event): HistoryEvent["kind"] => kinds[_tag] ?? "other"

/** Describes a stop, with the place where a client has seen it and the hit counts of its breakpoints. */
const stopped = (
  event: Extract<Event.Event, { readonly _tag: "Stopped" }>,
  past: PastStop | undefined
): Description => {
  const hits = event.breakpoints.map((id) => past?.hits.get(id))
  const counted = event.breakpoints.map(
    (id, index) => `${id}${hits[index] === undefined ? "" : ` (hit ${hits[index]})`}`
  )
  const why = event.description ?? [event.raw_reason, counted.join(", ")].join(" ").trimEnd()
  const location = event.focus ? past?.place : undefined
  const where = location?.function === undefined ? "" : ` in ${location.function}`
  return {
    text: `${why}${where}${place(location)}`,
    reason: event.reason,
    ...(event.thread === undefined ? {} : { thread: event.thread }),
    ...(event.breakpoints.length === 0 ? {} : { breakpoints: event.breakpoints }),
    ...(hits.length === 0 || hits.includes(undefined) ? {} : { hit_counts: hits.map((count = 0) => count) }),
    ...(location === undefined ? {} : { location })
  }
}

/** The operation that started or resumed the program, if its event names it. */
const operationOf = ({ operation }: { readonly operation?: string }) => (operation === undefined ? {} : { operation })

/** Describes an event. `past` is the stop that it belongs to. */
const describe = (event: Event.Event, bytes: number, past?: PastStop): Description => {
  switch (event._tag) {
    case "Starting":
      return { text: event.program, ...operationOf(event) }
    case "Process":
      return { text: `${event.name} is process ${event.pid}`, pid: event.pid }
    case "Forked":
      return {
        text: event.followed
          ? `child ${event.pid} is debugged, its parent runs without the debugger`
          : `child ${event.pid} runs without the debugger`,
        pid: event.pid
      }
    case "Resumed":
      return {
        text: event.operation === undefined ? event.command : `${event.command} (${event.operation})`,
        reason: event.command,
        ...operationOf(event),
        ...(event.thread === undefined ? {} : { thread: event.thread })
      }
    case "ResumeRefused":
      return { text: `the debugger refused ${event.command}`, reason: event.command }
    case "Continued":
      return { text: "the program runs" }
    case "Stopped":
      return stopped(event, past)
    case "Exited":
      return {
        text: event.signal === undefined ? `exit code ${event.exit_code ?? "unknown"}` : `killed by ${event.signal}`,
        ...(event.exit_code === undefined ? {} : { exit_code: event.exit_code }),
        ...(event.signal === undefined ? {} : { signal: event.signal })
      }
    case "Terminated":
      return { text: "the debug session has ended" }
    case "Detached":
      return { text: "the program runs without a debugger" }
    case "Lost":
      return { text: event.reason, reason: event.reason }
    case "Output":
      return { text: `${bytes} bytes on ${event.channel}`, channel: event.channel, bytes }
    case "BreakpointChanged":
      return {
        text: `${event.change} ${event.breakpoint.id}${place(event.breakpoint.locations[0])}`,
        reason: event.change,
        breakpoints: [event.breakpoint.id]
      }
    case "Acted":
      return {
        text: acted(event),
        tier: event.tier,
        operation: event.operation,
        command: event.command,
        ok: event.ok,
        ...(event.code === undefined ? {} : { code: event.code })
      }
    case "LeaseChanged":
      return {
        text: leaseChanged(event),
        reason: event.reason,
        ...(event.lease === undefined ? {} : { lease: event.lease })
      }
    case "Unanswered":
      return {
        text: `the debugger has not answered ${event.request} for ${Math.round(event.millis / 1000)} s`,
        reason: event.request
      }
    case "Answered":
      return { text: "the debugger answers again" }
    case "Progress":
      return {
        text: event.title === undefined ? "the debugger has finished that" : `the debugger is busy: ${event.title}`
      }
    case "Gap":
      return { text: `${event.count} events were dropped`, bytes: event.bytes }
    default:
      return { text: "" }
  }
}

/** One event, or successive pieces of output on one channel. `bytes` is the size of the output. */
interface Group {
  readonly first: Recorded
  readonly last: Recorded
  readonly bytes: number
}

/** Returns the events from `from` on in groups. Describes none: a page shows only some of them. */
const groupsOf = ({ log: { journal } }: Session, from: number): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  for (const entry of journal.from(from)) {
    // The description of a stop has its place, which is an event of its own.
    if (entry.event._tag === "Located") continue
    const group = groups.at(-1)
    const isMore =
      entry.event._tag === "Output" &&
      group?.first.event._tag === "Output" &&
      // The stop between them may be dropped.
      group.last.stop === entry.stop &&
      group.first.event.channel === entry.event.channel
    if (isMore) groups[groups.length - 1] = { first: group.first, last: entry, bytes: group.bytes + entry.bytes }
    else groups.push({ first: entry, last: entry, bytes: entry.bytes })
  }
  return groups
}

/** Describes a group. */
const described = ({ bytes, first, last }: Group, { past }: Session): HistoryEvent => {
  const { actor, seq, stop, time } = first
  return {
    seq,
    time,
    stop,
    kind: kindOf(first.event),
    ...describe(last.event, bytes, past.at(stop)),
    ...(actor === undefined ? {} : { actor })
  }
}

/** Most events of one answer. */
const mostEvents = 10_000

/** `events`: the newest events, or the page from `since` on. */
export const events = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"events">) {
  let from = payload.since ?? 1
  let lost = 0
  const read = Effect.sync(() => {
    const { next } = session.log.journal
    const dropped = session.log.journal.droppedSince(from)
    const all = groupsOf(session, from).filter(
      ({ first }) => payload.kind.length === 0 || payload.kind.includes(kindOf(first.event))
    )
    // Events that do not match are not read again for each new event.
    if (all.length === 0) {
      from = next
      lost += dropped
    }
    return { page: { all, dropped: all.length === 0 ? lost : lost + dropped, next }, found: all.length > 0, next }
  })
  const { all, dropped, next } = yield* JournalPages.following(session, payload, read)
  const chosen = payload.since === undefined ? all.slice(-payload.limit) : all.slice(0, payload.limit)
  const later = payload.since === undefined ? undefined : all[payload.limit]?.first.seq
  const reply: Reply<Operations.Data<"events">> = {
    data: { events: chosen.map((group) => described(group, session)), next: later ?? next, dropped },
    truncated:
      chosen.length === all.length
        ? []
        : [
            {
              path: "data.events",
              shown: chosen.length,
              total: all.length,
              hints: [Hint.again("events", { since: later ?? 1, limit: Math.min(all.length, mostEvents) })]
            }
          ]
  }
  return reply
})

type ExceptionsData = Operations.Data<"exceptions">

/** `exceptions`: stops at exceptions and signals that are still in the journal. */
export const exceptions = (session: Session, payload: Operations.Payload<"exceptions">) => {
  const { dropped, entries, next } = session.log.journal.since(payload.since ?? 1)
  const all = entries.flatMap(({ event, seq, stop, time }): ReadonlyArray<ExceptionsData["exceptions"][number]> =>
    event._tag === "Stopped" && event.focus && (event.reason === "exception" || event.reason === "signal")
      ? [
          {
            seq,
            time,
            stop,
            reason: event.reason,
            text: session.secrets.inText(event.description ?? event.raw_reason),
            ...(event.thread === undefined ? {} : { thread: event.thread })
          }
        ]
      : []
  )
  const shown = all.slice(0, payload.limit)
  const later = all[payload.limit]
  const reply: Reply<ExceptionsData> = {
    data: { exceptions: shown, next: later?.seq ?? next, dropped },
    truncated:
      later === undefined
        ? []
        : [
            {
              path: "data.exceptions",
              shown: shown.length,
              total: all.length,
              hints: [Hint.again("exceptions", { since: later.seq })]
            }
          ]
  }
  return Effect.succeed(reply)
}
