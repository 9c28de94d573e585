/**
 * What the daemon, the thread of its supervisor and the clients of that exchange. A request is one line, `status` or `stop`;
 * the answer is one line of JSON.
 */
import type { Report } from "./RecordedPrograms.ts"

/** The facts about the daemon that the thread is started with. */
export interface Settings {
  readonly pid: number
  readonly version: string
  /** Milliseconds since 1970. */
  readonly started_at: number
  /** The path of the supervisor's socket. */
  readonly supervisor: string
  /** The folder of the sessions' records. */
  readonly sessions: string
  /** Time for the daemon to end after a signal, in milliseconds. */
  readonly grace: number
  /** The time of the clock of the main thread at which it ran last, in nanoseconds: one 64-bit integer. */
  readonly beat: SharedArrayBuffer
}

/** The answer of the supervisor. */
export interface Answer extends Omit<Settings, "beat" | "grace" | "sessions"> {
  /** Time since the main thread ran last, in milliseconds. */
  readonly unanswered_ms: number
  /** The programs of all sessions, after `stop`. */
  readonly programs?: Report
}

/** Returns whether a thread was started as the supervisor. */
export const isSettings = (value: unknown): value is Settings =>
  typeof value === "object" && value !== null && "supervisor" in value && "beat" in value

/** Returns the answer in a line, or `undefined` if it is not one. */
export const answerIn = (line: string): Answer | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isAnswer(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "pid" in value && "unanswered_ms" in value
