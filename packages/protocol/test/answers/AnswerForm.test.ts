import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Operations } from "../../src/index.ts"

/** Returns the JSON Schema of a schema as a text. */
const published = (schema: Schema.Top): string => JSON.stringify(Schema.toJsonSchemaDocument(schema))

it("the values of every answer have the form of their JSON, so a client does not decode them", () => {
  for (const { _tag, successSchema } of Operations.all) {
    assert.strictEqual(published(Schema.toType(successSchema)), published(Schema.toEncoded(successSchema)), _tag)
  }
})
