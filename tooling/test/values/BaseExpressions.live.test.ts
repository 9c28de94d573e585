/**
 * Expressions of members of base classes: the compiler of the debugger accepts each, so that a value can be set and watched. LLDB accepts
 * the name of some base classes in a path, but not in an expression.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const source = `struct Plain { char32_t letter; int number; struct { int anonymous; }; union { int i; float f; } either; };
struct Single : Plain { unsigned long own; };
struct Base { int id = 1; virtual ~Base() {} };
struct Left : virtual Base { int l = 2; };
struct Right : virtual Base { int r = 3; };
struct Diamond : Left, Right { int d = 4; };
static int use(Single &single, Left *left) { return single.number + left->l; }
int main() {
  Single single{};
  single.number = 7;
  Diamond diamond;
  Left *left = &diamond;
  use(single, left);
  return single.number;
}
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("members of base classes", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`have expressions that the compiler accepts, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("bases.cpp", source, "g++", ["-O0"])
          yield* starting(client, built, backend, { break: ["bases.cpp:13"] })
          const inside = (target: string, depth: number) =>
            Effect.map(call("expand", { target, depth }), ({ data }) => data.children)
          const [plain, own] = yield* inside("single", 2)
          assert.deepStrictEqual([plain?.name, plain?.expression, own?.expression], ["Plain", undefined, "single.own"])
          assert.deepStrictEqual(
            plain?.children?.flatMap(({ expression }) => expression ?? []),
            ["single.letter", "single.number", "single.either"]
          )
          const set = yield* call("set", { target: "single.number", value: "8" })
          assert.strictEqual(set.data.old, "7")

          const [first, second, last] = yield* inside("left", 2)
          assert.deepStrictEqual([first?.expression, second?.expression], [undefined, undefined])
          assert.strictEqual(last?.expression, "((Diamond *)left)->d")
          const members = [...(first?.children ?? []), ...(second?.children ?? []), last].flatMap(
            (member) => member?.expression ?? []
          )
          const values = yield* Effect.forEach(members, (member) =>
            Effect.map(call("print", { expressions: [`(${member})`] }), ({ data }) => data.values[0]?.value)
          )
          assert.deepStrictEqual(values, ["2", "3", "4"])
        })
      )
    )
  }
})
