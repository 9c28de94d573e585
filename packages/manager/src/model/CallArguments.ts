/**
 * The arguments of a call as the audit log and the activity of a session show them: masked by name and by shape, cut, and at most about 1 KiB. The fields
 * that surfaces fill in (directory, environment, settings) are left out.
 */
import { Payload, SecretShapes } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import * as Secrets from "./Secrets.ts"

/** Maximum size of the arguments as JSON, in characters. */
const maxSize = 1024
/** Maximum length of one text, in characters. */
const maxText = 200
/** Maximum number of items of one list. */
const maxItems = 16

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

const text = (value: string): string => {
  // Only a part is looked at, so that a call with megabytes costs no more than others.
  const part = value.slice(0, 4 * maxText)
  const byName = named(part) ? inText(part.replaceAll(quoted, Secrets.mask)) : SecretShapes.mask(part)
  return byName.length > maxText || part.length < value.length ? `${byName.slice(0, maxText)}…` : byName
}

const isSecretOption = (value: unknown) => Predicate.isString(value) && /^--?[\w-]{1,64}$/.test(value) && named(value)

const value = (found: unknown, depth: number): unknown => {
  if (Predicate.isString(found)) return text(found)
  if (Predicate.isNumber(found) || Predicate.isBoolean(found) || found === null) return found
  if (depth === 0) return "…"
  if (Array.isArray(found)) {
    const items: ReadonlyArray<unknown> = found
    const shown = items
      .slice(0, maxItems)
      .map((item, index) => (index > 0 && isSecretOption(items[index - 1]) ? Secrets.mask : value(item, depth - 1)))
    return items.length > maxItems ? [...shown, "…"] : shown
  }
  if (!Predicate.isReadonlyObject(found)) return "…"
  return Object.fromEntries(
    Object.entries(found)
      .slice(0, maxItems)
      .map(([name, field]) => [name, isSecretField(name) ? Secrets.mask : value(field, depth - 1)])
  )
}

/** Fields whose value belongs to the name in another field: `set password "x"`. */
const assigned: { readonly [field: string]: string } = { value: "target", bytes: "address" }

/** Returns the arguments of a call of an operation. */
export const of = (operation: string, payload: unknown): { readonly [field: string]: unknown } => {
  if (!Predicate.isReadonlyObject(payload)) return {}
  const fields: Record<string, unknown> = {}
  let room = maxSize
  for (const [name, field] of Object.entries(payload)) {
    if (field === undefined || Payload.unlisted.includes(name) || name === "session") continue
    const target = payload[assigned[name] ?? ""]
    const isSecret =
      // What is typed into a program may be a password.
      (operation === "input" && name === "text") || isSecretField(name) || (Predicate.isString(target) && named(target))
    const shown = isSecret ? Secrets.mask : value(field, 3)
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
