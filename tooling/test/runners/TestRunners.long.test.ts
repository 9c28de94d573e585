/** `run --failing` and `--test` with real test runners: each stops in the frame of the failed test, with its values. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import { recorded } from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "240 seconds" })

const python = `import unittest

def total(items):
    return sum(items)

def test_adds():
    assert total([1, 2]) == 3

def test_fails():
    items = [4, 5]
    result = total(items)
    assert result == 10

class BankTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(total([1]), 1)
    def test_unit(self):
        result = total([4, 5])
        self.assertEqual(result, 10)
`

const cpp = (header: string, tests: string) => `${header}
#include <numeric>
#include <vector>
static int total(const std::vector<int> &items) { return std::accumulate(items.begin(), items.end(), 0); }
${tests}
`

/** A runner: the files of a project, how its test program is compiled, and what the stop at its failed test must show. */
interface Row {
  readonly runner: "cargo" | "go" | "pytest" | "unittest" | "ctest" | "gtest" | "catch2"
  /** A command that succeeds where the runner is installed. */
  readonly needs: readonly [string, ...ReadonlyArray<string>]
  readonly files: Readonly<Record<string, string>>
  readonly compile?: readonly [string, ...ReadonlyArray<string>]
  readonly program?: string
  readonly failed: string
  readonly function: RegExp
  readonly line: { readonly file: string; readonly text: string }
  readonly value: readonly [string, string]
  readonly passing: string
}

const rows: ReadonlyArray<Row> = [
  {
    runner: "cargo",
    needs: ["cargo", "--version"],
    files: {
      "Cargo.toml": '[package]\nname = "bank"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n',
      "src/lib.rs": `pub fn total(items: &[i64]) -> i64 {
    items.iter().sum()
}
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() {
        assert_eq!(total(&[1, 2, 3]), 6);
    }
    #[test]
    fn fails() {
        let items = [4, 5];
        let sum = total(&items);
        assert_eq!(sum, 10);
    }
}
`
    },
    failed: "tests::fails",
    function: /^bank::tests::fails/,
    line: { file: "src/lib.rs", text: "assert_eq!(sum, 10)" },
    value: ["sum", "9"],
    passing: "adds"
  },
  {
    runner: "go",
    needs: ["dlv", "version"],
    files: {
      "go.mod": "module bank\ngo 1.19\n",
      "bank_test.go": `package bank

import "testing"

func total(items []int) int {
	sum := 0
	for _, item := range items {
		sum += item
	}
	return sum
}

func TestAdds(t *testing.T) {
	if total([]int{1, 2}) != 3 {
		t.Error("wrong")
	}
}

func TestFails(t *testing.T) {
	sum := total([]int{4, 5})
	if sum != 10 {
		t.Fatalf("sum %d", sum)
	}
}

func TestÄ(t *testing.T) {}

// Go lists it after the tests.
func BenchmarkTotal(b *testing.B) {}

func FuzzTotal(f *testing.F) {}
`
    },
    failed: "TestFails",
    function: /^bank\.TestFails$/,
    line: { file: "bank_test.go", text: "t.Fatalf" },
    value: ["sum", "9"],
    passing: "TestAdds"
  },
  {
    runner: "pytest",
    needs: ["python3", "-c", "import pytest, debugpy"],
    files: { "test_bank.py": python },
    failed: "test_bank.py::test_fails",
    function: /^test_fails$/,
    line: { file: "test_bank.py", text: "assert result == 10" },
    value: ["result", "9"],
    passing: "test_bank.py::test_adds"
  },
  {
    runner: "unittest",
    needs: ["python3", "-c", "import debugpy"],
    files: { "test_bank.py": python },
    failed: "test_bank.BankTest.test_unit",
    function: /^test_unit$/,
    line: { file: "test_bank.py", text: "self.assertEqual(result, 10)" },
    value: ["result", "9"],
    passing: "BankTest.test_adds"
  },
  {
    runner: "ctest",
    needs: ["ctest", "--version"],
    files: {
      "CMakeLists.txt": `cmake_minimum_required(VERSION 3.16)
project(bank C)
set(CMAKE_BUILD_TYPE Debug)
enable_testing()
add_executable(bank bank.c)
add_test(NAME adds COMMAND bank 1 2 3)
add_test(NAME fails COMMAND bank 4 5 10)
`,
      "bank.c": `#include <assert.h>
#include <stdlib.h>
static void check(int one, int two, int sum)
{
  int found = one + two;
  assert(found == sum);
}
int main(int argc, char **argv)
{
  (void)argc;
  check(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
  return 0;
}
`
    },
    compile: ["cmake", "-B", "build", "."],
    failed: "fails",
    function: /^check$/,
    line: { file: "bank.c", text: "assert(found == sum)" },
    value: ["found", "9"],
    passing: "adds"
  },
  {
    runner: "gtest",
    needs: ["test", "-f", "/usr/include/gtest/gtest.h"],
    files: {
      "bank.cpp": cpp(
        "#include <gtest/gtest.h>",
        `TEST(Bank, Adds) { EXPECT_EQ(total({1, 2}), 3); }
TEST(Bank, Fails)
{
  int sum = total({4, 5});
  EXPECT_EQ(sum, 10);
}`
      )
    },
    compile: ["c++", "-g", "-O0", "bank.cpp", "-o", "bank", "-lgtest", "-lgtest_main", "-pthread"],
    program: "bank",
    failed: "Bank.Fails",
    function: /^Bank_Fails_Test::TestBody/,
    line: { file: "bank.cpp", text: "EXPECT_EQ(sum, 10)" },
    value: ["sum", "9"],
    passing: "Bank.Adds"
  },
  {
    runner: "catch2",
    needs: ["test", "-f", "/usr/include/catch2/catch.hpp"],
    files: {
      "bank.cpp": cpp(
        "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>",
        `TEST_CASE("adds") { REQUIRE(total({1, 2}) == 3); }
TEST_CASE("fails, a lot")
{
  int sum = total({4, 5});
  REQUIRE(sum == 10);
}`
      )
    },
    compile: ["c++", "-g", "-O0", "bank.cpp", "-o", "bank"],
    program: "bank",
    failed: "fails, a lot",
    function: /C_A_T_C_H/,
    line: { file: "bank.cpp", text: "REQUIRE(sum == 10)" },
    value: ["sum", "9"],
    passing: "adds"
  }
]

