/**
 * The identity of a session (`Feed`), with which observers know it from another session of its name.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Makes an identity: 48 random bits in base 36. */
export const make: Effect.Effect<string> = Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) =>
  number.toString(36)
)
