/**
 * The port through which scenarios use processes and debug adapters of the machine. Files are looked up and written
 * through Effect's `FileSystem` and `Path`, and read through this port.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Output } from "./Commands.ts"

/** A program to run. */
export interface Program {
  /** The program and its arguments, run without a shell. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** The working directory, as an absolute path. */
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
  /** True to return when the program has started instead of when it exits; its output is dropped. */
  readonly background?: boolean | undefined
}

/** The service that starts processes and lists adapters. */
export class Machine extends Context.Service<
  Machine,
  {
    /** The value of Node's `process.platform`: `linux`, `darwin`. */
    readonly platform: string
    /** Returns the text of a regular file of at most 1 MiB. Fails with the reason that it was not read. */
    readonly read: (file: string) => Effect.Effect<string, string>
    /** Returns the names of the usable debug adapters found with an environment. */
    readonly adapters: (environment: Program["environment"]) => Effect.Effect<ReadonlyArray<string>>
    /**
     * Runs a program and returns its output when it exits, even if a process that it started keeps the output open. Exit
     * code 127 means that the program could not be started.
     */
    readonly run: (program: Program) => Effect.Effect<Output & { readonly pid: number }>
    /** Returns the processes whose environment has one of these `NAME=VALUE`; none on platforms other than Linux. */
    readonly withEnvironment: (entries: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>>
    /** Kills a process with SIGKILL and waits for its exit, at most 2 s. */
    readonly kill: (pid: number) => Effect.Effect<void>
    /** Returns the process that runs the program of this name: the given one, or one of its descendants. */
    readonly running: (pid: number, name: string) => Effect.Effect<number>
  }
>()("@sigtrap/scenario/Machine") {}
