/**
 * Exception filters of a debug adapter, and what it knows of the exception at which a thread stopped.
 *
 * The filters in force are sent as a whole. Up to lldb-dap 19 neither the answer nor a stop names a number, so stops are
 * told apart by the filter's label.
 */
import { Capabilities, Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import type * as DapEvents from "./Events.ts"
import type { Console } from "../console/gdb/Console.ts"
import * as Scripts from "../console/gdb/Scripts.ts"

/** The exceptions of one connection. */
export type Made = ReturnType<typeof make>

/** What is needed of a connection. */
export interface Options {
  readonly client: Client.Client
  readonly events: DapEvents.Context
  readonly ids: BreakpointIds
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  /** GDB, which has no request for what was thrown. */
  readonly gdb?: Console
}

/** The filters of one connection. */
export const make = ({ client, events, failed, gdb, ids }: Options) => {
  const offered = Effect.sync(() => Capabilities.exceptionFilters(client.capabilities()))

  const set = Effect.fnUntraced(function* (wanted: ReadonlyArray<Backend.Wanted>) {
    const known = yield* offered
    const takesConditions = Capabilities.supports(client.capabilities(), "supportsExceptionFilterOptions")
    const chosen = wanted.flatMap((one) => {
      const filter = known.find((candidate) => candidate.filter === one.filter)
      return filter === undefined ? [] : [{ one, filter }]
    })
    const plain = chosen.filter(({ one }) => one.condition === undefined || !takesConditions)
    const conditional = chosen.filter(({ one }) => one.condition !== undefined && takesConditions)
    const answer = yield* client
      .request(Requests.SetExceptionBreakpoints, {
        filters: plain.map(({ filter }) => filter.filter),
        ...(conditional.length === 0
          ? {}
          : {
              filterOptions: conditional.map(({ filter, one }) => ({
                filterId: filter.filter,
                condition: one.condition ?? ""
              }))
            })
      })
      .pipe(Effect.mapError(failed))
    events.catches = chosen.map(({ filter, one }) => ({
      id: one.id,
      filter: filter.filter,
      label: filter.label ?? filter.filter
    }))
    ;[...plain, ...conditional].forEach(({ one }, index) => ids.set(one.id, answer.breakpoints[index]?.id, true))
    return wanted.map((one): Backend.Placement =>
      chosen.some((known) => known.one === one)
        ? { id: one.id, resolved: true, locations: [], left: ["hits", "log"] }
        : { id: one.id, resolved: false, locations: [], reason: "the debugger has no such filter" }
    )
  })

  /** What GDB knows: the signal of the stop, or the C++ exception at a filter. */
  const thrown = (console: Console) =>
    Effect.map(
      events.signal === undefined ? console.ask(Scripts.exception, {}) : Effect.succeed({ type: null, what: null }),
      ({ type, what }): Backend.ExceptionFound => ({
        id: events.signal ?? "exception",
        ...(events.stopText === undefined ? {} : { text: events.stopText }),
        ...(type === null ? {} : { type }),
        ...(what === null ? {} : { message: what })
      })
    )

  return {
    set,

    filters: Effect.map(offered, (filters) =>
      filters.map(({ filter, label, supportsCondition }) => ({
        filter,
        label: label ?? filter,
        conditions: supportsCondition === true
      }))
    ),

    found: (thread: number): Effect.Effect<Backend.ExceptionFound, Backend.Failure> =>
      gdb !== undefined
        ? thrown(gdb)
        : client.request(Requests.ExceptionInfo, { threadId: thread }).pipe(
            Effect.mapError(failed),
            Effect.map(({ description, details, exceptionId }) => {
              const [, named, message] = events.quirks().exceptionInName?.exec(exceptionId ?? "") ?? []
              if (named !== undefined) {
                return { id: named, type: named, ...(message === undefined ? {} : { message }) }
              }
              // From 22 on lldb-dap tells the address of the object in place of what it is.
              const opaque = description?.startsWith("(void *) exception = ") === true || details?.typeName === "void *"
              const text = opaque ? events.stopText : description
              return {
                id: exceptionId ?? "exception",
                ...(text === undefined ? {} : { text }),
                ...(opaque || details?.typeName === undefined ? {} : { type: details.typeName }),
                ...(opaque || details?.message === undefined ? {} : { message: details.message })
              }
            })
          )
  }
}
