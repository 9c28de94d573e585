/**
 * Explains why a breakpoint of a start was refused, with the start to make instead.
 */
import * as Effect from "effect/Effect"
import { type Files, SourceFiles } from "../model/sources/SourceFiles.ts"
import type { Request } from "../model/BreakpointPlace.ts"
import * as Corrections from "./Corrections.ts"
import * as FunctionPlaces from "./FunctionPlaces.ts"
import type { Registry } from "./Registry.ts"

/** A start whose breakpoints are set. */
export interface Start {
  readonly requests: ReadonlyArray<Request>
  readonly program: string
  /** Its fields that set breakpoints. */
  readonly payload: Parameters<typeof Corrections.ofStart>[2]
  readonly sources: Files
}

/** Adds the hints to the errors of setting the breakpoints of a start. */
export const explained = (added: ReturnType<Registry["addAll"]>, { payload, program, requests, sources }: Start) =>
  Effect.catchTags(added, {
    BreakpointUnresolved: (error) => Effect.fail(Corrections.ofStart(error, requests, payload)),
    Unsupported: (error) =>
      FunctionPlaces.ofStart(error, requests, program, payload).pipe(
        Effect.provideService(SourceFiles, sources),
        Effect.flip
      )
  })
