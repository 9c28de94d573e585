/**
 * The handler of `watch`, and the values that a watchpoint reports at a stop.
 *
 * The watched memory is that of the expression's current value. The memory of a local variable is reused when its
 * function has returned. So an internal breakpoint at the return address, whose condition is that the frame is gone,
 * ends the watchpoint.
 */
import {
  type Breakpoint,
  HitCount,
  Errors,
  Expression,
  FunctionName,
  Hint,
  Location,
  type Operations,
  type Stop
} from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as EvaluationError from "../../model/EvaluationError.ts"
import * as AddressExpressions from "../../model/AddressExpressions.ts"
import type { WatchedMemory } from "../../ports/Backend.ts"
import * as Capabilities from "../sessions/Capabilities.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import * as Selection from "../frames/Selection.ts"
import type { Request } from "../../model/BreakpointPlace.ts"
import type { Session } from "../../session/Session.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import * as WatchedValues from "../../session/stops/WatchedValues.ts"
import type { Watch } from "../../session/stops/Watches.ts"
import * as ConditionSyntax from "../../model/ConditionSyntax.ts"
import * as UnknownNames from "../names/UnknownNames.ts"
import * as WrittenPlace from "./WrittenPlace.ts"

/** Maximum size of a stack, in bytes. Memory further from the stack pointer belongs to no local variable. */
const stackSize = 64n * 1024n * 1024n

/** Size of the area below the stack pointer that leaf functions may use, in bytes (System V ABI of x86-64). */
const redZone = 128n

const hex = /0x[0-9a-f]+/i

const literal = /^\*\s*(0x[0-9a-f]+|\d+)$/i

const evaluate = (view: StopView, at: Located, expression: string) =>
  view
    .evaluate(expression, at, "read")
    .pipe(Effect.catchTag("AdapterError", (error) => Effect.fail(EvaluationError.of(expression, error))))

const number = Effect.fnUntraced(function* (view: StopView, at: Located, expression: string, shown: string) {
  // Addresses and sizes are never secret.
  const { value } = yield* evaluate(view, at, expression).pipe(Effect.provideService(Secrets.Reveal, true))
  const found = hex.exec(value)?.[0] ?? /^\d+/.exec(value)?.[0]
  if (found !== undefined) return BigInt(found)
  return yield* new Errors.EvaluationFailed({ expression: shown, detail: "it has no address" })
})

/** The object with a member, as the member is written: `flags` of `flags.open`, `*flag` of `flag->open`. */
const objectOf = (expression: string): string | undefined => {
  const [, object, operator] = /^(.*?)\s*(\.|->)\s*[A-Za-z_]\w*\s*$/s.exec(expression) ?? []
  return object === undefined ? undefined : operator === "." ? object : `*${object}`
}

/** Says why an expression cannot be watched. */
const notWatched = (expression: string, { reason }: Errors.EvaluationFailed) => {
  const object = objectOf(expression)
  return reason === "bit-field"
    ? new Errors.Usage({
        problem: `'${expression}' is a bit field, which has no address of its own`,
        near: [],
        remedies: object === undefined ? [Hint.call("locals", {})] : [Hint.call("watch", { expression: object })]
      })
    : new Errors.Usage({
        problem: `'${expression}' is not a variable in memory, so it cannot be watched`,
        near: [],
        remedies: [Hint.call("locals", {})]
      })
}

/** Reads the address or the size of a value. Fails for an expression that has none, such as a number, a function or a bit field. */
const ofMemory = (view: StopView, at: Located, wanted: string, expression: string) =>
  number(view, at, wanted, expression).pipe(
    Effect.catchTag("EvaluationFailed", (error) => Effect.fail(notWatched(expression, error)))
  )

/** Returns the expression that reads the value of a type at an address: the best one that this debugger can read. */
const readerOf = Effect.fnUntraced(function* (
  view: StopView,
  at: Located,
  type: string | undefined,
  { address, size }: WatchedMemory
) {
  const all = AddressExpressions.expressionsOf(type, size, address)
  const last = all.at(-1) ?? ""
  const readable = all.slice(0, -1).map((expression) => Effect.as(view.evaluate(expression, at, "read"), expression))
  return yield* Effect.orElseSucceed(Effect.firstSuccessOf([...readable, Effect.succeed(last)]), () => last)
})

