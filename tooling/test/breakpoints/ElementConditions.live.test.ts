/** Conditions, messages and traces that name elements of C++ containers, in a program that has no code for the operators which name them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <map>
#include <memory>
#include <string>
#include <vector>
struct Item { unsigned low : 3; unsigned high : 5; double price; };
namespace ns { std::vector<Item> all; }
int pass(const std::vector<Item>& items, std::map<int, int>& table, const std::string& name, std::unique_ptr<Item>& one, int n) {
  return n + items.back().price + table.size() + name.size() + one->price; // here
}
int main() {
  std::vector<Item> items; items.push_back({0, 0, 0.5}); items.push_back({0, 0, 1.5}); ns::all = items;
  std::map<int, int> table; table.insert({-5, 50}); table.insert({0, 40});
  std::string name;
  std::unique_ptr<Item> one(new Item{0, 0, 0});
  int total = 0;
  for (int n = 0; n < 14; n++) {
    for (auto& item : items) { item.price += 1; item.high = n; }
    for (auto& item : ns::all) item.price += 1;
    if (n == 6) table.insert({7, 70});
    name += (char)('a' + n);
    one->price = n;
    total += pass(items, table, name, one, n);
  }
  return total & 1;
}
`

const line = text.split("\n").findIndex((one) => one.includes("// here")) + 1
const at = `items.cpp:${line}`

/** Conditions, each with the value of n at its first stop after the one before. */
const conditions = [
  ["items[0].price > 2", 1],
  ["items[1].high == 3 && n > 2", 3],
  ['name == "abcde"', 4],
  ["5 < name.size()", 5],
  ["table.count(7) && table[7] == 70", 6],
  ["one->price > 6.5", 7],
  ["items[n % 2].price > 9.4", 8],
  ["ns::all[1].price > 11", 9],
  ["name[10] == 'k'", 10],
  ["(*one).price == 11", 11]
] as const

/** Compiles the program. */
const built = compiled({ "items.cpp": text }, ["g++", "-g", "-O0", "-std=c++17", "-o", "items", "items.cpp"])

suite("an element of a container", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`is read by conditions without running code of the program (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* built
          yield* call("start", {
            program: `${cwd}/items`,
            backend,
            environment,
            break: [`${at} if items[0].price > 1`]
          })
          yield* call("breakpoint.remove", { ids: [1] })
          for (const [condition, n] of conditions) {
            // Before it has the text, the name has no character at the index.
            const { data: set } = yield* call("break", {
              at,
              condition: condition.startsWith("name[") ? `n > 9 && ${condition}` : condition
            })
            const { data } = yield* call("continue", {})
            assert.deepInclude(data, { event: "stopped", reason: "breakpoint" }, condition)
            assert.strictEqual(
              (yield* call("print", { expressions: ["n"] })).data.values[0]?.value,
              String(n),
              condition
            )
            assert.notInclude(JSON.stringify(data), "condition error", condition)
            yield* call("breakpoint.remove", { ids: [set.id] })
          }
          yield* call("break", { at, condition: "table[9] == 1" })
          const failed = yield* call("continue", {})
          assert.include(JSON.stringify(failed), "no element with key 9")
          assert.strictEqual((yield* call("print", { expressions: ["table.size()"] })).data.values[0]?.value, "3")
        })
      ).pipe(Effect.scoped)
    )

    it.effect(`is the one that C++ means in messages and traces (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* built
          yield* call("start", { program: `${cwd}/items`, backend, environment, break: ["main"] })
          // LLDB's path table[0] is the first pair of the map.
          const spec = `${at} if items[0].price > 2 :: {table[0]} {items[0].price} {name.size()}`
          yield* call("trace", { specs: [spec], max: 3 })
          const { rows } = (yield* call("hits.list", { last: 10 })).data
          assert.deepStrictEqual(
            rows.map(({ values }) => values),
            [1, 2, 3].map((n) => ({ "table[0]": "40", "items[0].price": `${n + 1}.5`, "name.size()": String(n + 1) }))
          )
          yield* call("logpoint", { at, message: "{table[0]} {table[0] + 1} {n}", condition: "items[1].high > 10" })
          assert.strictEqual((yield* call("continue", {})).data.event, "exited")
          assert.strictEqual((yield* call("output", { channel: ["log"] })).data.text, "40 41 11\n40 41 12\n40 41 13\n")
          yield* call("start", { program: `${cwd}/items`, backend, environment, break: [at] })
          const evaluated = yield* call("eval", { expression: "table[0]" })
          assert.strictEqual(evaluated.data.value.value, "40")
        })
      ).pipe(Effect.scoped)
    )
  }
})
