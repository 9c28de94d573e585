/**
 * Handlers of source text: `source` lines around a place, `files` of the debug information.
 */
import { type Answer, Errors, Hint, Location, type Operations, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Failure } from "../../ports/Backend.ts"
import type { Reply } from "../Reply.ts"
import * as SimilarNames from "../../breakpoints/SimilarNames.ts"
import * as Selection from "../frames/Selection.ts"
import * as UnknownNames from "../names/UnknownNames.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import type { Session } from "../../session/Session.ts"
import type { Listing } from "../../session/callers/Viewpoints.ts"
import * as EventLoop from "../../model/waits/EventLoop.ts"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"

/** Maximum number of lines in one answer. */
const maxLines = 1000

interface Place {
  readonly file: string
  readonly line?: number
}

const base = (file: string) => file.split(/[/\\]/).at(-1) ?? file

/** Returns the location of the selected frame. */
const hereOf = Effect.fnUntraced(function* (session: Session, payload: Selection.NamedFrame) {
  const view = yield* session.view
  const { at } = yield* Selection.locate(session, view, payload)
  return at.frame
})

const files = (session: Session) => Effect.flatMap(session.connection, (connection) => connection.inspection.files)

/** Returns where a function begins. */
const functionAt = Effect.fnUntraced(function* (session: Session, name: string, file: string | undefined) {
  const connection = yield* session.connection
  const found = (yield* connection.inspection.functions(name)).find(
    (position) => position.file !== undefined && (file === undefined || base(position.file) === base(file))
  )
  return found?.file === undefined
    ? Option.none<Place>()
    : Option.some<Place>({ file: found.file, ...(found.line === undefined ? {} : { line: found.line }) })
})

