/**
 * Shows what a C++ reference refers to. LLDB gives the address of the referred object as the value of `int &total`, and the object
 * as a member. It also reads the path `*p` of a reference to a pointer as the pointer.
 *
 * Other values are completed here too: lldb-dap gives no elements of an array whose element type is a `typedef` of a class, and
 * both offer members of a pointer to a member, which has none. An object without members is `{}`: lldb-dap shows its type and
 * address, and both offer members.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isMemberPointer } from "./ValueText.ts"

/** The requests for values. */
export type Values = Pick<Backend.Connection, "locals" | "children" | "evaluate">

const isReference = ({ type }: Backend.Value): boolean => type?.endsWith("&") === true

/** Matches the name of the object in the members of a reference; an object with members has these instead. */
const referred = /^&/

/** Matches the value of a reference: an address, with or without a preview of the object, or of what a pointer points to. */
const address = /^0x[\da-f]+(?: \{.*\}| ".*| [^ ]+)?$/is

/** Matches the number or character that the formatters show for a reference to one. */
const scalar = /^(?:-?[\d.]+(?:e[+-]?\d+)?|'.*'|true|false)$/is

/** Matches an array of which lldb-dap shows no elements. */
const withoutElements = /^(?!std::)[^{}"]+\[\d+\] @ 0x[\da-f]+$/

/** Matches an object whose members are not shown: none can be read, or there are none. */
const withoutMembers = /^(?:[^{}"]*[^\]{}"] @ 0x[\da-f]+|\{\.\.\.\})$/

/** Length in characters after which a preview of elements gets no further one; the most elements in one of them. */
const longest = 32
const mostElements = 20

/** The elements of an array in one line. An element with members is `{...}`. */
const preview = (elements: ReadonlyArray<Backend.Value>, count: number): string => {
  let text = ""
  for (const [index, { value }] of elements.entries()) {
    if (text.length > longest) return `{${text}, ...}`
    text += `${index === 0 ? "" : ", "}${/^\{| @ 0x[\da-f]+$/.test(value) ? "{...}" : value}`
  }
  return elements.length < count ? `{${text}, ...}` : `{${text}}`
}

/** Matches the object of a reference in an expression of LLDB. C++ names the reference alone. */
const objectOf = /(?:\.|->)&[A-Za-z_]\w*/g

/** Matches an expression that follows a variable or a member. */
const followed = /^\s*\*+\s*(?:([A-Za-z_][\w.\->[\]]*)|\(([\w.\->[\]]+)\))\s*$/

/** Returns what completes a value: what a reference refers to, the elements of an array, and that an object has no members. */
/** True for an object without members, such as a unit structure of Rust, of which LLDB says the type and the address. */
const isEmptyObject = ({ type = "", value }: Backend.Value): boolean =>
  type !== "" && !type.endsWith("]") && value.startsWith(`${type} @ 0x`) && withoutMembers.test(value)

const completing = (children: Values["children"]) => {
  const firstOf = (handle: number, count: number) =>
    Effect.orElseSucceed(children(handle, 0, count), (): ReadonlyArray<Backend.Value> => [])

  const referredBy = Effect.fnUntraced(function* (value: Backend.Value) {
    const members = yield* firstOf(value.handle, 2)
    const [object] = members
    if (object === undefined || members.length > 1 || !referred.test(object.name)) return value
    const { child_count: _, ...rest } = value
    const count = object.child_count === undefined ? {} : { child_count: object.child_count }
    return { ...rest, value: object.value, handle: object.handle, ...count }
  })

  const withElements = Effect.fnUntraced(function* (value: Backend.Value) {
    const elements = yield* firstOf(value.handle, mostElements)
    const count = Number(/\[(\d+)\] @/.exec(value.value)?.[1] ?? 0)
    return elements.length === 0 ? value : { ...value, value: preview(elements, count) }
  })

  const withMembers = (value: Backend.Value) =>
    Effect.map(Effect.option(children(value.handle, 0, 1)), (found) => {
      if (Option.isNone(found) || found.value.length > 0) return value
      const { child_count: _, ...rest } = value
      return { ...rest, value: "{}", handle: 0 }
    })

  const shown = (found: Backend.Value): Effect.Effect<Backend.Value, Backend.Failure> => {
    const value =
      found.expression?.includes("&") === true
        ? { ...found, expression: found.expression.replaceAll(objectOf, "") }
        : found
    if (isMemberPointer(value.type)) {
      const { child_count: _, ...rest } = value
      return Effect.succeed({ ...rest, handle: 0 })
    }
    if (value.handle === 0) return Effect.succeed(isEmptyObject(value) ? { ...value, value: "{}" } : value)
    if (isReference(value) && (address.test(value.value) || scalar.test(value.value))) return referredBy(value)
    if (withoutElements.test(value.value)) return withElements(value)
    return withoutMembers.test(value.value) ? withMembers(value) : Effect.succeed(value)
  }
  return shown
}

/** Returns what completes values that no request for values answered, such as globals. */
export const completed =
  (children: Values["children"]) =>
  (values: ReadonlyArray<Backend.Value>): Effect.Effect<ReadonlyArray<Backend.Value>, Backend.Failure> =>
    Effect.forEach(values, completing(children))

/** Replaces the values of references, and reads expressions that follow them as C++ does. */
export const make = ({ children, evaluate, locals }: Values): Values => {
  const shown = completing(children)
  const all = completed(children)

  const isFollowedReference = (expression: string, frame: number) => {
    const [, variable, path] = followed.exec(expression) ?? []
    const name = variable ?? path
    return name === undefined
      ? Effect.succeed(false)
      : evaluate(name, frame, "read").pipe(
          Effect.map(isReference),
          Effect.orElseSucceed(() => false)
        )
  }

  return {
    locals: (frame) => Effect.flatMap(locals(frame), all),
    children: (handle, start, count) => Effect.flatMap(children(handle, start, count), all),
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
