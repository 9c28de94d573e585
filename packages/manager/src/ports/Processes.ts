/**
 * Processes of this machine, identified so that a reused pid is never mistaken for the process that had it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A process: its pid, and when it started as the operating system words it. */
export const ProcessId = Schema.Struct({ pid: Schema.Int, started: Schema.String })
/** A process: its pid, and when it started as the operating system words it. */
export type ProcessId = typeof ProcessId.Type

/** What is known of a process. `name` is that of its executable, `ours` whether it runs as the user we run as. */
export interface Description extends ProcessId {
  readonly parent: number
  readonly name: string
  readonly executable?: string
  readonly command: ReadonlyArray<string>
  readonly ours: boolean
  /** Whether a debugger holds it. */
  readonly traced: boolean
  /** Whether it stands still, by a signal or a debugger. */
  readonly stopped: boolean
}

/** The service. No member fails: a process that cannot be seen is not there. */
export class Processes extends Context.Service<
  Processes,
  {
    /** The process that has this pid now. */
    readonly identify: (pid: number) => Effect.Effect<Option.Option<ProcessId>>
    /** Our own pid. */
    readonly self: number
    /** What is known of the process that has this pid now. */
    readonly describe: (pid: number) => Effect.Effect<Option.Option<Description>>
    /** Every process whose executable has this name. */
    readonly named: (name: string) => Effect.Effect<ReadonlyArray<Description>>
    /** Every descendant of a process, children before grandchildren. */
    readonly descendants: (pid: number) => Effect.Effect<ReadonlyArray<ProcessId>>
    /** Sends a signal if the process is still the same one; whether it was. */
    readonly kill: (process: ProcessId, signal: "SIGTERM" | "SIGKILL" | "SIGSTOP") => Effect.Effect<boolean>
    /** Completes when the process is gone (or a zombie), or after `withinMillis`; whether it is gone. */
    readonly awaitExit: (process: ProcessId, withinMillis: number) => Effect.Effect<boolean>
  }
>()("@sigtrap/manager/Processes") {}
