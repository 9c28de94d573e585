/**
 * Sets the exception filters of a debug adapter, and describes the exception at which a thread stopped.
 *
 * The list of filters is sent as a whole, with those that are on by default. Up to lldb-dap 19 neither the answer nor a stop
 * has a number, so a stop is matched by the filter's label.
 */
import { Capabilities, Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Quirks } from "../../adapters/Quirks.ts"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"
import type { CommandLine } from "../../console/Dialect.ts"
import type { Translator } from "../events/Events.ts"
import * as ExceptionFilters from "./ExceptionFilters.ts"
import * as ThrownValue from "./ThrownValue.ts"

/** The exceptions in a group, as an adapter's expression returns them. */
const decodeMembers = Schema.decodeEffect(
  Schema.StringFromHex.pipe(
    Schema.decodeTo(
      Schema.fromJsonString(
        Schema.Array(
          Schema.Struct({
            text: Schema.String,
            function: Schema.optionalKey(Schema.String),
            file: Schema.optionalKey(Schema.String),
            line: Schema.optionalKey(Schema.Int),
            isCause: Schema.optionalKey(Schema.Boolean),
            omitted: Schema.optionalKey(Schema.Int)
          })
        )
      )
    )
  )
)

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  readonly commandLine: CommandLine | undefined
  readonly events: Translator
  readonly ids: BreakpointIds
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly quirks: Quirks
}

/** The exception requests of one connection. */
export type Exceptions = ReturnType<typeof make>

