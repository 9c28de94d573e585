/** Random operations of three clients on one session of a real program, each through its real surface, on both LLDB backends. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { platform } from "../support/fixturePrograms.ts"
import * as BuiltSurfaces from "./builtSurfaces.ts"
import * as SurfaceSequences from "./surfaceSequences.ts"

layer(platform, { excludeTestServices: true, timeout: "900 seconds" })("three clients of one real program", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(
      `see the same events, lose no stop, and do not disturb each other in 300 random operations, under ${backend}`,
      () =>
        Effect.gen(function* () {
          const { source, surfaces } = yield* BuiltSurfaces.make
          yield* SurfaceSequences.check({ surfaces, seed: 15, count: 300, backend, source })
        }).pipe(Effect.scoped),
      450_000
    )
  }
})
