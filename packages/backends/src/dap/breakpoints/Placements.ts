/**
 * Finds where a debug adapter placed breakpoints, or why it did not, from its responses.
 */
import type { Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Quirks } from "../../adapters/Quirks.ts"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"
import type { Bound, CommandLine } from "../../console/Dialect.ts"
import type { Translator } from "../events/Events.ts"
import { locationOf } from "../events/Locations.ts"
import * as SourceBreakpoints from "./SourceBreakpoints.ts"

/** The parts of a connection that this module uses. */
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

/** A breakpoint and the adapter's answer to it. */
interface Answered {
  readonly wanted: Backend.BreakpointRequest
  readonly answer: Models.Breakpoint | undefined
}

/** What is known of a breakpoint before the debugger says where its locations are. */
type Judged =
  | { readonly kind: "unresolved"; readonly placement: Backend.Placement }
  | { readonly kind: "bound"; readonly wanted: Backend.BreakpointRequest; readonly answer: Models.Breakpoint }
  | {
      readonly kind: "unbound"
      readonly wanted: Backend.BreakpointRequest
      readonly answer: Models.Breakpoint | undefined
    }

/** The placements of one connection. */
export interface Placements {
  /** Returns the adapter's path of a source file. */
  readonly pathOf: (file: string) => string
  /** Returns the placements of breakpoints from the adapter's response, in the order of the breakpoints. */
  readonly of: (
    group: Backend.Group,
    answered: ReadonlyArray<Answered>
  ) => Effect.Effect<ReadonlyArray<Backend.Placement>, Backend.Failure>
}

/** Makes the placements of one connection. */
export const make = ({ commandLine, events, ids, lastLine, quirks, sourceOf }: Options): Placements => {
  const pathOf = (file: string) => (quirks.absolutePathsOnly === true && sourceOf !== undefined ? sourceOf(file) : file)

  /**
   * Returns every location as the debugger's command line lists them, by the manager's number. A breakpoint of which it lists
   * none is absent.
   */
  const listed = Effect.fnUntraced(function* (
    all: ReadonlyArray<Judged>
  ): Effect.fn.Return<ReadonlyMap<number, Bound>, Backend.Failure> {
    const requests = all.flatMap((one) => {
      if (one.kind !== "bound" || one.answer.id === undefined) return []
      const text = JSON.stringify(one.answer)
      const { id: debuggerId } = one.answer
      return [{ wanted: one.wanted, debuggerId, text, changed: !ids.isKnownAnswer(debuggerId, text) }]
    })
    if (commandLine === undefined || requests.length === 0) return new Map()
    const bindings = yield* commandLine.breakpoints.bind(requests)
    const found = new Map<number, Bound>()
    for (const [index, { debuggerId, text, wanted }] of requests.entries()) {
      const bound = bindings[index]
      if (bound === undefined || bound.locations.length === 0) continue
      ids.rememberAnswer(debuggerId, text)
      found.set(wanted.id, bound)
    }
    return found
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

  /** Judges an unverified breakpoint before the program is loaded. It counts as resolved until an event says otherwise. */
  const beforeLoad = Effect.fnUntraced(function* (
    group: Backend.Group,
    wanted: Backend.BreakpointRequest,
    answer: Models.Breakpoint
  ): Effect.fn.Return<Judged, Backend.Failure> {
    const reason = yield* whyInvalid(group, wanted)
    if (reason !== undefined) {
      ids.setResolved(wanted.id, false)
      return { kind: "unresolved", placement: unresolved(wanted.id, reason) }
    }
    ids.assume(wanted.id)
    if (group.kind === "source") ids.setLocation(wanted.id, pathOf(group.path), wanted.line ?? 0)
    const { line } = wanted
    return { kind: "bound", wanted, answer: { ...(line === undefined ? {} : { line }), ...answer } }
  })

  /** The placement at locations; unresolved if the condition cannot be evaluated there. */
  const placed = (id: number, { refused, ...bound }: Bound): Backend.Placement => {
    if (refused === undefined) return { id, resolved: true, ...bound }
    ids.setResolved(id, false)
    return unresolved(id, refused)
  }

  /** Records the answer to a breakpoint and judges it. */
  const judge = Effect.fnUntraced(function* (
    group: Backend.Group,
    { answer, wanted }: Answered
  ): Effect.fn.Return<Judged, Backend.Failure> {
    const { id } = wanted
    const isBeforeLoad = quirks.verifiesAtRun === true && !events.stopped && answer?.id !== undefined
    ids.set(id, answer?.id, isBeforeLoad || (answer?.verified ?? false))
    if (isBeforeLoad && answer.verified !== true) return yield* beforeLoad(group, wanted, answer)
    const file = answer?.source?.path ?? (group.kind === "source" ? pathOf(group.path) : undefined)
    if (file !== undefined && answer?.line !== undefined) ids.setLocation(id, file, answer.line)
    return answer?.verified === true ? { kind: "bound", wanted, answer } : { kind: "unbound", wanted, answer }
  })

  /** Places a breakpoint for which the adapter has no location. It may be in a library that is loaded later. */
  const unbound = Effect.fnUntraced(function* (
    group: Backend.Group,
    { answer, wanted }: Answered
  ): Effect.fn.Return<Backend.Placement, Backend.Failure> {
    const track = commandLine?.breakpoints.track
    const bound = answer?.id === undefined ? undefined : yield* track?.(wanted, answer.id) ?? Effect.undefined
    if (bound !== undefined && bound.locations.length > 0) {
      ids.setResolved(wanted.id, true)
      return placed(wanted.id, bound)
    }
    return unresolved(wanted.id, answer?.message ?? (yield* whyUnresolved(group, wanted)))
  })

  return {
    pathOf,
    of: Effect.fnUntraced(function* (group, answered) {
      const judged = yield* Effect.forEach(answered, (one) => judge(group, one))
      const found = yield* listed(judged)
      return yield* Effect.forEach(judged, (one) => {
        if (one.kind === "unresolved") return Effect.succeed(one.placement)
        if (one.kind === "unbound") return unbound(group, one)
        const { answer, wanted } = one
        const path = group.kind === "source" ? group.path : undefined
        return Effect.succeed(placed(wanted.id, found.get(wanted.id) ?? { locations: [locationOf(answer, path)] }))
      })
    })
  }
}
