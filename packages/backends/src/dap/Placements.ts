/**
 * Finds where a debug adapter placed breakpoints, or why it did not, from its responses.
 */
import type { Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Quirks } from "../adapters/Quirks.ts"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import type { Bound, CommandLine } from "../console/Dialect.ts"
import type { Translator } from "./Events.ts"
import { locationOf } from "./Locations.ts"
import * as SourceBreakpoints from "./SourceBreakpoints.ts"

/** What a connection provides. */
export interface Options {
  readonly commandLine: CommandLine | undefined
  readonly events: Translator
  readonly ids: BreakpointIds
  /** The adapter's name in messages. */
  readonly name: string
  readonly quirks: Quirks
  /** The absolute path of a source file, for adapters that need one. */
  readonly sourceOf?: (file: string) => string
  /** The number of a file's last line; Infinity if the file is too large to be counted. */
  readonly lastLine?: (file: string) => Effect.Effect<number | "absent">
}

/** Returns the placement of a breakpoint that is not resolved. */
export const unresolved = (id: number, reason: string): Backend.Placement => ({
  id,
  resolved: false,
  locations: [],
  reason
})

/** The placements of one connection. */
export interface Placements {
  /** Returns the adapter's path of a source file. */
  readonly pathOf: (file: string) => string
  /** Returns the placement of a breakpoint from the adapter's response. */
  readonly of: (
    group: Backend.Group,
    wanted: Backend.BreakpointRequest,
    answer: Models.Breakpoint | undefined
  ) => Effect.Effect<Backend.Placement, Backend.Failure>
}

/** Makes the placements of one connection. */
export const make = ({ commandLine, events, ids, lastLine, quirks, sourceOf }: Options): Placements => {
  const pathOf = (file: string) => (quirks.absolutePathsOnly === true && sourceOf !== undefined ? sourceOf(file) : file)

  /** Returns every location as the debugger's command line lists them, otherwise the one of the response. */
  const locations = Effect.fnUntraced(function* (
    breakpoint: Models.Breakpoint,
    group: Backend.Group,
    wanted: Backend.BreakpointRequest
  ): Effect.fn.Return<Bound, Backend.Failure> {
    if (breakpoint.id !== undefined && commandLine !== undefined) {
      const answer = JSON.stringify(breakpoint)
      const changed = !ids.isKnownAnswer(breakpoint.id, answer)
      const bound = yield* commandLine.breakpoints.bind(wanted, breakpoint.id, changed)
      if (bound.locations.length > 0) {
        ids.rememberAnswer(breakpoint.id, answer)
        return bound
      }
    }
    return { locations: [locationOf(breakpoint, group.kind === "source" ? group.path : undefined)] }
  })

  const whyUnresolved = (
    group: Backend.Group,
    { line = 0 }: Backend.BreakpointRequest
  ): Effect.Effect<string, Backend.Failure> => {
    if (group.kind !== "source") return Effect.succeed("no function of that name")
    return (
      commandLine?.breakpoints.whyNoLine(group.path, line) ??
      Effect.succeed(`the debugger binds nothing at line ${line}`)
    )
  }

  const whyInvalid = (group: Backend.Group, { line = 0 }: Backend.BreakpointRequest) =>
    group.kind === "source" && quirks.absolutePathsOnly === true && lastLine !== undefined
      ? SourceBreakpoints.beyondFile(pathOf(group.path), line, lastLine)
      : Effect.succeed(undefined)

  /** Places an unverified breakpoint before the program is loaded. It counts as resolved until an event says otherwise. */
  const beforeLoad = Effect.fnUntraced(function* (
    group: Backend.Group,
    wanted: Backend.BreakpointRequest,
    answer: Models.Breakpoint
  ): Effect.fn.Return<Backend.Placement, Backend.Failure> {
    const reason = yield* whyInvalid(group, wanted)
    if (reason !== undefined) {
      ids.setResolved(wanted.id, false)
      return unresolved(wanted.id, reason)
    }
    if (group.kind === "source") ids.setLocation(wanted.id, pathOf(group.path), wanted.line ?? 0)
    const { id, line } = wanted
    return placed(id, yield* locations({ ...(line === undefined ? {} : { line }), ...answer }, group, wanted))
  })

  /** The placement at locations; unresolved if the condition cannot be evaluated there. */
  const placed = (id: number, { refused, ...bound }: Bound): Backend.Placement => {
    if (refused === undefined) return { id, resolved: true, ...bound }
    ids.setResolved(id, false)
    return unresolved(id, refused)
  }

  return {
    pathOf,
    of: Effect.fnUntraced(function* (group, wanted, answer) {
      const { id } = wanted
      const isBeforeLoad = quirks.verifiesAtRun === true && !events.stopped && answer?.id !== undefined
      ids.set(id, answer?.id, isBeforeLoad || (answer?.verified ?? false))
      if (isBeforeLoad && answer.verified !== true) return yield* beforeLoad(group, wanted, answer)
      const file = answer?.source?.path ?? (group.kind === "source" ? pathOf(group.path) : undefined)
      if (file !== undefined && answer?.line !== undefined) ids.setLocation(id, file, answer.line)
      if (answer?.verified === true) return placed(id, yield* locations(answer, group, wanted))
      // The location may be in a library that is loaded later.
      const track = commandLine?.breakpoints.track
      const bound = answer?.id === undefined ? undefined : yield* track?.(wanted, answer.id) ?? Effect.undefined
      if (bound !== undefined && bound.locations.length > 0) {
        ids.setResolved(id, true)
        return placed(id, bound)
      }
      return unresolved(id, answer?.message ?? (yield* whyUnresolved(group, wanted)))
    })
  }
}
