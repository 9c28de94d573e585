/** Tests whose runner decides otherwise than by the first failed assertion. What the runner itself says is the second source. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import { recorded } from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "240 seconds" })

const rust = `/// Parses a number.
///
/// \`\`\`
/// assert_eq!(bank::parse("4"), 5);
/// \`\`\`
pub fn parse(text: &str) -> u32 { text.parse().unwrap() }
#[cfg(test)]
mod tests {
    #[test] fn passes() { assert_eq!(super::parse("4"), 4); }
    #[test] #[ignore] fn ignored() { assert_eq!(super::parse("4"), 6); }
}
`

const catch2 = `#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
TEST_CASE("may fail, a little", "[!mayfail]") { CHECK(1 == 2); }
TEST_CASE("should fail", "[!shouldfail]") { CHECK(1 == 2); }
TEST_CASE("should fail and passes", "[!shouldfail]") { CHECK(1 == 1); }
TEST_CASE("fails") { CHECK(1 == 2); }
`

const cmake = `cmake_minimum_required(VERSION 3.22)
project(bank C)
set(CMAKE_BUILD_TYPE Debug)
enable_testing()
add_executable(bank bank.c)
add_test(NAME will_fail COMMAND bank 3)
add_test(NAME will_fail_and_passes COMMAND bank 0)
set_tests_properties(will_fail will_fail_and_passes PROPERTIES WILL_FAIL TRUE)
add_test(NAME skipped COMMAND bank 77)
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME unknown COMMAND bank 5)
set_tests_properties(unknown PROPERTIES PASS_REGULAR_EXPRESSION "code 5")
add_test(NAME environment COMMAND bank)
set_tests_properties(environment PROPERTIES ENVIRONMENT_MODIFICATION "MARK=set:/a;MARK=path_list_append:/b;MARK=string_prepend:x")
`

const bank = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
  const char *mark = getenv("MARK");
  if (argc == 1) return mark == NULL || strcmp(mark, "x/a:/b");
  printf("code %s\\n", argv[1]);
  return atoi(argv[1]);
}
`

const goTable = `package bank

import "testing"

var left = 4

func take(n int) bool { left -= n; return left >= 0 }

func TestTake(t *testing.T) {
	for _, want := range []int{1, 2, 3} {
		t.Run("", func(t *testing.T) {
			if take(want) {
				return
			}
			t.Fatalf("%d left", left)
		})
	}
}
`

const go = `package bank
import "testing"
func TestMap(t *testing.T) { var m map[string]int; m["a"] = 1 }
`

/** True if a command can be run. */
const runs = Effect.fnUntraced(function* (command: string, args: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const exitCode = spawner.exitCode(ChildProcess.make(command, args, { env: environment }))
  return Number(yield* Effect.orElseSucceed(exitCode, () => 1)) === 0
})

suite("the verdict on a test", (it) => {
  it.effect("of cargo includes the examples of the documentation, and a named test is not ignored", () =>
    debugging((own) =>
      Effect.gen(function* () {
        if (!recorded("cargo", yield* runs("cargo", ["--version"]))) return
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.makeDirectory(`${directory}/src`)
        yield* fs.writeFileString(`${directory}/src/lib.rs`, rust)
        const manifest = '[package]\nname = "bank"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n'
        yield* fs.writeFileString(`${directory}/Cargo.toml`, manifest)
        const input = { runner: "cargo" as const, directory, environment: own.environment }
        const { data } = yield* own.call("run", { ...input, failing: true })
        assert.deepInclude(data.run, { outcome: "failed", failures: 1 })
        assert.deepInclude(data.run?.tests, { failed: 1 })
        const named = yield* own.call("run", { ...input, test: "ignored", keep: false })
        assert.strictEqual(named.data.run?.signatures[0]?.reason, "panic")
      })
    ).pipe(Effect.scoped)
  )

  it.effect("of Catch2 counts for tests that may or should fail", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.writeFileString(`${directory}/tests.cpp`, catch2)
        const compiled = yield* runs("g++", ["-g", "-o", `${directory}/tests`, `${directory}/tests.cpp`])
        if (!recorded("catch2", compiled)) return
        for (const [test, outcome] of [
          ["may fail, a little", "passed"],
          ["should fail", "passed"],
          ["should fail and passes", "failed"],
          ["fails", "failed"]
        ] as const) {
          const input = { runner: "catch2" as const, test, program: `${directory}/tests`, directory, keep: false }
          const { data } = yield* own.call("run", { ...input, environment: own.environment })
          assert.strictEqual(data.run?.outcome, outcome, test)
        }
      })
    ).pipe(Effect.scoped)
  )

  it.effect("of CTest follows the properties of the test", () =>
    debugging((own) =>
      Effect.gen(function* () {
        if (!recorded("ctest", yield* runs("ctest", ["--version"]))) return
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.writeFileString(`${directory}/CMakeLists.txt`, cmake)
        yield* fs.writeFileString(`${directory}/bank.c`, bank)
        assert.isTrue(yield* runs("cmake", ["-S", directory, "-B", `${directory}/build`]))
        const input = { runner: "ctest" as const, directory, keep: false, environment: own.environment }
        for (const [test, outcome] of [
          ["will_fail", "passed"],
          ["will_fail_and_passes", "failed"],
          ["skipped", "passed"],
          ["environment", "passed"]
        ] as const) {
          const { data } = yield* own.call("run", { ...input, test })
          assert.strictEqual(data.run?.outcome, outcome, test)
        }
        const { warnings } = yield* own.call("run", { ...input, test: "unknown" })
        assert.isTrue(warnings.some(({ code }) => code === "TEST_VERDICT"))
        const { data } = yield* own.call("run", { ...input, failing: true })
        assert.deepInclude(data.run, { outcome: "failed", failures: 1 })
        assert.deepInclude(data.run?.tests, { failed: 1, first: "will_fail_and_passes" })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("of Go has the value of a panic", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const isInstalled = (yield* runs("dlv", ["version"])) && (yield* runs("go", ["version"]))
        if (!recorded("go", isInstalled)) return
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.writeFileString(`${directory}/go.mod`, "module example.com/bank\n\ngo 1.19\n")
        yield* fs.writeFileString(`${directory}/bank_test.go`, go)
        const input = { runner: "go" as const, test: "TestMap", directory, keep: true }
        yield* own.call("run", { ...input, environment: { ...own.environment, LC_MARK: own.temporary } })
        const { data } = yield* own.call("explain", { session: "failed" })
        assert.include(data.summary, "assignment to entry in nil map")
        yield* own.call("stop", {})
      })
    ).pipe(Effect.scoped)
  )

  it.effect("of a subtest of Go that fails only after those before it: the test around it is debugged", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const isInstalled = (yield* runs("dlv", ["version"])) && (yield* runs("go", ["version"]))
        if (!recorded("go", isInstalled)) return
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.writeFileString(`${directory}/go.mod`, "module example.com/bank\n\ngo 1.19\n")
        yield* fs.writeFileString(`${directory}/bank_test.go`, goTable)
        const environment = { ...own.environment, LC_MARK: own.temporary }
        const { data } = yield* own.call("run", { runner: "go", failing: true, directory, environment })
        assert.deepInclude(data.run, { outcome: "failed", failures: 1, session: "failed" })
        assert.deepInclude(data.run?.tests, { failed: 1, first: "TestTake" })
        assert.strictEqual(data.location?.line, 15)
        const read = yield* own.call("print", { expressions: ["want"] })
        assert.include(JSON.stringify(read.data), '"3"')
        yield* own.call("stop", {})
      })
    ).pipe(Effect.scoped)
  )
})
