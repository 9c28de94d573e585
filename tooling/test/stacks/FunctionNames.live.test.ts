/** Functions of C++ by the beginning of their names, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("completing a location", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`finds methods by their name and by their class, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* start("shapes", { backend, break: ["main"] })
          const completed = (text: string) =>
            Effect.map(call("complete", { text, kind: "location" }), ({ data }) =>
              data.completions.map((one) => one.text)
            )
          assert.deepStrictEqual(yield* completed("Square::"), ["Square::Square", "Square::area", "Square::~Square"])
          assert.deepStrictEqual(yield* completed("are"), ["area"])
          assert.include(yield* completed("mai"), "main")
          assert.deepStrictEqual(yield* completed("nosuch"), [])
        })
      )
    )
  }
})
