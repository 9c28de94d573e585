/**
 * Values of watched memory where no variable of their type is in scope: each is shown as `print` shows the variable. A write to the
 * memory beside it is none, also if that memory fits no debug register exactly.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

/** The writes are in a function that does not know the variables. */
const text = `#include <array>
#include <optional>
#include <utility>
#include <vector>
template <class T, int N> struct Box { T items[N]; };
struct Point { int x, y; int *next; };
struct Flags { unsigned low : 3, high : 5; };
typedef int (*Call)(int);
static int twice(int value) { return 2 * value; }
template <class T> static void write(T *place, T value) { *place = value; }
static void use(void *) {}
int main() {
  std::pair<int, int> both(1, 2);
  std::optional<int> maybe;
  std::array<int, 3> numbers = {1, 2, 3};
  Box<short, 3> box = {{4, 5, 6}};
  char word[8] = "ab";
  int rows[2][2] = {{1, 2}, {3, 4}};
  int (*call)(int) = nullptr;
  Box<short, 3> *pointer = nullptr;
  Point point = {1, 2, nullptr};
  const int &other = point.y;
  Flags flags = {1, 2};
  use(&both); // here
  write(&both.second, 9);
  maybe = 5;
  write(&numbers[1], 7);
  write(&box.items[2], short(-8));
  write(&word[1], 'z');
  write(&rows[1][0], 6);
  write(&call, twice);
  write(&pointer, &box);
  write(&point.y, 11);
  return other + (call != nullptr) + (pointer != nullptr) + *maybe + both.first + rows[0][0] + word[0] + numbers[0] + flags.low;
}
`

suite("the value of a watchpoint", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect.runIf(hasWatchpoints())(`has the type of the variable (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* compiled({ "types.cpp": text }, [
            "g++",
            "-std=c++17",
            "-g",
            "-O0",
            "-o",
            "types",
            "types.cpp"
          ])
          const line = text.split("\n").findIndex((one) => one.includes("// here")) + 1
          for (const [expression, old, now] of [
            ["both", "{1:2}", "{1:9}"],
            ["numbers", "3 {1,2,3}", "3 {1,7,3}"],
            ["box", "{items:{4, 5, 6}}", "{items:{4, 5, -8}}"],
            ["box.items", "{4, 5, 6}", "{4, 5, -8}"],
            ["word", '"ab"', '"az"'],
            ["rows", "{{1, 2}, {3, 4}}", "{{1, 2}, {6, 4}}"],
            ["call", "0x0", /^0x[\da-f]+ \(twice at types\.cpp:9\)$/],
            ["pointer", "0x0", /^0x7f[\da-f]+/],
            ["other", "2", "11"]
          ] as const) {
            const program = { program: `${cwd}/types`, backend, environment, replace: true }
            yield* call("start", { ...program, break: [`types.cpp:${line}`] })
            yield* call("watch", { expression })
            const { data } = yield* call("continue", {})
            assert.deepInclude(data, { event: "stopped", reason: "watchpoint" }, expression)
            assert.deepInclude(data.watch, { expression, old }, expression)
            if (typeof now === "string") assert.strictEqual(data.watch?.new, now)
            else assert.match(data.watch?.new ?? "", now, expression)
          }
          yield* call("start", {
            program: `${cwd}/types`,
            backend,
            environment,
            replace: true,
            break: [`types.cpp:${line}`]
          })
          const refused = yield* Effect.flip(call("watch", { expression: "flags.high" }))
          assert.strictEqual(refused.message, "'flags.high' is a bit field, which has no address of its own")
        })
      ).pipe(Effect.scoped)
    )
  }
})
