/**
 * What a C++ program has thrown: the type and, for what derives from `std::exception`, its `what()`.
 *
 * Read from the runtime's own structures (Itanium C++ ABI): in `__cxa_throw` the object and its type are the first two
 * arguments; of an exception that nobody catches they are in the list of caught exceptions when `std::terminate` runs.
 * Whatever cannot be read is left out.
 */
import * as Effect from "effect/Effect"
import type { Connection } from "../ports/Backend.ts"

/** What is known of an exception object. */
export interface CppException {
  readonly type?: string
  readonly message?: string
}

/** The type of a C++ exception from its mangled name in the runtime's type information, when it is plain. */
export const cppType = (mangled: string): string | undefined => {
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

/** Bytes between the runtime's record of an exception and its object, on 64-bit targets. */
const headerSize = 112

/** Most bases of a class that are looked at. */
const deepest = 8

const number = (value: string) => /^0x[0-9a-f]+/i.exec(value.replace(/^\([^)]*\)\s*/, ""))?.[0]

/** What was thrown, asked in a frame of the thread that throws. `thrower` says whether that is `__cxa_throw` itself. */
export const read = (live: Connection, frame: number, thrower: boolean): Effect.Effect<CppException> => {
  const value = (expression: string) => Effect.map(live.evaluate(expression, frame, "any"), (found) => found.value)
  const pointer = (expression: string) =>
    Effect.flatMap(value(expression), (text) => {
      const found = number(text)
      return found === undefined || /^0x0+$/.test(found) ? Effect.fail("no pointer" as const) : Effect.succeed(found)
    })
  const nameOf = (type: string) => value(`*(char**)(${type} + 8)`)

  /** Whether a class derives from `std::exception` by single inheritance all the way. */
  const isException = Effect.fnUntraced(function* (type: string) {
    let current = type
    for (let depth = 0; depth < deepest; depth++) {
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
    const what = derived
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
