// Three clients of one session: the same events for each, no lost stop, and nothing that one reads changes what another is shown.
import { it } from "@effect/vitest"
import * as Sequences from "./actorSequences.ts"

it.effect.each([1, 2, 3])("three clients do not disturb each other in 120 random operations (seed %i)", (seed) =>
  Sequences.check(seed, 120)
)
