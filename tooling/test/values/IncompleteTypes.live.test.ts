/**
 * Objects of classes that clang only declares: those whose constructors are in another file, and std::string before C++20, which the
 * C++ library instantiates. No object is shown as empty, and a string of libstdc++ has its text, on both LLDB backends.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

/** The constructor of `remote` is not in C++, so that clang takes it for one of another file. */
const source = (initialize: string) => `#include <map>
#include <string>
#include <vector>
struct remote { remote(int n) __asm__("make_remote"); int first; int second; };
template <class T> struct box { T held; int count; };
extern "C" void make_remote(void* self, int n) { static_cast<int*>(self)[0] = n; }
int main() {
  ${initialize}
  std::string copy(text);
  std::string zeros; zeros.resize(2);
  std::wstring wide; wide.assign(L"wide");
  std::vector<std::string> list; list.push_back(text);
  std::map<std::string, int> table; table[text] = 3;
  std::vector<std::string>& same = list;
  std::vector<std::string> several{"", text, "a text that is too long for the object"};
  const std::string& other = text;
  box<std::string> boxed{text, 3}; const box<std::string>& kept = boxed;
  remote far(4);
  return (int)(list.size() + same.size() + other.size() + kept.count + table.size() + wide.size()); // here
}
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("classes that are declared only", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    for (const [name, initialize] of [
      ["of their parts", `std::string text = "text";`],
      ["whole", `std::string text; text.assign("text");`]
    ] as const) {
      it.effect(`have their values or none (${name}, ${backend})`, () =>
        debugging((client) =>
          Effect.gen(function* () {
            const { call } = client
            const text = source(initialize)
            const built = yield* build("declared.cpp", text, "clang++", ["-O0", "-std=c++17", "-fno-standalone-debug"])
            const line = text.split("\n").findIndex((one) => one.includes("// here")) + 1
            yield* starting(client, built, backend, { break: [`declared.cpp:${line}`] })
            const { variables } = (yield* call("locals", {})).data
            const valueOf = (one: string) => variables.find((variable) => variable.name === one)?.value
            assert.deepStrictEqual(["text", "other", "copy", "zeros", "wide", "list", "table"].map(valueOf), [
              '"text"',
              '"text"',
              '"text"',
              '"\\0\\0"',
              'L"wide"',
              '1 {"text"}',
              '1 {"text":3}'
            ])
            assert.match(valueOf("far") ?? "", /incomplete type/)
            const read = (expression: string) =>
              call("print", { expressions: [expression] }).pipe(
                Effect.map(({ data }) => data.values[0]?.value ?? ""),
                Effect.catch((error) => Effect.succeed(error.message))
              )
            assert.match(yield* read("text[1]"), /101 'e'/)
            assert.strictEqual(yield* read("text.size()"), "4")
            assert.include(yield* read("text[9]"), "the size is 4")
            assert.strictEqual(yield* read("other"), '"text"')
            assert.strictEqual(yield* read("kept.held"), '"text"')
            assert.strictEqual(yield* read("list"), '1 {"text"}')
            assert.strictEqual(yield* read("list.size()"), "1")
            assert.match(yield* read("list[0]"), /^"text"$|incomplete/)
            assert.strictEqual(yield* read("several"), '3 {"","text","a text that is too long for the object"}')
            assert.notMatch(yield* read("far"), /\{\}/)
            const { children } = (yield* call("expand", { target: "list" })).data
            assert.deepStrictEqual(
              children.map(({ name }) => name),
              ["[0]"]
            )
          })
        )
      )
    }
  }
})
