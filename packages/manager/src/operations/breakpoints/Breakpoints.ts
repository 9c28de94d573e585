/**
 * Handlers that set, list, change and remove breakpoints.
 */
import { type Breakpoint, Errors, Expression, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Path from "effect/Path"
import * as TextAnchor from "../../model/sources/TextAnchor.ts"
import * as Corrections from "../../breakpoints/Corrections.ts"
import * as FunctionPlaces from "../../breakpoints/FunctionPlaces.ts"
import * as LogpointText from "../../breakpoints/LogpointText.ts"
import type { Patch } from "../../breakpoints/Registry.ts"
import * as BreakpointSelector from "./BreakpointSelector.ts"
import { inHardware } from "../../model/BreakpointPlace.ts"
import type { Launch } from "../../launch/Launch.ts"
import type { Session } from "../../session/Session.ts"
import * as BreakpointPlaces from "./BreakpointPlaces.ts"
import * as ConditionSyntax from "../../model/ConditionSyntax.ts"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"
import * as Status from "../sessions/Status.ts"
import {
  behaviourOf,
  checkOptions,
  defaultMax,
  defined,
  needsHere,
  oneLine,
  placeIn,
  usage
} from "./BreakpointOptions.ts"

type Programs = Launch["Service"]

/** Returns the current location, for relative locations. */
export const currentLocation = (session: Session) =>
  Effect.map(Effect.option(Status.status(session)), (status) =>
    status._tag === "Some" && status.value.location !== undefined ? { here: status.value.location } : {}
  )

/** Handles `break`. */
export const set = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"break">,
  program: Programs
) {
  const { inspection } = yield* session.connection
  // Reading the current location takes requests. Most locations name a file or a function.
  const place = needsHere(payload) ? yield* currentLocation(session) : {}
  const text = yield* placeIn(payload, place.here?.file)
  const hits = payload.hits ?? (payload.ignore === undefined ? undefined : `>${payload.ignore}`)
  if (payload.hits !== undefined && payload.ignore !== undefined) {
    return yield* usage("the hit count is given twice", Hint.help("break"))
  }
  const behaviour = behaviourOf(session, payload)
  const found = yield* program.breakpoint({
    text,
    pending: payload.pending,
    temporary: payload.temporary,
    disabled: payload.disabled,
    exact: payload.snap !== "on",
    ...(payload.at_text === undefined ? {} : { anchorIn: payload.in ?? payload.file ?? "" }),
    ...defined("nth", payload.nth),
    ...defined("expectText", payload.expect_text),
    ...defined("condition", payload.condition),
    ...defined("hits", hits),
    ...defined("log", payload.log),
    ...defined("directory", payload.directory),
    ...place
  })
  const request = payload.hardware === true ? { ...found, place: inHardware(found.place) } : found
  yield* checkOptions(session, behaviour, () => session.breakpoints.at(request.place)[0])
  const max = payload.log === undefined ? {} : { max: defaultMax }
  const added = session.breakpoints.add({ ...request, behaviour: { ...max, ...behaviour } })
  const data = yield* Effect.catchTags(added, {
    BreakpointUnresolved: (error) =>
      Effect.fail(payload.at === undefined ? Corrections.ofField(error, payload) : Corrections.ofBreak(error, request)),
    Unsupported: (error) => Effect.flip(FunctionPlaces.ofBreak(error, request, inspection.files))
  })
  return { data, warnings: yield* BreakpointPlaces.warnings(session, data) }
})

/** Handles `logpoint`. */
export const log = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"logpoint">,
  program: Programs
) {
  yield* session.connection
  const written = yield* LogpointText.ofCall(payload)
  const request = yield* program.breakpoint({
    ...written,
    pending: payload.pending,
    ...defined("condition", payload.condition),
    ...defined("hits", payload.hits),
    ...defined("directory", payload.directory),
    ...(needsHere({ ...payload, at: written.text }) ? yield* currentLocation(session) : {})
  })
  const behaviour = behaviourOf(session, payload)
  yield* checkOptions(session, behaviour, () => session.breakpoints.at(request.place)[0])
  const data = yield* session.breakpoints.add({ ...request, behaviour: { max: defaultMax, ...behaviour } })
  return { data, warnings: yield* BreakpointPlaces.warnings(session, data) }
})

