/**
 * Reads expressions, and the handler of `print`.
 */
import { type Answer, Errors, Hint, type Operations, Variable, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as EvaluationError from "../../model/EvaluationError.ts"
import type { Connection } from "../../ports/Backend.ts"
import type { Format } from "../../ports/Inspection.ts"
import * as ForeignSyntax from "../names/ForeignSyntax.ts"
import * as JsonValue from "../../model/JsonValue.ts"
import * as MemoryWords from "../../model/MemoryWords.ts"
import * as Preview from "../../model/Preview.ts"
import { isReference } from "../../session/values/References.ts"
import * as Selection from "../frames/Selection.ts"
import * as SideEffects from "./SideEffects.ts"
import * as UnknownNames from "../names/UnknownNames.ts"
import type { Session } from "../../session/Session.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import {
  countOf,
  maxOpenedItems,
  maxRead,
  type MemberRange,
  membersOf,
  shortened,
  withMembers
} from "./ValueMembers.ts"

/** Evaluates an expression. An error of the debugger becomes `EvaluationFailed`. */
export const evaluate = Effect.fnUntraced(function* (
  view: StopView,
  at: Located,
  expression: string,
  how: "read" | "any",
  within?: number
) {
  return yield* view
    .evaluate(expression, at, how, within)
    .pipe(Effect.catchTag("AdapterError", (error) => Effect.fail(EvaluationError.of(expression, error))))
})

/** What a debugger reads without running code of the program. */
type Reader = Pick<Connection, "readingCalls" | "readsContainers">

/** True if this debugger reads an expression without running code of the program. */
export const isRead = ({ readingCalls, readsContainers = false }: Reader, expression: string): boolean =>
  Expression.onlyReads(expression, readingCalls) || (readsContainers && Expression.readsContainer(expression))

/** Reads an expression that must not change the program. An unknown name fails with similar names. */
export const read = Effect.fnUntraced(function* (view: StopView, at: Located, expression: string) {
  if (!isRead(view.connection, expression)) return yield* SideEffects.refuse(expression)
  return yield* evaluate(view, at, expression, "read").pipe(
    Effect.catchTag("EvaluationFailed", (error) => UnknownNames.missing(view, at, expression, error))
  )
})

/** Default depth of JSON. */
const jsonDepth = 4

const formats: { readonly [word: string]: Format } = { ...MemoryWords.letters, B: "bytes", bytes: "bytes" }

/** True if the text of a value shows all of it, as for a string, so that its members are not needed. */
const isComplete = (value: Variable.Variable) =>
  !Preview.isReference(value.value) &&
  !/^(?:|size=\d+|.*\{\.\.\.\}.*)$/s.test(value.value) &&
  !(value.ref !== undefined && (value.value.length > Variable.lineLength || Variable.leavesOut(value.value)))

/** An expression that can be indexed without parentheses; with them LLDB would call `operator[]` of a container. */
const path = /^[A-Za-z_$][\w$]*(?:(?:\.|->)[A-Za-z_$][\w$]*|\[\w+\])*$/

/**
 * True if an index of a value counts elements in memory: of a pointer or an array. The index of a container may be a key, and
 * its members are its elements.
 */
const countsElements = (value: Variable.Variable) =>
  value.ref === undefined || value.value.startsWith("0x") || /[*\]](?: ?const)?(?: ?&)?$/.test(value.type ?? "")

/** Reads `count` elements of a pointer, array or container, each with its members to one level less than `range`. */
const asArray = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  at: Located,
  expression: string,
  count: number,
  range: MemberRange
) {
  const whole = yield* read(view, at, expression)
  if (!countsElements(whole)) {
    return yield* withMembers(session, view, whole, { depth: Math.max(1, range.depth), items: count })
  }
  const indexed = path.test(expression) ? expression : `(${expression})`
  const elements = yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => Effect.map(read(view, at, `${indexed}[${index}]`), (value) => ({ ...value, name: `[${index}]` })),
    { concurrency: "unbounded" }
  )
  const items = Math.min(range.items, maxOpenedItems)
  const children = yield* Effect.forEach(elements, (element) =>
    range.depth <= 1 ? Effect.succeed(element) : withMembers(session, view, element, { depth: range.depth - 1, items })
  )
  return { ...whole, children, child_count: count }
})

const formatted = Effect.fnUntraced(function* (view: StopView, at: Located, expression: string, format: Format) {
  const value = yield* read(view, at, expression)
  const other = yield* view
    .formatted(expression, at, format)
    .pipe(Effect.catchTag("AdapterError", (error) => Effect.fail(EvaluationError.of(expression, error))))
  return { ...value, value: other.value }
})

/** Splits `/x n`, the notation of GDB, from an expression. */
export const formatBefore = (text: string, format?: string) => {
  const [, letter, expression] = /^\/([xduotbcfasBj])\s+(.+)$/s.exec(text) ?? []
  return letter === undefined || expression === undefined
    ? { expression: text, format }
    : { expression, format: letter }
}

