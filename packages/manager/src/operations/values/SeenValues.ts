/**
 * Reads the members of values whose text is cut, so that changes beyond the cut are found.
 */
import type { Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Failure, Value } from "../../ports/Backend.ts"
import * as Preview from "../../model/Preview.ts"
import { isCut, type SeenValue } from "../../session/values/ChangedValues.ts"
import type { Session } from "../../session/Session.ts"
import type { Located, StopView, ViewFailure } from "../../session/values/StopView.ts"

/** Returns the key of a function's activation, for the values of its frame at earlier stops. Reads the stack. */
export const frameKey = (view: StopView, thread: number, frame: Located): Effect.Effect<string, ViewFailure> =>
  Effect.map(view.stack(thread, 0, 20), () => `${thread}/${frame.frame.function}/${view.activation(thread, frame)}`)

/** Returns the identities of the variables that an expression names, as one text. Reads the variables of the frame. */
export const declarationOf = (
  view: StopView,
  frame: Located,
  expression: string
): Effect.Effect<string | undefined, ViewFailure> =>
  Effect.map(view.locals(frame), () => {
    const known = view.declarations(frame)
    const found = (expression.match(/[A-Za-z_]\w*/g) ?? []).flatMap((name) => known.get(name) ?? [])
    return found.length === 0 ? undefined : found.join(" ")
  })

/** Maximum number of members of one value. */
const maxMembers = 50

/** Maximum number of values that are read for one list. */
const maxRead = 200

/** Levels of members that are read. */
const maxDepth = 2

type Children = (handle: number) => Effect.Effect<ReadonlyArray<Value>, Failure>

const membersOf = (
  children: Children,
  { handle, value }: Pick<Value, "handle" | "value">,
  depth: number,
  room: { left: number }
): Effect.Effect<SeenValue> => {
  if (handle === 0 || depth === 0 || room.left <= 0 || !isCut(value)) return Effect.succeed({ value })
  return Effect.gen(function* () {
    const inside = yield* children(handle)
    room.left -= inside.length
    const members = yield* Effect.forEach(inside, (child) =>
      Effect.map(membersOf(children, child, depth - 1, room), (seen) => [child.name, seen] as const)
    )
    const more = inside.length >= maxMembers
    return { value, members: new Map(members), ...(more ? { more } : {}) }
  }).pipe(Effect.catch(() => Effect.succeed({ value })))
}

/** Returns the values of variables with the identities of the variables, and with the members of those whose text is cut. */
export const read = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  frame: Located,
  variables: ReadonlyArray<Variable.Variable>
) {
  const cut = variables.filter(({ ref, value }) => ref !== undefined && isCut(value))
  const declarations = view.declarations(frame)
  const known = new Map(
    variables.flatMap(({ name, value }): ReadonlyArray<readonly [string, SeenValue]> => {
      const declaration = declarations.get(name)
      return declaration === undefined ? [] : [[name, { value, declaration }]]
    })
  )
  if (cut.length === 0) return known
  const connection = yield* session.connection
  const children: Children = (handle) => connection.children(handle, 0, maxMembers)
  const room = { left: maxRead }
  const seen = yield* Effect.forEach(cut, ({ name, ref = "", value }) =>
    session.references.resolve(ref, view.stop).pipe(
      Effect.flatMap(({ handle }) => membersOf(children, { handle, value }, maxDepth, room)),
      Effect.catch(() => Effect.succeed<SeenValue>({ value })),
      Effect.map((found) => [name, { ...known.get(name), ...found }] as const)
    )
  )
  yield* view.check
  return new Map([...known, ...seen])
})

/** Completes the texts of values that the adapter stopped after a time, from members that were read. */
export const completed = (
  { secrets }: Pick<Session, "secrets">,
  variables: ReadonlyArray<Variable.Variable>,
  seen: ReadonlyMap<string, SeenValue>
): ReadonlyArray<Variable.Variable> =>
  variables.map((variable) => {
    const { members, more } = seen.get(variable.name) ?? {}
    if (members === undefined || more === true || !Preview.isStoppedEarly(variable.value)) return variable
    const all = [...members].map(([name, { value }]) => secrets.shown({ name, value }, false))
    return { ...variable, value: secrets.inText(Preview.completed(variable.value, all)) }
  })

/** Length of the longest preview that is shown whole, and of all that are added in one report, in characters. */
const longestWhole = 72
const room = 200

/** Replaces cut previews by whole ones while they fit into a report. */
export const whole = (
  { secrets }: Pick<Session, "secrets">,
  variables: ReadonlyArray<Variable.Variable>,
  seen: ReadonlyMap<string, SeenValue>
): ReadonlyArray<Variable.Variable> => {
  let left = room
  return variables.map((variable) => {
    const found = seen.get(variable.name)
    if (found === undefined || !isCut(variable.value) || secrets.shown(variable, false).value !== variable.value) {
      return variable
    }
    const text = Preview.whole(found, longestWhole, (member) => secrets.shown(member, false).value)
    if (text === undefined || text.length - variable.value.length > left) return variable
    left -= Math.max(0, text.length - variable.value.length)
    return { ...variable, value: secrets.inText(text) }
  })
}
