/** Expressions that lack an operator have no value. LLDB's adapter would put a semicolon into them and answer with the last value. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const text = `int number = 3;
int main(void) {
  int counter = 5;
  for (int i = 0; i < 2; i++) {
    counter += number; // mark: log
  }
  return counter; // mark: end
}
`

const lineOf = (mark: string) => text.split("\n").findIndex((line) => line.includes(`// mark: ${mark}`)) + 1

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("an expression without an operator", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`between two values has no value (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const cwd = yield* compiled({ "two.c": text }, ["gcc", "-g", "-o", "two", "two.c"])
          yield* start(`${cwd}/two`, { backend, break: ["two.c:3"] })
          for (const expression of [
            "counter number",
            "(counter) number",
            "counter == 5 number",
            "counter and number"
          ]) {
            const error = yield* Effect.flip(call("print", { expressions: [expression] }))
            assert.strictEqual(error._tag, "EvaluationFailed", expression)
          }
          const { values } = (yield* call("print", { expressions: ["(long) number", "sizeof (int)"] })).data
          assert.deepStrictEqual(
            values.map(({ value }) => value),
            ["3", "4"]
          )
          yield* call("break", { at: `two.c:${lineOf("log")}`, log: "{i number} {number}" })
          yield* call("break", { at: `two.c:${lineOf("end")}` })
          yield* call("continue", {})
          const { text: output } = (yield* call("output", {})).data
          const lines = output.split("\n").filter((line) => line !== "")
          assert.lengthOf(lines, 2)
          for (const line of lines) assert.match(line, /^<.*> 3$/)
        })
      )
    )
  }
})
