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
})