/** Makes the exception requests of one connection. */
export const make = ({ client, commandLine, events, failed, ids, quirks }: Options) => {
  const available = Effect.sync(() => Capabilities.exceptionFilters(client.capabilities()))

  let stillOn: ReadonlySet<string> | undefined
  /** The filters that are on by default and were neither set nor turned off. */
  const defaults = () => (stillOn ??= new Set(ExceptionFilters.defaultsOf(client, quirks)))
  const withoutDefaults = (filters: ReadonlyArray<string>) => {
    stillOn = new Set([...defaults()].filter((filter) => !filters.includes(filter)))
  }
  let latest: ReadonlyArray<Backend.BreakpointRequest> = []

  const set = Effect.fnUntraced(function* (wanted: ReadonlyArray<Backend.BreakpointRequest>) {
    latest = wanted
    withoutDefaults(wanted.flatMap(({ filter }) => filter ?? []))
    const known = yield* available
    const takesConditions = Capabilities.supports(client.capabilities(), "supportsExceptionFilterOptions")
    const chosen = wanted.flatMap((one) => {
      const filter = known.find((candidate) => candidate.filter === one.filter)
      return filter === undefined ? [] : [{ one, filter }]
    })
    const plain = chosen.filter(({ one }) => one.condition === undefined || !takesConditions)
    const conditional = chosen.filter(({ one }) => one.condition !== undefined && takesConditions)
    const conditions = conditional.map(({ filter, one }) => ({
      filterId: filter.filter,
      condition: one.condition ?? ""
    }))
    const names = plain.map(({ filter }) => filter.filter)
    const args = ExceptionFilters.argumentsOf(quirks, names, [...defaults()], conditions)
    const answer = yield* client.request(Requests.SetExceptionBreakpoints, args).pipe(Effect.mapError(failed))
    events.filters = chosen.map(({ filter, one }) => ({
      id: one.id,
      filter: filter.filter,
      label: filter.label ?? filter.filter
    }))
    ;[...plain, ...conditional].forEach(({ one }, index) => ids.set(one.id, answer.breakpoints[index]?.id, true))
    return wanted.map((one): Backend.Placement =>
      chosen.some((known) => known.one === one)
        ? { id: one.id, resolved: true, locations: [], unsupported: ["hits", "log"] }
        : { id: one.id, resolved: false, locations: [], reason: "the debugger has no such filter" }
    )
  })

  const byRequest = (thread: number): Effect.Effect<Backend.ExceptionDetails, Backend.Failure> =>
    client.request(Requests.ExceptionInfo, { threadId: thread }).pipe(
      Effect.mapError(failed),
      Effect.map(({ description, details, exceptionId: id }) => {
        const plain = (name: string) =>
          quirks.exceptionNote === undefined ? name : name.replace(quirks.exceptionNote, "")
        const exceptionId = id === undefined ? undefined : plain(id)
        const [, type, message] = quirks.exceptionInId?.exec(exceptionId ?? "") ?? []
        if (type !== undefined) return { id: type, type, ...(message === undefined ? {} : { message }) }
        // From 22 on lldb-dap reports the address of the object in place of its description.
        const opaque = description?.startsWith("(void *) exception = ") === true || details?.typeName === "void *"
        const shown = opaque ? events.lastStop.text : description
        const isEmpty = (words: string) => quirks.emptyMessage?.test(words) === true
        const isLeftOut = shown !== undefined && (quirks.numberDescriptions?.test(shown) === true || isEmpty(shown))
        const text = isLeftOut ? undefined : shown
        return {
          id: exceptionId ?? "exception",
          ...(text === undefined ? {} : { text }),
          ...(opaque || details?.typeName === undefined ? {} : { type: plain(details.typeName) }),
          ...(opaque || details?.message === undefined || isEmpty(details.message) ? {} : { message: details.message })
        }
      })
    )

  /** True if the exception of an `always` stop was raised below the stopped frame. Unhandled ones stop where they were raised. */
  const passes = Effect.fnUntraced(
    function* (thread: number, expression: string) {
      const { breakMode } = yield* client.request(Requests.ExceptionInfo, { threadId: thread })
      if (breakMode !== "always") return false
      const { stackFrames } = yield* client.request(Requests.StackTrace, { threadId: thread, startFrame: 0, levels: 1 })
      const frameId = stackFrames[0]?.id
      if (frameId === undefined) return false
      const { result } = yield* client.request(Requests.Evaluate, { expression, frameId, context: "watch" })
      return result === "True"
    },
    Effect.orElseSucceed(() => false)
  )

  /** Reads exceptions by an expression; undefined if the adapter does not answer as expected. */
  const membersOf = Effect.fnUntraced(
    function* (thread: number, expression: string) {
      const { stackFrames } = yield* client.request(Requests.StackTrace, { threadId: thread, startFrame: 0, levels: 1 })
      const frameId = stackFrames[0]?.id
      if (frameId === undefined) return undefined
      const { result } = yield* client.request(Requests.Evaluate, { expression, frameId, context: "clipboard" })
      const digits = /[0-9a-f]{4,}/.exec(result)?.[0] ?? ""
      return yield* decodeMembers(digits)
    },
    Effect.orElseSucceed(() => undefined)
  )

  const described = Effect.fnUntraced(function* (thread: number) {
    const found = yield* byRequest(thread)
    const { exceptionGroup, exceptionPasses } = quirks
    const isGroup = exceptionGroup?.text.test(`${found.id} ${found.text ?? ""} ${found.message ?? ""}`) === true
    const members = (isGroup ? yield* membersOf(thread, exceptionGroup.members) : undefined) ?? []
    const passing = exceptionPasses !== undefined && (yield* passes(thread, exceptionPasses))
    if (quirks.inspectorProxy !== undefined) {
      return { ...found, ...(yield* ThrownValue.read(client, quirks.inspectorProxy, thread)) }
    }
    return { ...found, ...(passing ? { passes: true } : {}), ...(members.length === 0 ? {} : { members }) }
  })

  return {
    /** Sets the filters. */
    set,

    /** The filters that the adapter offers. */
    filters: Effect.map(available, (filters) =>
      filters.map(({ filter, label, supportsCondition }) => ({
        filter,
        label: label ?? filter,
        conditions: supportsCondition === true,
        on: defaults().has(filter)
      }))
    ),

    /** Turns off filters that are on by default. */
    turnOffDefaults: (filters: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        withoutDefaults(filters)
        return Effect.asVoid(set(latest))
      }),

    /** The exceptions that led to the one at which a thread stopped, the newest first. Absent if the adapter cannot say. */
    ...(quirks.earlierExceptions === undefined
      ? {}
      : { earlier: (thread: number) => membersOf(thread, quirks.earlierExceptions ?? "") }),

    /** The exception at which a thread stopped. */
    found: (thread: number): Effect.Effect<Backend.ExceptionDetails, Backend.Failure> =>
      commandLine?.exception ?? described(thread)
  }
}
