/**
 * The state of a session as a fold over its numbered events.
 *
 * The daemon, a client that follows the events and the page all use this one function. It takes events in the order in
 * which they were seen and needs no other order: adapters send responses, `continued` and `stopped` in any of several.
 */
import type { Event } from "./Event.ts"
import type { SessionState } from "./Session.ts"
import type { StopReason } from "./Stop.ts"

/** What the newest stop was. */
export interface Stopped {
  readonly reason: StopReason
  readonly raw_reason: string
  readonly description?: string
  readonly thread?: number
  /** Our numbers of the breakpoints that were hit, by any thread. */
  readonly breakpoints: ReadonlyArray<number>
  /** Every thread that stopped with a reason of its own, in order of arrival. */
  readonly threads: ReadonlyArray<number>
  /** Whether the shown thread was chosen by the debugger; until then a later event may take its place. */
  readonly focused: boolean
}

/** The state of a session. */
export interface Snapshot {
  readonly state: SessionState
  /** Number of the newest stop; 0 before the first. */
  readonly stop: number
  /** How often the program was set going; tells a wait which stops are new to it. */
  readonly resumes: number
  readonly stopped?: Stopped
  readonly program?: string
  readonly pid?: number
  readonly exit_code?: number
  readonly signal?: string
  readonly reason?: string
}

/** A session of which nothing has been seen. */
export const initial: Snapshot = { state: "none", stop: 0, resumes: 0 }

const ended = (state: SessionState) =>
  state === "exited" || state === "terminated" || state === "detached" || state === "lost"

const stop = (snapshot: Snapshot, event: Event & { readonly _tag: "Stopped" }): Snapshot => {
  if (ended(snapshot.state)) return snapshot
  const fresh: Stopped = {
    reason: event.reason,
    raw_reason: event.raw_reason,
    ...(event.description === undefined ? {} : { description: event.description }),
    ...(event.thread === undefined ? {} : { thread: event.thread }),
    breakpoints: event.breakpoints,
    threads: event.thread === undefined ? [] : [event.thread],
    focused: event.focus
  }
  const before = snapshot.stopped
  if (snapshot.state !== "stopped" || before === undefined) {
    return { ...snapshot, state: "stopped", stop: snapshot.stop + 1, stopped: fresh }
  }
  const merged = {
    breakpoints: [...new Set([...before.breakpoints, ...event.breakpoints])],
    threads: [...new Set([...before.threads, ...fresh.threads])]
  }
  const takesOver = event.focus && !before.focused
  return { ...snapshot, stopped: takesOver ? { ...fresh, ...merged } : { ...before, ...merged } }
}

const running = (snapshot: Snapshot): Snapshot =>
  snapshot.state === "stopped" || snapshot.state === "starting"
    ? { ...snapshot, state: "running", resumes: snapshot.resumes + 1 }
    : snapshot

/** The state after one more event. Total: an event that makes no sense in a state leaves it as it is. */
export const fold = (snapshot: Snapshot, event: Event): Snapshot => {
  switch (event._tag) {
    case "Starting":
      return { ...initial, state: "starting", program: event.program, stop: snapshot.stop, resumes: snapshot.resumes }
    case "Process":
      return { ...snapshot, pid: event.pid }
    case "Resumed":
    case "Continued":
      return running(snapshot)
    case "ResumeRefused":
      return snapshot.state === "running" && snapshot.stopped !== undefined
        ? { ...snapshot, state: "stopped" }
        : snapshot
    case "Stopped":
      return stop(snapshot, event)
    case "Exited":
      return snapshot.state === "lost" || snapshot.state === "detached"
        ? snapshot
        : {
            ...snapshot,
            state: "exited",
            ...(event.exit_code === undefined ? {} : { exit_code: event.exit_code }),
            ...(event.signal === undefined ? {} : { signal: event.signal })
          }
    case "Terminated":
      return ended(snapshot.state) ? snapshot : { ...snapshot, state: "terminated" }
    case "Detached":
      return ended(snapshot.state) ? snapshot : { ...snapshot, state: "detached" }
    case "Lost":
      return ended(snapshot.state) ? snapshot : { ...snapshot, state: "lost", reason: event.reason }
    case "Output":
    case "BreakpointChanged":
    case "Gap":
      return snapshot
  }
}
