/**
 * Schemas for bodies that do not quite follow the specification.
 *
 * `null` in an optional field counts as absent, a missing list as empty, a missing flag as false. Numbers can exceed 2^31
 * and even 2^53 (lldb-dap 21 sends 2^64 as `totalFrames`), so they are not checked to be integers.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** A field that may be absent or null; never null once decoded. */
export const optional = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.NullishOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(
        Option.filter((value): value is NonNullable<typeof value> => value !== null && value !== undefined)
      ),
      encode: SchemaGetter.passthroughSupertype()
    })
  )

/** A list; a missing one is empty. */
export const list = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).pipe(Schema.withDecodingDefault(Effect.succeed([])))
