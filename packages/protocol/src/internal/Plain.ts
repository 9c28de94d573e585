/**
 * The one place where a schema with its types forgotten becomes usable again. `Operation.make` only takes schemas of
 * plain data, so that decoding and encoding need no services; `Operation.Any` no longer says so.
 */
import * as Schema from "effect/Schema"

/** Narrows any schema to one that decodes and encodes without services. */
export const isPlain = (schema: Schema.Top): schema is Schema.Top & Schema.Codec<unknown> => Schema.isSchema(schema)
