/**
 * Reads a thrown C++ exception: its type and, if it derives from `std::exception`, its `what()`.
 *
 * Reads the structures of the Itanium C++ ABI. In `__cxa_throw` the object and its type are the first two arguments. For
 * an uncaught exception, `std::terminate` finds them in the list of caught exceptions. Unreadable parts are left out.
 */
import { FunctionName } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, Failure } from "../../ports/Backend.ts"
import type { Inspection } from "../../ports/Inspection.ts"
import type * as CoreException from "../cores/CoreException.ts"

/** An exception object. `causes` are the exceptions nested in it (`std::throw_with_nested`), the outermost first, as texts. */
export interface CppException {
  readonly type?: string
  readonly message?: string
  readonly causes?: ReadonlyArray<string>
}

/** Names of built-in types by their codes in mangled names (Itanium C++ ABI). */
const builtIn: { readonly [code: string]: string } = {
  b: "bool",
  c: "char",
  d: "double",
  f: "float",
  i: "int",
  j: "unsigned int",
  l: "long",
  m: "unsigned long",
  x: "long long",
  y: "unsigned long long",
  Pc: "char *",
  PKc: "const char *"
}

/** Reads a number from 8 bytes by the code of its type in mangled names, in little-endian order. */
const numbers: { readonly [code: string]: (bytes: DataView) => number | bigint | boolean } = {
  b: (bytes) => bytes.getUint8(0) !== 0,
  d: (bytes) => bytes.getFloat64(0, true),
  f: (bytes) => bytes.getFloat32(0, true),
  i: (bytes) => bytes.getInt32(0, true),
  j: (bytes) => bytes.getUint32(0, true),
  l: (bytes) => bytes.getBigInt64(0, true),
  m: (bytes) => bytes.getBigUint64(0, true),
  x: (bytes) => bytes.getBigInt64(0, true),
  y: (bytes) => bytes.getBigUint64(0, true)
}

/** The mangled names of the classes that are looked for in an object. */
const exceptionClass = "St9exception"
const nestedClass = "St16nested_exception"

/** Most exceptions that are nested in each other and read. */
const mostNested = 8

/** The mangled name of `std::string` of libstdc++. */
const string = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

/**
 * Returns the type of an exception from its mangled name. Templates are not supported. A name of a type that only one file knows begins
 * with `*`.
 */
export const cppType = (mangled: string): string | undefined => {
  const short = builtIn[/"(P?K?[a-z])"/.exec(mangled)?.[1] ?? ""]
  if (short !== undefined) return short
  const match = /"\*?(?:N(?:St)?|St)?((?:\d+[A-Za-z_]\w*?)+)E?"/.exec(mangled)
  if (match === null) return undefined
  let rest = match[1] ?? ""
  const parts = /"\*?N?St/.test(mangled) ? ["std"] : []
  while (rest !== "") {
    const [, digits = "", after = ""] = /^(\d+)(.*)$/s.exec(rest) ?? []
    const length = Number(digits)
    if (digits === "" || length === 0 || after.length < length) return undefined
    parts.push(after.slice(0, length))
    rest = after.slice(length)
  }
  return parts
    .filter((part) => part !== "__cxx11")
    .map((part) => (part === "_GLOBAL__N_1" ? "(anonymous namespace)" : part))
    .join("::")
}

/** Offset of the object in the runtime's exception record, on 64-bit targets, in bytes. */
const headerSize = 112n

/** Offset of the class of the exception in that record, in bytes. */
const classOffset = 80n

/** The class of an exception that `std::rethrow_exception` threw again, of libstdc++ (`GNUCC++` and 1). */
const thrownAgain = 0x474e5543432b2b01n

/** Maximum depth of base classes. */
const maxBases = 8

const number = (value: string) => /^0x[0-9a-f]+/i.exec(value.replace(/^\([^)]*\)\s*/, ""))?.[0]

/** Longest text that is read, in bytes. */
const longest = 2048

/** Functions of libstdc++ and libc++ that return the text behind the first word of the object. */
const ownText = /^std::(?:__\w+::)?(?:(?:runtime|logic)_error|bad_variant_access)::what\(\) const$/

/** Bits of a base class in `__vmi_class_type_info`. */
const base = { virtual: 1n, public: 2n, shift: 8n } as const

/** Most base classes of a class. */
const mostBases = 32n

