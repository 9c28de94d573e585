/** Sets and watches elements of containers of C++ in a program that has no code for the operators which name them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>
namespace ns { enum class Color { red, green }; }
struct Item { double price; int counts[2]; ns::Color color; const int fixed = 1; };
int main() {
  std::vector<Item> items; items.push_back({1.5, {1, 2}}); items.push_back({2.5, {3, 4}});
  std::deque<short> queue; queue.push_back(7);
  std::array<int, 3> numbers = {1, 2, 3};
  std::map<int, Item> table; table.insert({4, Item{9}});
  std::unique_ptr<Item> one(new Item{3});
  std::string name = "abc";
  std::vector<int*> places; places.push_back(nullptr);
  int total = 0; // here
  for (auto& item : items) { total += item.counts[1]; item.price = total; }
  return total + name[0] + (int)one->color + queue.front() + numbers.back() + (int)table.size() + (int)places.size();
}
`

suite("an element of a container", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`is set without running code of the program, and watched (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* compiled({ "items.cpp": text }, ["g++", "-g", "-O0", "-o", "items", "items.cpp"])
          const line = text.split("\n").findIndex((one) => one.includes("// here")) + 1
          yield* call("start", { program: `${cwd}/items`, backend, environment, break: [`items.cpp:${line}`] })
          const print = (expression: string) =>
            Effect.map(call("print", { expressions: [expression] }), ({ data }) => data.values[0]?.value)
          for (const [target, value, shown] of [
            ["items[0].price", "4.25", "4.25"],
            ["items[1].counts[1]", "5", "5"],
            ["items[1].color", "ns::Color::green", "green"],
            ["queue[0]", "-3", "-3"],
            ["numbers[2]", "items[0].counts[0] + 7", "8"],
            ["table[4].counts[0]", "6", "6"],
            ["one->counts[1]", "8", "8"],
            ["name[1]", "'x'", "120 'x'"],
            ["places[0]", "&total", undefined]
          ] as const) {
            yield* call("set", { target, value })
            if (shown !== undefined) assert.strictEqual(yield* print(target), shown, target)
          }
          assert.strictEqual(yield* print("name"), '"axc"')
          assert.strictEqual(yield* print("items[0].price * 2 + numbers[2]"), "16.5")
          assert.strictEqual(yield* print("items[1].counts[1] == 5 && table[4].price > 8"), "true")
          assert.strictEqual(yield* print("places[0] == &total"), "true")
          assert.match((yield* print("places[0]")) ?? "", /^0x[\da-f]{6,}/)
          const refused = (target: string) =>
            Effect.map(Effect.flip(call("set", { target, value: "1" })), ({ message }) => message)
          assert.include(yield* refused("items[9].price"), "no element [9]: the size is 2")
          assert.match(yield* refused("items[0].fixed"), /const|assign/)
          if (!hasWatchpoints()) return
          yield* call("watch", { expression: "items[1].price" })
          const { data } = yield* call("continue", {})
          assert.deepInclude(data, { event: "stopped", reason: "watchpoint" })
          assert.deepInclude(data.watch, { expression: "items[1].price", old: "2.5", new: "7" })
        })
      ).pipe(Effect.scoped)
    )
  }
})
