/**
 * The handler of `type`: the definition of a type, with the offsets of its members.
 */
import { Errors, type Operations, Expression, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Secrets from "../../model/secrets/Secrets.ts"
import * as Selection from "../frames/Selection.ts"
import type { Session } from "../../session/Session.ts"
import type { ViewFailure } from "../../session/values/StopView.ts"

/** A function pointer member, whose name is inside its type. */
const pointer = /^\s+(.+?) ?\(\*([A-Za-z_]\w*)\)(\(.*\));$/

const member = /^\s+(.+?[\s*&])((?:[A-Za-z_]\w*))((?:\[\d*\])*)(?:\s*:\s*(\d+))?;$/

/** Words at the end of a method's declaration, where a data member has its name. */
const ofMethods = new Set(["const", "default", "delete", "final", "noexcept", "override", "volatile"])

/** A data member of a type's definition. */
interface Member {
  readonly name: string
  readonly type: string
}

/** A member with offset and size in bytes, if known. */
interface Measured extends Member {
  readonly offset?: number
  readonly size?: number
  readonly base?: boolean
}

/** True for a bit field, which has no address. */
const isBits = ({ type }: Member) => / : \d+$/.test(type)

/** Returns the data members at the first level of a definition. */
export const members = (definition: string): ReadonlyArray<Member> => {
  const fields: Array<{ name: string; type: string }> = []
  let depth = 0
  for (const line of definition.split("\n")) {
    const [, type, name, array = "", bits] = depth === 1 ? (member.exec(line) ?? []) : []
    if (
      type !== undefined &&
      name !== undefined &&
      !ofMethods.has(name) &&
      !/\b(?:static|using|typedef|friend)\b/.test(type)
    ) {
      fields.push({ name, type: `${type.trim()}${array}${bits === undefined ? "" : ` : ${bits}`}` })
    }
    const [, result, called, parameters] = depth === 1 && name === undefined ? (pointer.exec(line) ?? []) : []
    if (result !== undefined && called !== undefined)
      fields.push({ name: called, type: `${result} (*)${parameters ?? ""}` })
    depth += (line.match(/\{/g) ?? []).length - (line.match(/\}/g) ?? []).length
  }
  return fields
}

/** Splits a list at its commas outside of `<>`. */
const listOf = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = [""]
  let depth = 0
  for (const character of text) {
    if (character === "<") depth += 1
    if (character === ">") depth -= 1
    if (character === "," && depth === 0) parts.push("")
    else parts.push(`${parts.pop() ?? ""}${character}`)
  }
  return parts.map((part) => part.trim())
}

