/** Runs the scenarios of the fixtures like `sigtrap test`, and one scenario for each way to fail. */
import { assert, describe, it } from "@effect/vitest"
import * as ScenarioRunner from "sigtrap/commands/ScenarioRunner"
import { Effect } from "effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../scenarios/", import.meta.url))

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

const options: ScenarioRunner.Options = { environment, keep: false }

const text = (steps: string, target = "program: exit_code") => `
name: made for the test
needs: [cc]
setup:
  - shell: cc -g -O0 -o exit_code "\${here}/../fixtures/c/exit_code.c"
target: {${target}}
steps:
${steps}
`

const runText = (steps: string, target?: string) =>
  ScenarioRunner.runText(text(steps, target), join(folder, "x.yaml"), options)

describe("the scenario", () => {
  it.live.each(readdirSync(folder).filter((name) => name.endsWith(".yaml")))("%s passes", (name) =>
    Effect.gen(function* () {
      const outcome = yield* ScenarioRunner.run(join(folder, name), options)
      assert.strictEqual(outcome.result, "passed", [outcome.step, outcome.message, outcome.log].join("\n"))
    })
  )
})

describe("a scenario fails", () => {
  it.live("where a value is not what was expected, with the step and both values", () =>
    Effect.gen(function* () {
      const outcome = yield* runText("  - check_state: exited\n    expect: {exit_code: 8}")
      assert.strictEqual(outcome.result, "failed")
      assert.include(outcome.step, "step 1: check_state exited")
      assert.include(outcome.message, "exit_code: expected 8, got 7")
    })
  )

  it.live("when a session still exists at the end", () =>
    Effect.gen(function* () {
      const outcome = yield* runText("  - check_state: stopped", "program: exit_code, break: [main]")
      assert.deepStrictEqual([outcome.result, outcome.step], ["failed", "end"])
      assert.include(outcome.message, "still exists")
    })
  )

  it.live("when a process still runs at the end, which is killed", () =>
    Effect.gen(function* () {
      const left = yield* runText("  - shell: sleep 300 > /dev/null 2>&1 &")
      assert.strictEqual(left.result, "failed")
      const [pid] = /\d+$/.exec(left.message ?? "") ?? []
      // Its parent may not have collected its exit code yet.
      const state = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] : "gone"
      assert.include(["gone", "Z", "X"], state)
    })
  )

  it.live("when a step takes too many bytes, unless its failure is allowed", () =>
    Effect.gen(function* () {
      const outcome = yield* runText("  - command: status\n    budget_bytes: 3")
      assert.include(outcome.message, "more than 3")
      const allowed = yield* runText("  - command: status\n    budget_bytes: 3\n    allow_failure: true")
      assert.strictEqual(allowed.result, "passed", allowed.message)
    })
  )

  it.live("when its program cannot be started; one whose needs are missing is skipped", () =>
    Effect.gen(function* () {
      const outcome = yield* runText("  - check_state: exited", "program: none")
      assert.include(outcome.step, "target")
      const skipped = yield* ScenarioRunner.runText(
        "name: a\nneeds: [no-such-tool]\nsteps: [{check_state: null}]",
        "x",
        options
      )
      assert.strictEqual(skipped.result, "skipped")
    })
  )
})

describe("a scenario is skipped", () => {
  it.live("where a compiler that it needs is a shim without a toolchain", () =>
    Effect.gen(function* () {
      const shims = mkdtempSync(join(tmpdir(), "sigtrap-shims-"))
      writeFileSync(join(shims, "rustc"), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
      const needing = (tool: string) =>
        ScenarioRunner.runText(`name: a\nneeds: [${tool}]\nsteps: [{check_state: null}]`, "x", {
          ...options,
          environment: { ...environment, PATH: `${shims}:${environment["PATH"]}` }
        })
      const skipped = yield* needing("rustc")
      assert.deepStrictEqual([skipped.result, skipped.message], ["skipped", "needs rustc"])
      assert.notStrictEqual((yield* needing("cc")).result, "skipped")
    })
  )
})
