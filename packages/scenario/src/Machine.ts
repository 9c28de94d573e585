/**
 * Processes and debug adapters of the machine, as a scenario needs them. Files are reached by Effect's `FileSystem` and
 * `Path`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Output } from "./Commands.ts"

/** A program to run. */
export interface Program {
  /** The program and its arguments, run without a shell. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** Absolute. */
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
  /** Return when it has started instead of when it ends; its output is dropped. */
  readonly background?: boolean | undefined
}

/** The service. */
export class Machine extends Context.Service<
  Machine,
  {
    /** Name of the platform as Node has it: `linux`, `darwin`. */
    readonly platform: string
    /** Returns the names of the debug adapters that an environment leads to. */
    readonly adapters: (environment: Program["environment"]) => Effect.Effect<ReadonlyArray<string>>
    /**
     * Runs a program and returns what it wrote once it exits, although a process that it started still holds its output
     * open. An exit code of 127 means that it could not be started.
     */
    readonly run: (program: Program) => Effect.Effect<Output & { readonly pid: number }>
    /** Returns the processes whose environment holds one of these `NAME=VALUE`; none where the platform does not tell. */
    readonly withEnvironment: (entries: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>>
    /** Kills a process with SIGKILL and waits until it is gone, at most 2 s. */
    readonly kill: (pid: number) => Effect.Effect<void>
    /** Returns the process that runs the program of this name: the given one, or the descendant of it that does. */
    readonly running: (pid: number, name: string) => Effect.Effect<number>
  }
>()("@sigtrap/scenario/Machine") {}
