/** Arrays in unions have their own length, on both LLDB backends. gcc writes no offset for them, and LLDB 19 loses their length. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** Expressions, and what the source implies; neighbours in memory are letters. */
const values: ReadonlyArray<readonly [expression: string, value: string]> = [
  ["w.bytes", '"DCBA"'],
  ["w.bytes[1]", "67 'C'"],
  ["w.halves", "{17220, 16706}"],
  ["pw->bytes", '"DCBA"'],
  ["pw->halves[1]", "16706"],
  ["packet.text", '"EFAB"'],
  ["packet.words[0].bytes", '"DCBA"'],
  ["packet.words[1].halves", "{9, 0}"]
]

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("arrays in unions", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`end where they end in the source (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          // LLDB reads the types for the condition before the first value is read.
          const condition = "packet.words[0].word == 1094861636"
          yield* start("unions", { backend, break: [`unions.cpp:${line("unions.cpp", "unions")} if ${condition}`] })
          for (const [expression, expected] of values) {
            const { values: found } = (yield* call("print", { expressions: [expression] })).data
            assert.strictEqual(found[0]?.value, expected, expression)
          }
          const members = (target: string) =>
            Effect.map(call("expand", { target }), ({ data }) => data.children.map(({ value }) => value))
          assert.deepStrictEqual(yield* members("w"), ["1094861636", "{17220, 16706}", '"DCBA"'])
          assert.deepStrictEqual(yield* members("packet.words[1]"), ["9", "{9, 0}", '"\\t"'])
          const [, halves] = (yield* call("expand", { target: "packet.words[1]" })).data.children
          assert.deepStrictEqual(yield* members(halves?.ref ?? ""), ["9", "0"])
        })
      )
    )
  }
})
