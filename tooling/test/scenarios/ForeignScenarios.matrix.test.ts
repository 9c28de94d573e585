/**
 * Scenarios of an external project: programs in its root, scenarios two folders below. They pass unchanged from any working
 * directory, one after another and in parallel.
 */
import { assert, describe, it } from "@effect/vitest"
import * as TestCommand from "sigtrap/commands/TestCommand"
import { Effect } from "effect"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const root = mkdtempSync(join(tmpdir(), "sigtrap-elsewhere-"))
    mkdirSync(join(root, "tests"))
    cpSync(here("../../fixtures/c"), join(root, "programs"), { recursive: true })
    cpSync(here("../../scenarios/foreign"), join(root, "tests", "scenarios"), { recursive: true })
    return root
  }),
  (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
)

const test = (directory: string, ...argv: ReadonlyArray<string>) =>
  TestCommand.run(argv, { directory, environment, runtimeDirectory: undefined })

describe("scenarios from elsewhere", () => {
  it.live("pass from the root of their project, several at a time", () =>
    Effect.gen(function* () {
      const root = yield* project
      const names = readdirSync(join(root, "tests/scenarios")).map((name) => `tests/scenarios/${name}`)
      const { problem, text } = yield* test(root, ...names, "-j", "2")
      assert.isUndefined(problem, text)
      assert.include(text, "passed, 0 failed")
    })
  )

  it.live("pass from the folder that they are in", () =>
    Effect.gen(function* () {
      const root = yield* project
      const { problem, text } = yield* test(join(root, "tests/scenarios"), "assertions.yml", "documents.yml")
      assert.isUndefined(problem, text)
    })
  )

  it.live("are run although one beside them cannot be read, which decides the exit code", () =>
    Effect.gen(function* () {
      const root = yield* project
      writeFileSync(join(root, "bad.yml"), "name: bad\ntarget: { programme: x }\nsteps: [next]\n")
      const { problem, text } = yield* test(root, "bad.yml", "none.yml", "tests/scenarios/nobody.yml")
      assert.include(text, "1 passed, 2 failed")
      assert.include(text, "no key 'programme'; nearest: program")
      assert.deepInclude(problem, { code: "INVALID_CONFIG", exit: 2 })
    })
  )

  it.live("fail where what they assert is not so", () =>
    Effect.gen(function* () {
      const root = yield* project
      const written = (step: string) => `---
setup: [cc -g -O0 programs/app.c -o programs/app_wrong]
target: { program: programs/app_wrong, break: [sum_scores] }
steps: [${step}]
`
      const steps = [
        "{ action: inspect_locals, asserts: [{ name: n, value: '4' }] }",
        "{ action: inspect_stack, asserts: [{ index: 0, function: main }] }",
        "{ action: await, expect: { reason: exited } }",
        "{ action: command, command: locals, expect: { success: false } }",
        "{ action: evaluate, expression: n, expect: { result_contains: '4' } }"
      ]
      writeFileSync(join(root, "wrong.yml"), steps.map(written).join(""))
      const { problem, text } = yield* test(root, "wrong.yml")
      assert.include(text, "0 passed, 5 failed")
      for (const part of [
        'n.value: expected "4"',
        "[0].function",
        "one_of",
        "success: expected false",
        'contains "4"'
      ]) {
        assert.include(text, part)
      }
      assert.deepInclude(problem, { code: "TEST_FAILED", exit: 1 })
    })
  )
})
