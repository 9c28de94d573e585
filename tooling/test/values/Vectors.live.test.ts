/** Vectors, and arrays that LLDB shows like vectors, are shown as arrays and can be opened, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const source = `typedef float four __attribute__((vector_size(16)));
struct row { float cells[4]; int last; };
int main(void) {
  four vector = {1, 2, 3, 4};
  float array[4] = {5, 6, 7, 8};
  struct row row = {{9, 10, 11, 12}, 13};
  return (int)(vector[0] + array[0] + row.cells[0]);
}
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("vectors", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are shown as arrays, and can be opened, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("vectors.c", source, "cc", ["-O0"])
          yield* starting(client, built, backend, { break: ["vectors.c:7"] })
          const { variables } = (yield* call("locals", {})).data
          // On a busy machine lldb-dap cuts the text: `{1, ...}`.
          for (const { name, value } of variables) assert.match(value, /^\{(?:\d|cells:)/, name)
          for (const [target, first] of [
            ["vector", 1],
            ["array", 5],
            ["row.cells", 9]
          ] as const) {
            const { children } = (yield* call("expand", { target })).data
            assert.deepStrictEqual(
              children.map(({ value }) => value),
              [0, 1, 2, 3].map((index) => `${first + index}`)
            )
          }
          const set = yield* call("set", { target: "array[1]", value: "60" })
          assert.deepStrictEqual([set.data.old, set.data.new.value], ["6", "60"])
        })
      )
    )
  }
})
