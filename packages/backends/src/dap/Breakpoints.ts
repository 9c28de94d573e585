/**
 * The breakpoints of a debug adapter: lists of lines, of functions, of exception filters, and of what its debugger's own
 * command line sets beyond the protocol; where each really is.
 */
import { Capabilities, Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { ConsoleBreakpoints } from "../console/ConsoleBreakpoints.ts"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import * as DapEvents from "./Events.ts"
import type * as DapExceptions from "./Exceptions.ts"
import * as DapFunctions from "./Functions.ts"
import * as IndirectFunctions from "../console/lldb/IndirectFunctions.ts"
import type { Quirks } from "../adapters/Quirks.ts"
import * as SourceBreakpoints from "./SourceBreakpoints.ts"

/** What is needed of a connection. */
export interface Options {
  readonly client: Client.Client
  readonly events: DapEvents.Context
  readonly exceptions: DapExceptions.Made
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly ids: BreakpointIds
  /** The adapter's name for messages. */
  readonly name: string
  readonly quirks: Quirks
  /** What the debugger's command line does; adapters without one are told lines and functions alone. */
  readonly beyond?: ConsoleBreakpoints
  /** The full path of a source file, for adapters that match no endings of paths. */
  readonly sourceOf?: (file: string) => string
  /** The number of a file's last line; beyond all numbers when it is too large to be counted. */
  readonly lastLine?: (file: string) => Effect.Effect<number | "absent">
  /** Why a line has no breakpoint. */
  readonly whyNoLine: (file: string, line: number) => Effect.Effect<string, Backend.Failure>
}

type Set = Backend.Connection["setBreakpoints"]

/** The breakpoints of one connection. */
export const make = (options: Options): { readonly set: Set } => {
  const { beyond, client, events, exceptions, failed, ids, lastLine, name, quirks, sourceOf, whyNoLine } = options
  const isLldb = quirks.family === "lldb"

  const places = Effect.fnUntraced(function* (breakpoint: Models.Breakpoint, group: Backend.Group) {
    if (breakpoint.id !== undefined && beyond !== undefined) {
      const answer = JSON.stringify(breakpoint)
      const known = ids.found(breakpoint.id, answer)
      if (known !== undefined) return known
      const found = yield* beyond.places(breakpoint.id)
      if (found.length > 0) {
        ids.keep(breakpoint.id, answer, found)
        return found
      }
    }
    const file = breakpoint.source?.path ?? (group.kind === "source" ? group.path : undefined)
    return [
      {
        ...(file === undefined ? {} : { file }),
        ...(breakpoint.line === undefined ? {} : { line: breakpoint.line }),
        ...(breakpoint.instructionReference === undefined
          ? {}
          : { address: breakpoint.instructionReference.toLowerCase() })
      }
    ]
  })

  const whyUnresolved = Effect.fnUntraced(function* (group: Backend.Group, wanted: Backend.Wanted) {
    if (group.kind !== "source") return "no function of that name"
    return yield* whyNoLine(group.path, wanted.line ?? 0)
  })

  const placementOf = Effect.fnUntraced(function* (
    group: Backend.Group,
    wanted: Backend.Wanted,
    breakpoint: Models.Breakpoint | undefined
  ) {
    // Said before the program is known it means nothing yet; a later event tells.
    const early = quirks.bindsAtRun === true && events.stops === 0 && breakpoint?.id !== undefined
    ids.set(wanted.id, breakpoint?.id, early || (breakpoint?.verified ?? false))
    if (early && breakpoint.verified !== true) {
      const reason = yield* beyondFile(group, wanted)
      if (reason !== undefined) {
        ids.settle(wanted.id, false)
        return { id: wanted.id, resolved: false, locations: [], reason } satisfies Backend.Placement
      }
      if (group.kind === "source") ids.place(wanted.id, sourcePath(group.path), wanted.line ?? 0)
      const placement: Backend.Placement = {
        id: wanted.id,
        resolved: true,
        locations: yield* places({ ...(wanted.line === undefined ? {} : { line: wanted.line }), ...breakpoint }, group)
      }
      return placement
    }
    const file = breakpoint?.source?.path ?? (group.kind === "source" ? sourcePath(group.path) : undefined)
    if (file !== undefined && breakpoint?.line !== undefined) ids.place(wanted.id, file, breakpoint.line)
    const placement: Backend.Placement =
      breakpoint?.verified === true
        ? { id: wanted.id, resolved: true, locations: yield* places(breakpoint, group) }
        : {
            id: wanted.id,
            resolved: false,
            locations: [],
            reason: breakpoint?.message ?? (yield* whyUnresolved(group, wanted))
          }
    return placement
  })

  const sourcePath = (file: string) => (quirks.wholePaths === true && sourceOf !== undefined ? sourceOf(file) : file)

  const functionName = (name: string) => quirks.functionNames?.[name] ?? name

  const beyondFile = (group: Backend.Group, { line = 0 }: Backend.Wanted) =>
    group.kind === "source" && quirks.wholePaths === true && lastLine !== undefined
      ? SourceBreakpoints.beyondFile(sourcePath(group.path), line, lastLine)
      : Effect.succeed(undefined)

  const unbound = (id: number, reason: string): Backend.Placement => ({ id, resolved: false, locations: [], reason })

  /** A second one at a place, which would never be hit. */
  const beside = (id: number, there: number): Backend.Placement => {
    ids.set(id, undefined, false)
    return unbound(id, `${name} takes one breakpoint at a place, and breakpoint ${there} is there`)
  }

  /** Functions on which no breakpoint can be set now, of those that the adapter does not have yet. */
  const barred = (group: Backend.Group, wanted: ReadonlyArray<Backend.Wanted>) => {
    // Before it begins no library is loaded; those that come are looked at by the debugger itself.
    if (group.kind !== "function" || events.begun !== true || beyond?.prepare === undefined) return Effect.succeed([])
    const added = wanted.filter(({ id }) => ids.theirsOf(id) === undefined)
    return beyond.prepare(added.flatMap((one) => (one.function === undefined ? [] : [one.function])))
  }

  /** What only some debuggers can be told. */
  const refused = (one: Backend.Wanted): Effect.Effect<Backend.Placement> =>
    Effect.succeed(unbound(one.id, `${name} sets breakpoints on lines and functions only`))

  const setBreakpoints: Set = Effect.fnUntraced(function* (group, wanted) {
    if (group.kind === "exception") return yield* exceptions.set(wanted)
    if (group.kind === "special" || group.kind === "watch") {
      return yield* beyond === undefined ? Effect.forEach(wanted, refused) : beyond[group.kind](wanted)
    }
    const countsHits = isLldb && Capabilities.supports(client.capabilities(), "supportsHitConditionalBreakpoints")
    const writes =
      isLldb && group.kind === "source" && Capabilities.supports(client.capabilities(), "supportsLogPoints")
    const chosen = (one: Backend.Wanted) => ({
      ...(one.condition === undefined ? {} : { condition: one.condition }),
      ...(one.hits === undefined || !countsHits ? {} : { hitCondition: `${one.hits}` })
    })
    const message = (one: Backend.Wanted) =>
      one.log === undefined || !writes ? {} : { logMessage: `${DapEvents.logMark(one.id)}${one.log}` }
    const alone = quirks.onePerPlace === true && group.kind === "source"
    const { second, sent: apart } = alone ? SourceBreakpoints.firstAtEach(wanted) : { second: undefined, sent: wanted }
    const never = yield* barred(group, wanted)
    const sent = apart.filter((one) => one.function === undefined || !never.includes(one.function))
    const left = [...(countsHits ? [] : (["hits"] as const)), ...(writes ? [] : (["log"] as const))]
    const answers = yield* (
      group.kind === "source"
        ? Effect.map(
            client.request(Requests.SetBreakpoints, {
              source: { path: sourcePath(group.path) },
              breakpoints: sent.map((one) => ({
                line: one.line ?? 0,
                ...(one.column === undefined ? {} : { column: one.column }),
                ...chosen(one),
                ...message(one)
              }))
            }),
            ({ breakpoints }) => breakpoints
          )
        : DapFunctions.set(
            { client, ids, ordered: !isLldb },
            sent.map((one) => ({
              wanted: one,
              breakpoint: { name: functionName(one.function ?? ""), ...chosen(one) }
            }))
          )
    ).pipe(Effect.mapError(failed))
    return yield* Effect.forEach(wanted, (one) => {
      const there = second?.get(one.id)
      if (there !== undefined) return Effect.succeed(beside(one.id, there))
      const at = sent.indexOf(one)
      return at === -1
        ? Effect.succeed(unbound(one.id, IndirectFunctions.reason))
        : Effect.map(placementOf(group, one, answers[at]), (placement) => ({ ...placement, left }))
    })
  })

  return {
    // A breakpoint that is hit at once can be told of before its number is known.
    set: (group, wanted) =>
      Effect.suspend(() => {
        events.setting = (events.setting ?? 0) + 1
        return setBreakpoints(group, wanted)
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            events.setting = (events.setting ?? 1) - 1
            DapEvents.numbersKnown(events)
          })
        )
      )
  }
}
