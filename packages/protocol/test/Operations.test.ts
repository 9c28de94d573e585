import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Errors, Operation, Operations, Payload } from "../src/index.ts"

it("every tag is unique and has words of lower-case letters", () => {
  const tags = Operations.all.map(({ _tag }) => _tag)
  assert.strictEqual(new Set(tags).size, tags.length)
  for (const tag of tags) assert.match(tag, /^[a-z]+(?:[.-][a-z]+)*$/)
})

it("an operation is found by its tag, and nothing by another", () => {
  for (const operation of Operations.all) assert.strictEqual(Operations.find(operation._tag), operation)
  assert.isUndefined(Operations.find("toString"))
})

for (const operation of Operations.all) {
  const meta = Operation.meta(operation)
  const { properties, required } = Payload.published(operation)

  describe(operation._tag, () => {
    it("has a summary of one imperative line without a full stop", () => {
      assert.match(meta.summary, /^[A-Z][a-z]+ [^\n.]{1,60}$/)
      assert.notMatch(meta.summary, /^(?:The|An?|This|It) |^[A-Z][a-z]+(?:ing|ed) /)
    })

    it("has a description of whole sentences", () => {
      assert.match(meta.description, /^[A-Z].{20,400}\.$/)
    })

    it("describes every field in at most 60 characters, without a full stop", () => {
      for (const [field, schema] of Object.entries(properties)) {
        assert.match(field, /^[a-z]+(?:_[a-z]+)*$/)
        const description = String(schema["description"])
        assert.match(description, /^[A-Z][^\n]{2,58}[^.\s]$/, `${field}: ${description.length} characters`)
      }
    })

    it("has a placeholder for every field whose values are open", () => {
      for (const [field, schema] of Object.entries(properties)) {
        const value = schema["type"] === "array" ? Object(schema["items"]) : schema
        const open = value["type"] !== "boolean" && value["type"] !== "object" && !Array.isArray(value["enum"])
        if (!open || Payload.callerFields.includes(field)) continue
        assert.match(meta.placeholders[field] ?? "N", /^[A-Z]+(?:[_|=:,-][A-Z]+)*(?:\[:LINES\])?$/, field)
        if (value["type"] !== "integer" && field !== "request_id") assert.property(meta.placeholders, field)
      }
    })

    it("has a description for lists of tools", () => {
      assert.match(meta.tool, /^[A-Z][^\n]{10,160}$/)
    })

    it("publishes a schema without references and without null", () => {
      const text = JSON.stringify(properties)
      assert.notInclude(text, "$ref")
      assert.notInclude(text, `"null"`)
    })

    it("only names fields that it has", () => {
      const named = [...meta.positional, meta.sentence ?? [], meta.rest ?? []].flat()
      for (const field of named) assert.property(properties, field)
      if (meta.sentence !== undefined) assert.strictEqual(meta.positional.at(-1), meta.sentence)
      for (const field of meta.positional.slice(0, -1)) assert.notStrictEqual(properties[field]?.["type"], "array")
      for (const field of required) assert.include(meta.positional, field, "a required field needs no flag")
    })

    it("waits with the fields of a report, or not at all", () => {
      // Following waits, too: for something to read, after which it has no stop to report. So do answers to what is run.
      const answers = "follow" in properties || ["eval", "raw", "explain", "diverge", "bisect"].includes(operation._tag)
      assert.strictEqual(meta.resumes, "timeout" in properties && !answers)
      if (meta.resumes) assert.property(properties, "context")
    })

    it("lists each error once, the common ones among them", () => {
      assert.strictEqual(new Set(meta.errors).size, meta.errors.length)
      const tags = meta.errors.map(Errors.tagOf)
      for (const error of Errors.common) assert.include(tags, error.identifier)
    })

    for (const { title, input } of meta.examples) {
      it.effect(`its example decodes: ${title}`, () =>
        Effect.gen(function* () {
          assert.match(title, /^[A-Z][^.]+$/)
          const payload = yield* Payload.decode(operation, input)
          assert.deepInclude(payload, { ...input })
          const defaults = Object.entries(properties).filter(
            ([field, schema]) => "default" in schema && !(field in input)
          )
          for (const [field, schema] of defaults) assert.deepInclude(payload, { [field]: schema["default"] })
        })
      )
    }
  })
}

it("a default is decoded, constructed and published alike", () => {
  const schema = Schema.Struct({ count: Operation.withDefault(Schema.Int.annotate({ description: "How often" }), 3) })
  assert.deepStrictEqual(schema.make({}), { count: 3 })
  assert.deepStrictEqual(Schema.decodeUnknownSync(schema)({}), { count: 3 })
  const { properties } = Object(Schema.toJsonSchemaDocument(schema).schema)
  assert.deepInclude(properties.count, { description: "How often", default: 3 })
})
