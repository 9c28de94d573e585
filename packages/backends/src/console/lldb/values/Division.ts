/**
 * Finds integer divisions by zero in an expression before LLDB computes it. LLDB shows a number that means nothing, and the number
 * differs from one call to the next.
 */
import type { Backend } from "@sigtrap/manager"
import { Errors, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** Expressions that may not compute each of their divisions, or in which `/` means something else. */
const conditional = /\?|&&|\|\||\b(?:and|or|sizeof|alignof|decltype|typeof)\b|["'`]|\/[/*]/

/** Returns the index after the bracket that closes the one at `from`; undefined if none does. */
const closing = (text: string, from: number): number | undefined => {
  let depth = 0
  for (let index = from; index < text.length; index += 1) {
    const character = text[index] ?? ""
    if ("([".includes(character)) depth += 1
    else if (")]".includes(character) && --depth === 0) return index + 1
  }
  return undefined
}

const word = /^\s*(?:::)?[\p{L}\p{N}_$.]+(?:::[\p{L}\p{N}_$]+)*/u
const member = /^\s*(?:\.|->)\s*[\p{L}_$][\p{L}\p{N}_$]*/u

/** Returns the operand at the beginning of a text, such as `(long)*p->count[2]`; undefined if the text does not show its end. */
const operandOf = (text: string): string | undefined => {
  let at = /^(?:\s*[-+~!*&])*/.exec(text)?.[0].length ?? 0
  const here = () => text.slice(at)
  if (/^\s*\(/.test(here())) {
    const end = closing(text, text.indexOf("(", at))
    if (end === undefined) return undefined
    at = end
    // A group before another operand is a cast.
    if (/^\s*[\p{L}\p{N}_$(*&~]/u.test(here())) {
      const rest = operandOf(here())
      return rest === undefined ? undefined : text.slice(0, at) + rest
    }
  } else {
    const name = word.exec(here())?.[0]
    if (name === undefined) return undefined
    at += name.length
  }
  for (;;) {
    const next = member.exec(here())?.[0]
    if (next !== undefined) at += next.length
    else if (/^\s*\[/.test(here())) {
      const end = closing(text, text.indexOf("[", at))
      if (end === undefined) return undefined
      at = end
    } else return text.slice(0, at).trim()
  }
}

/** Returns the divisors of an expression that can be read without running code of the program. */
const divisors = (expression: string): ReadonlyArray<string> =>
  conditional.test(expression)
    ? []
    : [...expression.matchAll(/[/%](?!=)/g)].flatMap(({ index }) => {
        const operand = operandOf(expression.slice(index + 1))
        return operand !== undefined && Expression.onlyReads(operand) ? [operand] : []
      })

/** Matches a number other than 0. */
const otherThanZero = /^[-+]?(?:0x0*[1-9a-f]|0*[1-9])/i

/** Returns the divisors of an expression that may be 0. */
const uncertain = (expression: string): ReadonlyArray<string> =>
  divisors(expression).filter((divisor) => !otherThanZero.test(divisor))

/** True if an expression divides by something that may be 0. */
export const mayDivideByZero = (expression: string): boolean => uncertain(expression).length > 0

/**
 * Returns a condition that holds where the given one does, and where it divides by zero. Empty if there is none, or if evaluating it
 * twice may have an effect.
 */
export const weaker = (condition: string | undefined): string =>
  condition === undefined || !Expression.onlyReads(condition)
    ? ""
    : [...uncertain(condition).map((divisor) => `(${divisor}) == 0`), `(${condition})`].join(" || ")

const isFloating = ({ type = "" }: Backend.Value) => /\b(?:float|double|f32|f64)\b/.test(type)

const isZero = (value: Backend.Value) => !isFloating(value) && /^(?:-?0|0x0+|false)$/.test(value.value)

/** Makes an evaluation that fails for an integer division by zero. */
export const checked =
  (evaluate: Backend.Connection["evaluate"]): Backend.Connection["evaluate"] =>
  (expression, frame, how, within) =>
    Effect.gen(function* () {
      for (const divisor of divisors(expression)) {
        const value = yield* Effect.option(evaluate(divisor, frame, "read"))
        if (value._tag === "None" || !isZero(value.value)) continue
        const found = yield* evaluate(expression, frame, how, within)
        // A quotient of floating numbers is infinite, or not a number.
        if (isFloating(found)) return found
        return yield* new Errors.AdapterError({
          command: "evaluate",
          detail: /^\d/.test(divisor) ? "division by zero" : `division by zero: ${divisor} is 0`
        })
      }
      return yield* evaluate(expression, frame, how, within)
    })
