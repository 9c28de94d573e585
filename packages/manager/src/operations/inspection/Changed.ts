/**
 * The handler of `changed`: variables that differ from an earlier stop in the same frame.
 */
import { Errors, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { differ, isSameVariable } from "../../session/values/ChangedValues.ts"
import * as SeenValues from "../values/SeenValues.ts"
import * as StopReport from "../stops/StopReport.ts"
import * as Selection from "../frames/Selection.ts"
import type { Session } from "../../session/Session.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import { read } from "../values/Values.ts"

const bytesSince = ({ log: { journal } }: Session, stop: number) => {
  let sum = 0
  for (let position = journal.output.end - 1; position >= journal.output.start; position--) {
    const entry = journal.output.get(position)
    if (entry === undefined || entry.stop < stop) break
    if (entry.event._tag === "Output" && entry.event.channel !== "console") sum += entry.bytes
  }
  return sum
}

/** Compares an expression with its value at an earlier stop in the same frame, if it was evaluated there. */
const compared = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  at: Located,
  { expression, frame }: { readonly expression: string; readonly frame: string },
  since: number | undefined
) {
  const value = yield* read(view, at, expression)
  // A name may be another variable in another frame or block.
  const declaration = yield* SeenValues.declarationOf(view, at, expression)
  const key = `expression ${frame} ${declaration ?? ""} ${expression}`
  const { changes } = yield* session.viewpoint
  changes.mark(view.stop, key, [{ ...value, name: expression }])
  const old = changes.before(key, since)?.values.get(expression)?.value
  return { name: expression, ...(old === undefined ? {} : { old }), new: value.value }
})

/** Handles `changed`. */
export const changed = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"changed">) {
  const view = yield* session.view
  const { since } = payload
  if (view.stop < 2 || (since !== undefined && since >= view.stop)) {
    const problem = view.stop < 2 ? "this is the first stop" : `${since ?? 0} is not an earlier stop`
    return yield* new Errors.InvalidState({ problem: `${problem}, so there is none to compare with` })
  }
  const at = yield* Selection.frameOf(session, view, {})
  const thread = yield* Selection.threadOf(session, view, undefined)
  const all = yield* view.locals(at)
  const marked = yield* StopReport.marked(session, view, thread.id, at, all)
  const seen = yield* SeenValues.read(session, view, at, all)
  const before = yield* StopReport.earlierStop(session, view, thread.id, at, since)
  const frame = yield* SeenValues.frameKey(view, thread.id, at)
  const from = before?.stop ?? since ?? view.stop - 1
  const vars = marked.flatMap((variable) => {
    const now = seen.get(variable.name) ?? { value: variable.value }
    const earlier = before?.values.get(variable.name)
    const old = earlier === undefined || !isSameVariable(earlier, now) ? undefined : earlier
    return before !== undefined && old !== undefined && differ(old, now) !== true
      ? []
      : [{ name: variable.name, ...(old === undefined ? {} : { old: old.value }), new: variable.value }]
  })
  const expressions = yield* Effect.forEach(payload.expr, (expression) =>
    compared(session, view, at, { expression, frame }, since)
  )
  return {
    data: {
      from,
      to: view.stop,
      vars: [...(before === undefined ? [] : vars), ...expressions],
      frame: at.frame,
      entered: before === undefined,
      output_bytes: bytesSince(session, from)
    }
  }
})
