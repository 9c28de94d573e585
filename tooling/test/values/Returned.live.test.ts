/** Returned values after `finish`, and breakpoints on functions whose names have a tag of the ABI, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"

/** Functions in the order of their calls, and what they return. */
const returned: ReadonlyArray<readonly [name: string, value: RegExp | undefined]> = [
  ["extended", /^3$/],
  ["huge", /^1267650600228229401496703205378$/],
  ["paint", /^Green$/],
  ["number", /^\{i:77, f:1\.07\S+, \{low:77, high:0\}\}$/],
  ["bits", /^\{a:5, b:-2, c:true\}$/],
  ["mixed", /^\{first:1, second:2\.5\}$/],
  ["wide", /^\{v:\{1, 2, 3, 4, 5\}\}$/],
  ["turned", /^2 \+ 0i$/],
  ["shared", /^0x[0-9a-f]+ \{9\} use_count=1$/],
  ["both", /^\{8:9\}$/],
  ["greet", /^"ggg"$/],
  ["nothing", undefined],
  ["Named::name", /^"nnn"$/]
]

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("finish", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`shows what a function returned (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* start("returned", { backend, break: returned.map(([name]) => name) })
          for (const [name, value] of returned) {
            const shown = (yield* call("finish", {})).data.return_value?.value
            if (value === undefined) assert.isUndefined(shown, name)
            else assert.match(shown ?? "", value, name)
            yield* call("continue", {})
          }
        })
      )
    )
  }
})