/** Handles `breakpoint.list`. */
export const list = (session: Session, payload: Operations.Payload<"breakpoint.list">) => {
  const all = session.breakpoints.list()
  const breakpoints = payload.kind.length === 0 ? all : all.filter(({ kind }) => payload.kind.includes(kind))
  return Effect.succeed({ data: { breakpoints } })
}

/** Returns who writes the next message of a logpoint. */
const logWriter = (session: Session, id: number): NonNullable<Operations.Data<"breakpoint.info">["log_by"]> =>
  session.logpoints.isRecording(id) ? "script" : session.breakpoints.isManaged(id) ? "manager" : "adapter"

/** Handles `breakpoint.info`. */
export const info = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.info">,
  program: Programs
) {
  const id = yield* BreakpointSelector.one(session, payload.id, program, payload.directory)
  const found = yield* session.breakpoints.find(id)
  const log_by = logWriter(session, id)
  const history = session.breakpoints.history(id)
  return { data: { ...found, ...(found.log === undefined ? {} : { log_by }), history } }
})

const all = (breakpoints: ReadonlyArray<Breakpoint.Breakpoint>) => ({
  data: { ids: breakpoints.map(({ id }) => id), breakpoints }
})

interface Several {
  readonly ids: ReadonlyArray<Breakpoint.Selector>
  readonly all: boolean
  readonly directory?: string
}

type Verb = "remove" | "enable" | "disable" | "toggle"

/** Returns the selected numbers. Fails if nothing is selected. */
const chosen = Effect.fnUntraced(function* (session: Session, verb: Verb, payload: Several, program: Programs) {
  if (!payload.all && payload.ids.length === 0) {
    return yield* usage("no breakpoint was named", Hint.call(`breakpoint.${verb}`, { all: true }))
  }
  return payload.all ? "all" : yield* BreakpointSelector.ids(session, payload.ids, program, payload.directory)
})

/** Handles `breakpoint.remove`. */
export const remove = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.remove">,
  program: Programs
) {
  const removed = yield* session.breakpoints.remove(yield* chosen(session, "remove", payload, program))
  const guards = session.watches.forget(removed.map(({ id }) => id))
  if (guards.length > 0) yield* Effect.ignore(session.breakpoints.remove(guards))
  return all(removed)
})

/** Handles `breakpoint.enable`. */
export const enable = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.enable">,
  program: Programs
) {
  const ids = yield* chosen(session, "enable", payload, program)
  if (payload.once && payload.count !== undefined) {
    return yield* usage("--once and --count cannot be combined", Hint.help("breakpoint.enable"))
  }
  const max = payload.once ? 1 : payload.count
  return all(yield* session.breakpoints.change(ids, { enabled: true, ...defined("max", max) }))
})

/** Handles `breakpoint.disable`. */
export const disable = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.disable">,
  program: Programs
) {
  return all(yield* session.breakpoints.change(yield* chosen(session, "disable", payload, program), { enabled: false }))
})

/** Handles `breakpoint.toggle`. */
export const toggle = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.toggle">,
  program: Programs
) {
  const ids = yield* chosen(session, "toggle", payload, program)
  const selected = session.breakpoints.list().filter(({ id }) => ids === "all" || ids.includes(id))
  const known = yield* Effect.forEach(ids === "all" ? selected.map(({ id }) => id) : ids, session.breakpoints.find)
  const on = known.filter(({ enabled }) => enabled).map(({ id }) => id)
  const off = known.filter(({ enabled }) => !enabled).map(({ id }) => id)
  const changed = [
    ...(on.length === 0 ? [] : yield* session.breakpoints.change(on, { enabled: false })),
    ...(off.length === 0 ? [] : yield* session.breakpoints.change(off, { enabled: true }))
  ]
  return all(changed.toSorted((a, b) => a.id - b.id))
})

const option = <A>(what: string, value: A | undefined, drop: boolean) => {
  if (value !== undefined && drop) {
    return Effect.fail(usage(`${what} is both set and removed`, Hint.help("breakpoint.edit")))
  }
  return Effect.succeed(drop ? null : value)
}

