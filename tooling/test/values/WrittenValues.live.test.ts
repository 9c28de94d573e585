// Values as people write them in assignments, and notations of other debuggers in the place of expressions.
import { assert, layer } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const source = `struct item { int id; char name[8]; };
static int square(int x) { return x * x; }
int main(void) {
  double d = 1.5; float f = 2.5f; char buf[16] = "hello"; char *p = buf; int total = 0;
  struct item items[2] = {{1, "one"}, {2, "two"}};
  total = square(items[1].id);
  return total + (int)d + (int)f + *p;
}
`

suite("values and expressions", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`that people write are assigned, or say what works (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const program = `${yield* compiled({ "written.c": source }, ["gcc", "-o", "written", "written.c"])}/written`
          yield* call("start", { program, backend, environment, break: ["written.c:7"] })
          for (const [target, value, now] of [
            ["d", "nan", "NaN"],
            ["d", "inf", "+Inf"],
            ["d", "-infinity", "-Inf"],
            ["f", "NAN", "NaN"],
            ["buf", `"text"`, `"text"`],
            ["items[0].name", `"a\\n\\x41"`, `"a\\nA"`]
          ] as const) {
            assert.strictEqual((yield* call("set", { target, value })).data.new.value, now, `${target} = ${value}`)
          }
          const long = yield* Effect.flip(call("set", { target: "buf", value: `"${"x".repeat(16)}"` }))
          assert.include(long.message, "need 17 bytes, the array has 16")
          const other = yield* Effect.flip(call("set", { target: "total", value: "totl" }))
          assert.deepInclude(other, { _tag: "VariableNotFound", name: "totl", near: ["total"] })
        })
      )
    )

    it.effect(`that are none say what to write (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const program = `${yield* compiled({ "written.c": source }, ["gcc", "-o", "written", "written.c"])}/written`
          yield* call("start", { program, backend, environment, break: ["written.c:7"] })
          for (const expression of ["tota", "tota + 1", "totl = 3", "(int)tota", "total + square(totl)"]) {
            const error = yield* Effect.flip(call("eval", { expression }))
            assert.deepInclude(error, { _tag: "VariableNotFound", near: ["total"] }, expression)
          }
          const { frames } = (yield* call("backtrace", {})).data
          const ref = frames[0]?.ref ?? ""
          const { values } = (yield* call("print", { expressions: ["items", "p"] })).data
          const items = values[0]?.ref ?? ""
          for (const [expression, message, hint] of [
            ["  ", "it is empty", Hint.call("locals", {})],
            ["to\u0001tal", "it has a control character", Hint.call("locals", {})],
            ["@f99", "@f99 is not a reference of this stop", Hint.call("backtrace", {})],
            [ref, "it is a frame, not a value", Hint.call("locals", { frame: ref })],
            [
              `${items}[0].id`,
              "a reference is a whole expression",
              Hint.call("print", { expressions: ["items[0].id"] })
            ],
            ["*p@2", "elements are not written with @", Hint.call("print", { expressions: ["p"], array: 2 })],
            ["buf[1]@3", "elements are not written with @", Hint.call("print", { expressions: ["&buf[1]"], array: 3 })],
            ["$$2", "earlier values have no such names", Hint.help("history")]
          ] as const) {
            const read = yield* Effect.flip(call("print", { expressions: [expression] }))
            const evaluated = yield* Effect.flip(call("eval", { expression }))
            for (const error of [read, evaluated]) {
              assert.include(error.message, message)
              assert.deepStrictEqual(error.hints[0], hint)
            }
          }
          const away = yield* Effect.flip(call("memory.read", { address: "&tota" }))
          assert.deepInclude(away, { _tag: "VariableNotFound", name: "tota", near: ["total"] })
          const elements = (yield* call("print", { expressions: ["&buf[1]"], array: 3 })).data.values[0]?.children
          assert.lengthOf(elements ?? [], 3)
          assert.strictEqual((yield* call("eval", { expression: items })).data.value.name, "items")
          const texts = (text: string) =>
            Effect.map(call("complete", { text }), ({ data }) => data.completions.map((one) => one.text))
          assert.deepStrictEqual(yield* texts("-1"), [])
          assert.deepStrictEqual(yield* texts("1 + tot"), ["1 + total"])
          assert.deepStrictEqual(yield* texts("sizeof tot"), ["sizeof total"])
        })
      )
    )
  }
})
