/**
 * Sets breakpoints under a debug adapter: lines, functions and exception filters by requests (DAP), other locations and
 * watchpoints by debugger commands. Returns where each breakpoint was placed.
 */
import { Capabilities, Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"
import type { CommandLine } from "../../console/Dialect.ts"
import type { Translator } from "../events/Events.ts"
import type * as DapExceptions from "./Exceptions.ts"
import * as DapFunctions from "./Functions.ts"
import { AdapterMessages } from "./AdapterMessages.ts"
import * as Placements from "./Placements.ts"
import * as SourceBreakpoints from "./SourceBreakpoints.ts"

/** What setting breakpoints needs of a connection. */
export interface Options extends Placements.Options {
  readonly client: Client.Client
  readonly commandLine: CommandLine | undefined
  readonly events: Translator
  readonly exceptions: DapExceptions.Exceptions
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly ids: BreakpointIds
}

type Set = Backend.Connection["setBreakpoints"]
type Add = NonNullable<Backend.Connection["addBreakpoints"]>

/** The requests of one connection that set breakpoints. */
export interface Breakpoints {
  readonly set: Set
  /** Absent if the adapter takes whole lists only. */
  readonly add?: Add
}

/** True if a text has control characters, which no command may contain. */
const hasControls = (text: string) => [...text].some((character) => character < " " || character === "\x7f")

/** Breakpoints in a list of the adapter above which single ones are set by commands: an answer has every entry of the list. */
const shortList = 8

/** Makes `add`: it adds lines to a long list by commands, unless there are as many new ones as a list is worth. */
const adding =
  (
    { events, ids }: Pick<Options, "events" | "ids">,
    added: globalThis.Set<number>,
    run: Set,
    isQuick: (file: string) => boolean = () => false
  ): Add =>
  (group, wanted, others) => {
    const isSlow =
      group.kind === "source" && isQuick(group.path)
        ? others + wanted.length < shortList
        : others < shortList || wanted.length * 4 > others
    // The adapter writes log messages at its own breakpoints, and a command is one line.
    const isRefused = (one: Backend.BreakpointRequest) => one.log !== undefined || hasControls(one.condition ?? "")
    if (group.kind !== "source" || hasControls(group.path) || !events.started || isSlow || wanted.some(isRefused)) {
      return Effect.succeed(undefined)
    }
    for (const { id } of wanted) added.add(id)
    return events.settingBreakpoints(run(group, ids.withConditions(wanted)))
  }

/** Makes the requests of one connection that set breakpoints. */
export const make = (options: Options): Breakpoints => {
  const { client, commandLine, events, exceptions, failed, ids, name, quirks } = options
  const supports = (capability: Capabilities.Capability) => Capabilities.supports(client.capabilities(), capability)
  const placements = Placements.make(options)
  const consoleBreakpoints = commandLine?.breakpoints
  /** The manager's numbers in the last list of each group. */
  const listed = new Map<string, ReadonlyArray<number>>()
  /** The manager's numbers of breakpoints that were added by commands. They are in no list of the adapter. */
  const added = new Set<number>()

  /** Returns the new functions on which no breakpoint can be set now. */
  const blockedFunctions = (group: Backend.Group, wanted: ReadonlyArray<Backend.BreakpointRequest>) => {
    // Before the start no library is loaded. The debugger itself handles libraries that are loaded later.
    if (group.kind !== "function" || !events.started || consoleBreakpoints?.prepare === undefined)
      return Effect.succeed([])
    const added = wanted.filter(({ id }) => ids.debuggerIdOf(id) === undefined)
    return consoleBreakpoints.prepare(added.flatMap((one) => (one.function === undefined ? [] : [one.function])))
  }

  const messages = new AdapterMessages(quirks.correctsExpressions === true)

  /** Sends a list of lines or functions; the answers are in the order of the list. */
  const send = (
    group: Backend.Group,
    list: ReadonlyArray<Backend.BreakpointRequest>,
    countsHits: boolean,
    writesLog: boolean
  ): Effect.Effect<ReadonlyArray<Models.Breakpoint | undefined>, Dap.RequestError> => {
    const conditions = (one: Backend.BreakpointRequest) => ({
      ...(one.condition === undefined ? {} : { condition: one.condition }),
      ...(one.hits === undefined || !countsHits ? {} : { hitCondition: `${one.hits}` })
    })
    if (group.kind !== "source") {
      return DapFunctions.set(
        { client, ids, ordered: quirks.unorderedFunctions !== true },
        list.map((one) => {
          const name = one.function ?? ""
          return { wanted: one, breakpoint: { name: quirks.functionNames?.[name] ?? name, ...conditions(one) } }
        })
      )
    }
    return Effect.map(
      client.request(Requests.SetBreakpoints, {
        source: { path: placements.pathOf(group.path) },
        breakpoints: list.map((one) => ({
          line: one.line ?? 0,
          ...(one.column === undefined ? {} : { column: one.column }),
          ...conditions(one),
          ...(writesLog ? messages.fieldOf(one) : {})
        }))
      }),
      ({ breakpoints }) => breakpoints
    )
  }

  /** Removes what was added to the breakpoints that a new list does not contain. */
  const releaseOthers = Effect.fnUntraced(function* (
    group: Backend.Group,
    wanted: ReadonlyArray<Backend.BreakpointRequest>
  ) {
    const key = group.kind === "source" ? `source ${group.path}` : group.kind
    const before = listed.get(key) ?? []
    const now = new Set(wanted.map(({ id }) => id))
    listed.set(key, [...now])
    const release = consoleBreakpoints?.release ?? ((id: number) => Effect.sync(() => ids.forget(id)))
    yield* Effect.forEach(
      before.filter((id) => !now.has(id)),
      release,
      { discard: true }
    )
  })

  /** Sets a list of lines or functions. */
  const setList = Effect.fnUntraced(function* (group: Backend.Group, wanted: ReadonlyArray<Backend.BreakpointRequest>) {
    const countsHits = quirks.countsHits === true && supports("supportsHitConditionalBreakpoints")
    const writesLog = quirks.writesLogMessages === true && group.kind === "source" && supports("supportsLogPoints")
    const { sent: chosen, taken } =
      quirks.onePerPlace === true
        ? SourceBreakpoints.firstAtEach(wanted.filter(({ id }) => !added.has(id)))
        : { taken: undefined, sent: wanted }
    yield* releaseOthers(group, wanted)
    const repeated = consoleBreakpoints?.repeated
    const others = wanted.filter(({ id }) => taken?.has(id) === true || added.has(id))
    const byCommand = repeated === undefined || taken === undefined ? [] : yield* repeated(group, others)
    const blocked = yield* blockedFunctions(group, wanted)
    const isQualified = ({ function: called }: Backend.BreakpointRequest) =>
      quirks.plainFunctionNames === true && called?.includes(".") === true
    const sent = chosen.filter(
      (one) => !isQualified(one) && (one.function === undefined || !blocked.includes(one.function))
    )
    const unsupported = [...(countsHits ? [] : (["hits"] as const)), ...(writesLog ? [] : (["log"] as const))]
    const place = (list: ReadonlyArray<Backend.BreakpointRequest>) =>
      Effect.flatMap(Effect.mapError(send(group, list, countsHits, writesLog), failed), (answers) =>
        placements.of(
          group,
          list.map((one, index) => ({ wanted: one, answer: answers[index] }))
        )
      )
    const placed = yield* writesLog && group.kind === "source" ? messages.placed(group.path, sent, place) : place(sent)
    const byAdapter = new Map(placed.map((placement) => [placement.id, placement]))
    const byOthers = new Map(byCommand.map((placement) => [placement.id, placement]))
    return wanted.map((one): Backend.Placement => {
      const set = byOthers.get(one.id)
      if (set !== undefined) return set
      const other = taken?.get(one.id)
      if (other !== undefined) {
        ids.set(one.id, undefined, false)
        const reason = `${name} takes one breakpoint at a place, and breakpoint ${other} is there; combine their conditions`
        return Placements.unresolved(one.id, reason)
      }
      if (isQualified(one)) {
        const alone = one.function?.split(".").at(-1) ?? ""
        const reason = `${name} finds functions by their name alone, in every class and module`
        return { ...Placements.unresolved(one.id, reason), near: [alone] }
      }
      const placement = byAdapter.get(one.id)
      return placement === undefined
        ? Placements.unresolved(one.id, consoleBreakpoints?.unprepared ?? "")
        : { ...placement, unsupported: [...new Set([...unsupported, ...(placement.unsupported ?? [])])] }
    })
  })

  const set: Set = (group, wanted) => {
    switch (group.kind) {
      case "exception":
        return exceptions.set(wanted)
      case "special":
      case "watch": {
        const reason = `${name} sets breakpoints on lines and functions only`
        return (
          consoleBreakpoints?.[group.kind](wanted) ??
          Effect.succeed(wanted.map(({ id }) => Placements.unresolved(id, reason)))
        )
      }
      default:
        return setList(group, wanted)
    }
  }

  // The adapter can report a stop at the breakpoint before the response with its number.
  const setting: Set = (group, wanted) => events.settingBreakpoints(set(group, ids.withConditions(wanted)))
  const addRepeated = quirks.onePerPlace === true ? consoleBreakpoints?.addRepeated : undefined
  return {
    set: setting,
    ...(addRepeated === undefined ? {} : { add: adding(options, added, addRepeated, consoleBreakpoints?.isQuick) })
  }
}
