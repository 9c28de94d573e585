/** Exceptions of C++ that a test does not catch. The framework catches them, like the test those that it handles itself. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

/** A program with the parts of Catch2 that the runner uses. */
const text = `#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
struct Guard { ~Guard() { try { throw 1; } catch (...) {} } };
static int parse(const char* word) {
  try { if (*word == 'x') throw std::invalid_argument("no number"); return 1; } catch (const std::exception&) { return 0; }
}
static void mixed() {
  int parsed = parse("x") + parse("x");
  Guard guard;
  if (parsed == 0) throw std::invalid_argument("no number"); // fails
}
static void again() { try { throw std::runtime_error("inner"); } catch (...) { throw; } } // rethrows
static void handles() { parse("x"); Guard guard; }
namespace Catch {
  struct Failed {};
  void fail() { throw Failed(); }
  bool passes(void (*test)()) { try { test(); return true; } catch (...) { return false; } }
}
static void asserts() { Catch::fail(); }
static struct { const char* name; void (*test)(); } tests[] = {{"handles", handles}, {"mixed", mixed}, {"again", again}, {"asserts", asserts}};
int main(int count, char** words) {
  bool lists = count > 1 && !std::strcmp(words[1], "--list-test-names-only");
  bool all = count > 1 && !std::strcmp(words[1], "--reporter");
  int failed = 0;
  for (auto& one : tests) {
    if (lists) { if (!std::strcmp(words[2], "*")) std::puts(one.name); continue; }
    if (!all && std::strcmp(words[1], one.name)) continue;
    bool passed = Catch::passes(one.test);
    if (all) std::printf("<TestCase name=\\"%s\\"><OverallResult success=\\"%s\\"/></TestCase>\\n", one.name, passed ? "true" : "false");
    failed += !passed;
  }
  return failed;
}
`

const lineOf = (mark: string) => text.split("\n").findIndex((one) => one.includes(mark)) + 1

suite("an exception that leaves a test", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`stops where it is thrown, and one that the test handles does not (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const directory = yield* compiled({ "tests.cpp": text }, ["g++", "-g", "-O0", "-o", "tests", "tests.cpp"])
          const input = { runner: "catch2" as const, program: `${directory}/tests`, directory, environment, backend }
          const start = (test: string) =>
            Effect.map(call("start", { ...input, test, replace: true, session: "test" }), ({ data }) => data)
          const mixed = yield* start("mixed")
          assert.deepInclude(mixed, { event: "stopped", reason: "exception" })
          assert.deepInclude(mixed.exception, { type: "std::invalid_argument", message: "no number" })
          assert.strictEqual(mixed.location?.line, lineOf("// fails"))
          const local = yield* call("print", { expressions: ["parsed"] })
          assert.strictEqual(local.data.values[0]?.value, "0")
          // The breakpoint is made anew.
          const restarted = (yield* call("restart", {})).data
          assert.strictEqual(restarted.location?.line, lineOf("// fails"))
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 })
          const again = yield* start("again")
          assert.deepInclude(again.exception, { type: "std::runtime_error", message: "inner" })
          assert.strictEqual(again.location?.line, lineOf("// rethrows"))
          assert.deepInclude(yield* start("handles"), { event: "exited", exit_code: 0 })
          // The framework itself throws at a failed assertion, at which the program has stopped before.
          assert.deepInclude(yield* start("asserts"), { event: "exited", exit_code: 1 })
          const { data } = yield* call("run", { ...input, failing: true })
          assert.deepInclude(data.run?.signatures[0], { reason: "exception" })
          assert.include(JSON.stringify(data.run?.signatures[0]?.frames), "mixed")
        })
      ).pipe(Effect.scoped)
    )
  }
})
