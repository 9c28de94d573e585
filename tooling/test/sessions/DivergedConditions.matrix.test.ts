/** `diverge` where two ways of a condition have the same place in the source: the places behind it that differ are named. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

/** g++ gives both results of the operator `&&` its place, because a temporary is destroyed behind them. */
const text = `#include <cstdlib>
#include <string>
static int total = 0;
static void enter(int amount) { total += amount; }
static void handle(const std::string &name, int amount) {
  if (name == std::string("start") && amount < 10)
    enter(amount);
  else
    total--;
}
int main(int count, char **words) {
  handle(words[1], std::atoi(words[2]));
  return total > 100;
}
`

const lineOf = (part: string) => text.split("\n").findIndex((line) => line.includes(part)) + 1

layer(platform, { excludeTestServices: true, timeout: "180 seconds" })("paths that part in a condition", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are named by the lines behind it (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* compiled({ "amounts.cpp": text }, ["g++", "-o", "amounts", "amounts.cpp"])
          const { data } = yield* call("diverge", {
            good: `${cwd}/amounts start 3`,
            bad: `${cwd}/amounts start 30`,
            backend,
            environment,
            timeout: "120s"
          })
          const found = JSON.stringify(data)
          assert.strictEqual(data.divergence?.after.line, lineOf("if (name"), found)
          assert.strictEqual(data.divergence?.at.a.location?.line, lineOf("enter(amount);"), found)
          assert.strictEqual(data.divergence?.at.b.location?.line, lineOf("total--"), found)
        })
      ).pipe(Effect.scoped)
    )
  }
})
