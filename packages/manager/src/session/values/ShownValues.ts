/**
 * Values of the debugger as callers see them: with references, cut, and with secrets masked.
 */
import { FunctionName, type Variable } from "@sigtrap/protocol"
import type * as Secrets from "../../model/secrets/Secrets.ts"
import type { Value } from "../../ports/Backend.ts"
import type { References, Target } from "./References.ts"

/** The stop to which values belong. */
export interface Source {
  readonly stop: number
  readonly references: References
  readonly secrets: Secrets.Secrets
}

/** The frame of a value. */
export type Place = Pick<Target, "frame" | "within" | "member">

/** Returns variables under the names that their source has for them, without the tags that compilers add. */
export const withoutTags = <A extends { readonly name: string; readonly expression?: string }>(
  all: ReadonlyArray<A>
): ReadonlyArray<A> =>
  all.map((one) => {
    const name = FunctionName.withoutTags(one.name)
    if (name === one.name) return one
    const { expression } = one
    return { ...one, name, ...(expression === undefined ? {} : { expression: FunctionName.withoutTags(expression) }) }
  })

/** Returns the place of the members of a value. */
export const inside = ({ frame, within }: Place): Place => ({ frame, within, member: true })

/** `secret` is true for a part of a secret value, `reveal` for a caller who may see secrets. */
export interface Masking {
  readonly secret: boolean
  readonly reveal: boolean
}

/** Maximum length of a value's text, in characters. Longer ones are cut and marked. */
const maxValue = 4096

/** Returns one value. `key` identifies it within its stop. */
export const one = (
  { references, secrets, stop }: Source,
  found: Value,
  place: Place,
  key: string,
  { reveal, secret: inside }: Masking
): Variable.Variable => {
  const value = reveal ? found : secrets.shown(found, inside)
  const secret = inside || secrets.named(found.name) || secrets.named(found.expression ?? "")
  const { declaration: _, handle, expression = value.name, ...shown } = value
  const cut = shown.value.length > maxValue
  const unnamed = value.expression === undefined
  // There is nothing to open in a value that the compiler left nowhere, or that cannot be read as a whole.
  const absent = value.attributes?.some((one) => one === "optimized-out" || one === "unknown") === true
  const opens = handle !== 0 && !absent
  const target = { ...place, handle, expression, ...(unnamed ? { unnamed } : {}), ...(secret ? { secret } : {}) }
  return {
    ...shown,
    ...(expression === value.name ? {} : { expression }),
    ...(cut ? { value: `${shown.value.slice(0, maxValue)}…`, truncated: true } : {}),
    ...(opens ? { ref: references.of("v", stop, key, target) } : {})
  }
}

/** Returns the values of one list. Values without an expression are identified by their path in `where`. */
export const list = (
  source: Source,
  values: ReadonlyArray<Value>,
  place: Place,
  where: string,
  { reveal, secret }: Masking
): ReadonlyArray<Variable.Variable> => {
  const times = new Map<string, number>()
  // In a key-value pair, the key decides whether the value is secret.
  const [key, mapped] = values
  const pair = values.length === 2 && /^(?:first|key|__0|0)$/.test(key?.name ?? "")
  const inPair = pair && key !== undefined && source.secrets.named(key.value)
  return values.map((value) => {
    const path = value.expression === undefined ? `${where}/${value.name}` : `${place.within} ${value.expression}`
    const time = (times.get(path) ?? 0) + 1
    times.set(path, time)
    const inside = secret || (inPair && value === mapped)
    return one(source, value, place, time === 1 ? path : `${path} ${time}`, { secret: inside, reveal })
  })
}
