/** Expressions, conditions, messages and assignments in lambdas of gcc and clang, which capture by reference, by value and `this`. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const source = `#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>
struct Item { int price; std::string name; Item *next; };
int limit = 5;
enum Kind { PLAIN, LARGE = 7 } shown = LARGE;
struct Pool {
  int size = 4;
  int *slots = nullptr;
  int grow() {
    const auto add = [this](int by) {
      const int local = by * 10;
      size += by;
      return size + local;
    };
    return add(1) + add(2);
  }
  int missing() {
    const auto at = [this](int index) { return slots[index]; };
    return at(3);
  }
};
int main(int argc, char **) {
  std::vector<Item> items{{3, "pen", nullptr}, {9, "ink", nullptr}, {5, "pad", nullptr}};
  items[0].next = &items[1];
  Item *first = &items[0];
  int total = 0, limit = 90;
  std::for_each(items.begin(), items.end(), [&](Item &it) {
    total += it.price;
    std::printf("%d %d\\n", total, first->next->price);
  });
  Pool pool;
  if (argc > 1) return pool.missing();
  std::thread worker([&pool, total] {
    const int sum = pool.grow() + total;
    std::printf("%d\\n", sum);
  });
  worker.join();
  return limit == 0;
}
`

/** The values of expressions at the second element, in the member function, and in the thread, as the program computes them. */
const atElement = {
  "total + 1": "13",
  "it.price * 2": "18",
  "first->next->price": "9",
  "it.price == LARGE + 2": "true"
}
const inMember = { "size + local": "27", "this->size * by": "14", "by + 1": "3" }
const inThread = { "pool.size + total": "24", "total * 2": "34" }

suite("expressions in lambdas", (it) => {
  for (const compiler of ["g++", "clang++"] as const) {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`have the values of the program (${compiler}, ${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const cwd = yield* compiled({ "closures.cpp": source }, [
              compiler,
              "-pthread",
              "-o",
              "closures",
              "closures.cpp"
            ])
            const program = `${cwd}/closures`
            yield* call("start", {
              program,
              backend,
              environment,
              break: ["closures.cpp:32 if total > 10", "closures.cpp:16 if by == 2"],
              logpoint: ["closures.cpp:31 :: before {total + 1} {it.price * 10}"]
            })
            const check = Effect.fnUntraced(function* (expected: Readonly<Record<string, string>>) {
              const found: Record<string, string | undefined> = {}
              for (const expression of Object.keys(expected)) {
                const { data } = yield* call("print", { expressions: [expression] })
                found[expression] = data.values[0]?.value
              }
              assert.deepStrictEqual(found, { ...expected })
            })
            yield* check(atElement)
            for (const expression of ["items.size()", "argc + 1"]) {
              const unknown = yield* Effect.flip(call("print", { expressions: [expression] }))
              assert.match(unknown.message, /no variable '(?:items|argc)' in this frame/, expression)
            }
            yield* call("set", { target: "total", value: "it.price + 3" })
            yield* call("breakpoint.remove", { ids: [1] })
            yield* call("continue", {})
            yield* check(inMember)
            yield* call("break", { at: "closures.cpp:38" })
            yield* call("continue", {})
            yield* check(inThread)
            yield* call("continue", {})
            const { text } = (yield* call("output", {})).data
            const lines = text.split("\n").filter((line) => line !== "")
            const isLogged = (line: string) => line.startsWith("before")
            assert.deepStrictEqual(lines.filter(isLogged), ["before 1 30", "before 4 90", "before 13 50"])
            assert.deepStrictEqual(
              lines.filter((line) => !isLogged(line)),
              ["3 9", "12 9", "17 9", "59"]
            )
            if (compiler === "clang++") return
            yield* call("start", { program, backend, environment, args: ["x"], replace: true })
            assert.match(
              (yield* call("explain", {})).data.facts[0]?.text ?? "",
              /^slots\[index\]: index = 3, slots = NULL/
            )
          })
        ).pipe(Effect.scoped)
      )
    }
  }
})
