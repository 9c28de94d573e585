/**
 * Pages of containers of the C++ library: what they show is the same whether LLDB's Python reads them with one command, or LLDB itself
 * by a request, as without these commands.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const source = `#include <array>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
// lldb-dap cuts the text of a value of several members after a time.
struct Point { std::string note; };
struct Holder { std::map<int, std::string> inside; int count; };
static void pause_here() {}
int run(const std::map<int, std::string> &referred, std::vector<Point> *pointed) {
  std::map<std::string, int> ages;
  std::unordered_map<int, std::string> names;
  std::vector<std::string> words;
  std::set<long> numbers;
  std::map<int, std::map<char, std::vector<int>>> nested;
  std::vector<Point> points;
  std::vector<const char *> labels;
  std::vector<int *> addresses;
  std::vector<bool> flags;
  std::list<std::pair<int, double>> pairs;
  std::deque<unsigned char> bytes;
  std::array<std::string, 12> texts;
  std::map<std::string, std::string> secrets{{"password", "hunter2"}, {"user", "ann"}};
  std::string plain[10];
  std::vector<int> none;
  Holder holder{{}, 3};
  static int cells[40];
  for (int n = 0; n < 40; n++) {
    ages["name " + std::to_string(n)] = n;
    words.push_back(n % 7 == 3 ? "\\xff\\xfe" : std::string(n * 3, 'a' + n % 26));
    numbers.insert(n * 1000L);
    nested[n][char('a' + n % 26)] = {n, n + 1};
    points.push_back({"note " + std::to_string(n)});
    labels.push_back(n % 5 == 0 ? nullptr : "label");
    addresses.push_back(n % 4 == 0 ? nullptr : n % 4 == 1 ? (int *)16 : &cells[n]);
    flags.push_back(n % 3 == 0);
    pairs.emplace_back(n, n / 4.0);
    bytes.push_back(n * 6);
    texts[n % 12] = std::string(n, 'x');
    plain[n % 10] = "text";
    holder.inside[n] = "inside";
    cells[n] = n;
  }
  for (int n = 0; n < 12; n++) names[n] = "number " + std::to_string(n);
  pause_here();
  pause_here();
  return ages.size() + names.size() + none.size() + referred.size() + pointed->size() + holder.count + secrets.size();
}
int main() {
  std::map<int, std::string> referred;
  std::vector<Point> pointed;
  for (int n = 0; n < 20; n++) {
    referred[n] = "referred";
    pointed.push_back({"pointed"});
  }
  return run(referred, &pointed) == 0;
}
`

const targets = (
  "ages names words numbers nested points labels addresses flags pairs bytes texts secrets plain none holder holder.inside referred " +
  "pointed *pointed nested[1] cells"
).split(" ")

const rows = `struct Row { int count; int *first; };
static int cells[100] = {7, 8, 9, 10};
int main() {
  Row row{3, cells};
  return row.count;
}
`

/** A formatter that makes any child, as that of Rust's vectors does. */
const formatter = `class Row:
    def __init__(self, value, _):
        self.value = value

    def num_children(self):
        return self.value.GetChildMemberWithName("count").GetValueAsUnsigned()

    def get_child_index(self, name):
        return int(name.strip("[]"))

    def get_child_at_index(self, index):
        first = self.value.GetChildMemberWithName("first")
        return first.CreateChildAtOffset("[%d]" % index, 4 * index, first.GetType().GetPointeeType())
`

const commands = ["sigtrap-read-page", "sigtrap-child-names", "sigtrap-show"]

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("pages of containers", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    const name = `are the same with and without Python's commands, with ${backend}`
    const test = () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("pages.cpp", source, "g++", ["-O0", "-std=c++17"])
          const line = source.split("\n").findIndex((one) => one.includes("pause_here();")) + 1
          yield* starting(client, built, backend, { break: [`pages.cpp:${line}`] })
          const page = (target: string, start: number) =>
            Effect.match(call("expand", { target, start, count: 10, depth: start === 0 ? 2 : 1 }), {
              onFailure: (error) => error._tag,
              onSuccess: ({ data, truncated }) => ({
                ...data,
                truncated: truncated?.map(({ shown, total }) => ({ shown, total }))
              })
            })
          const pages = Effect.forEach(targets, (target) => Effect.all([page(target, 0), page(target, 10)]))
          // References count up.
          const plain = (found: unknown) =>
            JSON.stringify(found, (key, value: unknown) => (key === "ref" ? undefined : value), 1)
          const locals = Effect.map(call("locals", { full: true }), ({ data }) => plain(data.variables))
          const read = [plain(yield* pages), yield* locals]
          for (const command of commands) yield* call("raw", { command: `command script delete ${command}` })
          yield* call("next", {})
          assert.deepStrictEqual([plain(yield* pages), yield* locals], read)
        })
      )
    it.effect(name, test, 120_000)

    const ended = () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("rows.cpp", rows, "g++", ["-O0"])
          const line = rows.split("\n").findIndex((one) => one.includes("return")) + 1
          yield* starting(client, built, backend, { break: [`rows.cpp:${line}`] })
          const file = `${built.folder}/rows.py`
          writeFileSync(file, formatter)
          yield* call("raw", { command: `command script import ${file}` })
          yield* call("raw", { command: "type synthetic add -l rows.Row Row" })
          const { children } = (yield* call("expand", { target: "row" })).data
          assert.deepStrictEqual(
            children.map(({ name, value }) => [name, value]),
            [
              ["[0]", "7"],
              ["[1]", "8"],
              ["[2]", "9"]
            ]
          )
        })
      )
    it.effect(`end with the last child that a formatter counts, with ${backend}`, ended, 120_000)
  }
})
