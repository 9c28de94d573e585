/**
 * Building blocks for bodies that adapters write with more freedom than the specification gives them.
 *
 * `null` where a field may be absent counts as absent, a missing list as an empty one, a missing flag as false. Numbers
 * may be beyond 2^31 and even beyond 2^53 (lldb-dap 21 sends 2^64 as `totalFrames`), so no integer check is made.
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

/** A list that is empty when it is missing. */
export const list = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).pipe(Schema.withDecodingDefault(Effect.succeed([])))
