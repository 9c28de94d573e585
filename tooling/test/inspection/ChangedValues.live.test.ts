/** Marks of changed values whose text is cut, on both LLDB backends; the program's source says what each step changes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("changed values", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are found beyond the cut of their text, and no other is marked, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("changes", { backend, break: [`changes.cpp:${line("changes.cpp", "first")}`] })
          const seen: Array<ReadonlyArray<string>> = []
          const old: Array<string | undefined> = []
          for (let time = 0; time < 7; time++) {
            const changed = (yield* call("next", {})).data.locals?.filter((one) => one.changed === true) ?? []
            seen.push(changed.map(({ name }) => name))
            old.push(changed.find(({ name }) => name === "n")?.old)
          }
          assert.deepStrictEqual(seen, [["n"], ["p"], ["n"], ["p"], ["n"], ["big"], ["n"]])
          assert.deepStrictEqual(
            old.filter((text) => text !== undefined),
            ["0", "1", "2", "3"]
          )
          const { vars } = (yield* call("changed", {})).data
          assert.deepStrictEqual(
            vars.map(({ name }) => name),
            ["n"]
          )
          const before = (yield* call("registers", { names: ["rip"] })).data.groups[0]?.registers[0]
          yield* call("stepi", {})
          const after = (yield* call("registers", { names: ["rip"] })).data.groups[0]?.registers[0]
          assert.deepStrictEqual([after?.changed, after?.old], [true, before?.value])
        })
      )
    )
  }
})
