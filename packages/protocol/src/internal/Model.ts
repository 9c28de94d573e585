/**
 * Models: structs whose schema and values have a name, so that declarations name them instead of repeating their fields.
 */
import * as Schema from "effect/Schema"

/** The schema of a model. `Self` is the class that extends it. */
export interface Model<Self, Fields extends Schema.Struct.Fields> extends Schema.Opaque<
  Self,
  Schema.Struct<Fields>,
  unknown
> {
  readonly fields: Fields
}

/** Returns the schema that the class `Self` extends. */
export const of =
  <Self>() =>
  <Fields extends Schema.Struct.Fields>(schema: Schema.Struct<Fields>): Model<Self, Fields> =>
    Schema.Opaque<Self, unknown>()(schema)
