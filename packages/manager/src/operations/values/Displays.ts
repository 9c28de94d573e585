/**
 * Handlers of `display`, and the values of displays at a stop.
 */
import { Errors, Hint, type Operations, type Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RecordedDisplay } from "../../ports/Intent.ts"
import * as RunsCode from "../../ports/RunsCode.ts"
import type { Session } from "../../session/Session.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import type { SeenValue } from "../../session/values/ChangedValues.ts"
import * as SeenValues from "./SeenValues.ts"
import * as Selection from "../frames/Selection.ts"
import * as SideEffects from "./SideEffects.ts"
import * as Values from "./Values.ts"

/** Most expressions that a session shows at its stops. */
const maxDisplays = 20

const asked = ({ expression, format, id }: RecordedDisplay): Stop.Evaluation => ({
  expression,
  display: id,
  ...(format === undefined ? {} : { format })
})

/** Reads for a display: code of the program runs only if the client that set the display may run it. */
const forSetter = <A, E, R>({ reads_only }: RecordedDisplay, reading: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  reads_only === true
    ? Effect.provideService(reading, RunsCode.RunsCode, "which the client that set this display may not do")
    : reading

/**
 * Reads the displays in a frame of a thread, and marks those that changed since the previous stop in that frame. One that fails
 * has an `error`. Fails only if the program has left the stop.
 */
export const values = Effect.fnUntraced(function* (session: Session, view: StopView, at: Located, thread: number) {
  const { items } = session.displays
  if (items.length === 0) return []
  const all = yield* Effect.forEach(items, (display) =>
    forSetter(display, Values.readAs(view, at, display.expression, display.format)).pipe(
      Effect.map(({ ref, type, value }): Stop.Evaluation => ({
        ...asked(display),
        value,
        ...(type === undefined ? {} : { type }),
        ...(ref === undefined ? {} : { ref })
      })),
      Effect.catchIf(
        (error) => error._tag !== "NotStopped",
        (error) => {
          const problem =
            error._tag === "VariableNotFound"
              ? "not in this frame"
              : error._tag === "EvaluationFailed"
                ? error.detail
                : error.message
          return Effect.succeed<Stop.Evaluation>({ ...asked(display), error: problem })
        }
      )
    )
  )
  const read = all.flatMap(({ display, value }) => (value === undefined ? [] : [{ name: `${display}`, value }]))
  const { changes } = yield* session.viewpoint
  const seen = new Map<string, SeenValue>()
  for (const { display, expression, value } of all) {
    const declaration = value === undefined ? undefined : yield* SeenValues.declarationOf(view, at, expression)
    if (value !== undefined && declaration !== undefined) seen.set(`${display}`, { value, declaration })
  }
  const marked = changes.mark(view.stop, `displays ${yield* SeenValues.frameKey(view, thread, at)}`, read, seen)
  return all.map((one): Stop.Evaluation => {
    const { changed, old } = marked.find(({ name }) => name === `${one.display}`) ?? {}
    return changed === undefined || old === undefined ? one : { ...one, changed, old }
  })
})

/** Handles `display.list`. */
export const list = Effect.fnUntraced(function* (session: Session) {
  const { items } = session.displays
  if (session.log.snapshot.state !== "stopped" || items.length === 0) return { data: { items: items.map(asked) } }
  const view = yield* session.view
  const at = yield* Selection.frameOf(session, view, {})
  const thread = yield* Selection.threadOf(session, view, undefined)
  return { data: { items: yield* values(session, view, at, thread.id) } }
})

/** `display`: an expression with an unknown name is refused at a stop, as in GDB; other errors may be gone at the next one. */
export const add = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"display">) {
  const { displays } = session
  const { expression, format } = Values.formatBefore(payload.expression, payload.format)
  if (displays.items.length >= maxDisplays) {
    return yield* new Errors.InvalidState({
      problem: `the session already shows ${maxDisplays} expressions, the maximum`,
      remedies: [Hint.call("display.remove", { ids: ["all"] })]
    })
  }
  if (session.log.snapshot.state === "stopped") {
    const view = yield* session.view
    const at = yield* Selection.frameOf(session, view, {})
    yield* Values.readAs(view, at, expression, format).pipe(Effect.catchTag("EvaluationFailed", () => Effect.void))
  } else {
    // Judged as `print` does at a stop; without a debugger, by the text alone.
    const debuggerOf = yield* Effect.option(session.connection)
    const reader = Option.getOrElse(debuggerOf, () => ({ readsContainers: true }))
    if (!Values.isRead(reader, expression)) return yield* SideEffects.refuse(expression)
  }
  displays.add(expression, format, (yield* RunsCode.ofCaller) !== true)
  session.intent.edited()
  return yield* list(session)
})

/** Handles `display.remove`. */
export const remove = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"display.remove">) {
  const known = session.displays.items.map(({ id }) => id)
  const ids = payload.ids.includes("all") ? known : payload.ids.map(Number)
  const unknown = ids.filter((id) => !known.includes(id))
  if (unknown.length > 0) {
    const rest = known.length === 0 ? "there are none" : `there are ${known.join(", ")}`
    return yield* new Errors.InvalidState({
      problem: `no display ${unknown.join(", ")}; ${rest}`,
      remedies: [Hint.call("display.list", {})]
    })
  }
  session.displays.remove(ids)
  session.intent.edited()
  return yield* list(session)
})
