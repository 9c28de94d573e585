/** Steps over and out of C++ functions that throw. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <cstdio>
#include <stdexcept>
#include <thread>
static int risky(int n) {
  if (n > 2) throw std::runtime_error("too big");
  return n;
}
static int guarded(int n) {
  try { return risky(n); } catch (const std::exception &) { return -1; }
}
static int again(int n) {
  try { return risky(n); } catch (...) { throw; }
}
static int middle(int n) { return again(n) + 1; }
int main() {
  int total = guarded(5);
  std::thread other([] { for (int i = 0; i < 300; i++) guarded(9); });
  try {
    total += middle(1);
    total += middle(7);
    total += middle(2);
  } catch (const std::exception &error) {
    std::printf("caught %s\\n", error.what());
    total = total * 10;
  }
  other.join();
  std::printf("%d\\n", total);
  return 0;
}
`

const lineOf = (part: string) => text.split("\n").findIndex((line) => line.includes(part)) + 1

suite("a step that an exception ends", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`stops in the handler (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* compiled({ "throws.cpp": text }, ["g++", "-pthread", "-o", "throws", "throws.cpp"])
          const program = `${cwd}/throws`

          const start = yield* call("start", { program, backend, environment, break: ["main"] })
          assert.strictEqual(start.data.location?.line, lineOf("guarded(5)"))
          const lines: Array<number | undefined> = []
          for (let step = 0; step < 5; step++) lines.push((yield* call("next", {})).data.location?.line)
          assert.deepStrictEqual(lines, [
            lineOf("std::thread other"),
            lineOf("middle(1)"),
            lineOf("middle(7)"),
            lineOf("} catch (const std::exception &error)"),
            lineOf("caught %s")
          ])
          const end = yield* call("continue", {})
          assert.strictEqual(end.data.exit_code, 0)
          assert.strictEqual((yield* call("output", {})).data.text, "caught too big\n10\n")

          yield* call("start", { program, backend, environment, replace: true, break: ["guarded if n == 5"] })
          const returned = yield* call("finish", {})
          assert.strictEqual(returned.data.return_value?.value, "-1")
          assert.strictEqual(returned.data.location?.line, lineOf("guarded(5)"))

          yield* call("start", { program, backend, environment, replace: true, break: ["risky if n == 7"] })
          const handler = yield* call("finish", {})
          assert.deepInclude(handler.data, { reason: "other", raw_reason: "exception caught" })
          assert.notProperty(handler.data, "return_value")
          assert.strictEqual(handler.data.location?.line, lineOf("catch (...)"))
          const outer = yield* call("finish", {})
          assert.deepInclude(outer.data, { raw_reason: "exception caught" })
          assert.strictEqual(outer.data.location?.function?.startsWith("main"), true)
        })
      ).pipe(Effect.scoped)
    )
  }
})
