/**
 * The complete description of an operation, for the resource `sigtrap://operations/NAME` and for `operate` without input.
 */
import { Schema } from "effect"
import { Errors, Operation, Payload } from "@sigtrap/protocol"

/** Returns the description of an operation. Schemas are JSON Schema, draft 2020-12. */
export const document = (operation: Operation.Any) => {
  const { description, errors, examples, resumes, summary, tier } = Operation.meta(operation)
  const input = Payload.published(operation)
  const fields = Object.entries(input.properties).filter(([field]) => !Payload.callerFields.includes(field))
  return {
    operation: operation._tag,
    summary,
    description,
    tier,
    waits: resumes,
    input: { ...input, properties: Object.fromEntries(fields) },
    examples,
    errors: [...new Set(errors.map((error) => Errors.meta({ _tag: Errors.tagOf(error) }).code))]
  }
}

/** Returns the schema of an operation's answer with its definitions. */
export const output = (operation: Operation.Any) => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(operation.successSchema)
  return { ...schema, $defs: definitions }
}
