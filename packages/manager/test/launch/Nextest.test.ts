/** Tests of `cargo nextest`: its output in the documented form, since the tool is not installed here. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { nextest } from "../../src/launch/runners/Nextest.ts"

const suite = (binary: string, kind: string, tests: ReadonlyArray<string>) => ({
  "package-name": "bank-core",
  "binary-id": kind === "lib" ? "bank-core" : `bank-core::${binary}`,
  "binary-name": binary,
  kind,
  "binary-path": `/bank/target/debug/deps/${binary}-1bdca073ddd4474a`,
  "build-platform": "target",
  cwd: "/bank/core",
  status: "listed",
  testcases: Object.fromEntries(
    tests.map((name) => [name, { kind: "test", ignored: false, "filter-match": { status: "matches" } }])
  )
})

const list = JSON.stringify({
  "rust-build-meta": { "target-directory": "/bank/target" },
  "test-count": 4,
  "rust-suites": {
    "bank-core": suite("bank_core", "lib", ["tests::adds", "tests::fails"]),
    "bank-core::basic": suite("basic", "test", ["tests::fails", "aborts"])
  }
})

const results = [
  { type: "suite", event: "started", test_count: 2 },
  { type: "test", event: "started", name: "bank-core::basic$tests::fails" },
  { type: "test", event: "failed", name: "bank-core::basic$tests::fails#3", exec_time: 0.1, stdout: "panicked" },
  { type: "test", event: "ok", name: "bank-core::bank_core$tests::adds", exec_time: 0.1 },
  { type: "test", event: "failed", name: "bank-core::basic$aborts", exec_time: 0.1, stdout: "" },
  { type: "suite", event: "failed", passed: 1, failed: 2, ignored: 0, measured: 0, filtered_out: 0, exec_time: 0.2 }
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("")

/** A context whose cargo prints these texts for the subcommands `list` and `run`. */
const context = (
  output: { readonly list?: string; readonly run?: string; readonly tail?: string },
  args: ReadonlyArray<string> = []
) => {
  const commands: Array<string> = []
  const runIn = (directory: string, env: { readonly [name: string]: string }, ...words: ReadonlyArray<string>) =>
    Effect.sync(() => {
      commands.push(`${directory} ${env["NEXTEST_EXPERIMENTAL_LIBTEST_JSON"]} ${words.join(" ")}`)
      const stdout = (words[2] === "list" ? output.list : output.run) ?? ""
      const fails = stdout === "" || (words[2] === "run" && stdout.includes("failed"))
      return { stdout, tail: output.tail ?? "", ...(fails ? { problem: "exited 100" } : {}) }
    })
  return { commands, context: { args, directory: "/bank", runner: "nextest", runIn } }
}

it.effect("a test is found by its name, also if two programs have it", () =>
  Effect.gen(function* () {
    const cargo = context({ list })
    assert.deepStrictEqual(yield* nextest.find(cargo.context, "aborts"), {
      name: "aborts",
      program: "/bank/target/debug/deps/basic-1bdca073ddd4474a",
      args: ["aborts", "--exact", "--nocapture"],
      cwd: "/bank/core",
      env: ["CARGO_MANIFEST_DIR=/bank/core", "NEXTEST=1", "NEXTEST_EXECUTION_MODE=process-per-test"]
    })
    const program = "/bank/target/debug/deps/basic-1bdca073ddd4474a"
    assert.deepStrictEqual(cargo.commands, [
      "/bank 1 cargo nextest list --message-format json",
      `/bank/core undefined ${program} --list --format terse -Zunstable-options --exclude-should-panic`
    ])
    const named = yield* nextest.find(cargo.context, "bank-core::bank_core$tests::fails")
    assert.include(named.program, "/bank_core-")
    const several = yield* Effect.flip(nextest.find(cargo.context, "tests::fails"))
    assert(several._tag === "TestNotFound")
    assert.deepStrictEqual(several.known, ["bank-core::bank_core$tests::fails", "bank-core::basic$tests::fails"])
  })
)

it.effect("the failed tests of a run are read from its lines, and the first one that is listed is started", () =>
  Effect.gen(function* () {
    const cargo = context({ list, run: results })
    const { failed, first } = yield* nextest.failures(cargo.context)
    assert.strictEqual(failed, 2)
    assert.deepInclude(first, { name: "tests::fails", program: "/bank/target/debug/deps/basic-1bdca073ddd4474a" })
    assert.strictEqual(cargo.commands.at(-1), "/bank 1 cargo nextest run --no-fail-fast --message-format libtest-json")
    const chosen = context({ list, run: results }, ["--skip", "tests::adds", "fails"])
    assert.deepStrictEqual((yield* nextest.failures(chosen.context)).first?.given, [])
    assert.include(chosen.commands.at(-1) ?? "", " libtest-json -- --skip tests::adds fails")
    const passed = { type: "test", event: "ok", name: "bank-core::bank_core$tests::adds" }
    assert.deepStrictEqual(yield* nextest.failures(context({ list, run: JSON.stringify(passed) }).context), {
      failed: 0
    })
  })
)

it.effect("without the tool, and with another failure of it, nothing is claimed", () =>
  Effect.gen(function* () {
    const missing = context({ tail: "error: no such command: `nextest`" })
    assert.strictEqual((yield* Effect.flip(nextest.failures(missing.context)))._tag, "ToolMissing")
    const broken = context({ list, tail: "error: experimental feature" })
    assert.strictEqual((yield* Effect.flip(nextest.failures(broken.context)))._tag, "LaunchFailed")
  })
)
