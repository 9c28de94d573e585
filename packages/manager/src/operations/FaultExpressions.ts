/**
 * The expression of the source line that faulted, with the values that make up its address.
 *
 * An expression is named only if its own address is the one that faulted, as the debugger computes it from the variables of the
 * frame, and if no other expression of the line has that address.
 */
import type { Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as SourceAccesses from "../model/SourceAccesses.ts"
import { SourceFiles } from "../model/SourceFiles.ts"
import type { Faults } from "../ports/Faults.ts"
import type { Located, Page, StopView } from "../session/StopView.ts"

type Fact = Explanation.Fact

/** The stop that is explained: the innermost frame, the frame of the user, and the stack that is known. */
export interface Place {
  readonly view: StopView
  readonly faults: Faults
  readonly thread: number
  readonly top: Located
  readonly user: Located
  readonly page: Page
}

const hex = (value: bigint) => `0x${value.toString(16)}`

/** Reads the registers of the innermost frame as numbers. */
export const registersOf = Effect.fnUntraced(function* ({ top, view }: Place) {
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

/** True if an expression is at the address that faulted. */
const isAt = Effect.fnUntraced(function* ({ faults, user }: Place, expression: string, address: bigint) {
  const start = yield* faults.number(`&(${expression})`, user.handle)
  if (start === undefined || address < start || address - start >= largest) return false
  if (address === start) return true
  const size = yield* faults.number(`sizeof(${expression})`, user.handle)
  return size !== undefined && address < start + size
})

/** Returns the access of a line that faulted, if exactly one has the address. */
const accessAt = Effect.fnUntraced(function* (
  place: Place,
  accesses: ReadonlyArray<SourceAccesses.Access>,
  address: bigint
) {
  const found: Array<SourceAccesses.Access> = []
  const hasObject = (yield* place.faults.number("this", place.user.handle)) !== undefined
  for (const access of accesses) {
    if (access.root === "this" && access.values[0] === "this" && !access.expression.includes("this") && !hasObject)
      continue
    if (yield* isAt(place, access.expression, address)) found.push(access)
  }
  // `a->b` is a part of `a->b.c`: the longest of such expressions is the one that was accessed.
  const whole = found.filter(
    ({ expression }) =>
      !found.some((other) => other.expression !== expression && other.expression.startsWith(expression))
  )
  return whole.length === 1 ? whole[0] : undefined
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

/** Returns the fact of the expression of the line that accesses the address that faulted. */
export const accessOf = Effect.fnUntraced(function* (place: Place, address: bigint) {
  // The expression belongs to the frame of the user only if that frame executes the instruction.
  if (place.user.frame.index !== place.top.frame.index) return undefined
  const text = yield* lineOf(place)
  if (text === undefined) return undefined
  const { accesses } = SourceAccesses.of(text)
  const access = yield* accessAt(place, accesses, address)
  if (access === undefined) return undefined
  const read = yield* pointersOf(place, access, accesses)
  const values = read.length === 0 ? yield* referenceOf(place, access) : read
  if (values.length === 0) return undefined
  const fact: Fact = {
    kind: "expression",
    text: `${access.expression}: ${inWords(values)}`,
    expression: access.expression,
    values,
    by: "memory"
  }
  return fact
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