/** Returns the memory to watch, its type, the expression that reads its value, and whether it is that of a local variable. */
export const memoryOf = Effect.fnUntraced(function* (
  view: StopView,
  at: Located,
  payload: Pick<Operations.Payload<"watch">, "access" | "expression" | "size">
) {
  const { access, expression } = payload
  const fixed = literal.exec(expression.trim())?.[1]
  if (fixed !== undefined) {
    const size = payload.size ?? 8
    const watch: WatchedMemory = { address: `0x${BigInt(fixed).toString(16)}`, size, access }
    const type = AddressExpressions.typeOf(undefined, size)
    return { watch, type, readExpression: yield* readerOf(view, at, undefined, watch), local: false }
  }
  if (!Expression.onlyReads(expression)) {
    return yield* new Errors.Usage({
      problem: "only an expression without side effects can be watched",
      near: [],
      remedies: [Hint.call("watch", { expression: "counter" })]
    })
  }
  const { type } = yield* evaluate(view, at, expression).pipe(
    Effect.catchTag("EvaluationFailed", (error) => UnknownNames.missing(view, at, expression, error))
  )
  const address = yield* ofMemory(view, at, `&(${expression})`, expression)
  const size = payload.size ?? Number(yield* ofMemory(view, at, `sizeof(${expression})`, expression))
  const stack = yield* number(view, at, "(unsigned long)$sp", expression).pipe(Effect.orElseSucceed(() => undefined))
  const watch: WatchedMemory = { address: `0x${address.toString(16)}`, size, access }
  const name = /^[A-Za-z_]\w*/.exec(expression.trim())?.[0]
  const direct = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[[^\]]*\])*$/.test(expression.trim())
  const known = (yield* view.locals(at)).some((variable) => variable.name === name)
  const local = direct && known && stack !== undefined && address + redZone >= stack && address < stack + stackSize
  return {
    watch,
    type: AddressExpressions.typeOf(type, size),
    readExpression: yield* readerOf(view, at, type, watch),
    local
  }
})

const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("watch")] })

/** Splits `EXPR [if EXPR] [hits COUNT]` as the effects of the call were computed from it. */
const partsOf = Effect.fnUntraced(function* (
  payload: Pick<Operations.Payload<"watch">, "condition" | "expression" | "hits">
) {
  const { place: expression, ...written } = Location.words(payload.expression)
  if (written.condition !== undefined && payload.condition !== undefined)
    return yield* usage("the condition is given twice")
  if (written.hits !== undefined && payload.hits !== undefined) return yield* usage("the count is given twice")
  const { condition = payload.condition, hits = payload.hits } = written
  if (hits !== undefined && HitCount.parse(hits) === undefined) return yield* usage(`${hits} is not a hit count`)
  return { condition, expression, hits }
})

/** `watch`. With `before`, the new watchpoint continues a removed one. */
export const set = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"watch">,
  before?: Breakpoint.Breakpoint
) {
  const { condition, expression, hits } = yield* partsOf(payload)
  yield* ConditionSyntax.check(condition, "watch")
  yield* Capabilities.required(session, "watchpoints", "watchpoints", [
    Hint.help("break", "a condition stops at a value")
  ])
  const view = yield* session.view
  const { at, thread } = yield* Selection.locate(
    session,
    view,
    payload.frame === undefined ? {} : { frame: payload.frame }
  )
  const { local, readExpression, watch } = yield* memoryOf(view, at, { ...payload, expression })
  const request: Request = {
    text: expression,
    place: { kind: "watch", watch },
    pending: false,
    temporary: false,
    ...(condition === undefined ? {} : { condition }),
    ...(hits === undefined ? {} : { hits })
  }
  const breakpoint =
    before === undefined
      ? yield* session.breakpoints.add(request).pipe(
          Effect.catchTag("BreakpointUnresolved", ({ location, near, reason }) =>
            Effect.fail(
              new Errors.BreakpointUnresolved({
                location,
                near,
                reason,
                remedies: [
                  Hint.call("breakpoint.list", { kind: ["watch"] }, "a debug register is free after one is removed")
                ]
              })
            )
          )
        )
      : yield* session.breakpoints.addAgain(request, before)
  if (breakpoint.existing === true) return { data: breakpoint }
  const caller =
    local && payload.scope === "frame"
      ? yield* view
          .frame(thread.id, at.frame.index + 1)
          .pipe(Effect.catchTag("FrameNotFound", () => Effect.succeed(undefined)))
      : undefined
  const returns = caller?.frame.address
  const atReturn =
    returns === undefined
      ? undefined
      : yield* session.breakpoints
          .addInternal({
            text: `the end of ${at.frame.function}`,
            place: { kind: "special", at: { kind: "address", expression: returns } },
            condition: `(unsigned long)$sp > ${watch.address}`,
            pending: false,
            temporary: false
          })
          .pipe(Effect.tapError(() => Effect.ignore(session.breakpoints.remove([breakpoint.id]))))
  const value = yield* view.evaluate(readExpression, at, "read").pipe(
    Effect.flatMap((found) => view.masked(expression, found)),
    Effect.map((found) => found.value),
    Effect.provideService(Secrets.Reveal, false),
    Effect.catchTag("AdapterError", () => Effect.succeed(undefined))
  )
  const watched: Watch = {
    id: breakpoint.id,
    expression,
    readExpression,
    address: watch.address,
    ...(atReturn === undefined ? {} : { atReturn: { breakpoint: atReturn, function: at.frame.function } })
  }
  session.watches.set(watched, value, WatchedValues.momentOf(session, view, watched))
  return { data: breakpoint }
})

