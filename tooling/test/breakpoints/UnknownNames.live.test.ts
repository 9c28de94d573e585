/**
 * Conditions and messages of breakpoints with names that mean nothing at the breakpoint: the answer that sets them says so, and names what
 * the function, its object, the program and its libraries have is not reported.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const source = `#include <cstdio>
#include <string>
#include <vector>
enum Color { Red, Green };
enum class Mode { On, Off };
namespace app { int limit = 3; }
struct Base { int inherited = 2; union { int whole; char part; }; };
struct Account : Base {
  int balance = 0;
  static int made;
  int add(int amount) {
    balance += amount;
    return balance;
  }
};
int Account::made = 0;
template <class T> T twice(T value) {
  T result = value + value;
  return result;
}
static int total;
static Color color = Green;
int main(int argc, char **) {
  Account account;
  std::vector<int> items{1, 2, 3};
  Mode mode = Mode::On;
  for (int index = 0; index < 5; index++) {
    auto apply = [&](int amount) {
      total += amount;
      return amount + index;
    };
    account.add(apply(index));
    total += twice(index) + (mode == Mode::Off) + items[0];
  }
  using namespace app;
  printf("%d %d %d\\n", account.balance, limit, color);
  return argc - 1;
}
`

const lineOf = (text: string) => source.split("\n").findIndex((one) => one.includes(text)) + 1

/** Conditions at a line, and the end of the warning about them; undefined without one. */
const conditions: ReadonlyArray<readonly [line: string, condition: string, warned?: string]> = [
  ["account.add", "indx > 3", "has no 'indx' there; nearest: index"],
  ["account.add", "nosuch && argc", "has no 'nosuch' there"],
  ["account.add", "account.balance == Account::made && items.size() > 2 && limit"],
  ["account.add", "index == (int)Mode::On && app::limit > twice<int>(3) && total"],
  [
    "account.add",
    'color == Green || static_cast<long>(index) > 3 || L"x"[0] == index || $rip == 0 || (long)printf == 1'
  ],
  ["account.add", "balance > 2", "has no 'balance' there"],
  ["balance += amount", "balance > 2 && inherited && made && this->whole && part && amount"],
  ["balance += amount", "inherted > 1", "has no 'inherted' there; nearest: inherited"],
  ["T result", "value > 1 && result && argc", "has no 'argc' there"],
  ["total += amount", "amount > 2 && index > 2"],
  ["account.add", "index = 3", "the condition index = 3 assigns at each hit; == compares"]
]

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a name at a breakpoint", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`that means nothing there is reported when it is set, with ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("names.cpp", source, "g++", ["-O0", "-std=c++17"])
          yield* starting(client, built, backend, { break: ["main"] })
          for (const [line, condition, warned] of conditions) {
            const { data, warnings } = yield* call("break", { at: `names.cpp:${lineOf(line)}`, condition })
            const found = warnings.map(({ message }) => message)
            if (warned === undefined) assert.deepStrictEqual(found, [], condition)
            else assert.isTrue(found.length === 1 && found[0]?.endsWith(warned), `${condition}: ${found.join()}`)
            yield* call("breakpoint.remove", { ids: [`${data.id}`] })
          }
          const at = `names.cpp:${lineOf("account.add")}`
          const logged = yield* call("logpoint", { at, message: "{index} {zorg}" })
          assert.include(logged.warnings[0]?.message, "has no 'zorg' there")
          const edited = yield* call("breakpoint.edit", {
            id: `${logged.data.id}`,
            no_log: true,
            condition: "indx == 2"
          })
          const [hint] = edited.warnings[0]?.hints ?? []
          const input = { id: `${logged.data.id}`, condition: "index == 2" }
          assert.deepInclude(hint, { operation: "breakpoint.edit", input })
          assert.deepStrictEqual((yield* call("breakpoint.edit", input)).warnings, [])
          assert.strictEqual((yield* call("continue", {})).data.breakpoints?.[0], logged.data.id)
          assert.strictEqual((yield* call("print", { expressions: ["index"] })).data.values[0]?.value, "2")
        })
      )
    )
  }
})
