/**
 * The handler of `expand`: reads a page of the members of a value.
 */
import { Errors, Hint, type Operations, type Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as EvaluationError from "../../model/EvaluationError.ts"
import { isReference, type Reference } from "../../session/values/References.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as SeenValues from "./SeenValues.ts"
import * as ForeignSyntax from "../names/ForeignSyntax.ts"
import * as Selection from "../frames/Selection.ts"
import { countOf, isUnreadable, maxRead, membersOf, shortened } from "./ValueMembers.ts"
import { read } from "./Values.ts"

/** Returns the address of a pointer whose target cannot be read: a null pointer, or one that the backend has checked. */
const unreadableTarget = ({ attributes = [], ref, value }: Variable.Variable): string | undefined => {
  const address = /^0x[\da-f]+(?= |$)/.exec(value)?.[0]
  if (address === undefined || ref !== undefined) return undefined
  const target = BigInt(address)
  return target === 0n || attributes.includes("unreadable") ? `0x${target.toString(16)}` : undefined
}

/**
 * Marks the members that changed since an earlier stop in the frame of their value, if this client read them there. Members of a
 * value without an expression are not marked, because another value may have its name; nor are those of a frame that is not found again.
 */
const marked = (
  session: Session,
  view: StopView,
  { expression, unnamed, within }: Reference,
  members: ReadonlyArray<Variable.Variable>
): Effect.Effect<ReadonlyArray<Variable.Variable>> =>
  Effect.gen(function* () {
    if (unnamed === true) return members
    const { at, thread } = yield* Selection.locate(session, view, { frame: within })
    const { memberChanges } = yield* session.viewpoint
    const frame = yield* SeenValues.frameKey(view, thread.id, at)
    const declaration = yield* SeenValues.declarationOf(view, at, expression)
    return memberChanges.mark(view.stop, `${frame} ${declaration ?? ""} ${expression}`, members)
  }).pipe(Effect.orElseSucceed(() => members))

/** Handles `expand`. */
export const expand = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"expand">) {
  const view = yield* session.view
  const { at } = yield* Selection.locate(session, view, payload)
  const parent: Variable.Variable = yield* Effect.gen(function* () {
    if (!isReference(payload.target)) {
      yield* ForeignSyntax.check(session, view.stop, payload.target)
      return yield* read(view, at, payload.target)
    }
    const { expression, ref } = yield* session.references.resolve(payload.target, view.stop)
    return { name: expression, value: "", expression, ref }
  })
  const address = unreadableTarget(parent)
  if (address !== undefined) {
    const detail = `cannot access memory at ${address}`
    return yield* new Errors.EvaluationFailed({ expression: payload.target, detail, reason: "unreadable" })
  }
  if (parent.ref === undefined) return { data: { parent, children: [], total: 0 }, truncated: [] }
  const target = yield* session.references.resolve(parent.ref, view.stop)
  const range = { depth: Math.max(1, payload.depth), items: payload.count, start: payload.start }
  const children = yield* membersOf(session, view, target, range, { left: maxRead }).pipe(
    Effect.catchTag("AdapterError", (error) =>
      Effect.fail(isUnreadable(error) ? EvaluationError.of(payload.target, error) : error)
    )
  )
  const shown = yield* marked(session, view, target, children)
  const end = payload.start + children.length
  // A full page of a value whose length is not known may be the last one.
  const isFull = children.length >= payload.count
  const next =
    isFull && countOf(parent) === undefined
      ? yield* Effect.option(membersOf(session, view, target, { depth: 1, items: 1, start: end }, { left: 1 }))
      : Option.none()
  const last = !isFull || (Option.isSome(next) && next.value.length === 0)
  const total = countOf(parent) ?? (last ? end : undefined)
  const more = total === undefined ? !last : end < total
  return {
    data: {
      parent,
      children: shown.map((child) => shortened(child, payload.max_string)),
      ...(total === undefined ? {} : { total })
    },
    truncated: more
      ? [
          {
            path: "data.children",
            shown: children.length,
            ...(total === undefined ? {} : { total }),
            hints: [Hint.again("expand", { target: payload.target, start: end })]
          }
        ]
      : []
  }
})
