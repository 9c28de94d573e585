/**
 * What the commands that this program carries out itself have in common: what they are given and what they answer with.
 */
import type { Errors, Hint } from "@sigtrap/protocol"
import type { Effect } from "effect"

/** Where a command was typed. */
export interface Place {
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
  readonly runtimeDirectory: string | undefined
}

/** Why a command's exit code is not 0. */
export interface Problem {
  readonly code: string
  readonly exit: number
  readonly message: string
  readonly hints: Hint.Hints
}

/** What a command answers: text for people, data for `--json`; `problem` is there when the exit code is not 0. */
export interface Answer {
  readonly text: string
  readonly data: unknown
  readonly problem?: Problem
}

/** What carries a command out. */
export type Command = (words: ReadonlyArray<string>, place: Place) => Effect.Effect<Answer, Errors.SigtrapError>
