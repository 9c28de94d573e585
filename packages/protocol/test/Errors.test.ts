import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Errors } from "../src/index.ts"

const encode = Schema.encodeSync(Errors.SigtrapError)
const decode = Schema.decodeUnknownSync(Errors.SigtrapError)

/** A value as it is after it was JSON. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The encoded form of an error with a value in each field, or in the required ones alone. */
const filled = (error: (typeof Errors.all)[number], onlyRequired: boolean) => {
  const { definitions } = Schema.toJsonSchemaDocument(error)
  const encoded = definitions[`${error.identifier}Encoded`] ?? {}
  const required: ReadonlyArray<unknown> = Array.isArray(encoded["required"]) ? encoded["required"] : []
  const fields = Object.entries(Object(encoded["properties"])).filter(
    ([field]) => field !== "state" && (!onlyRequired || required.includes(field))
  )
  const value = (schema: unknown): unknown => {
    const { $ref, anyOf, type, items, properties, enum: words } = Object(schema)
    if (Array.isArray(anyOf)) return value(anyOf.at(-1))
    if (Array.isArray(words)) return words[0]
    if (String($ref).endsWith("/Hint")) return { operation: "status", input: { session: "word" } }
    const inner = definitions[String($ref).replace(/^.*\//, "")]
    if (inner !== undefined) return value(inner)
    if (type === "object") {
      return Object.fromEntries(Object.entries(Object(properties)).map(([field, inner]) => [field, value(inner)]))
    }
    return type === "array"
      ? [value(items)]
      : type === "integer" || type === "number"
        ? 3
        : type === "boolean"
          ? true
          : "word"
  }
  return { ...Object.fromEntries(fields.map(([field, schema]) => [field, value(schema)])), _tag: error.identifier }
}

// One meaning, two situations: an expression that failed, and one that was not tried because it may change things.
const shared = new Set(["EVALUATION_FAILED"])

it("every class has a code of its own, with an exit code and a status", () => {
  const seen = new Map<string, Errors.Meta>()
  for (const error of Errors.all) {
    const meta = Errors.meta({ _tag: error.identifier })
    assert.match(meta.code, /^[A-Z]+(?:_[A-Z]+)*$/, error.identifier)
    assert.isTrue(meta.exit >= 1 && meta.exit <= 11, error.identifier)
    assert.isTrue(meta.httpApiStatus >= 400 && meta.httpApiStatus <= 599, error.identifier)
    const before = seen.get(meta.code)
    if (before === undefined) seen.set(meta.code, meta)
    else {
      assert.isTrue(shared.has(meta.code), `${meta.code} stands for two situations`)
      assert.deepStrictEqual(meta, before)
    }
  }
})

it("only the class Internal has the code that unknown errors get", () => {
  const internal = Errors.all.filter((error) => Errors.meta({ _tag: error.identifier }).code === "INTERNAL")
  assert.deepStrictEqual(internal, [Errors.Internal])
  assert.strictEqual(Errors.meta({ _tag: "NoSuchThing" }).code, "INTERNAL")
})

it("a class knows its tag", () => {
  for (const error of Errors.all) assert.strictEqual(Errors.tagOf(error), error.identifier)
})

for (const error of Errors.all) {
  describe(error.identifier, () => {
    it("says what happened and what to do next", () => {
      for (const required of [true, false]) {
        const { message, hints } = decode(filled(error, required))
        assert.match(message, /^\S.*\S$/s)
        assert.isNotEmpty(hints)
        assert.notInclude(`${message} ${JSON.stringify(hints)}`, "undefined")
      }
    })

    it.prop("is the same after it crossed a wire", [error], ([failure]) => {
      const arrived = decode(JSON.parse(JSON.stringify(encode(failure))))
      assert.isTrue(Schema.is(error)(arrived))
      assert.strictEqual(arrived.message, failure.message)
      assert.deepStrictEqual(plain(arrived.hints), plain(failure.hints))
      assert.deepStrictEqual(plain(encode(arrived)), plain(encode(failure)))
    })

    it.prop("gets a place where it has none, and keeps the one it has", [error], ([failure]) => {
      const { session = "s9", state = "running" } = failure
      const located = Errors.locate(failure, { session: "s9", state: "running" })
      assert.strictEqual(located.session, session)
      assert.strictEqual(located.state, state)
    })
  })
}

describe("a missing tier", () => {
  it("is named once, with its effect only if that says more", () => {
    const message = (missing: Errors.TierRequired["missing"]) =>
      new Errors.TierRequired({ operation: "script", missing }).message
    const control = { effect: "control", tier: "control" } as const
    const write = { effect: "write-memory", tier: "write" } as const
    assert.strictEqual(message([control, control]), "script needs the tier control")
    assert.strictEqual(message([control, write]), "script needs the tier control, write (write-memory)")
    const cleared = { ...control, field: "clear", value: "true" }
    assert.strictEqual(message([cleared]), "script needs the tier control (control: clear 'true')")
  })
})
