/**
 * Reads a thrown C++ exception: its type and, if it derives from `std::exception`, its `what()`.
 *
 * Reads the structures of the Itanium C++ ABI. In `__cxa_throw` the object and its type are the first two arguments. For
 * an uncaught exception, `std::terminate` finds them in the list of caught exceptions. Unreadable parts are left out.
 */
import * as Effect from "effect/Effect"
import type { Connection } from "../ports/Backend.ts"
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

/** Returns the type of an exception from its mangled name. Templates are not supported. */
export const cppType = (mangled: string): string | undefined => {
  const short = builtIn[/"(P?K?[a-z])"/.exec(mangled)?.[1] ?? ""]
  if (short !== undefined) return short
  const match = /"(St)?(N?)((?:\d+[A-Za-z_]\w*?)+)E?"/.exec(mangled)
  if (match === null) return undefined
  let rest = match[3] ?? ""
  const parts = match[1] === "St" ? ["std"] : []
  while (rest !== "") {
    const [, digits = "", after = ""] = /^(\d+)(.*)$/s.exec(rest) ?? []
    const length = Number(digits)
    if (digits === "" || length === 0 || after.length < length) return undefined
    parts.push(after.slice(0, length))
    rest = after.slice(length)
  }
  return parts.join("::")
}

/** Offset of the object in the runtime's exception record, on 64-bit targets, in bytes. */
const headerSize = 112

/** Maximum depth of base classes. */
const maxBases = 8

const number = (value: string) => /^0x[0-9a-f]+/i.exec(value.replace(/^\([^)]*\)\s*/, ""))?.[0]

/** Longest text that is read, in bytes. */
const longest = 2048

/** Functions of libstdc++ and libc++ that return the text behind the first word of the object. */
const ownText = /^std::(?:__\w+::)?(?:runtime|logic)_error::what\(\) const$/

/** Reads an exception object without running code: the text only if it is in the object. */
export const inMemory = (
  { faults, memory }: Pick<Inspection, "faults" | "memory">,
  { object, type }: CoreException.Thrown
): Effect.Effect<CppException> => {
  const bytesAt = Effect.fnUntraced(function* (address: bigint, count: number) {
    const { bytes, unreadable } = yield* memory(address, count)
    return bytes.subarray(0, unreadable[0]?.[0] ?? bytes.length)
  })
  const word = Effect.fnUntraced(function* (address: bigint) {
    const bytes = yield* bytesAt(address, 8)
    if (bytes.length < 8) return yield* Effect.fail("unreadable" as const)
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true)
  })
  const textAt = Effect.fnUntraced(function* (address: bigint) {
    const bytes = yield* bytesAt(yield* word(address), longest)
    const end = bytes.indexOf(0)
    return new TextDecoder().decode(bytes.subarray(0, end < 0 ? bytes.length : end))
  })
  return Effect.gen(function* () {
    const mangled = yield* textAt(type + 8n)
    const name = cppType(`"${mangled}"`)
    // what() is the third entry of the table, after the two destructors.
    const what = Effect.gen(function* () {
      if (mangled === "PKc" || mangled === "Pc") return yield* textAt(object)
      const called = yield* faults?.symbol(yield* word((yield* word(object)) + 16n)) ?? Effect.undefined
      return called !== undefined && ownText.test(called.name) ? yield* textAt(object + 8n) : undefined
    }).pipe(Effect.orElseSucceed(() => undefined))
    const message = yield* what
    return {
      ...(name === undefined ? {} : { type: name }),
      ...(message === undefined || message === "" ? {} : { message })
    }
  }).pipe(Effect.orElseSucceed(() => ({})))
}

/** Reads the thrown exception in a frame of the throwing thread. `thrower` is true if that frame is `__cxa_throw`. */
export const read = (live: Connection, frame: number, thrower: boolean): Effect.Effect<CppException> => {
  const value = (expression: string) => Effect.map(live.evaluate(expression, frame, "any"), (found) => found.value)
  const pointer = (expression: string) =>
    Effect.flatMap(value(expression), (text) => {
      const found = number(text)
      return found === undefined || /^0x0+$/.test(found) ? Effect.fail("no pointer" as const) : Effect.succeed(found)
    })
  const nameOf = (type: string) => value(`*(char**)(${type} + 8)`)

  /** True if a class derives from `std::exception` by single inheritance only. */
  const isException = Effect.fnUntraced(function* (type: string) {
    let current = type
    for (let depth = 0; depth < maxBases; depth++) {
      const name = /"(\w+)"/.exec(yield* nameOf(current))?.[1]
      if (name === undefined) return false
      if (name === "St9exception") return true
      current = yield* pointer(`*(void**)(${current} + 16)`)
    }
    return false
  })

  return Effect.gen(function* () {
    const record = thrower ? undefined : yield* pointer("*(void**)((void*(*)())__cxa_get_globals)()")
    const type = yield* pointer(record === undefined ? "(void*)$arg2" : `*(void**)${record}`)
    const object = record === undefined ? yield* pointer("(void*)$arg1") : `(${record} + ${headerSize})`
    const name = cppType(yield* nameOf(type))
    const derived = yield* isException(type).pipe(Effect.orElseSucceed(() => false))
    // what() is the third entry of the table, after the two destructors.
    const what =
      name?.endsWith("char *") === true
        ? yield* value(`*(char**)${object}`).pipe(
            Effect.map((text) => /"(.*)"/s.exec(text)?.[1]),
            Effect.orElseSucceed(() => undefined)
          )
        : derived
          ? yield* value(`((const char*(*)(void*))(*(void***)${object})[2])((void*)${object})`).pipe(
              Effect.map((text) => /"(.*)"/s.exec(text)?.[1]),
              Effect.orElseSucceed(() => undefined)
            )
          : undefined
    return {
      ...(name === undefined ? {} : { type: name }),
      ...(what === undefined || what === "" ? {} : { message: what })
    }
  }).pipe(Effect.orElseSucceed(() => ({})))
}