/** Handles `breakpoint.edit`. */
export const edit = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.edit">,
  program: Programs
) {
  const behaviour = behaviourOf(session, payload)
  const patch: Patch = {
    ...defined("condition", yield* option("the condition", payload.condition, payload.no_condition)),
    ...defined("hits", yield* option("the count", payload.hits, payload.no_hits)),
    ...defined("log", yield* option("the message", payload.log, payload.no_log)),
    ...behaviour,
    ...defined("thread", yield* option("the thread", behaviour.thread, payload.no_thread)),
    ...defined("thread_name", yield* option("the thread", payload.thread_name, payload.no_thread)),
    ...defined("max", yield* option("the limit", payload.max, payload.no_max))
  }
  // A limit counts the messages of a logpoint, and the stops of others.
  const isLimited = payload.max === undefined && !payload.no_max
  const limited = (own: Breakpoint.Breakpoint): Patch =>
    isLimited && payload.no_log && own.log !== undefined
      ? { ...patch, max: null }
      : isLimited && payload.log !== undefined && own.log === undefined && own.max === undefined
        ? { ...patch, max: defaultMax }
        : patch
  if (Object.keys(patch).length === 0) {
    return yield* usage("nothing to change was named", Hint.help("breakpoint.edit"))
  }
  yield* oneLine([patch.condition ?? "", patch.log ?? ""], Hint.help("breakpoint.edit"))
  yield* ConditionSyntax.check(patch.condition, "breakpoint.edit")
  const id = yield* BreakpointSelector.one(session, payload.id, program, payload.directory)
  yield* checkOptions(session, behaviour, () => id)
  const changed = yield* session.breakpoints.change([id], limited(yield* session.breakpoints.find(id)))
  const warnings = yield* Effect.forEach(changed, (one) => BreakpointPlaces.warnings(session, one))
  return { ...all(changed), warnings: warnings.flat() }
})

/** Maximum number of lines that `breakpoint.find` returns. */
const maxFound = 50

/** Handles `breakpoint.find`. */
export const find = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.find">,
  path: Path.Path
) {
  const sources = yield* SourceFiles
  const candidate = path.resolve(payload.directory ?? ".", payload.file)
  const read = (file: string) => sources.range(file, 1, Number.MAX_SAFE_INTEGER)
  const own = yield* Effect.result(read(candidate))
  if (Result.isFailure(own) && own.failure.refused !== "absent") return yield* own.failure
  const live = yield* Effect.option(session.connection)
  const known =
    Result.isSuccess(own) || Option.isNone(live)
      ? []
      : yield* live.value.inspection.files.pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  const suffix = path.normalize(payload.file)
  const file = Result.isSuccess(own) ? candidate : known.find((one) => one === suffix || one.endsWith(`/${suffix}`))
  if (file === undefined) {
    const names = known.map((one) => path.basename(one))
    return yield* new Errors.SourceNotFound({
      file: payload.file,
      near: Expression.nearest(path.basename(payload.file), names)
    })
  }
  const lines = Result.isSuccess(own) ? own.success : yield* read(file)
  const matches = TextAnchor.matches(lines, payload.text)
  return {
    data: {
      file,
      matches: matches.slice(0, maxFound).map((line) => ({ line, text: lines[line - 1]?.trim() ?? "" })),
      total: matches.length
    }
  }
})

const lineRange = /^(.*?)(?::(\d{1,9})(?:-(\d{1,9}))?)?$/s

/** Handles `breakpoint.lines`. */
export const lines = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"breakpoint.lines">) {
  const live = yield* session.connection
  const sources = yield* SourceFiles
  const [, name = "", from, to] = lineRange.exec(payload.at) ?? []
  const first = from === undefined ? 1 : Number(from)
  const last = to === undefined ? (from === undefined ? Number.POSITIVE_INFINITY : first) : Number(to)
  if (name === "" || last < first) {
    return yield* new Errors.InvalidLocation({ text: payload.at, problem: "write FILE or FILE:FIRST-LAST" })
  }
  const found = yield* live.lines(name)
  const file = found[0]?.file
  if (file === undefined) {
    return yield* new Errors.InvalidLocation({ text: payload.at, problem: "no debug information for this file" })
  }
  const numbers = [...new Set(found.flatMap(({ line }) => (line === undefined ? [] : [line])))]
    .filter((line) => line >= first && line <= last)
    .toSorted((a, b) => a - b)
  const described = yield* Effect.forEach(numbers, (line) =>
    Effect.map(Effect.option(sources.window(file, line, 0)), (window) => ({
      line,
      ...(window._tag === "Some" ? defined("text", window.value.lines[0]?.trim()) : {})
    }))
  )
  return { data: { file, lines: described } }
})
