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

/** Fields with a name: a model, or a record that several models and payloads share. */
export interface Named {
  readonly fields: Schema.Struct.Fields
}

/** The fields of a model with further ones. The name keeps declarations from repeating the fields of the model. */
export type Extended<
  M extends { readonly fields: Schema.Struct.Fields },
  More extends Schema.Struct.Fields
> = M["fields"] & More

/** Returns the fields of a model with further ones. */
export const extended = <M extends Named, More extends Schema.Struct.Fields>(
  model: M,
  more: More
): Extended<M, More> => ({ ...model.fields, ...more })

/** Returns further fields, and then those of a model. */
export const before = <M extends Named, More extends Schema.Struct.Fields>(
  more: More,
  model: M
): Extended<M, More> => ({
  ...more,
  ...model.fields
})

/** Returns the schema that the class `Self` extends. */
export const of =
  <Self>() =>
  <Fields extends Schema.Struct.Fields>(schema: Schema.Struct<Fields>): Model<Self, Fields> =>
    Schema.Opaque<Self, unknown>()(schema)
