/**
 * The assignment that `set` evaluates where a debugger has no request of its own: an expression of the C family. People write two
 * kinds of values that C does not assign: `nan` and `inf`, and a text for an array of characters.
 */
import * as CharacterEscapes from "../../model/CharacterEscapes.ts"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

const floating = /\b(?:float|double|f32|f64)\b/

const notFinite = /^([+-]?)(nan|inf|infinity)$/i

/** Array of bytes with its length. */
const bytesType = /^(?:(?:signed|unsigned) )?(?:char|char8_t|u?int8_t) ?\[(\d+)\]$/

/** A string literal of C. */
const literal = /^(?:u8)?"((?:[^"\\\n]|\\.)*)"$/s

/** Returns the bytes of a literal's inside; undefined for an escape sequence that is not known. */
const bytesOf = (inside: string): ReadonlyArray<number> | undefined => {
  const found: Array<number> = []
  for (const part of inside.match(/\\x[0-9a-f]{1,2}|\\.|[^\\]+/gis) ?? []) {
    if (/^\\x/i.test(part)) found.push(Number.parseInt(part.slice(2), 16))
    else if (part.startsWith("\\")) {
      const byte = CharacterEscapes.bytes[part.slice(1)]
      if (byte === undefined) return undefined
      found.push(byte)
    } else found.push(...new TextEncoder().encode(part))
  }
  return found
}

/** The longest text that one expression writes, in bytes. A longer one is written as memory. */
const longest = 256

/** Returns the assignment of a text to each byte of an array; undefined for another type or value. */
const ofText = (target: string, type: string, value: string) => {
  const size = bytesType.exec(type)?.[1]
  const inside = literal.exec(value)?.[1]
  const bytes = inside === undefined ? undefined : bytesOf(inside)
  if (size === undefined || bytes === undefined) return undefined
  const failed = (detail: string, ...remedies: Hint.Hints) =>
    Effect.fail(
      new Errors.EvaluationFailed({ expression: `${target} = ${value}`, detail, remedies, reason: "not-assignable" })
    )
  const written = [...bytes, 0]
  if (written.length > Number(size)) {
    return failed(
      `the text and its final zero need ${written.length} bytes, the array has ${size}`,
      Hint.remedy("set a shorter text")
    )
  }
  if (written.length > longest) {
    const hex = written.map((byte) => byte.toString(16).padStart(2, "0")).join("")
    return failed(
      `a text of more than ${longest - 1} bytes is written as memory`,
      Hint.call("memory.write", { address: `&${target}`, hex })
    )
  }
  return Effect.succeed(written.map((byte, index) => `(${target})[${index}] = ${byte}`).join(", "))
}

/** Returns the number that is not finite as an expression; undefined for another type, value, or the name of a variable. */
const ofNumber = (target: string, type: string, value: string, visible: ReadonlyArray<string>) => {
  const [, sign = "", word] = notFinite.exec(value) ?? []
  if (word === undefined || !floating.test(type) || visible.includes(value)) return undefined
  const quotient = word.toLowerCase() === "nan" ? "0.0/0.0" : "1.0/0.0"
  return Effect.succeed(`${target} = ${sign === "-" ? "-" : ""}(${quotient})`)
}

/** Returns the expression that assigns a value, as it was written, to a target of a type. `visible` are the names of the frame. */
export const expressionOf = (
  target: string,
  type: string | undefined,
  value: string,
  visible: ReadonlyArray<string>
): Effect.Effect<string, Errors.EvaluationFailed> =>
  ofText(target, type ?? "", value) ??
  ofNumber(target, type ?? "", value, visible) ??
  Effect.succeed(`${target} = ${value.startsWith("{") ? value : `(${value})`}`)

/** The first element of a list of numbers, `{7, 8}`; another value as it is. */
const firstOf = (value: string): string => /^\{\s*([^\s{},"']+)\s*[,}]/.exec(value)?.[1] ?? value

/**
 * Returns the error of an assignment to a value that has parts, with a call that sets one of them; undefined for another type.
 * A debugger reports such an assignment in the words of C++.
 */
export const refusal = (
  target: string,
  type: string | undefined,
  value: string,
  { reason }: Errors.EvaluationFailed
): Errors.EvaluationFailed | undefined => {
  if (reason !== "not-assignable") return undefined
  const failed = (problem: string, remedy: Hint.Hint) =>
    new Errors.EvaluationFailed({ expression: `${target} = ${value}`, detail: problem, remedies: [remedy], reason })
  if (type?.endsWith("]") === true) {
    const inside = /^'((?:[^'\\]|\\.)*)'$/.exec(value)?.[1]
    return inside !== undefined && bytesType.test(type ?? "")
      ? failed(
          "it is an array of characters; write a text in double quotes",
          Hint.again("set", { target, value: `"${inside.replaceAll('"', '\\"')}"` })
        )
      : failed(
          "it is an array; set one of its elements",
          Hint.again("set", { target: `${target}[0]`, value: firstOf(value) })
        )
  }
  return failed(
    "a value of its type cannot take this one; set one of its members",
    Hint.call("print", { expressions: [target] })
  )
}
