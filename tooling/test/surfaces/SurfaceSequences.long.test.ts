/** Ten thousand random operations of three clients on one session of a simulated program, each through its real surface. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as RealSurfaces from "./realSurfaces.ts"
import * as SurfaceSequences from "./surfaceSequences.ts"

describe("an agent over MCP, a command line and an HTTP client on one session", () => {
  it.live(
    "see the same events, lose no stop, and do not disturb each other in 10,000 random operations",
    () =>
      Effect.gen(function* () {
        const surfaces = yield* RealSurfaces.make
        yield* SurfaceSequences.check({ surfaces, seed: 15, count: 10_000, source: "/src/app.c" })
      }).pipe(Effect.scoped),
    1_800_000
  )
})