/** Returns the base classes of a C++ definition: `class B : public A, private virtual C<int, 2> {`. */
const bases = (definition: string): ReadonlyArray<Member> => {
  const [, list] = /^(?:class|struct) [^{\n]*? : ([^{\n]+) \{/.exec(definition) ?? []
  return list === undefined
    ? []
    : listOf(list).map((type) => ({ name: type.replace(/^(?:(?:public|protected|private|virtual) )+/, ""), type }))
}

const integer = (text: string): number | undefined => {
  const value = /^-?\d+$/.test(text) ? Number(text) : undefined
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined
}

/** Handles `type`. */
export const type = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"type">) {
  const view = yield* session.view
  const { at } = yield* Selection.locate(session, view, payload)
  const connection = yield* session.connection
  const bare = (name: string) => name.replace(/^(?:(?:const|volatile|struct|class|union|enum)\s+)+/, "").trim()
  const described = (name: string) =>
    /^[\w:<>, ]+$/.test(name) ? connection.inspection.type(bare(name)) : Effect.succeed([])
  const number = (expression: string) =>
    view.evaluate(expression, at, "read").pipe(
      Effect.map((value) => integer(value.value)),
      Effect.catchTag("AdapterError", () => Effect.succeed(undefined))
    )
  const value = Expression.onlyReads(payload.name)
    ? yield* Effect.option(view.evaluate(payload.name, at, "read"))
    : ({ _tag: "None" } as const)
  const asType = value._tag === "None" ? payload.name : (value.value.type ?? payload.name)
  const known = yield* described(asType)
  const found = known.find(({ definition }) => !definition.startsWith("typedef ")) ?? known[0]
  const size =
    found?.size ?? (Expression.onlyReads(payload.name) ? yield* number(`sizeof(${payload.name})`) : undefined)
  yield* view.check
  if (found === undefined && value._tag === "None" && size === undefined) {
    const variables = yield* view.locals(at)
    const types = variables.map((variable) => bare(variable.type ?? "").replace(/[\s*&[\]\d]+$/, ""))
    const near = Expression.nearest(bare(payload.name), [...types, ...variables.map((variable) => variable.name)])
    const [name] = near
    const hint = name === undefined ? Hint.call("locals", {}) : Hint.again("type", { name })
    return yield* new Errors.SymbolNotFound({ name: payload.name, near, remedies: [hint] })
  }
  const listed = found === undefined ? [] : members(found.definition)
  // A variable of the same name hides the type, unless the type has its keyword.
  const [, word = "", tag = ""] = /^(struct|union|class) ([^{]+?) \{/.exec(found?.definition ?? "") ?? []
  const tagged = payload.layout && tag === bare(asType) && (yield* number(`sizeof(${word} ${tag})`)) !== undefined
  const spelled = tagged ? `${word} ${tag}` : bare(asType)
  // LLDB's expressions do not know the name of a template's instance; a variable of it has the same members.
  const isInstance = value._tag === "Some" && asType.includes("<")
  const measures = (field: Member) => {
    const one = isInstance ? `(${payload.name}).${field.name}` : `((${spelled}*)0)->${field.name}`
    const from = isInstance ? ` - (unsigned long)&(${payload.name})` : ""
    return { offset: `(unsigned long)&(${one})${from}`, size: `(unsigned long)sizeof(${one})` }
  }
  /** Offsets and sizes are never secret. */
  const unmasked = Effect.provideService(Secrets.Reveal, true)
  const single = Effect.fnUntraced(function* (field: Member) {
    const offset = yield* unmasked(number(measures(field).offset))
    const size = yield* unmasked(number(measures(field).size))
    return { ...field, ...(offset === undefined ? {} : { offset }), ...(size === undefined ? {} : { size }) }
  })
  /** Measures all members by one expression. A member without address fails it; then the halves are measured. */
  const measured: (list: ReadonlyArray<Member>) => Effect.Effect<ReadonlyArray<Measured>, ViewFailure> =
    Effect.fnUntraced(function* (list) {
      const [first] = list
      if (first === undefined) return []
      if (list.length === 1) return [yield* single(first)]
      const numbers = list.flatMap((field) => [measures(field).offset, measures(field).size])
      const text = `unsigned long measured[${numbers.length}] = {${numbers.join(", ")}}; measured`
      const found = yield* view.evaluate(text, at, "read").pipe(
        Effect.flatMap(({ ref = "" }) => session.references.resolve(ref, view.stop)),
        Effect.flatMap((target) => view.children(target, 0, numbers.length)),
        Effect.map((values) => values.map(({ value }) => integer(value))),
        unmasked,
        Effect.catchTag(["AdapterError", "StaleReference"], () => Effect.succeed([]))
      )
      if (found.length === numbers.length && found.every((one) => one !== undefined)) {
        return list.map((field, index) => ({
          ...field,
          offset: found[2 * index] ?? 0,
          size: found[2 * index + 1] ?? 0
        }))
      }
      const half = Math.ceil(list.length / 2)
      return [...(yield* measured(list.slice(0, half))), ...(yield* measured(list.slice(half)))]
    })
  const base = Effect.fnUntraced(function* (one: Member) {
    const from = (object: string) =>
      unmasked(number(`(unsigned long)(${one.name}*)(${object}) - (unsigned long)(${object})`))
    // Only an object has its virtual base; a type may have a value as well. A null pointer would stay null.
    const inObject = value._tag === "Some" ? yield* from(`&(${payload.name})`) : undefined
    const offset = inObject ?? (yield* from(`(${spelled}*)4096`))
    const size = yield* unmasked(number(`(unsigned long)sizeof(${one.name})`))
    const known = { ...(offset === undefined ? {} : { offset }), ...(size === undefined ? {} : { size }) }
    return { ...one, ...known, base: true } satisfies Measured
  })
  const measuredBases =
    payload.layout && found !== undefined ? yield* Effect.forEach(bases(found.definition), base) : []
  const addressable = listed.filter((field) => !isBits(field))
  const measuredFields = payload.layout ? yield* measured(addressable) : []
  const fields = payload.layout
    ? [...measuredBases, ...listed.map((field) => measuredFields[addressable.indexOf(field)] ?? field)]
    : listed
  const isUnmeasured =
    payload.layout && addressable.length > 0 && !measuredFields.some(({ offset }) => offset !== undefined)
  const unmeasured = `the debugger does not tell the offsets of ${asType}; name a variable of this type`
  return {
    ...(isUnmeasured ? { warnings: [{ code: "LAYOUT_UNKNOWN", message: unmeasured }] } : {}),
    data: {
      type: asType,
      ...(found === undefined ? {} : { definition: found.definition }),
      ...(size === undefined ? {} : { size }),
      ...(fields.length === 0 ? {} : { fields })
    }
  }
})
