/** Tests that send generated answers of every operation through every surface. */
import { assert, describe, it } from "@effect/vitest"
import { type Answer, Operation, Operations } from "@sigtrap/protocol"
import { Effect, Schema } from "effect"
import * as EverySurface from "./everySurface.ts"

const isPlain = (schema: Schema.Top): schema is Schema.Top & Schema.Codec<unknown> => Schema.isSchema(schema)

/**
 * Declares one test for each operation, with a number of generated answers. The tests are computed from the operations, so new
 * ones are included.
 */
export const declare = (runs: number): void => {
  const send = EverySurface.make()
  describe("every answer arrives, whatever it says", () => {
    for (const operation of Operations.all) {
      const { successSchema } = operation
      if (!isPlain(successSchema)) throw new Error(`${operation._tag} has no success schema`)
      const follows = Schema.is(successSchema)
      const isAnswer = (answer: unknown): answer is Answer.Answer<unknown> => follows(answer)
      it.effect.prop(
        operation._tag,
        [successSchema],
        ([answer]) =>
          Effect.gen(function* () {
            if (!isAnswer(answer)) return assert.fail("the generated answer does not follow its schema")
            const [{ input }] = Operation.meta(operation).examples
            yield* send(operation, input, () => Effect.succeed(answer), "none")
          }),
        { arbitrary: { runs } }
      )
    }
  })
}