/** Where the tools find their own files. */
const ofTools: Readonly<Record<string, string>> = Object.fromEntries(
  ["HOME", "CARGO_HOME", "GOPATH", "GOCACHE", "PYENV_ROOT"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
)

const exitCode = Effect.fnUntraced(function* (directory: string, words: readonly [string, ...ReadonlyArray<string>]) {
  const [program, ...args] = words
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  return Number(yield* spawner.exitCode(ChildProcess.make(program, args, { cwd: directory })))
})

suite("a failed test", (it) => {
  for (const row of rows) {
    it.effect(`of ${row.runner} stops in its own frame, with its values`, () =>
      debugging((own) =>
        Effect.gen(function* () {
          const isPresent = yield* Effect.orElseSucceed(exitCode("/", row.needs), () => 1)
          if (!recorded(row.runner, isPresent === 0)) return
          const fs = yield* FileSystem.FileSystem
          const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
          yield* fs.makeDirectory(`${directory}/src`)
          for (const [name, content] of Object.entries(row.files))
            yield* fs.writeFileString(`${directory}/${name}`, content)
          if (row.compile !== undefined) assert.strictEqual(yield* exitCode(directory, row.compile), 0)
          const text = row.files[row.line.file] ?? ""
          const line = text.split("\n").findIndex((one) => one.includes(row.line.text)) + 1
          const cache = `${own.temporary}/cache`
          const input = {
            runner: row.runner,
            ...(row.program === undefined ? {} : { program: row.program }),
            directory,
            environment: { ...ofTools, ...environment, XDG_CACHE_HOME: cache, LC_MARK: own.temporary }
          }
          const { data } = yield* own.call("run", { ...input, failing: true })
          assert.deepInclude(data.run, { outcome: "failed", failures: 1, session: "failed" })
          assert.strictEqual(data.run?.tests?.first, row.failed)
          assert.strictEqual(data.event, "stopped")
          assert.match(data.location?.function ?? "", row.function)
          assert.strictEqual(data.location?.line, line)
          const [name, value] = row.value
          const read = yield* own.call("print", { expressions: [name] })
          assert.include(JSON.stringify(read.data), `"${value}"`)
          yield* own.call("stop", {})

          const passed = yield* own.call("run", { ...input, test: row.passing })
          assert.deepInclude(passed.data.run, { outcome: "passed", failures: 0 })
          assert.deepInclude(passed.data, { event: "exited", exit_code: 0 })
          const begun = yield* own.call("start", { ...input, test: row.failed })
          assert.strictEqual(begun.data.location?.line, line)
          yield* own.call("stop", {})
          const unknown = yield* Effect.flip(own.call("run", { ...input, test: "nothing_like_it" }))
          assert.strictEqual(unknown._tag, "TestNotFound")
        })
      ).pipe(Effect.scoped)
    )
  }
})