/** Reads the memory of a program, where no function can be called. */
const readerOf = ({ faults, memory }: Pick<Inspection, "faults" | "memory">) => {
  const bytesAt = Effect.fnUntraced(function* (address: bigint, count: number) {
    const { bytes, unreadable } = yield* memory(address, count)
    return bytes.subarray(0, unreadable[0]?.[0] ?? bytes.length)
  })
  const wordBytes = Effect.fnUntraced(function* (address: bigint) {
    const bytes = yield* bytesAt(address, 8)
    if (bytes.length < 8) return yield* Effect.fail("unreadable" as const)
    return new DataView(bytes.buffer, bytes.byteOffset, 8)
  })
  const word = (address: bigint) => Effect.map(wordBytes(address), (bytes) => bytes.getBigUint64(0, true))
  const textFrom = Effect.fnUntraced(function* (address: bigint) {
    const bytes = yield* bytesAt(address, longest)
    const end = bytes.indexOf(0)
    return new TextDecoder().decode(bytes.subarray(0, end < 0 ? bytes.length : end))
  })
  const textAt = (address: bigint) => Effect.flatMap(word(address), textFrom)
  const mangledOf = (type: bigint) => textAt(type + 8n)

  /** The name of a type from its mangled name, else by the symbol of its `std::type_info`. */
  const nameOf = Effect.fnUntraced(function* (type: bigint) {
    const mangled = yield* mangledOf(type)
    if (mangled === string) return "std::string"
    const name = cppType(`"${mangled}"`)
    if (name !== undefined) return name
    const symbol = yield* faults?.symbol(type) ?? Effect.undefined
    const told = symbol?.offset === 0 ? /^typeinfo for (.+)$/.exec(symbol.name)?.[1] : undefined
    return told === undefined ? undefined : FunctionName.short(told)
  })

  /** Returns where a class is in an object; undefined if the object's class does not derive from it publicly. */
  const baseIn = (
    wanted: string,
    type: bigint,
    object: bigint,
    depth = maxBases
  ): Effect.Effect<bigint | undefined, "unreadable" | Failure> =>
    Effect.gen(function* () {
      if ((yield* mangledOf(type)) === wanted) return object
      if (depth === 0) return undefined
      const next = yield* word(type + 16n)
      const [flags, count] = [BigInt.asUintN(32, next), next >> 32n]
      // `__si_class_type_info` has a pointer there, `__vmi_class_type_info` two numbers.
      if (flags >= 4n || count === 0n || count > mostBases) return yield* baseIn(wanted, next, object, depth - 1)
      for (let index = 0n; index < count; index++) {
        const from = type + 24n + index * 16n
        const at = BigInt.asIntN(64, yield* word(from + 8n))
        if ((at & base.public) === 0n) continue
        const offset = at >> base.shift
        const place =
          (at & base.virtual) === 0n ? offset : BigInt.asIntN(64, yield* word((yield* word(object)) + offset))
        // The type of a class without bases ends before the word that would name one.
        const found = yield* baseIn(wanted, yield* word(from), object + place, depth - 1).pipe(
          Effect.orElseSucceed(() => undefined)
        )
        if (found !== undefined) return found
      }
      return undefined
    })
  const baseAt = (wanted: string, type: bigint, object: bigint) =>
    baseIn(wanted, type, object).pipe(Effect.orElseSucceed(() => undefined))
  const exceptionAt = (type: bigint, object: bigint) => baseAt(exceptionClass, type, object)

  /** The exception that another one keeps as its cause: behind the table of `std::nested_exception`. */
  const nestedIn = Effect.fnUntraced(function* (type: bigint, object: bigint) {
    const nested = yield* baseAt(nestedClass, type, object)
    const cause = nested === undefined ? 0n : yield* word(nested + 8n)
    return cause <= headerSize ? undefined : { object: cause, type: yield* word(cause - headerSize) }
  })

  /** The text of an object that is none of a class with `what()`. */
  const textIn = Effect.fnUntraced(function* (type: bigint, object: bigint) {
    const mangled = yield* mangledOf(type)
    if (mangled === "PKc" || mangled === "Pc") return yield* textAt(object)
    const number = numbers[mangled]
    if (number !== undefined) return String(number(yield* wordBytes(object)))
    if (mangled !== string) return undefined
    const size = yield* word(object + 8n)
    const bytes = yield* bytesAt(yield* word(object), size > longest ? longest : Number(size))
    return new TextDecoder().decode(bytes)
  })
  return { word, textAt, textFrom, nameOf, exceptionAt, nestedIn, textIn }
}

/** Reads one exception object; undefined for a part that is not known. */
type Reading = (
  thrown: CoreException.Thrown
) => Effect.Effect<{ readonly name: string | undefined; readonly message: string | undefined }, unknown>

/** Reads an exception object, and those that are nested in it. */
const withCauses = Effect.fnUntraced(function* (
  thrown: CoreException.Thrown,
  one: Reading,
  nestedIn: ReturnType<typeof readerOf>["nestedIn"]
) {
  const { message, name } = yield* one(thrown)
  const causes: Array<string> = []
  let cause = yield* Effect.orElseSucceed(nestedIn(thrown.type, thrown.object), () => undefined)
  while (cause !== undefined && causes.length < mostNested) {
    const found = yield* Effect.orElseSucceed(one(cause), () => undefined)
    if (found?.name === undefined) break
    causes.push(found.message === undefined ? found.name : `${found.name}: ${found.message}`)
    cause = yield* Effect.orElseSucceed(nestedIn(cause.type, cause.object), () => undefined)
  }
  return { ...described(name, message), ...(causes.length === 0 ? {} : { causes }) }
})

