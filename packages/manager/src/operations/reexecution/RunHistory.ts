/**
 * What happened in the newest run of a session's program: its stops, how the program was resumed from each, and with which
 * breakpoints. It is read from the session's journal.
 */
import { type Breakpoint, Errors, type Event, Expression, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { PastStop } from "../../session/stops/PastStops.ts"
import type { Session } from "../../session/Session.ts"

/** A resume: the command, the thread, and the breakpoints that were set. */
export interface Resumption {
  readonly command: string
  readonly thread?: number
  /** The number of the stop that was left; that before the run for its start. */
  readonly left: number
  readonly breakpoints: ReadonlyArray<Breakpoint.Breakpoint>
}

/** The newest run of a program. */
export interface RunHistory {
  /** Milliseconds since 1970. */
  readonly began: number
  /** Oldest first. */
  readonly stops: ReadonlyArray<PastStop>
  readonly resumptions: ReadonlyArray<Resumption>
  /** Breakpoints that were set before the program ran and not changed in the run. */
  readonly unchanged: ReadonlySet<number>
  /** The number of the newest stop before the run. */
  readonly before: number
}

/** Operations that change the program. */
const changing: ReadonlySet<string> = new Set(["set", "memory.write", "raw"])

/** Codes of errors that a call gets before the debugger evaluates or writes anything. */
const refusals: ReadonlySet<string> = new Set([
  "USAGE",
  "NOT_STOPPED",
  "PROCESS_ENDED",
  "POLICY",
  "PERMISSION",
  "LEASE_HELD",
  "UNSUPPORTED",
  "FRAME_NOT_FOUND",
  "THREAD_NOT_FOUND",
  "STALE_REF"
])

type Acted = Extract<Event.Event, { _tag: "Acted" }>

/** Meanings of messages with which a debugger that compiles an expression as a whole rejects it. */
const uncompiled: ReadonlySet<string> = new Set([
  "unknown-name",
  "unknown-type",
  "unknown-function",
  "not-assignable",
  "wrong-type",
  "bit-field",
  "not-run"
])

/** True if the debugger rejected the one expression, or the command, of a call before it evaluated or changed anything. */
const isRejected = ({ code = "", expressions = [], operation, reason = "" }: Acted): boolean =>
  operation === "raw"
    ? uncompiled.has(reason)
    : operation === "eval" && expressions.length === 1 && (code === "VARIABLE_NOT_FOUND" || uncompiled.has(reason))

/** Operations that write after they have read all names of the value. */
const writing: ReadonlySet<string> = new Set(["set", "memory.write"])

/**
 * True if a call failed before it could change the program. With an unknown name nothing is written; a call in the value may have run. Of an
 * assignment that the types do not allow nothing is evaluated.
 */
const isRefused = (event: Acted): boolean => {
  const { code = "", command, ok, operation, reason } = event
  return (
    !ok &&
    (refusals.has(code) ||
      isRejected(event) ||
      (writing.has(operation) &&
        (reason === "not-assignable" ||
          reason === "wrong-type" ||
          (code === "VARIABLE_NOT_FOUND" && !command.includes("(")))))
  )
}

/** Returns the command that may have changed the program by itself; none for one that only reads, or was refused. */
const changeBy = (event: Acted): string | undefined => {
  if (isRefused(event)) return undefined
  if (changing.has(event.operation)) return event.command
  const { expressions = [] } = event
  return event.operation === "eval" && !expressions.every((one) => Expression.onlyReads(one))
    ? event.command
    : undefined
}

/** Returns the breakpoint with commands or expressions that may change the program. */
const changesAtStops = ({ cmd = [], eval: expressions = [] }: Breakpoint.Breakpoint): boolean =>
  cmd.length > 0 || !expressions.every((one) => Expression.onlyReads(one))

/** Returns why no other run can be the same; undefined if nothing is known. */
const obstacle = (session: Session): string | undefined => {
  const { launch, log, sentInput } = session
  if (launch.existing !== undefined) {
    const how = {
      process: "attached to its program",
      core: "shows a core file",
      remote: "is connected to a debug server"
    }
    return `session ${session.name} ${how[launch.existing.kind]}, so there is no run to repeat`
  }
  if (log.snapshot.state === "lost") return `session ${session.name} is lost`
  if (launch.aslr === true)
    return "the program was started with random addresses (--aslr on), which another run does not have"
  if (launch.followFork === "child") return "the debugger followed a child of the program"
  if (launch.terminal !== undefined) return "the program has a terminal, whose input is not kept"
  return sentInput.all === undefined ? "the program got more input than the session keeps" : undefined
}

const invalid = (problem: string, remedies?: Hint.Hints) =>
  new Errors.InvalidState({ problem, ...(remedies === undefined ? {} : { remedies }) })

/** Reads the newest run of a session. Fails if it cannot be repeated. */
export const read = Effect.fnUntraced(function* (session: Session) {
  const problem = obstacle(session)
  if (problem !== undefined) return yield* invalid(problem)
  const { journal } = session.log
  const { entries } = journal.since(1)
  const start = entries.findLastIndex(({ event }) => event._tag === "Starting")
  if (journal.isCut || start === -1) {
    return yield* invalid("the history of this run is no longer whole: events were dropped")
  }
  const models = new Map<number, Breakpoint.Breakpoint>()
  const changed = new Set<number>()
  const resumptions: Array<Resumption> = []
  for (const [index, { event, stop }] of entries.entries()) {
    if (event._tag === "Gap") return yield* invalid("the history of this run has a gap")
    if (event._tag === "BreakpointChanged") {
      const { breakpoint, change } = event
      if (change === "removed") models.delete(breakpoint.id)
      else models.set(breakpoint.id, breakpoint)
      if (change !== "moved" && resumptions.length > 0) changed.add(breakpoint.id)
    }
    if (index < start) continue
    if (event._tag === "Acted") {
      const command = changeBy(event)
      if (command !== undefined) {
        const problem = `the program may have been changed by the debugger: ${session.secrets.inText(command)}`
        return yield* invalid(problem, [Hint.call("restart", {}, "begins a run without that")])
      }
    }
    if (event._tag === "ResumeRefused") resumptions.pop()
    if (event._tag === "Resumed") {
      const breakpoints = [...models.values()]
      const one = breakpoints.find(changesAtStops)
      if (one !== undefined) return yield* invalid(`breakpoint ${one.id} runs commands that may change the program`)
      const { command, thread } = event
      resumptions.push({ command, left: stop, breakpoints, ...(thread === undefined ? {} : { thread }) })
    }
  }
  const before = entries[start]?.stop ?? 0
  const stops = session.past.all.filter(({ stop }) => stop > before)
  if (stops.length > 0 && stops[0]?.stop !== before + 1)
    return yield* invalid("the first stops of this run were dropped")
  const history: RunHistory = {
    began: entries[start]?.time ?? 0,
    before,
    stops,
    resumptions,
    unchanged: new Set([...models.keys()].filter((id) => !changed.has(id)))
  }
  return history
})