/** Sets a watchpoint of an earlier run of the program again. Its expression is evaluated at the current stop. */
export const restore = (session: Session, before: Breakpoint.Breakpoint) =>
  set(
    session,
    {
      expression: before.requested.text,
      access: before.access ?? "write",
      scope: "frame",
      ...(literal.test(before.requested.text) && before.size !== undefined ? { size: before.size } : {}),
      ...(before.condition === undefined ? {} : { condition: before.condition }),
      ...(before.hits_wanted === undefined ? {} : { hits: before.hits_wanted })
    },
    before
  )

/** Returns the fields for the line that wrote. `own` is the function of the stop. */
const placeOf = (
  written: WrittenPlace.WrittenPlace | undefined,
  own: string
): Pick<Stop.WatchChange, "written_at" | "written_by"> => {
  if (written?.file === undefined || written.line === undefined) return {}
  const { file, line } = written
  const isSame = FunctionName.short(written.function) === FunctionName.short(own)
  return { written_at: { file, line }, ...(isSame ? {} : { written_by: written.function }) }
}

/** True if each write stops the program, so that the value of the last stop is the one before the write. */
const stopsAtEach = ({ condition, hits_wanted: hits, thread, thread_name: name }: Breakpoint.Breakpoint): boolean =>
  condition === undefined && hits === undefined && thread === undefined && name === undefined

/** Returns the change that a watchpoint reports at this stop, if it stopped the program. Without each write the old value is not known. */
export const change = Effect.fnUntraced(function* (session: Session, view: StopView, at: Located) {
  const hit = session.log.snapshot.stopped?.breakpoints ?? []
  const watch = hit.map((id) => session.watches.get(id)).find((found) => found !== undefined)
  if (watch === undefined) return undefined
  const { old, value = "?" } = yield* WatchedValues.read(session, view, at, watch)
  const breakpoint = session.breakpoints.list().find(({ id }) => id === watch.id)
  const isWrite = breakpoint?.access === "write"
  const isKnown = breakpoint !== undefined && stopsAtEach(breakpoint)
  const connection = yield* session.connection
  const thread = session.log.snapshot.stopped?.thread
  const written =
    isWrite && at.frame.index === 0 && thread !== undefined
      ? yield* connection.stack(thread, 0, 2).pipe(
          Effect.flatMap(({ frames }) => WrittenPlace.of(connection, frames, watch.address)),
          Effect.orElseSucceed(() => undefined)
        )
      : undefined
  const found: Stop.WatchChange = {
    id: watch.id,
    expression: watch.expression,
    ...(old === undefined || !isKnown ? {} : { old }),
    new: value,
    address: watch.address,
    ...placeOf(written, at.frame.function)
  }
  return found
})

/** Returns the changes of watched values since the program was resumed that no watchpoint reported. */
export const missed = (session: Session, view: StopView, at: Located) =>
  WatchedValues.missed(session, view, at, session.log.snapshot.stopped?.breakpoints ?? [])
