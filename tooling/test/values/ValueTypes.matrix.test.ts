/** Small types of values and iterators of the C++ library, whose contents are known from the program's source. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const text = `#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <unordered_map>
#include <valarray>
#include <vector>
struct Point { int x, y; };
struct Table { int cells[2][2]; Point ends[1]; };
struct Wide { std::string a, b; double c; std::string d; };
struct Own : std::error_category {
  const char *name() const noexcept override { return "own"; }
  std::string message(int) const override { return ""; }
};
int main() {
  std::valarray<int> numbers{1, 2, 3}, none;
  int target = 42;
  std::reference_wrapper<int> wrapped(target);
  Own own;
  std::error_code code = std::make_error_code(std::errc::no_such_file_or_directory), good, mine(7, own);
  std::error_condition condition = std::errc::timed_out;
  std::optional<std::optional<int>> both{std::optional<int>{5}}, inner{std::optional<int>{}}, outer;
  std::chrono::steady_clock::time_point since{std::chrono::milliseconds(5000)};
  auto day = std::chrono::year_month_day{std::chrono::year{2024}, std::chrono::month{2}, std::chrono::day{29}};
  std::list<Point> points{{1, 2}, {3, 4}};
  auto second = ++points.begin(), behind = points.end();
  std::map<std::string, int> map{{"k", 1}};
  auto entry = map.begin(), last = map.end();
  std::set<int> set{4, 5};
  auto smallest = set.begin(), none_left = set.end();
  std::unordered_map<int, std::string> table{{7, "seven"}};
  auto found = table.find(7), missing = table.find(8);
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}}, (&same)[2][3] = grid;
  Point corners[2] = {{1, 2}, {3, 4}};
  std::string pair[2][1] = {{"a, }"}, {"b"}};
  int large[9][99] = {};
  Table matrix{{{1, 2}, {3, 4}}, {{5, 6}}};
  std::map<int, Wide> wide{{8, {"aa, } aaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb", 0.5, "cccccccccccccccccccccccccc"}}};
  std::vector<bool> bits{true, false};
  auto bit = bits[0], zero = bits[1];
  std::shared_ptr<void> untyped = std::make_shared<int>(4);
  return target == 42 ? 0 : 1; // mark: end
}
`

const previews: Readonly<Record<string, RegExp>> = {
  numbers: /^3 \{1,2,3\}$/,
  none: /^0 \{\}$/,
  wrapped: /^42$/,
  code: /^2 ENOENT \(generic\)$/,
  good: /^0 \(system\)$/,
  mine: /^7 \(Own\)$/,
  condition: /^110 ETIMEDOUT \(generic\)$/,
  both: /^5$/,
  // Only the outer optional has a value.
  inner: /^\{nullopt\}$/,
  outer: /^nullopt$/,
  since: /^5000000000ns$/,
  day: /^2024-02-29$/,
  second: /^\{x:3, y:4\}$/,
  // The node of the end is the list itself, which has no element.
  behind: /^\{_M_node:0x[0-9a-f]+\}$/,
  entry: /^\{"k":1\}$/,
  last: /^end$/,
  smallest: /^4$/,
  none_left: /^end$/,
  found: /^\{7:"seven"\}$/,
  missing: /^end$/,
  grid: /^\{\{1, 2, 3\}, \{4, 5, 6\}\}$/,
  same: /^0x[0-9a-f]+ \{\{1, 2, 3\}, \{4, 5, 6\}\}$/,
  corners: /^\{\{x:1, y:2\}, \{x:3, y:4\}\}$/,
  pair: /^\{\{"a, \}"\}, \{"b"\}\}$/,
  large: /^\{\{(?:0, ){20,40}…\}, …\}$/,
  matrix: /^\{cells:\{\{1, 2\}, \{3, 4\}\}, ends:\{\{x:5, y:6\}\}\}$/,
  // The first element has no room: its first members are shown.
  wide: /^1 \{8:\{a:"aa, \} a{14}", b:"b{20}", c:0\.5, …\}\}$/,
  bit: /^true$/,
  zero: /^false$/,
  untyped: /^0x[0-9a-f]+ use_count=1$/
}

const elements: ReadonlyArray<readonly [expression: string, value: string]> = [
  ["numbers[1]", "2"],
  ["numbers.size()", "3"],
  ["*second", "{x:3, y:4}"],
  ["second->x", "3"],
  ["*smallest", "4"]
]

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("small values of C++", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    for (const compiler of ["g++", "clang++"] as const) {
      it.effect(`are shown as what they mean (${backend}, ${compiler})`, () =>
        debugging(({ call, start }) =>
          Effect.gen(function* () {
            const cwd = yield* compiled({ "values.cpp": text }, [compiler, "-std=c++20", "-o", "values", "values.cpp"])
            const end = text.split("\n").findIndex((line) => line.includes("// mark: end")) + 1
            yield* start(`${cwd}/values`, { backend, break: [`values.cpp:${end}`] })
            const { variables } = (yield* call("locals", { names: Object.keys(previews) })).data
            for (const [name, expected] of Object.entries(previews)) {
              const shown = variables.find((one) => one.name === name)
              assert.match(shown?.value ?? "", expected, name)
            }
            const [first, ...others] = elements.map(([expression]) => expression)
            const { values } = (yield* call("print", { expressions: [first ?? "", ...others] })).data
            assert.deepStrictEqual(
              values.map(({ value }) => value),
              elements.map(([, value]) => value)
            )
          })
        )
      )
    }
  }
})
