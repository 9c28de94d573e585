/**
 * Pages of trees of the C++ library: at each page the elements are those of the program, in its order, also after it has changed the
 * tree, and far from the first one.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const elements = 6000

const source = `#include <map>
#include <set>
#include <string>
static void pause_here() {}
int main() {
  std::map<int, int> squares;
  std::multiset<std::string> words{"b", "a", "c", "b"};
  std::map<int, std::map<char, int>> nested{{1, {{'x', 2}, {'y', 3}}}, {4, {}}};
  for (int n = 0; n < ${elements}; n++) squares[n] = n + 1;
  pause_here();
  for (int n = 0; n < ${elements}; n += 2) squares.erase(n);
  words.insert("aa");
  pause_here();
  squares.clear();
  pause_here();
  return 0;
}
`

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("pages of trees", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`have the elements of the stop, with ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("trees.cpp", source, "g++", ["-O0"])
          yield* starting(client, built, backend, { break: ["trees.cpp:10"] })
          const page = (target: string, start = 0, count = 20) =>
            Effect.map(call("expand", { target, start, count }), ({ data }) =>
              data.children.map(({ name, value }) => `${name} ${value}`)
            )
          const expected = (start: number, of: (index: number) => string) =>
            Array.from({ length: 20 }, (_, index) => `[${start + index}] ${of(start + index)}`)
          const all = (index: number) => `{${index}:${index + 1}}`
          assert.deepStrictEqual(yield* page("squares"), expected(0, all))
          assert.deepStrictEqual(yield* page("squares", 1500), expected(1500, all))
          assert.deepStrictEqual(yield* page("words"), ['[0] "a"', '[1] "b"', '[2] "b"', '[3] "c"'])
          assert.deepStrictEqual(yield* page("nested"), ["[0] {1:2 {'x':2,'y':3}}", "[1] {4:0 {}}"])

          yield* call("break", { at: "trees.cpp:13" })
          yield* call("continue", {})
          const odd = (index: number) => `{${2 * index + 1}:${2 * index + 2}}`
          assert.deepStrictEqual(yield* page("squares"), expected(0, odd))
          assert.deepStrictEqual(yield* page("squares", 1500), expected(1500, odd))
          assert.deepStrictEqual(yield* page("words"), ['[0] "a"', '[1] "aa"', '[2] "b"', '[3] "b"', '[4] "c"'])

          yield* call("break", { at: "trees.cpp:15" })
          yield* call("continue", {})
          assert.deepStrictEqual(yield* page("squares"), [])

          // The names and files that LLDB sets before each call of a formatter, and other lines of Python, are as without formatters.
          const script = (line: string) =>
            Effect.map(call("raw", { command: `script ${line}` }), ({ data }) => data.output.trim())
          assert.strictEqual(yield* script("print(lldb.debugger_unique_id == lldb.debugger.GetID())"), "True")
          assert.strictEqual(yield* script("print(lldb.frame.GetFunctionName())"), "main")
          assert.include(yield* script("print(1 / 0)"), "ZeroDivisionError")
          assert.strictEqual(yield* script("print(1); print(2)"), "1\n2")
          assert.strictEqual(yield* script("print('end')"), "end")
        })
      )
    )
  }
})