/** Returns the first and last line of a function, found from its instructions. */
const extentOf = Effect.fnUntraced(function* (session: Session, name: string, file: string) {
  const connection = yield* session.connection
  const plain = name.replace(/\(.*$/s, "")
  const { instructions } = yield* connection.inspection
    .disassemble({ kind: "function", name: plain })
    .pipe(Effect.catchTag("AdapterError", () => Effect.succeed({ instructions: [] })))
  const lines = instructions.flatMap((one) => (one.file === file && one.line !== undefined ? [one.line] : []))
  if (lines.length === 0) return yield* new Errors.SymbolNotFound({ name: plain, near: [] })
  return { first: Math.max(1, Math.min(...lines)), last: Math.max(...lines) }
})

/** Lines of a file, from the first to the last. */
interface Lines {
  readonly first: number
  readonly last: number
}

const isIn = ({ first, last }: Lines, line: number | undefined): line is number =>
  line !== undefined && line >= first && line <= last

/** Returns the lines that a caller wants: the whole file, a range, those after `next`, or those around a place. */
const wantedLines = (
  { lines, range, whole }: Operations.Payload<"source">,
  { line = 1 }: Place,
  total: number,
  next: Listing | undefined
): Lines => {
  if (whole) return { first: 1, last: total }
  const [from, to] = (range ?? "").split("-").map(Number)
  if (from !== undefined && to !== undefined) return { first: Math.max(1, from), last: Math.max(from, to) }
  if (next !== undefined) return { first: next.last + 1, last: next.last + 1 + 2 * lines }
  return { first: Math.max(1, line - lines), last: line + lines }
}

/** Returns the breakpoints in lines of a file, in the order of the lines. A pending one is at its requested line. */
const breakpointsIn = (session: Session, file: string, lines: Lines): Operations.Data<"source">["breakpoints"] =>
  session.breakpoints
    .list()
    .flatMap(({ enabled, id, kind, locations, requested, resolved }) => {
      const state = enabled ? (resolved ? ("on" as const) : ("pending" as const)) : ("off" as const)
      const places = locations.length === 0 ? [requested] : locations
      const here = places.flatMap((place) => (place.file === file && isIn(lines, place.line) ? [place.line] : []))
      return [...new Set(here)].map((line) => ({ id, line, state, kind }))
    })
    .toSorted((a, b) => a.line - b.line || a.id - b.id)

/** Returns the warning about further files of the program with the name that a caller wrote. */
const sameName = (others: ReadonlyArray<string>): Answer.Warning => ({
  code: "AMBIGUOUS_FILE",
  message: `other files have this name: ${others.slice(0, 3).join(", ")}${others.length > 3 ? ", …" : ""}`,
  hints: [Hint.again("source", { at: `${others[0] ?? ""}:1` })]
})

/** Returns the error for a frame without a file. */
const withoutSource = (name: string | undefined): Errors.SourceNotFound =>
  name !== undefined && EventLoop.isIdle({ function: name })
    ? new Errors.SourceNotFound({
        file: name,
        near: [],
        detail: "the program waits for events, and none of its code runs",
        remedies: [Hint.call("files", {})]
      })
    : new Errors.SourceNotFound({
        file: "",
        near: [],
        undescribed: UnknownNames.codeOf(name),
        remedies: [Hint.call("disassemble", {})]
      })

/** Handles `source`. */
export const source = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"source">,
  machine: Policy.Machine
) {
  const { path } = machine
  if (payload.whole && (payload.range !== undefined || payload.function)) {
    const problem = "a whole file cannot be combined with a range or a function"
    return yield* new Errors.Usage({ problem, near: [], remedies: [Hint.again("source", { whole: false })] })
  }
  const sources = yield* SourceFiles
  const frame = yield* Effect.result(hereOf(session, payload))
  const position = Result.isSuccess(frame) ? frame.success : undefined
  /** Further files of the program with the same name. */
  let others: ReadonlyArray<string> = []

  /** Returns a file: relative to the caller's directory, or a file of the debug information with that suffix. */
  const named = Effect.fnUntraced(function* (file: string) {
    const candidate = path.resolve(payload.directory ?? "/", file)
    const own = yield* Effect.result(sources.window(candidate, 1, 0))
    if (Result.isSuccess(own)) return candidate
    if (own.failure.refused !== "absent") {
      yield* Policy.checkFiles(session.policy, [candidate], machine)
      return yield* own.failure
    }
    const all = yield* files(session).pipe(Effect.orElseSucceed(() => []))
    const suffix = path.normalize(file)
    const matching = all.filter((known) => known === suffix || known.endsWith(`/${suffix}`))
    const found = matching.find((known) => known === position?.file) ?? matching[0]
    others = matching.filter((known) => known !== found)
    if (found !== undefined) return found
    const near = Expression.nearest(
      base(file),
      all.map((known) => base(known))
    )
    return yield* new Errors.SourceNotFound({ file, near })
  })

  const placeOf = Effect.fnUntraced(function* (
    text: string
  ): Effect.fn.Return<
    Place,
    Errors.SourceNotFound | Errors.InvalidLocation | Errors.SymbolNotFound | Errors.Policy | Failure
  > {
    const parsed = Location.parse(text)
    if (Result.isFailure(parsed)) return yield* new Errors.InvalidLocation({ text, problem: parsed.failure })
    const location = parsed.success
    if (location.kind === "line") return { file: yield* named(location.file), line: location.line }
    if (location.kind === "here" || location.kind === "offset") {
      if (position?.file === undefined || position.line === undefined) {
        return yield* new Errors.InvalidLocation({ text, problem: "there is no current line; write FILE:LINE" })
      }
      const line = location.kind === "here" ? location.line : position.line + location.lines
      return { file: position.file, line: Math.max(1, line) }
    }
    if (location.kind !== "function") {
      return yield* new Errors.InvalidLocation({ text, problem: "write FILE:LINE or a function" })
    }
    const found = yield* functionAt(session, location.name, location.file)
    if (Option.isSome(found)) return found.value
    if (/\.\w+$/.test(location.name)) return { file: yield* named(location.name) }
    const { inspection } = yield* session.connection
    const near = yield* SimilarNames.functions(inspection, location.name)
    const [at] = near
    const remedies = at === undefined ? {} : { remedies: [Hint.again("source", { at })] }
    return yield* new Errors.SymbolNotFound({ name: location.name, near, ...remedies })
  })

  if (payload.at === undefined && Result.isFailure(frame)) return yield* frame.failure
  const place: Place =
    payload.at === undefined
      ? { file: position?.file ?? "", ...(position?.line === undefined ? {} : { line: position.line }) }
      : yield* placeOf(payload.at)
  if (payload.at !== undefined) yield* Policy.checkFiles(session.policy, [place.file], machine)
  if (place.file === "") {
    return yield* withoutSource(position?.function)
  }
  const view = Result.isSuccess(frame) ? yield* session.view : undefined
  const plain = payload.at === undefined && payload.range === undefined && !payload.function && !payload.whole
  const viewpoint = yield* session.viewpoint
  const before = plain && view !== undefined ? viewpoint.listing(view.stop) : undefined
  const next = before !== undefined && before.file === place.file && before.from === position?.line ? before : undefined
  const extent = payload.function
    ? yield* extentOf(session, payload.at ?? position?.function ?? "", place.file)
    : undefined
  const total = yield* sources.count(place.file)
  const wanted = extent ?? wantedLines(payload, place, total, next)
  const last = payload.whole ? wanted.last : Math.min(wanted.last, wanted.first + maxLines - 1)
  const whole = payload.whole ? yield* sources.whole(place.file) : undefined
  const lines =
    whole?.lines ??
    (yield* sources.range(place.file, wanted.first, last).pipe(
      Effect.mapError((error) =>
        // A file that was listed to its end has no more lines.
        next !== undefined && error.refused === "absent"
          ? new Errors.SourceNotFound({
              file: `the rest of ${base(place.file)}, which was listed to its end`,
              near: []
            })
          : error
      )
    ))
  const shown = { first: wanted.first, last: wanted.first + lines.length - 1 }
  if (view !== undefined && plain) {
    viewpoint.recordListing(view.stop, { file: place.file, last: shown.last, from: position?.line })
  }
  const current = position?.file === place.file && isIn(shown, position.line) ? position.line : undefined
  const rest = { first: last + 1, last: Math.min(wanted.last, total) }
  const reply: Reply<Operations.Data<"source">> = {
    data: {
      file: place.file,
      first: shown.first,
      lines,
      total,
      ...(current === undefined ? {} : { current }),
      breakpoints: breakpointsIn(session, place.file, shown),
      origin: "disk",
      stale: yield* sources.newer(place.file, session.launch.program),
      ...(whole === undefined ? {} : { hash: whole.hash })
    },
    truncated:
      rest.first > rest.last
        ? []
        : [
            {
              path: "data.lines",
              shown: lines.length,
              total: rest.last - shown.first + 1,
              hints: [
                Hint.again("source", {
                  at: `${place.file}:${rest.first}`,
                  range: `${rest.first}-${rest.last}`,
                  function: false
                })
              ]
            }
          ]
  }
  return others.length === 0 ? reply : { ...reply, warnings: [sameName(others)] }
})

/** Handles `files`. */
export const list = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"files">) {
  const all = yield* files(session)
  const text = payload.match?.toLowerCase()
  const chosen = text === undefined ? all : all.filter((file) => file.toLowerCase().includes(text))
  const shown = chosen.slice(0, payload.limit)
  return {
    data: { files: shown, total: chosen.length },
    truncated:
      shown.length < chosen.length
        ? [
            {
              path: "data.files",
              shown: shown.length,
              total: chosen.length,
              hints: [Hint.again("files", { limit: Math.min(1000, shown.length * 2) })]
            }
          ]
        : []
  }
})
