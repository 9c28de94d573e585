/**
 * The state of a session as a fold over its numbered events.
 *
 * The daemon and clients that follow the events share this function. It accepts events in any order of arrival, since
 * adapters differ in the order of responses, `continued` and `stopped`.
 */
import type { Event } from "./Event.ts"
import type { Lease } from "../model/Lease.ts"
import type { SessionState } from "../model/Session.ts"
import type { StopReason } from "../model/Stop.ts"

/** The latest stop. */
export interface Stopped {
  readonly reason: StopReason
  readonly raw_reason: string
  readonly description?: string
  /** The signal that the debugger named for the stop, whatever its reason: `SIGSEGV`. */
  readonly signal?: string
  /** The address whose access caused the signal, if the debugger reports it. */
  readonly fault_address?: string
  /** The cause of the signal in the words of the debugger: `address not mapped to object`. */
  readonly signal_cause?: string
  /** The type of the exception, if the debugger names it with the stop: `ValueError`. */
  readonly exception_type?: string
  /** Set for a stop made by the launch of a program: it executed its file, or got SIGSTOP. */
  readonly cause?: "launch-signal"
  readonly thread?: number
  /** The manager's numbers of the breakpoints that any thread hit. */
  readonly breakpoints: ReadonlyArray<number>
  /** The threads that stopped with a reason of their own, in order of arrival. */
  readonly threads: ReadonlyArray<number>
  /** True if the debugger marked the thread to show. While false, a later event may choose another thread. */
  readonly focused: boolean
}

/** The state of a session. */
export interface Snapshot {
  readonly state: SessionState
  /** The number of the latest stop; 0 before the first. */
  readonly stop: number
  /** The number of resumes. A wait compares it to find out which stops are new. */
  readonly resumes: number
  readonly stopped?: Stopped
  readonly program?: string
  /** Set for a core file, which cannot be resumed. */
  readonly core?: true
  readonly pid?: number
  readonly exit_code?: number
  readonly signal?: string
  readonly reason?: string
  /** The control lease; absent if no actor has it. */
  readonly lease?: Lease
  /** The request that the debugger does not answer, and how long nothing was heard of it when that was noticed. */
  readonly unanswered?: { readonly request: string; readonly millis: number }
  /** What the debugger does that takes long, in its words. */
  readonly progress?: string
}

/** The state before any event. */
export const initial: Snapshot = { state: "none", stop: 0, resumes: 0 }

const ended = (state: SessionState) =>
  state === "exited" || state === "terminated" || state === "detached" || state === "lost"

const stop = (snapshot: Snapshot, event: Event & { readonly _tag: "Stopped" }): Snapshot => {
  if (ended(snapshot.state)) return snapshot
  const fresh: Stopped = {
    reason: event.reason,
    raw_reason: event.raw_reason,
    ...(event.description === undefined ? {} : { description: event.description }),
    ...(event.signal === undefined ? {} : { signal: event.signal }),
    ...(event.fault_address === undefined ? {} : { fault_address: event.fault_address }),
    ...(event.signal_cause === undefined ? {} : { signal_cause: event.signal_cause }),
    ...(event.exception_type === undefined ? {} : { exception_type: event.exception_type }),
    ...(event.cause === undefined ? {} : { cause: event.cause }),
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
  const replaces = event.focus && !before.focused
  return { ...snapshot, stopped: replaces ? { ...fresh, ...merged } : { ...before, ...merged } }
}

const running = (snapshot: Snapshot): Snapshot =>
  snapshot.state === "stopped" || snapshot.state === "starting"
    ? { ...snapshot, state: "running", resumes: snapshot.resumes + 1 }
    : snapshot

/** Returns the state without the request that was not answered. */
const answered = ({ unanswered: _, ...rest }: Snapshot): Snapshot => rest

/** Returns the state without an operation of the debugger. */
const withoutProgress = ({ progress: _, ...rest }: Snapshot): Snapshot => rest

/** Returns the state after one more event. An event that does not apply in a state leaves it unchanged. */
export const fold = (snapshot: Snapshot, event: Event): Snapshot => {
  const next = step(snapshot, event)
  const isOver = ended(next.state) && (next.unanswered !== undefined || next.progress !== undefined)
  return isOver ? withoutProgress(answered(next)) : next
}

const step = (snapshot: Snapshot, event: Event): Snapshot => {
  switch (event._tag) {
    case "Starting":
      return {
        ...initial,
        state: "starting",
        program: event.program,
        ...(event.core === undefined ? {} : { core: event.core }),
        stop: snapshot.stop,
        resumes: snapshot.resumes,
        ...(snapshot.lease === undefined ? {} : { lease: snapshot.lease })
      }
    case "Process":
      return { ...snapshot, pid: event.pid }
    case "Forked":
      return event.followed && !ended(snapshot.state) ? { ...snapshot, pid: event.pid } : snapshot
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
    case "LeaseChanged": {
      const { lease: _, ...rest } = snapshot
      return event.lease === undefined ? rest : { ...rest, lease: event.lease }
    }
    case "Unanswered":
      return { ...snapshot, unanswered: { request: event.request, millis: event.millis } }
    case "Answered":
      return answered(snapshot)
    case "Progress":
      return event.title === undefined ? withoutProgress(snapshot) : { ...snapshot, progress: event.title }
    case "Located":
    case "Output":
    case "BreakpointChanged":
    case "Acted":
    case "Gap":
      return snapshot
  }
}
