/**
 * Schemas for bodies that do not quite follow the specification.
 *
 * `null` in an optional field counts as absent, a missing list as empty, a missing flag as false. Numbers can exceed 2^31
 * and even 2^53 (lldb-dap 21 sends 2^64 as `totalFrames`), so ids that are only sent back are not checked to be integers.
 * Numbers that are shown, such as threads, lines and exit codes, are: any other value counts as absent.
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

/** Returns whether a value is an integer that JavaScript has exactly. */
export const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

/** An integer that may be absent; any other value counts as absent. */
export const optionalInteger = Schema.optionalKey(Schema.Unknown).pipe(
  Schema.decodeTo(Schema.optionalKey(Schema.Int), {
    decode: SchemaGetter.transformOptional(Option.filter(isInteger)),
    encode: SchemaGetter.passthroughSupertype()
  })
)

/** An integer; any other value counts as 0. */
export const integer = Schema.optionalKey(Schema.Unknown).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transformOptional((value) =>
      Option.some(Option.getOrElse(Option.filter(value, isInteger), () => 0))
    ),
    encode: SchemaGetter.passthroughSupertype()
  })
)

/** Integers; other items, and a value that is not a list, count as absent. */
export const integers = Schema.optionalKey(Schema.Unknown).pipe(
  Schema.decodeTo(Schema.Array(Schema.Int), {
    decode: SchemaGetter.transformOptional((value) =>
      Option.some(
        Option.match(value, { onNone: () => [], onSome: (all) => (Array.isArray(all) ? all.filter(isInteger) : []) })
      )
    ),
    encode: SchemaGetter.passthroughSupertype()
  })
)
