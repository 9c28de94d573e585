// The same as ActorSequences.test.ts, with ten thousand operations.
import { it } from "@effect/vitest"
import * as Sequences from "./actorSequences.ts"

it.effect.each([11, 12, 13, 14])(
  "three clients do not disturb each other in 2,500 random operations (seed %i)",
  (seed) => Sequences.check(seed, 2500),
  300_000
)
