/** `run --runner KIND --failing -- ARGS`: the arguments choose the tests of the run without a debugger, and the same test is debugged. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import { recorded } from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "240 seconds" })

/** A project with failing tests: `first` and `second`, and others that the arguments leave out. */
interface Row {
  readonly runner:
    | "cargo"
    | "go"
    | "pytest"
    | "unittest"
    | "ctest"
    | "gtest"
    | "catch2"
    | "vitest"
    | "node"
    | "bun"
    | "deno"
  /** A command that succeeds where the runner is installed. */
  readonly needs: readonly [string, ...ReadonlyArray<string>]
  readonly files: Readonly<Record<string, string>>
  readonly before?: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>
  readonly program?: string
  readonly args: ReadonlyArray<string>
  /** The name of the failed test, and a text of the line where it fails. */
  readonly failed: string
  readonly line: string
}

const rust = `#[cfg(test)]
mod tests {
    #[test]
    fn first() { let one = 1; assert_eq!(one, 2); }
    #[test]
    fn second() { let two = 2; assert_eq!(two, 3); }
}
`

const go = `package bank

import (
	"flag"
	"testing"
)

var wrong = flag.Bool("wrong", false, "")

func TestFirst(t *testing.T) { t.Fatal("first") }
func TestSecond(t *testing.T) {
	if *wrong {
		t.Fatal("second")
	}
}
`

const cpp = (header: string, first: string, second: string) => `${header}
${first}
${second}
`

const js = (imports: string) => `${imports}
test("first", () => { throw new Error("one") })
test("second", () => {
  const two = Number(process.env.TWO ?? 2)
  throw new Error("two " + two)
})
`

const rows: ReadonlyArray<Row> = [
  {
    runner: "cargo",
    needs: ["cargo", "--version"],
    files: {
      "Cargo.toml": '[package]\nname = "bank"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n',
      "src/lib.rs": rust
    },
    args: ["second", "--test-threads=2", "--nocapture", "--color", "always"],
    failed: "tests::second",
    line: "fn second"
  },
  {
    runner: "go",
    needs: ["go", "version"],
    files: { "go.mod": "module bank\n\ngo 1.19\n", "bank_test.go": go },
    args: ["-run", "Second|None", "-count=1", "-v", "-args", "-wrong"],
    failed: "TestSecond",
    line: 't.Fatal("second")'
  },
  {
    runner: "pytest",
    needs: ["python3", "-c", "import pytest"],
    files: {
      "test_bank.py": "def test_first():\n    assert 1 == 2\ndef test_second():\n    assert 2 == 3\n",
      "more/test_more.py": "def test_more():\n    assert 4 == 5\n"
    },
    args: ["-k", "second", "-v", "test_bank.py", "more"],
    failed: "test_bank.py::test_second",
    line: "assert 2 == 3"
  },
  {
    runner: "unittest",
    needs: ["python3", "--version"],
    files: {
      "test_bank.py": "",
      "more/check_bank.py": `import unittest
class Bank(unittest.TestCase):
    def test_first(self):
        self.assertEqual(1, 2)
    def test_second(self):
        self.assertEqual(2, 3)
`
    },
    args: ["discover", "-s", "more", "-p", "check_*.py", "-k", "second", "-v"],
    failed: "check_bank.Bank.test_second",
    line: "assertEqual(2, 3)"
  },
  {
    runner: "ctest",
    needs: ["ctest", "--version"],
    files: {
      "CMakeLists.txt": `cmake_minimum_required(VERSION 3.10)
project(bank C)
enable_testing()
set(CMAKE_C_FLAGS "-g -O0")
add_executable(bank bank.c)
add_test(NAME first COMMAND bank 1)
add_test(NAME second COMMAND bank 2)
`,
      "bank.c": `#include <stdlib.h>
int main(int argc, char **argv) {
  if (argc != 2) return 0;
  abort();
}
`
    },
    before: [["cmake", "-S", ".", "-B", "build"]],
    args: ["-R", "second"],
    failed: "second",
    line: "abort()"
  },
  {
    runner: "gtest",
    needs: ["test", "-f", "/usr/include/gtest/gtest.h"],
    files: {
      "bank.cpp": cpp(
        "#include <gtest/gtest.h>",
        "TEST(Bank, First) { int one = 1; EXPECT_EQ(one, 2); }",
        "TEST(Bank, Second) { int two = 2; EXPECT_EQ(two, 3); }"
      )
    },
    before: [["c++", "-g", "-O0", "bank.cpp", "-o", "bank", "-lgtest", "-lgtest_main", "-pthread"]],
    program: "bank",
    args: ["--gtest_filter=*.Sec*", "--gtest_color=yes", "--gtest_brief=1"],
    failed: "Bank.Second",
    line: "EXPECT_EQ(two, 3)"
  },
  {
    runner: "catch2",
    needs: ["test", "-f", "/usr/include/catch2/catch.hpp"],
    files: {
      "bank.cpp": cpp(
        "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>",
        'TEST_CASE("first", "[one]") { int one = 1; CHECK(one == 2); }',
        'TEST_CASE("second", "[two]") { int two = 2; CHECK(two == 3); }'
      )
    },
    before: [["c++", "-g", "-O0", "bank.cpp", "-o", "bank"]],
    program: "bank",
    args: ["[two]", "--order", "lex"],
    failed: "second",
    line: "CHECK(two == 3)"
  },
  {
    runner: "vitest",
    needs: ["test", "-d", "node_modules/vitest"],
    files: { "bank.test.js": js('import { test } from "vitest"'), "more.test.js": js('import { test } from "vitest"') },
    args: ["-t", "sec", "bank", "--retry=0"],
    failed: "second",
    line: 'Error("two '
  },
  {
    runner: "node",
    needs: ["node", "--version"],
    files: { "bank.test.mjs": js('import { test } from "node:test"'), "env.txt": "TWO=7\n" },
    program: "bank.test.mjs",
    args: ["--test-name-pattern=sec", "--env-file=env.txt"],
    failed: "second",
    line: 'Error("two '
  },
  {
    runner: "bun",
    needs: ["bun", "--version"],
    files: {
      "bank.test.js": js('import { test } from "bun:test"'),
      "more.test.js": js('import { test } from "bun:test"')
    },
    args: ["-t", "sec", "bank"],
    failed: "second",
    line: 'Error("two '
  },
  {
    runner: "deno",
    needs: ["deno", "--version"],
    files: { "bank_test.js": js("const { test } = Deno"), "more_test.js": js("const { test } = Deno") },
    args: ["--filter", "sec", "bank_test.js", "--no-check"],
    failed: "second",
    line: 'Error("two '
  }
]

