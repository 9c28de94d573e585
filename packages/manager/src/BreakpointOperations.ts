/**
 * The handlers that set breakpoints, look at them and change them.
 */
import { Errors, type Breakpoint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Patch } from "./Breakpoints.ts"
import type { Program } from "./Program.ts"
import type { Session } from "./Session.ts"
import { SourceFiles } from "./SourceFiles.ts"
import * as Status from "./Status.ts"

type Programs = Program["Service"]

/** Where the program stands, for locations that are meant from there. */
export const here = (session: Session) =>
  Effect.map(Effect.option(Status.status(session)), (status) =>
    status._tag === "Some" && status.value.location !== undefined ? { here: status.value.location } : {}
  )

const defined = <K extends string, A>(key: K, value: A | undefined): { readonly [P in K]?: A } => {
  const found: { [P in K]?: A } = {}
  if (value !== undefined) found[key] = value
  return found
}

/** `break` */
export const set = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"break">,
  program: Programs
) {
  yield* session.connection
  const text = payload.at_text ?? payload.at
  if (text === undefined || (payload.at !== undefined && payload.at_text !== undefined)) {
    return yield* new Errors.Usage({
      problem: text === undefined ? "no place was named" : "two places were named",
      near: [],
      help: "sigtrap break FILE:LINE"
    })
  }
  const request = yield* program.breakpoint({
    text,
    pending: payload.pending,
    temporary: payload.temporary,
    disabled: payload.disabled,
    exact: payload.snap === "off",
    ...(payload.at_text === undefined ? {} : { anchorIn: payload.in ?? "" }),
    ...defined("nth", payload.nth),
    ...defined("expectText", payload.expect_text),
    ...defined("condition", payload.condition),
    ...defined("hits", payload.hits),
    ...defined("log", payload.log),
    ...defined("directory", payload.directory),
    ...(yield* here(session))
  })
  return { data: yield* session.breakpoints.add(request) }
})

/** `logpoint` */
export const log = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"logpoint">,
  program: Programs
) {
  yield* session.connection
  const request = yield* program.breakpoint({
    text: payload.at,
    log: payload.message,
    pending: payload.pending,
    ...defined("condition", payload.condition),
    ...defined("hits", payload.hits),
    ...defined("directory", payload.directory),
    ...(yield* here(session))
  })
  return { data: yield* session.breakpoints.add(request) }
})

/** `breakpoint.info` */
export const info = (session: Session, payload: Operations.Payload<"breakpoint.info">) =>
  Effect.map(session.breakpoints.find(payload.id), (data) => ({ data }))

const all = (breakpoints: ReadonlyArray<Breakpoint.Breakpoint>) => ({
  data: { ids: breakpoints.map(({ id }) => id), breakpoints }
})

const chosen = (
  verb: string,
  payload: { readonly ids: ReadonlyArray<number>; readonly all: boolean }
): Effect.Effect<ReadonlyArray<number> | "all", Errors.Usage> =>
  !payload.all && payload.ids.length === 0
    ? Effect.fail(
        new Errors.Usage({ problem: "no breakpoint was named", near: [], help: `sigtrap breakpoint ${verb} --all` })
      )
    : Effect.succeed(payload.all ? "all" : payload.ids)

/** `breakpoint.remove` */
export const remove = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"breakpoint.remove">) {
  return all(yield* session.breakpoints.remove(yield* chosen("remove", payload)))
})

/** `breakpoint.enable` */
export const enable = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"breakpoint.enable">) {
  return all(yield* session.breakpoints.change(yield* chosen("enable", payload), { enabled: true }))
})

/** `breakpoint.disable` */
export const disable = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"breakpoint.disable">
) {
  return all(yield* session.breakpoints.change(yield* chosen("disable", payload), { enabled: false }))
})

const option = (what: string, value: string | undefined, drop: boolean) => {
  if (value !== undefined && drop) {
    return Effect.fail(
      new Errors.Usage({ problem: `${what} is given and taken away`, near: [], help: "sigtrap breakpoint edit --help" })
    )
  }
  return Effect.succeed(drop ? null : value)
}

/** `breakpoint.edit` */
export const edit = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"breakpoint.edit">) {
  const patch: Patch = {
    ...defined("condition", yield* option("the condition", payload.condition, payload.no_condition)),
    ...defined("hits", yield* option("the count", payload.hits, payload.no_hits)),
    ...defined("log", yield* option("the message", payload.log, payload.no_log))
  }
  if (Object.keys(patch).length === 0) {
    return yield* new Errors.Usage({
      problem: "nothing to change was named",
      near: [],
      help: `sigtrap breakpoint edit ${payload.id} --condition EXPR`
    })
  }
  if (/[\r\n\0]/.test(`${patch.condition ?? ""}${patch.log ?? ""}`)) {
    return yield* new Errors.Usage({
      problem: "conditions and messages are one line",
      near: [],
      help: "sigtrap breakpoint edit --help"
    })
  }
  return all(yield* session.breakpoints.change([payload.id], patch))
})

const lineRange = /^(.*?)(?::(\d{1,9})(?:-(\d{1,9}))?)?$/s

/** `breakpoint.lines` */
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
    return yield* new Errors.InvalidLocation({ text: payload.at, problem: "no debug information names such a file" })
  }
  const numbers = [...new Set(found.flatMap(({ line }) => (line === undefined ? [] : [line])))]
    .filter((line) => line >= first && line <= last)
    .toSorted((a, b) => a - b)
  const described = yield* Effect.forEach(numbers, (line) =>
    Effect.map(sources.window(file, line, 0), (window) => ({
      line,
      ...(window._tag === "Some" ? defined("text", window.value.lines[0]?.trim()) : {})
    }))
  )
  return { data: { file, lines: described } }
})
