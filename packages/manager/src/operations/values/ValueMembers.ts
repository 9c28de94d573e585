/**
 * Reads the members of values, to a depth and within a number of values, and completes texts that an adapter cut.
 */
import { type Errors, Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Preview from "../../model/Preview.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import type { Reference } from "../../session/values/References.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"

/** Maximum number of values that one call reads, at any depth. */
export const maxRead = 2000

/** Maximum number of elements of a list whose members are read. */
export const maxOpenedItems = 20

/** Truncates the strings in a value to `maxLength` characters. */
export const shortened = (value: Variable.Variable, maxLength: number | undefined): Variable.Variable => {
  if (maxLength === undefined) return value
  const long = value.value.length > maxLength && /["'`]/.test(value.value)
  return {
    ...value,
    ...(long ? { value: `${value.value.slice(0, maxLength)}…`, truncated: true } : {}),
    ...(value.children === undefined ? {} : { children: value.children.map((child) => shortened(child, maxLength)) })
  }
}

/** True if a value is a string, whose characters are not opened as members. */
const isText = ({ value }: Variable.Variable) =>
  /^(?:0x[0-9a-f]+ )?(?:u8|[LuU])?"(?:[^"\\]|\\.)*"(?:\.\.\.|…)?$/s.test(value)

/** How deep members are read of a member whose text leaves members out, if whole values are asked for. */
const deepest = 8

/** How deep to read members, and which members of the outermost value. `whole` also reads those that the text of a member leaves out. */
export interface MemberRange {
  readonly depth: number
  readonly whole?: boolean
  readonly items: number
  readonly start?: number
}

/** True for the failure to read memory that the program cannot access. The value itself, such as a pointer, is known. */
export const isUnreadable = (error: { readonly _tag: string; readonly reason?: unknown }): boolean =>
  error._tag === "AdapterError" && error.reason === "unreadable"

/** Completes the text of a value that the adapter cut, with its first members. Masks secrets. */
const completed = (
  { secrets }: Session,
  value: Variable.Variable,
  members: ReadonlyArray<Variable.Variable>
): Effect.Effect<Variable.Variable> =>
  Effect.map(Secrets.Reveal, (reveal) => {
    const text = Preview.isReference(value.value)
      ? Preview.target(value.value, members)
      : Preview.completed(value.value, members)
    return { ...value, value: reveal ? text : secrets.inText(text) }
  })

/** Reads the members of a value: those of `range`, of at most `room` values. */
export const membersOf = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  target: Reference,
  range: MemberRange,
  room: { left: number },
  level = 1
): Effect.fn.Return<ReadonlyArray<Variable.Variable>, Effect.Error<ReturnType<StopView["children"]>>> {
  const inside = yield* view.children(target, range.start ?? 0, Math.min(range.items, Math.max(room.left, 1)))
  room.left -= inside.length
  const opensCut = range.whole === true && level < deepest
  if (range.depth <= 1 && !opensCut) return inside
  return yield* Effect.forEach(inside, (child) =>
    Effect.gen(function* () {
      if (child.ref === undefined || room.left <= 0 || isText(child)) return child
      if (range.depth <= 1 && !Variable.leavesOut(child.value)) return child
      const known = yield* Effect.option(session.references.resolve(child.ref, view.stop))
      if (known._tag === "None") return child
      const items = Math.min(range.items, maxOpenedItems)
      return yield* Effect.map(
        membersOf(session, view, known.value, { ...range, start: 0, depth: range.depth - 1, items }, room, level + 1),
        (children) => ({ ...child, children })
      ).pipe(Effect.catchIf(isUnreadable, () => Effect.succeed(child)))
    })
  )
})

/** Returns a value whose members cannot be read. The text of a pointer is known. */
const unreadable = (value: Variable.Variable, problem: string): Variable.Variable =>
  value.value === "{...}" ? { ...value, value: `<unknown: ${problem}>`, attributes: ["unknown"] } : value

/** Completes the texts of the first members that show nothing of their own members, as GDB's. */
const described = (
  session: Session,
  view: StopView,
  members: ReadonlyArray<Variable.Variable>
): Effect.Effect<ReadonlyArray<Variable.Variable>, Effect.Error<ReturnType<typeof withMembers>>> =>
  Effect.forEach(members, (member, index) =>
    index < maxOpenedItems && Preview.showsNoMembers(member.value)
      ? withMembers(session, view, member, { depth: 0, items: maxOpenedItems })
      : Effect.succeed(member)
  )

/**
 * Reads the members of a value to the requested depth. With depth 0 it reads those of a value whose text was cut after a time, and
 * completes the text: otherwise the text of an unchanged value would differ between two stops.
 */
export const withMembers = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  value: Variable.Variable,
  range: MemberRange
): Effect.fn.Return<Variable.Variable, Effect.Error<ReturnType<StopView["children"]>> | Errors.StaleReference> {
  // GDB shows neither a member of a structure nor the target of a reference. Another text that ends so is cut by its depth.
  const isCut =
    Preview.isReference(value.value) ||
    (Preview.isStoppedEarly(value.value) && (Preview.showsNoMembers(value.value) || !value.value.endsWith("{...}")))
  if (value.ref === undefined || (range.depth === 0 && !isCut) || isText(value)) return value
  const target = yield* session.references.resolve(value.ref, view.stop)
  const wanted = range.depth === 0 ? { depth: 1, items: maxOpenedItems } : range
  return yield* Effect.gen(function* () {
    const children = yield* membersOf(session, view, target, wanted, { left: maxRead }).pipe(
      Effect.flatMap((members) => (range.depth === 1 ? described(session, view, members) : Effect.succeed(members)))
    )
    const areFirst = (range.start ?? 0) === 0 && (children.length < wanted.items || children.length >= maxOpenedItems)
    const whole = isCut && areFirst ? yield* completed(session, value, children) : value
    const isTarget = Preview.isReference(value.value) && whole.value !== value.value
    return range.depth === 0 || isTarget ? whole : { ...whole, children }
  }).pipe(
    Effect.catchIf(isUnreadable, (error) =>
      Effect.succeed(unreadable(value, error._tag === "AdapterError" ? error.detail : error.message))
    )
  )
})

/** Returns the number of members of a value, from the debugger or from an array type. */
export const countOf = (value: Variable.Variable): number | undefined => {
  const length = /^[^[(]*\[(\d{1,9})\]/.exec(value.type ?? "")?.[1]
  return value.child_count ?? (length === undefined ? undefined : Number(length))
}