const described = (name: string | undefined, message: string | undefined): CppException => ({
  ...(name === undefined ? {} : { type: name }),
  ...(message === undefined || message === "" ? {} : { message })
})

/** Reads an exception object without running code: the text only if it is in the object. */
export const inMemory = (
  inspection: Pick<Inspection, "faults" | "memory">,
  thrown: CoreException.Thrown
): Effect.Effect<CppException> => {
  const { exceptionAt, nameOf, nestedIn, textAt, textIn, word } = readerOf(inspection)
  const one: Reading = Effect.fnUntraced(function* ({ object, type }) {
    const name = yield* nameOf(type)
    // what() is the third entry of the table, after the two destructors.
    const what = Effect.gen(function* () {
      const text = yield* textIn(type, object)
      const part = text === undefined ? yield* exceptionAt(type, object) : undefined
      if (part === undefined) return text
      const called = yield* inspection.faults?.symbol(yield* word((yield* word(part)) + 16n)) ?? Effect.undefined
      return called !== undefined && ownText.test(called.name) ? yield* textAt(part + 8n) : undefined
    }).pipe(Effect.orElseSucceed(() => undefined))
    return { name, message: yield* what }
  })
  return withCauses(thrown, one, nestedIn).pipe(Effect.orElseSucceed(() => ({})))
}

/** Reads the exception that `__cxa_throw` gets, by reads only. */
export const ofArguments = ({ evaluate, inspection }: Connection, frame: number): Effect.Effect<CppException> => {
  const pointer = (register: string) =>
    Effect.flatMap(evaluate(`(unsigned long)${register}`, frame, "read"), ({ value }) =>
      /^\d+$/.test(value) ? Effect.succeed(BigInt(value)) : Effect.fail("no number" as const)
    )
  return Effect.all({ object: pointer("$arg1"), type: pointer("$arg2") }).pipe(
    Effect.flatMap((thrown) => inMemory(inspection, thrown)),
    Effect.orElseSucceed(() => ({}))
  )
}

/** Reads the exception that the personality routine gets, by reads only: its fourth argument is in the record of the exception. */
export const ofPersonality = ({ evaluate, inspection }: Connection, frame: number): Effect.Effect<CppException> => {
  const { word } = readerOf(inspection)
  return Effect.gen(function* () {
    const { value } = yield* evaluate("(unsigned long)$arg4", frame, "read")
    if (!/^\d+$/.test(value)) return {}
    const record = BigInt(value) - classOffset
    const isAgain = (yield* word(record + classOffset)) === thrownAgain
    const object = isAgain ? yield* word(record) : record + headerSize
    return yield* inMemory(inspection, { object, type: yield* word(object - headerSize) })
  }).pipe(Effect.orElseSucceed(() => ({})))
}

/** Reads the thrown exception in a frame of the throwing thread. `thrower` is true if that frame is `__cxa_throw`. */
export const read = (live: Connection, frame: number, thrower: boolean): Effect.Effect<CppException> => {
  const { exceptionAt, nameOf, nestedIn, textFrom, textIn, word } = readerOf(live.inspection)
  const value = (expression: string) => Effect.map(live.evaluate(expression, frame, "any"), (found) => found.value)
  const pointer = (expression: string) =>
    Effect.flatMap(value(expression), (text) => {
      const found = number(text)
      return found === undefined || /^0x0+$/.test(found)
        ? Effect.fail("no pointer" as const)
        : Effect.succeed(BigInt(found))
    })

  /** Returns the newest exception that is handled. The record of one that was thrown again has the address of its object. */
  const handled = Effect.fnUntraced(function* () {
    const record = yield* pointer("*(void**)((void*(*)())__cxa_get_globals)()")
    const isAgain = (yield* word(record + classOffset)) === thrownAgain
    const object = isAgain ? yield* word(record) : record + headerSize
    if (object <= headerSize) return yield* Effect.fail("unreadable" as const)
    return { object, type: yield* word(object - headerSize) }
  })

  const one: Reading = Effect.fnUntraced(function* ({ object, type }) {
    const name = yield* nameOf(type)
    const text = yield* textIn(type, object).pipe(Effect.orElseSucceed(() => undefined))
    const part = text === undefined ? yield* exceptionAt(type, object) : undefined
    // what() is the third entry of the table, after the two destructors.
    const what =
      part === undefined
        ? text
        : yield* pointer(`((void*(*)(void*))(*(void***)${part})[2])((void*)${part})`).pipe(
            Effect.flatMap(textFrom),
            Effect.orElseSucceed(() => undefined)
          )
    return { name, message: what }
  })
  return Effect.gen(function* () {
    const thrown = thrower
      ? { object: yield* pointer("(void*)$arg1"), type: yield* pointer("(void*)$arg2") }
      : yield* handled()
    return yield* withCauses(thrown, one, nestedIn)
  }).pipe(Effect.orElseSucceed(() => ({})))
}
