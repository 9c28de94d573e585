/**
 * Reads a thrown C++ exception: its type and, if it derives from `std::exception`, its `what()`.
 *
 * Reads the structures of the Itanium C++ ABI. In `__cxa_throw` the object and its type are the first two arguments. For
 * an uncaught exception, `std::terminate` finds them in the list of caught exceptions. Unreadable parts are left out.
 */
import { FunctionName } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, Failure } from "../ports/Backend.ts"
import type { Inspection } from "../ports/Inspection.ts"
import type * as CoreException from "./CoreException.ts"

/** An exception object. */
export interface CppException {
  readonly type?: string
  readonly message?: string
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
  const word = Effect.fnUntraced(function* (address: bigint) {
    const bytes = yield* bytesAt(address, 8)
    if (bytes.length < 8) return yield* Effect.fail("unreadable" as const)
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true)
  })
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

  /** Returns where `std::exception` is in an object; undefined if its class does not derive from it publicly. */
  const exceptionIn = (
    type: bigint,
    object: bigint,
    depth = maxBases
  ): Effect.Effect<bigint | undefined, "unreadable" | Failure> =>
    Effect.gen(function* () {
      if ((yield* mangledOf(type)) === "St9exception") return object
      if (depth === 0) return undefined
      const next = yield* word(type + 16n)
      const [flags, count] = [BigInt.asUintN(32, next), next >> 32n]
      // `__si_class_type_info` has a pointer there, `__vmi_class_type_info` two numbers.
      if (flags >= 4n || count === 0n || count > mostBases) return yield* exceptionIn(next, object, depth - 1)
      for (let index = 0n; index < count; index++) {
        const from = type + 24n + index * 16n
        const at = BigInt.asIntN(64, yield* word(from + 8n))
        if ((at & base.public) === 0n) continue
        const offset = at >> base.shift
        const place =
          (at & base.virtual) === 0n ? offset : BigInt.asIntN(64, yield* word((yield* word(object)) + offset))
        // The type of a class without bases ends before the word that would name one.
        const found = yield* exceptionIn(yield* word(from), object + place, depth - 1).pipe(
          Effect.orElseSucceed(() => undefined)
        )
        if (found !== undefined) return found
      }
      return undefined
    })
  const exceptionAt = (type: bigint, object: bigint) =>
    exceptionIn(type, object).pipe(Effect.orElseSucceed(() => undefined))

  /** The text of an object that is none of a class with `what()`. */
  const textIn = Effect.fnUntraced(function* (type: bigint, object: bigint) {
    const mangled = yield* mangledOf(type)
    if (mangled === "PKc" || mangled === "Pc") return yield* textAt(object)
    if (mangled !== string) return undefined
    const size = yield* word(object + 8n)
    const bytes = yield* bytesAt(yield* word(object), size > longest ? longest : Number(size))
    return new TextDecoder().decode(bytes)
  })
  return { word, textAt, textFrom, nameOf, exceptionAt, textIn }
}

const described = (name: string | undefined, message: string | undefined): CppException => ({
  ...(name === undefined ? {} : { type: name }),
  ...(message === undefined || message === "" ? {} : { message })
})

/** Reads an exception object without running code: the text only if it is in the object. */
export const inMemory = (
  inspection: Pick<Inspection, "faults" | "memory">,
  { object, type }: CoreException.Thrown
): Effect.Effect<CppException> => {
  const { exceptionAt, nameOf, textAt, textIn, word } = readerOf(inspection)
  return Effect.gen(function* () {
    const name = yield* nameOf(type)
    // what() is the third entry of the table, after the two destructors.
    const what = Effect.gen(function* () {
      const text = yield* textIn(type, object)
      const part = text === undefined ? yield* exceptionAt(type, object) : undefined
      if (part === undefined) return text
      const called = yield* inspection.faults?.symbol(yield* word((yield* word(part)) + 16n)) ?? Effect.undefined
      return called !== undefined && ownText.test(called.name) ? yield* textAt(part + 8n) : undefined
    }).pipe(Effect.orElseSucceed(() => undefined))
    return described(name, yield* what)
  }).pipe(Effect.orElseSucceed(() => ({})))
}

/** Reads the thrown exception in a frame of the throwing thread. `thrower` is true if that frame is `__cxa_throw`. */
export const read = (live: Connection, frame: number, thrower: boolean): Effect.Effect<CppException> => {
  const { exceptionAt, nameOf, textFrom, textIn, word } = readerOf(live.inspection)
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

  return Effect.gen(function* () {
    const { object, type } = thrower
      ? { object: yield* pointer("(void*)$arg1"), type: yield* pointer("(void*)$arg2") }
      : yield* handled()
    const name = yield* nameOf(type)
    const text = yield* textIn(type, object).pipe(Effect.orElseSucceed(() => undefined))
    const part = text === undefined ? yield* exceptionAt(type, object) : undefined
    // what() is the third entry of the table, after the two destructors.
    const what =
      part === undefined
        ? text
        : yield* pointer(`((const char*(*)(void*))(*(void***)${part})[2])((void*)${part})`).pipe(
            Effect.flatMap(textFrom),
            Effect.orElseSucceed(() => undefined)
          )
    return described(name, what)
  }).pipe(Effect.orElseSucceed(() => ({})))
}
