/**
 * What an adapter's file gets to list the tasks of its language's runtime.
 */
import type { Backend, Tasks } from "@sigtrap/manager"
import type * as Effect from "effect/Effect"

/** Requests of one connection. */
export interface Questions {
  readonly threads: Backend.Connection["threads"]
  readonly stack: Backend.Connection["stack"]
  /** Evaluates an expression, which the adapter gets as it is, in a frame. Returns the text of its value. */
  readonly text: (expression: string, frame: number) => Effect.Effect<string, Backend.Failure>
  /** Runs a statement without a frame, and returns the text of the exception that it raises. */
  readonly raised: (statement: string) => Effect.Effect<string, Backend.Failure>
}

/** Makes the list of one connection. */
export type Make = (questions: Questions) => Tasks.Tasks
