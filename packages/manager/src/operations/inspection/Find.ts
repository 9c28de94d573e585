/**
 * Handlers of `find`, which shows where a name is visible, and of `refs`, which lists the references of the current stop.
 */
import { Errors, Expression, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Failure } from "../../ports/Backend.ts"
import * as SimilarNames from "../../breakpoints/SimilarNames.ts"
import * as Selection from "../frames/Selection.ts"
import type { Session } from "../../session/Session.ts"

type Match = Operations.Data<"find">["matches"][number]

/** Number of frames in which a variable is searched. */
const maxFrames = 20

/** Returns no results if the debugger does not support a request. */
const ifSupported = <A>(request: Effect.Effect<ReadonlyArray<A>, Failure>) =>
  Effect.catch(request, (error) =>
    error._tag === "Unsupported" || error._tag === "AdapterError" ? Effect.succeed([]) : Effect.fail(error)
  )

/** Handles `find`. */
export const find = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"find">) {
  const view = yield* session.view
  const { name } = payload
  const wants = (kind: Match["kind"]) => payload.kind.length === 0 || payload.kind.includes(kind)
  const connection = yield* session.connection
  const thread = yield* Selection.threadOf(session, view, payload.thread)
  const matches: Array<Match> = []
  const functions = yield* ifSupported(connection.inspection.functions(name))
  if (wants("var")) {
    const { frames } = yield* view.stack(thread.id, 0, maxFrames)
    for (const frame of frames.filter(({ file }) => file !== undefined)) {
      const found = (yield* view.locals(yield* view.frame(thread.id, frame.index))).find((one) => one.name === name)
      if (found === undefined) continue
      const { index, ref: _, hidden: __, locals: ___, ...location } = frame
      const type = found.type === undefined ? {} : { type: found.type }
      matches.push({ kind: "var", name, frame: index, scope: "local", location, ...type })
    }
    const at = yield* Selection.frameOf(session, view, payload.thread === undefined ? {} : { thread: payload.thread })
    const globals = yield* view.globals(at).pipe(Effect.catchTag("Unsupported", () => Effect.succeed([])))
    const listed = globals.find((one) => one.name === name || one.name === `::${name}`)
    // Globals of other files are not listed, but can be evaluated.
    const local = matches.some(({ frame }) => frame === at.frame.index)
    // A name that is a function can be evaluated too.
    const global =
      listed ??
      (local || functions.length > 0 || !/^[A-Za-z_$][\w$:]*$/.test(name)
        ? undefined
        : yield* view.evaluate(name, at, "read").pipe(Effect.catchTag("AdapterError", () => Effect.succeed(undefined))))
    if (global !== undefined) {
      matches.push({ kind: "var", name, scope: "global", ...(global.type === undefined ? {} : { type: global.type }) })
    }
  }
  if (wants("func")) {
    matches.push(...functions.map((location): Match => ({ kind: "func", name: location.function ?? name, location })))
  }
  if (wants("type")) {
    const types = yield* ifSupported(connection.inspection.type(name))
    matches.push(...types.map((type): Match => ({ kind: "type", name: type.name, type: type.definition })))
  }
  yield* view.check
  if (matches.length === 0) {
    const known = yield* SimilarNames.functions(connection.inspection, name)
    const at = yield* Selection.frameOf(session, view, payload.thread === undefined ? {} : { thread: payload.thread })
    const variables = (yield* view.locals(at)).map((variable) => variable.name)
    const near = Expression.nearest(name, [...known, ...variables])
    const [similar] = near
    const remedies = similar === undefined ? {} : { remedies: [Hint.again("find", { name: similar })] }
    return yield* new Errors.SymbolNotFound({ name, near, ...remedies })
  }
  return { data: { matches } }
})

/** Handles `refs`. */
export const refs = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"refs">) {
  const view = yield* session.view
  const all = session.references.live(view.stop)
  const shown = all.slice(payload.start, payload.start + payload.limit)
  const end = payload.start + shown.length
  const references = shown.map(({ expression, frame, ref }) => ({
    ref,
    kind: ref.startsWith("@f") ? ("frame" as const) : ("value" as const),
    expression,
    frame
  }))
  return {
    data: { references, total: all.length },
    truncated:
      end < all.length
        ? [
            {
              path: "data.references",
              shown: shown.length,
              total: all.length,
              hints: [Hint.again("refs", { start: end })]
            }
          ]
        : []
  }
})
