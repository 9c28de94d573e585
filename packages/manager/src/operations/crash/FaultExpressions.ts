/**
 * The expression of the source line that faulted, with the values that make up its address.
 *
 * An expression is named only if its own address is the one that faulted, as the debugger computes it from the variables of the
 * frame, and if no other expression of the line has that address.
 */
import type { Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as SourceAccesses from "../../model/crashes/SourceAccesses.ts"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"
import type { Faults } from "../../ports/Faults.ts"
import type { Located, Page, StopView } from "../../session/values/StopView.ts"
import * as AccessPaths from "./AccessPaths.ts"
import type { Interrupted } from "./StopFindings.ts"

type Fact = Explanation.Fact

/** The stop that is explained: the innermost frame, the frame of the user, and the stack that is known. */
export interface Place {
  readonly view: StopView
  readonly faults: Faults
  readonly thread: number
  readonly top: Located
  readonly user: Located
  readonly page: Page
  readonly interrupted?: Interrupted
}

const hex = (value: bigint) => `0x${value.toString(16)}`

/** Reads the registers of the innermost frame as numbers. */
export const registersOf = Effect.fnUntraced(function* ({ interrupted, top, view }: Place) {
  if (interrupted !== undefined) return interrupted.registers
  const groups = yield* view.registers(top)
  const values = new Map<string, bigint>()
  for (const { name, value } of groups.flatMap(({ registers }) => registers)) {
    const number = /^0x[0-9a-fA-F]{1,16}\b/.exec(value)?.[0]
    if (number !== undefined && !values.has(name)) values.set(name, BigInt(number))
  }
  return values
})

/** The value of a pointer or number as it is shown: without the text or object that a pointer is shown with. */
const shownValue = (value: string) => {
  const [digits] = /^0x[0-9a-fA-F]+/.exec(value) ?? []
  if (digits === undefined) return value
  return BigInt(digits) === 0n ? "NULL" : hex(BigInt(digits))
}

/** Reads the values of expressions; secrets are masked. */
const valuesOf = (place: Place, expressions: ReadonlyArray<string>) =>
  Effect.forEach(expressions, (expression) =>
    place.view.evaluate(expression, place.user, "read").pipe(
      Effect.map(({ value }): ReadonlyArray<Explanation.NamedValue> => [{ expression, value: shownValue(value) }]),
      Effect.catchTag("AdapterError", () => Effect.succeed([]))
    )
  ).pipe(Effect.map((all) => all.flat()))

const inWords = (values: ReadonlyArray<Explanation.NamedValue>) =>
  values.map(({ expression, value }) => `${expression} = ${value}`).join(", ")

const lineOf = Effect.fnUntraced(
  function* ({ user: { frame } }: Place) {
    const { file, line } = frame
    if (file === undefined || line === undefined) return undefined
    const sources = yield* SourceFiles
    return (yield* sources.window(file, line, 0)).lines[0]
  },
  Effect.orElseSucceed(() => undefined)
)

/** Largest distance of the fault from the beginning of an expression whose size is read, in bytes. */
const largest = 1n << 24n

/** The memory that an instruction accessed: the address that faulted, and the bytes from there on, if they are known. */
export interface Accessed {
  readonly address: bigint
  readonly size?: number
}

/**
 * True if an object that begins at `start` contains the address that faulted. A pointer is accessed as a whole: an instruction that reads a
 * part of one accesses something else.
 */
const contains = Effect.fnUntraced(function* (
  { faults, user }: Place,
  start: bigint | undefined,
  expression: string,
  { address, size: accessed }: Accessed
) {
  if (start === undefined || address < start || address - start >= largest) return false
  const number = (text: string) => faults.number(text, user.handle)
  const size = yield* number(`sizeof(${expression})`)
  const isPart = address !== start || (accessed !== undefined && size !== undefined && BigInt(accessed) < size)
  if (isPart && (yield* number(`__is_pointer(__typeof__(${expression}))`)) === 1n) return false
  return address === start || (size !== undefined && address < start + size)
})

/**
 * True if another access of the line has the address, too, if its pointer is null. Optimized code may move the assignment of a variable
 * before an access, so that the pointers read through a variable in a register are not those that the access went through.
 */
const isAmbiguous = Effect.fnUntraced(function* (
  { faults, user }: Place,
  { expression, values }: SourceAccesses.Access,
  accesses: ReadonlyArray<SourceAccesses.Access>,
  address: bigint
) {
  const number = (text: string) => faults.number(text, user.handle)
  const pointer = values.at(-1) ?? ""
  if (!/^[A-Za-z_]\w*$/.test(pointer) || pointer === "this") return false
  // LLDB copies a variable in a register to memory of its own, to take the address.
  const [place, stack] = [yield* number(`&${pointer}`), yield* number("$sp")]
  if (place !== undefined && stack !== undefined && place >= stack && place - stack < largest) return false
  for (const other of accesses) {
    const through = other.values.at(-1) ?? ""
    if (other.expression === expression || through === pointer || !other.expression.startsWith(`${through}->`)) continue
    const member = other.expression.slice(through.length)
    if ((yield* number(`&((__typeof__(${through}))0)${member}`)) === address) return true
  }
  return false
})

/**
 * Reads the values that make up the address of an access. An array inside an object cannot be read if the object cannot: then the
 * pointer to the object is the wrong one.
 */
const pointersOf = (
  place: Place,
  { values }: SourceAccesses.Access,
  accesses: ReadonlyArray<SourceAccesses.Access>
): ReturnType<typeof valuesOf> =>
  Effect.gen(function* () {
    const read = yield* valuesOf(place, values)
    const last = values.at(-1)
    const inner = accesses.find(({ expression }) => expression === last)
    if (inner === undefined || read.some(({ expression }) => expression === last)) return read
    return [...read, ...(yield* pointersOf(place, inner, accesses))]
  })

/** The address of the object that an access begins with, where its value cannot be read: a reference to no object. */
const referenceOf = Effect.fnUntraced(function* ({ faults, user }: Place, { expression, root }: SourceAccesses.Access) {
  if (root === "" || root === "this" || !expression.startsWith(root)) return []
  const address = yield* faults.number(`&${root}`, user.handle)
  const value = address === undefined ? undefined : shownValue(hex(address))
  return value === undefined ? [] : [{ expression: `&${root}`, value }]
})

/** Returns an access as the debugger can evaluate it, if it contains the address that faulted. */
const pathAt = Effect.fnUntraced(function* (
  place: Place,
  access: SourceAccesses.Access,
  accesses: ReadonlyArray<SourceAccesses.Access>,
  accessed: Accessed
) {
  const begins = (expression: string) => place.faults.number(`&(${expression})`, place.user.handle)
  const start = yield* begins(access.expression)
  const plain: AccessPaths.Path = {
    access,
    expression: access.expression,
    pointer: access.values.at(-1),
    isHeld: false
  }
  const path = start === undefined ? yield* AccessPaths.of(place, access, accesses) : plain
  const at = path.expression === access.expression ? start : yield* begins(path.expression)
  return (yield* contains(place, at, path.expression, accessed)) ? path : undefined
})

const factOf = (expression: string, values: ReadonlyArray<Explanation.NamedValue>): Fact => ({
  kind: "expression",
  text: `${expression}: ${inWords(values)}`,
  expression,
  values,
  by: "memory"
})

/** The fact of a use of an object that cannot be read, or whose table of virtual functions cannot. */
const useFact = Effect.fnUntraced(function* (
  place: Place,
  { table, use, value }: AccessPaths.WrongObject,
  accesses: ReadonlyArray<SourceAccesses.Access>
) {
  const { isPointer, object, root, text } = use
  const shown = shownValue(hex(value))
  const access = accesses.find(({ expression }) => expression === object)
  const read = isPointer || access === undefined ? [] : yield* pointersOf(place, access, accesses)
  const values = isPointer
    ? [{ expression: object, value: shown }]
    : read.length === 0
      ? yield* referenceOf(place, { expression: object, values: [], root })
      : read
  const tables =
    table === undefined ? [] : [{ expression: `vtable pointer of *${object}`, value: shownValue(hex(table)) }]
  return values.length === 0 ? undefined : factOf(text, [...values, ...tables])
})

/** The fact of an access, with the values that make up its address. */
const accessFact = Effect.fnUntraced(function* (
  place: Place,
  { access, isHeld, pointer }: AccessPaths.Path,
  accesses: ReadonlyArray<SourceAccesses.Access>
) {
  const held = isHeld && pointer !== undefined ? yield* place.faults.number(pointer, place.user.handle) : undefined
  if (held !== undefined) {
    const indexes = yield* valuesOf(place, access.values.slice(0, -1))
    const last = access.values.at(-1) ?? ""
    return factOf(access.expression, [...indexes, { expression: last, value: shownValue(hex(held)) }])
  }
  const read = yield* pointersOf(place, access, accesses)
  const values = read.length === 0 ? yield* referenceOf(place, access) : read
  return values.length === 0 ? undefined : factOf(access.expression, values)
})

/** Returns the access of a line that faulted, if exactly one has the address. */
const accessAt = Effect.fnUntraced(function* (
  place: Place,
  { accesses, uses }: SourceAccesses.LineAccesses,
  accessed: Accessed
) {
  const { address } = accessed
  const found: Array<AccessPaths.Path> = []
  const hasObject = (yield* place.faults.number("this", place.user.handle)) !== undefined
  for (const access of accesses) {
    if (access.root === "this" && access.values[0] === "this" && !access.expression.includes("this") && !hasObject)
      continue
    const path = yield* pathAt(place, access, accesses, accessed)
    if (path !== undefined) found.push(path)
  }
  const virtual = yield* AccessPaths.virtualCalls(place, uses, accesses, address)
  // `a->b` is a part of `a->b.c`: the longest of such expressions is the one that was accessed.
  const whole = found.filter(
    ({ access: { expression } }) =>
      !found.some(({ access }) => access.expression !== expression && access.expression.startsWith(expression))
  )
  const [one] = whole
  const [call] = virtual
  if (whole.length + virtual.length !== 1) return undefined
  if (one !== undefined) {
    return (yield* isAmbiguous(place, one.access, accesses, address))
      ? undefined
      : yield* accessFact(place, one, accesses)
  }
  return call === undefined ? undefined : yield* useFact(place, call, accesses)
})

/** Returns the fact of the expression of the line that was called, if exactly one has the address. */
export const callOf = Effect.fnUntraced(function* (place: Place, address: bigint) {
  const text = yield* lineOf(place)
  const called: Array<string> = []
  for (const call of text === undefined ? [] : SourceAccesses.of(text).calls) {
    if ((yield* place.faults.number(call, place.user.handle)) === address) called.push(call)
  }
  const [expression] = called
  if (expression === undefined || called.length > 1) return undefined
  const values = [{ expression, value: address === 0n ? "NULL" : hex(address) }]
  const fact: Fact = {
    kind: "expression",
    text: `call of ${expression}: ${inWords(values)}`,
    expression,
    values,
    by: "memory"
  }
  return fact
})

/** The uses of objects behind pointers in a line: `*text` in `*text = "new"`, which calls a function of the object. */
const behindPointers = (accesses: ReadonlyArray<SourceAccesses.Access>): ReadonlyArray<SourceAccesses.ObjectUse> =>
  accesses.flatMap(({ expression, root, values: [object, ...others] }) =>
    object !== undefined && others.length === 0 && expression === `*${object}`
      ? [{ text: expression, object, isPointer: true, root }]
      : []
  )

const argumentFact = ([one, ...others]: ReadonlyArray<AccessPaths.WrongArgument>): Fact | undefined => {
  if (one === undefined || others.length > 0) return undefined
  const { call, expression, value } = one
  const values = [{ expression, value: shownValue(hex(value)) }]
  return { ...factOf(expression, values), text: `argument of ${call}: ${inWords(values)}` }
}

/** Returns the object or the argument in the line with which a function of a library faulted at an address, if there is exactly one. */
const usedAt = Effect.fnUntraced(function* (
  place: Place,
  { accesses, arguments: all, uses }: SourceAccesses.LineAccesses,
  address: bigint
) {
  const { frame } = place.user
  const called = yield* place.view.frame(place.thread, frame.index - 1)
  const isOperator = /\boperator\b/.test(called.frame.function)
  for (const some of [uses, isOperator ? behindPointers(accesses) : []]) {
    const found = yield* AccessPaths.libraryCalls(place, called, some, accesses, address)
    const [one] = found
    if (one !== undefined) return found.length > 1 ? undefined : yield* useFact(place, one, accesses)
  }
  // A function of another library may take NULL, and fault by another null pointer.
  if (!libc.test(called.frame.module ?? "")) return undefined
  return argumentFact(yield* AccessPaths.wrongArguments(place, called.frame.function, all, address))
})

/** The C libraries of Linux and macOS, by the file names of their modules. */
const libc = /(?:^|\/)(?:libc[.-]|ld-musl-|libsystem_(?:c|platform)\.)/

/** Functions of C that compilers replace by instructions of their own. */
const replacedCalls = /^(?:std::)?(?:mem(?:cpy|move|set|cmp|chr)|str(?:len|cpy|ncpy|cmp|ncmp|chr|cat))$/

/** Returns the argument of the only call of a line that faulted, if the compiler put its own instructions in place of the call. */
const replacedAt = Effect.fnUntraced(function* (
  place: Place,
  { arguments: all, calls }: SourceAccesses.LineAccesses,
  address: bigint
) {
  const [call = ""] = calls
  if (calls.length !== 1 || !replacedCalls.test(call)) return undefined
  return argumentFact(yield* AccessPaths.wrongArguments(place, call, all, address))
})

/** Returns the fact of the expression of the line that accesses the address that faulted. */
export const accessOf = Effect.fnUntraced(function* (place: Place, accessed: Accessed) {
  const { address } = accessed
  const text = yield* lineOf(place)
  if (text === undefined) return undefined
  // The access belongs to the frame of the user only if that frame executes the instruction.
  const isOwn = place.user.frame.index === place.top.frame.index
  const line = SourceAccesses.of(text)
  if (!isOwn) return yield* usedAt(place, line, address)
  return (yield* accessAt(place, line, accessed)) ?? (yield* replacedAt(place, line, address))
})

/** Returns the fact of the division of the line whose divisor has a value, if exactly one has it. */
export const divisionOf = Effect.fnUntraced(function* (place: Place, divisor: bigint) {
  const text = place.user.frame.index === place.top.frame.index ? yield* lineOf(place) : undefined
  const found: Array<SourceAccesses.Division> = []
  for (const division of text === undefined ? [] : SourceAccesses.of(text).divisions) {
    const value = yield* place.faults.number(division.divisor, place.user.handle)
    if (value !== undefined && BigInt.asIntN(64, value) === divisor) found.push(division)
  }
  const [one] = found
  if (one === undefined || found.length > 1) return undefined
  const values = [{ expression: one.divisor, value: String(divisor) }]
  const fact: Fact = {
    kind: "expression",
    text: `${one.expression}: ${inWords(values)}`,
    expression: one.expression,
    values,
    by: "registers"
  }
  return fact
})