/** Where the tools find their own files. */
const ofTools: Readonly<Record<string, string>> = Object.fromEntries(
  ["HOME", "CARGO_HOME", "GOPATH", "GOCACHE", "PYENV_ROOT", "SIGTRAP_JS_DEBUG"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
)

const exitCode = Effect.fnUntraced(function* (
  directory: string,
  env: Readonly<Record<string, string>>,
  [program, ...args]: readonly [string, ...ReadonlyArray<string>]
) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  return Number(yield* spawner.exitCode(ChildProcess.make(program, args, { cwd: directory, env, extendEnv: false })))
})

suite("arguments of the caller", (it) => {
  for (const row of rows) {
    it.effect(`choose the tests of ${row.runner}, and the same test is debugged`, () =>
      debugging((own) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const path = yield* Path.Path
          const bin = path.resolve("node_modules/.bin")
          const env = {
            ...environment,
            ...ofTools,
            PATH: `${bin}:${environment["PATH"] ?? ""}`,
            LC_MARK: own.temporary
          }
          const isPresent = yield* Effect.orElseSucceed(exitCode(path.resolve("."), env, row.needs), () => 1)
          if (!recorded(row.runner, isPresent === 0)) return
          const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
          for (const [name, content] of Object.entries(row.files)) {
            yield* fs.makeDirectory(path.dirname(`${directory}/${name}`), { recursive: true })
            yield* fs.writeFileString(`${directory}/${name}`, content)
          }
          if (row.runner === "vitest") yield* fs.symlink(path.resolve("node_modules"), `${directory}/node_modules`)
          for (const words of row.before ?? []) assert.strictEqual(yield* exitCode(directory, env, words), 0)
          const { data } = yield* own.call("run", {
            runner: row.runner,
            failing: true,
            ...(row.program === undefined ? {} : { program: row.program }),
            args: row.args,
            directory,
            environment: { ...env, XDG_CACHE_HOME: `${own.temporary}/cache` }
          })
          const { tests } = data.run ?? {}
          assert.strictEqual(tests?.failed, 1)
          const lineOf = (text: string) => text.split("\n").findIndex((one) => one.includes(row.line)) + 1
          const line = Math.max(...Object.values(row.files).map(lineOf))
          const [listed] = tests?.list ?? []
          if (data.event === "stopped") {
            assert.strictEqual(tests?.first, row.failed)
            assert.strictEqual(data.location?.line, line)
            assert.strictEqual(data.run?.failures, 1)
          } else assert.deepInclude(listed, { name: row.failed, line })
          yield* Effect.ignore(own.call("stop", {}))
        })
      ).pipe(Effect.scoped)
    )
  }
})
