/** Arrays of C whose length is computed at run time have that length, on both LLDB backends. LLDB 19 misreads what gcc writes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** Expressions with their value and type, as the source implies for seven elements. */
const values: ReadonlyArray<readonly [expression: string, value: string, type?: string]> = [
  ["squares", "{0, 1, 4, 9, 16, 25, 36}", "int[7]"],
  ["squares[6]", "36"],
  ["sizeof(squares)", "28"],
  ["sizeof(halves)", "448"],
  ["halves[6][7]", "9.5"],
  ["lines[1]", "{0, 10, 20, 30, 40, 50, 60}"],
  ["text", '"seven c"', "char[8]"],
  ["squares[1] + (int)sizeof(text)", "9"],
  ["pairs[2].x", "2"]
]

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("arrays sized at run time", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`have their length (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const at = (mark: string) => `lengths.c:${line("lengths.c", mark)}`
          yield* start("lengths", { backend, break: [at("filled"), at("parameter")] })
          const { variables } = (yield* call("locals", {})).data
          const shown = new Map(variables.map(({ name, type, value }) => [name, `${type ?? ""} ${value}`]))
          assert.strictEqual(shown.get("squares"), "int[7] {0, 1, 4, 9, 16, 25, 36}")
          assert.match(shown.get("halves") ?? "", /^double\[7\]\[8\] /)
          assert.match(shown.get("pairs") ?? "", /^pair\[3\] /)
          assert.match(shown.get("calls") ?? "", /^int \(\*\[7\]\)\(int\) /)
          for (const [expression, value, type] of values) {
            const [found] = (yield* call("print", { expressions: [expression] })).data.values
            assert.strictEqual(found?.value, value, expression)
            if (type !== undefined) assert.strictEqual(found?.type, type)
          }
          const lengthOf = (target: string) =>
            Effect.map(call("expand", { target, count: 100 }), ({ data }) => data.children.length)
          assert.strictEqual(yield* lengthOf("halves"), 7)
          assert.strictEqual(yield* lengthOf("pairs"), 3)
          assert.strictEqual(yield* lengthOf("words"), 7)
          yield* call("continue", {})
          const [row] = (yield* call("print", { expressions: ["grid[1]"] })).data.values
          assert.strictEqual(row?.value, "{0, 10, 20, 30, 40, 50, 60}")
        })
      )
    )
  }
})
