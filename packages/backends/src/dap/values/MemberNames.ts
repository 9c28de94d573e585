/**
 * The expressions of variables and members for adapters that send no `evaluateName` (DAP), in the notation of C.
 *
 * A member without an expression has no place in memory that this notation names, such as an element of a container.
 */

/** A value whose members are named: its expression and its type. */
export interface Parent {
  readonly expression: string
  readonly type: string
}

/** A member as the adapter lists it. */
export interface Member {
  readonly name: string
  readonly type?: string | undefined
}

const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u

/** Matches an expression that needs no parentheses before `.`, `->` and `[`. */
const path = /^[\p{L}_][\p{L}\p{N}_]*(?:(?:\.|->)[\p{L}_][\p{L}\p{N}_]*|\[\d+\])*$/u

/** Matches a pointer of Rust that is followed. */
const followed = /^\(\*[^()]*\)$/

const enclosed = (expression: string) =>
  path.test(expression) || followed.test(expression) ? expression : `(${expression})`

/** Matches the type of a reference or a pointer of Rust, whose members are not named with `->`. */
const rustPointer = /^(?:&(?:mut )?|\*(?:mut|const) )/

/** Returns the type without qualifiers at its end and without the mark of a reference. */
const bare = (type: string) => type.replace(/(?:\s*&&?|\s+(?:const|volatile))+$/, "")

/** True for the type of a pointer or a reference. */
export const isPointer = (type: string): boolean => rustPointer.test(type) || /[*&](?: ?const)?$/.test(type)

/** Returns the expression of the value to which a pointer or a reference of C++ refers. */
export const pointee = ({ expression, type }: Parent): Parent =>
  rustPointer.test(type)
    ? { expression: `(*${enclosed(expression)})`, type: type.replace(rustPointer, "") }
    : type.endsWith("&")
      ? { expression, type: bare(type) }
      : { expression: `*${enclosed(expression)}`, type: bare(type).replace(/\s*\*$/, "") }

/** Returns the expression of a member of a structure or of an element of an array; undefined if it has none. */
export const memberOf = (parent: Parent, { name, type }: Member): string | undefined => {
  const own = bare(parent.type)
  const [, index] = /^\[?(-?\d+)\]?$/.exec(name) ?? []
  if (own.endsWith("]")) return index === undefined ? undefined : `${enclosed(parent.expression)}[${index}]`
  if (isPointer(own) || index !== undefined) return undefined
  // A base class is listed by its type. GDB refuses this cast for a member of that name.
  if (name === type) return `static_cast<${name} &>(${parent.expression})`
  if (!identifier.test(name)) return undefined
  const [, pointer] = /^\*(.+)$/s.exec(parent.expression) ?? []
  return pointer === undefined ? `${enclosed(parent.expression)}.${name}` : `${pointer}->${name}`
}

/** Returns the name of a member as other debuggers write it: an index of an array in brackets. */
export const shown = (parent: Parent | undefined, { name }: Member): string =>
  parent !== undefined && bare(parent.type).endsWith("]") && /^-?\d+$/.test(name) ? `[${name}]` : name