/** Reads an expression in a format, if one is named. */
export const readAs = (view: StopView, at: Located, expression: string, format: string | undefined) => {
  const known = formats[format ?? ""]
  return known === undefined ? read(view, at, expression) : formatted(view, at, expression, known)
}

/** An error of one expression: others can still be read. */
type OfExpression = Errors.EvaluationFailed | Errors.SideEffects | Errors.StaleReference | Errors.VariableNotFound

/** What reading one of several expressions gave. */
interface Outcome {
  readonly value: Variable.Reading
  readonly failure?: OfExpression
}

const failedWith = (expression: string) => (failure: OfExpression) => {
  const error = { code: Errors.meta(failure).code, message: failure.message }
  const outcome: Outcome = { value: { name: expression, expression, error }, failure }
  return Effect.succeed(outcome)
}

/** Returns the error of the first of several expressions with why each of them failed. */
const withOthers = (first: OfExpression, readings: ReadonlyArray<Outcome>): OfExpression => {
  const values = readings.flatMap(({ value: { error, expression, name } }) =>
    error === undefined ? [] : [{ name, expression: expression ?? name, error }]
  )
  switch (first._tag) {
    case "EvaluationFailed":
      return new Errors.EvaluationFailed({ ...first, values })
    case "SideEffects":
      return new Errors.SideEffects({ ...first, values })
    case "StaleReference":
      return new Errors.StaleReference({ ...first, values })
    case "VariableNotFound":
      return new Errors.VariableNotFound({ ...first, values })
  }
}

/** Handles `print`. */
export const print = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"print">) {
  const view = yield* session.view
  const { at } = yield* Selection.locate(session, view, payload)
  // `/x n`, the notation of GDB.
  const [first = "", ...others] = payload.expressions
  const slash = /^\/([xduotbcfasBj])$/.exec(first)?.[1]
  const expressions = slash !== undefined && others.length > 0 ? others : payload.expressions
  const asJson =
    slash === undefined ? payload.format === "j" || payload.format === "json" : slash === "j" && others.length > 0
  const format = payload.raw
    ? "raw"
    : formats[slash !== undefined && others.length > 0 ? slash : (payload.format ?? "")]
  const range = { depth: payload.depth, items: payload.max_items }
  const truncated: Array<Answer.Truncation> = []
  const readings = yield* Effect.forEach(expressions, (expression, index) =>
    Effect.gen(function* () {
      const value = yield* Effect.gen(function* () {
        if (isReference(expression)) {
          const target = yield* session.references.resolve(expression, view.stop)
          if (format !== undefined && target.unnamed !== true && target.secret !== true) {
            const { at: within } = yield* Selection.locate(session, view, { frame: target.within })
            return yield* formatted(view, within, target.expression, format)
          }
          const inside = yield* membersOf(
            session,
            view,
            target,
            { ...range, depth: Math.max(1, range.depth) },
            { left: maxRead }
          )
          const { expression: name, ref } = target
          return { name, value: "", expression: name, ref, children: inside }
        }
        yield* ForeignSyntax.check(session, view.stop, expression)
        if (payload.array !== undefined) return yield* asArray(session, view, at, expression, payload.array, range)
        if (format !== undefined) return yield* formatted(view, at, expression, format)
        const value = yield* read(view, at, expression)
        if (asJson) {
          const whole = yield* withMembers(session, view, value, { ...range, depth: Math.max(jsonDepth, range.depth) })
          return { ...value, value: JSON.stringify(JsonValue.of(whole)) }
        }
        return range.depth <= 1 && isComplete(value) ? value : yield* withMembers(session, view, value, range)
      })
      const shown = value.children?.length
      const total = countOf(value)
      const full = shown !== undefined && payload.array === undefined && shown >= payload.max_items
      if (shown !== undefined && full && (total === undefined || total > shown)) {
        truncated.push({
          path: `data.values[${index}].children`,
          shown,
          ...(total === undefined ? {} : { total }),
          hints: [Hint.call("expand", { target: value.ref ?? expression, start: shown })]
        })
      }
      return shortened(value, payload.max_string)
    }).pipe(
      Effect.tap((value) => (isReference(expression) ? Effect.void : view.recordPrinted(at, expression, value))),
      Effect.map((value): Outcome => ({ value })),
      Effect.catchTags({
        EvaluationFailed: failedWith(expression),
        SideEffects: failedWith(expression),
        StaleReference: failedWith(expression),
        VariableNotFound: failedWith(expression)
      })
    )
  )
  const failures = readings.flatMap(({ failure }) => (failure === undefined ? [] : [failure]))
  const [failure] = failures
  const values = readings.map(({ value }) => value)
  if (failure !== undefined && failures.length === readings.length) {
    return yield* failures.length === 1 ? failure : withOthers(failure, readings)
  }
  const message = `${failures.length} of ${readings.length} expressions failed`
  return {
    data: { values },
    truncated,
    ...(failure === undefined ? {} : { warnings: [{ code: "PARTIAL", message, hints: failure.hints }] })
  }
})
