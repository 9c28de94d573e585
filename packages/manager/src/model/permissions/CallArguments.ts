/**
 * The arguments of a call as the audit log, the activity of a session and questions show them: masked by name and by shape, and cut. The fields
 * that surfaces fill in (directory, environment, settings) are left out.
 */
import { Payload, SecretShapes } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import * as Secrets from "../secrets/Secrets.ts"

/** Most that is shown: characters of the arguments as JSON, characters of one text, and items of one list. */
export interface Limits {
  readonly size: number
  readonly text: number
  readonly items: number
}

/** The limits of a record of a call. */
const ofRecord: Limits = { size: 1024, text: 200, items: 16 }

/** The limits of a question: a person must see all that is asked for. */
export const ofQuestion: Limits = { size: 8192, text: 2000, items: 64 }

const { inText, named } = Secrets.make(undefined)

/** Whether the name of a field is secret. Calls have the same few fields. */
const known = new Map<string, boolean>()

const mostKnown = 512

const isSecretField = (name: string): boolean => {
  const before = known.get(name)
  if (before !== undefined) return before
  const isSecret = named(name)
  if (known.size >= mostKnown) known.clear()
  known.set(name, isSecret)
  return isSecret
}

const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g

const text = (value: string, maxText: number): string => {
  // Only a part is looked at, so that a call with megabytes costs no more than others.
  const part = value.slice(0, 4 * maxText)
  const byName = named(part) ? inText(part.replaceAll(quoted, Secrets.mask)) : SecretShapes.mask(part)
  return byName.length > maxText || part.length < value.length ? `${byName.slice(0, maxText)}…` : byName
}

const isSecretOption = (value: unknown) => Predicate.isString(value) && /^--?[\w-]{1,64}$/.test(value) && named(value)

const value = (found: unknown, depth: number, limits: Limits): unknown => {
  if (Predicate.isString(found)) return text(found, limits.text)
  if (Predicate.isNumber(found) || Predicate.isBoolean(found) || found === null) return found
  if (depth === 0) return "…"
  if (Array.isArray(found)) {
    const items: ReadonlyArray<unknown> = found
    const shown = items
      .slice(0, limits.items)
      .map((item, index) =>
        index > 0 && isSecretOption(items[index - 1]) ? Secrets.mask : value(item, depth - 1, limits)
      )
    return items.length > limits.items ? [...shown, "…"] : shown
  }
  if (!Predicate.isReadonlyObject(found)) return "…"
  return Object.fromEntries(
    Object.entries(found)
      .slice(0, limits.items)
      .map(([name, field]) => [name, isSecretField(name) ? Secrets.mask : value(field, depth - 1, limits)])
  )
}

/** Fields whose value belongs to the name in another field: `set password "x"`. */
const assigned: { readonly [field: string]: string } = { value: "target", bytes: "address" }

/** Returns the arguments of a call of an operation. */
export const of = (
  operation: string,
  payload: unknown,
  limits: Limits = ofRecord
): { readonly [field: string]: unknown } => {
  if (!Predicate.isReadonlyObject(payload)) return {}
  const fields: Record<string, unknown> = {}
  let room = limits.size
  for (const [name, field] of Object.entries(payload)) {
    if (field === undefined || Payload.unlisted.includes(name) || name === "session") continue
    const target = payload[assigned[name] ?? ""]
    const isSecret =
      // What is typed into a program may be a password.
      (operation === "input" && name === "text") || isSecretField(name) || (Predicate.isString(target) && named(target))
    const shown = isSecret ? Secrets.mask : value(field, 3, limits)
    const size = JSON.stringify(shown).length + name.length + 4
    if (size > room) {
      fields["…"] = true
      continue
    }
    room -= size
    fields[name] = shown
  }
  return fields
}
