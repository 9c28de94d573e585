/** The test of the program `contents`, for libstdc++ and libc++. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, Programs } from "../support/fixturePrograms.ts"

/** Variables, and what the source implies. */
const values: Readonly<Record<string, string>> = {
  inner: '"a\\0b"',
  s16: 'u"s16é"',
  wide: 'L"wide"',
  view: '"view"',
  v16: 'u"s16é"',
  flags: "2 {true,false}",
  list: "2 {4,5}",
  queue: "2 {1,2}",
  lists: "2 {1 {1},2 {2,3}}",
  stack: '1 {"top"}',
  atomic: "7",
  first: "1 {1:{number:10}}",
  second: "1 {2:{number:20}}",
  c16: "97 u'a'",
  newline: "10 L'\\n'",
  number: "5",
  text: '"any"',
  nothing: "empty",
  complex: "1 + -2i",
  path: '"/usr/lib"',
  held: '{name:"held", count:3}',
  unheld: "nullopt",
  bytes: '"\\x01\\x02A"',
  pair: 'u"pq"',
  behind: 'L"rs"'
}

/** Debugs a build of the program and compares its values with the source. */
export const contents = (program: string, backend: "dap" | "lldb-cli", lambda: string) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      yield* start(program, { backend, break: [`contents.cpp:${line("contents.cpp", "contents")}`] })
      const { variables } = (yield* call("locals", { names: [...Object.keys(values), "lambda"] })).data
      assert.deepStrictEqual(Object.fromEntries(variables.map(({ name, value }) => [name, value])), {
        ...values,
        lambda
      })
      // Elements of two containers of one type are different values.
      const element = (target: string) =>
        Effect.map(call("expand", { target }), ({ data }) => data.children[0]?.ref ?? "")
      const references = [yield* element("first"), yield* element("second")]
      const numbers = yield* Effect.forEach(references, (target) => call("expand", { target }))
      assert.deepStrictEqual(
        numbers.map(({ data }) => data.children.map(({ value }) => value)),
        [
          ["1", "{number:10}"],
          ["2", "{number:20}"]
        ]
      )
      for (const [expression, expected] of [
        ["queue.size()", "2"],
        ["held->count", "3"],
        ["(*held).name", '"held"'],
        ["held.value().count", "3"],
        ["*held", '{name:"held", count:3}'],
        ["text[0]", '"any"'],
        ["item->name", '"second"'],
        ["*item", '{name:"second", count:2}'],
        ["entry->first", "1"],
        ["entry->second.name", '"one"'],
        ["pair[1]", "113 u'q'"],
        ["list", "2 {4,5}"]
      ] as const) {
        const { values: found } = (yield* call("print", { expressions: [expression] })).data
        assert.strictEqual(found[0]?.value, expected, expression)
      }
    })
  )
