/**
 * Shows what a C++ reference refers to. LLDB gives the address of the referred object as the value of `int &total`, and the object
 * as a member. It also reads the path `*p` of a reference to a pointer as the pointer.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** The requests for values. */
export type Values = Pick<Backend.Connection, "locals" | "children" | "evaluate">

const isReference = ({ type }: Backend.Value): boolean => type?.endsWith("&") === true

/** Matches the name of the object in the members of a reference; an object with members has these instead. */
const referred = /^&/

/** Matches the value of a reference: an address, with or without a preview of the object. */
const address = /^0x[\da-f]+(?: \{&.*\})?$/is

/** Matches an expression that follows a variable. */
const followed = /^\s*\*+\s*([A-Za-z_]\w*)\s*$/

/** Replaces the values of references, and reads expressions that follow them as C++ does. */
export const make = ({ children, evaluate, locals }: Values): Values => {
  const shown = Effect.fnUntraced(function* (value: Backend.Value) {
    if (!isReference(value) || value.handle === 0 || !address.test(value.value)) return value
    const members = yield* Effect.orElseSucceed(children(value.handle, 0, 2), (): ReadonlyArray<Backend.Value> => [])
    const [object] = members
    if (object === undefined || members.length > 1 || !referred.test(object.name)) return value
    const { child_count: _, ...rest } = value
    const count = object.child_count === undefined ? {} : { child_count: object.child_count }
    return { ...rest, value: object.value, handle: object.handle, ...count }
  })

  const isFollowedReference = (expression: string, frame: number) => {
    const name = followed.exec(expression)?.[1]
    return name === undefined
      ? Effect.succeed(false)
      : evaluate(name, frame, "read").pipe(
          Effect.map(isReference),
          Effect.orElseSucceed(() => false)
        )
  }

  return {
    locals: (frame) => Effect.flatMap(locals(frame), (values) => Effect.forEach(values, shown)),
    children: (handle, start, count) =>
      Effect.flatMap(children(handle, start, count), (values) => Effect.forEach(values, shown)),
    evaluate: Effect.fnUntraced(function* (expression, frame, how, within) {
      if (!(yield* isFollowedReference(expression, frame))) {
        return yield* shown(yield* evaluate(expression, frame, how, within))
      }
      // In parentheses it is an expression and not a path.
      const value = yield* evaluate(`(${expression.trim()})`, frame, how, within)
      return { ...value, name: expression }
    })
  }
}
