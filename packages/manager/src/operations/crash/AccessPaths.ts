/**
 * The pointers that an access of the source line goes through, as expressions that call no function: a member of what a smart pointer
 * points to, an element of a vector, a virtual function of an object.
 */
import * as Effect from "effect/Effect"
import * as LibraryPointers from "../../model/LibraryPointers.ts"
import type { Access, Argument, ObjectUse } from "../../model/crashes/SourceAccesses.ts"
import type { Faults } from "../../ports/Faults.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"

/** The frame of the user at a stop. */
interface Place {
  readonly view: StopView
  readonly faults: Faults
  readonly user: Located
}

/** An access with the expression for it, and for its last pointer. `isHeld` is true if an object of the library holds that pointer. */
export interface Path {
  readonly access: Access
  readonly expression: string
  readonly pointer: string | undefined
  readonly isHeld: boolean
}

/** The type of an expression that names an object; undefined if the debugger cannot read it. */
const typeOf = ({ user, view }: Place, expression: string) =>
  view.evaluate(expression, user, "read").pipe(
    Effect.map(({ type }) => type),
    Effect.orElseSucceed(() => undefined)
  )

/** Returns the pointer that an object holds, if it is one of the library. */
const heldBy = Effect.fnUntraced(function* (place: Place, named: string, object: string) {
  const type = yield* typeOf(place, named)
  const found = type === undefined ? undefined : LibraryPointers.of(type, object)
  if (found?.condition === undefined) return found?.pointer
  const holds = yield* place.faults.number(found.condition, place.user.handle)
  return holds === undefined || holds === 0n ? undefined : found.pointer
})

/** The text of an access with another text for its pointer. */
const replaced = (expression: string, pointer: string, text: string): string | undefined => {
  for (const [before, after] of [
    ["*", ""],
    ["(*", ")"],
    ["", ""]
  ] as const) {
    const start = `${before}${pointer}${after}`
    if (expression.startsWith(start)) return `${before}${text}${after}${expression.slice(start.length)}`
  }
  return undefined
}

/** Returns an access with the pointers that objects of the library hold in place of these objects. */
export const of = (
  place: Place,
  access: Access,
  accesses: ReadonlyArray<Access>
): Effect.Effect<Path, Effect.Error<ReturnType<Faults["number"]>>> =>
  Effect.gen(function* () {
    const named = access.values.at(-1)
    if (named === undefined || named === "this") {
      return { access, expression: access.expression, pointer: named, isHeld: false }
    }
    const inner = accesses.find(({ expression }) => expression === named)
    const object = inner === undefined ? named : (yield* of(place, inner, accesses)).expression
    const held = yield* heldBy(place, named, object)
    const pointer = held ?? object
    return {
      access,
      expression: replaced(access.expression, named, pointer) ?? access.expression,
      pointer,
      isHeld: held !== undefined
    }
  })

/** A use of an object whose address, or whose table of virtual functions, is near the address that faulted. */
export interface WrongObject {
  readonly use: ObjectUse
  /** The address of the object. */
  readonly value: bigint
  /** The pointer to the table of functions in the object; undefined if the object cannot be read, or the table does not count. */
  readonly table: bigint | undefined
}

/** An argument that is a pointer to what faulted. */
export interface WrongArgument extends Argument {
  readonly value: bigint
}

/** Most bytes of a table of virtual functions, and of an object between its beginning and the member that is accessed. */
const largest = 4096n

/** Returns an expression for the address of the object of a use. */
const addressOf = Effect.fnUntraced(function* (
  place: Place,
  { isPointer, object, root }: ObjectUse,
  accesses: ReadonlyArray<Access>
) {
  const { pointer = object } = yield* of(place, { expression: object, values: [object], root }, accesses)
  return isPointer ? pointer : `&(${object})`
})

/** Returns the virtual calls of a line whose object, or whose table of functions, is at an address. */
export const virtualCalls = Effect.fnUntraced(function* (
  place: Place,
  uses: ReadonlyArray<ObjectUse>,
  accesses: ReadonlyArray<Access>,
  address: bigint
) {
  const found: Array<WrongObject> = []
  const number = (expression: string) => place.faults.number(expression, place.user.handle)
  for (const use of uses) {
    if (use.text.endsWith("]")) continue
    const pointer = yield* addressOf(place, use, accesses)
    if ((yield* number(`__is_polymorphic(__typeof__(*(${pointer})))`)) !== 1n) continue
    const value = yield* number(pointer)
    if (value === undefined) continue
    const table = value === address ? undefined : yield* number(`*(unsigned long*)(${pointer})`)
    const isTable = table !== undefined && table <= address && address < table + largest
    if (value === address || isTable) found.push({ use, value, table })
  }
  return found
})

/** Addresses below this one belong to no object: a member of a null pointer is there (`vm.mmap_min_addr` of Linux). */
const firstMapped = 0x10000n

/**
 * Returns the uses of a line whose object is the one that a function of a library works on, which faulted. The function is that of the
 * frame that the user's frame called. Without debug information of that function, only an object close to NULL counts.
 */
export const libraryCalls = Effect.fnUntraced(function* (
  place: Place,
  called: Located,
  uses: ReadonlyArray<ObjectUse>,
  accesses: ReadonlyArray<Access>,
  address: bigint
) {
  const own = yield* place.faults.number("this", called.handle)
  const found: Array<WrongObject> = []
  for (const use of uses) {
    const value = yield* place.faults.number(yield* addressOf(place, use, accesses), place.user.handle)
    if (value === undefined || address < value || address >= value + largest) continue
    if (own === undefined ? value < firstMapped : value === own) found.push({ use, value, table: undefined })
  }
  return found
})

/** Returns the names of the function that a frame belongs to, in the parts between which libraries add prefixes and suffixes. */
const partsOf = (name: string) => name.split(/[^A-Za-z0-9]+|_/)

/**
 * Returns the pointers of a line that a function of a library was called with and whose target faulted: the address is that of the
 * pointer, or close to one that is close to NULL.
 */
export const wrongArguments = Effect.fnUntraced(function* (
  place: Place,
  called: string,
  all: ReadonlyArray<Argument>,
  address: bigint
) {
  const parts = partsOf(called)
  const own = all.filter(({ call }) => parts.includes(call))
  const found = new Map<string, WrongArgument>()
  for (const argument of own.length === 0 ? all : own) {
    const type = yield* typeOf(place, argument.expression)
    if (type === undefined || !/\*(?: ?const)?$/.test(type)) continue
    const value = yield* place.faults.number(argument.expression, place.user.handle)
    if (value === undefined) continue
    const isNear = value < firstMapped && value <= address && address < value + largest
    if (value === address || isNear) found.set(argument.expression, { ...argument, value })
  }
  return [...found.values()]
})
