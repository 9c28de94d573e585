/**
 * Types shared by the commands that run in the client.
 */
import type { DaemonLauncher } from "@sigtrap/host"
import type { Errors, Hint } from "@sigtrap/protocol"
import type { Effect } from "effect"

/** The working directory, environment and runtime directory of a command. */
export interface Place {
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
  readonly runtimeDirectory: string | undefined
  /** The command that starts this program as the daemon. */
  readonly self?: DaemonLauncher.Command | undefined
  /** Prints text that precedes that of the answer, as soon as it is known; absent if the answer is printed as JSON. */
  readonly print?: (text: string) => Effect.Effect<void>
}

/** The error of a command whose exit code is not 0. */
interface Problem {
  readonly code: string
  readonly exit: number
  readonly message: string
  readonly hints: Hint.Hints
}

/** The answer of a command: text, data for `--json`, and the problem if the exit code is not 0. */
export interface Answer {
  readonly text: string
  readonly data: unknown
  readonly problem?: Problem
}

/** Runs a command. */
export type Command = (words: ReadonlyArray<string>, place: Place) => Effect.Effect<Answer, Errors.SigtrapError>
