/** Finds tests of JavaScript by their names, under the runners that are installed here and in the form that jest and mocha write. */
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"
import { here } from "./jsDebug.ts"

const bin = `${process.cwd()}/node_modules/.bin`
const env = { ...environment, PATH: `${bin}:${environment["PATH"] ?? ""}` }

const suite = layer(platform, { excludeTestServices: true, timeout: "180 seconds" })

/** Tests of Node's runner whose names a pattern alone does not find. */
const named = `import assert from "node:assert"
import { describe, test } from "node:test"
test("twice", () => {})
describe("group", () => {
  test("twice", () => assert.equal(1, 2))
  test("calls back", (_, done) => setTimeout(done, 1))
})
test("around", async (t) => {
  await t.test("within", () => assert.equal(3, 4))
})
`

const listed = ["sums adds", "sums adds more", "sums > 2"]

/** What jest and mocha write when they list tests, as jest 30 and mocha 12 wrote it, without the members that are not read. */
const lists = {
  jest: {
    file: "jest/bin/jest.js",
    options: ["--outputFile=", "$lists, runs none"],
    report: {
      testResults: [
        {
          assertionResults: listed.map((fullName) => ({ fullName, status: "pending" }))
        }
      ]
    }
  },
  mocha: {
    file: "mocha/bin/mocha.js",
    options: ["output=", "--dry-run"],
    report: { tests: listed.map((fullTitle) => ({ fullTitle, title: "adds" })) }
  }
} as const

const tests: Parameters<typeof suite>[1] = (it) => {
  it.effect("of jest and mocha that do not exist fail, and nothing is run", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
        for (const runner of ["jest", "mocha"] as const) {
          const { file, options, report } = lists[runner]
          const program = `${directory}/node_modules/${file}`
          yield* fs.makeDirectory(program.replace(/\/[^/]*$/, ""), { recursive: true })
          const source = `const args = process.argv.slice(2)
const [output] = args.flatMap((one) => one.split(${JSON.stringify(options[0])})[1] ?? [])
if (!args.includes(${JSON.stringify(options[1])})) throw new Error("run")
require("node:fs").writeFileSync(output, ${JSON.stringify(JSON.stringify(report))})`
          yield* fs.writeFileString(program, source)
          const asked = { runner, directory, environment: own }
          const absent = yield* Effect.flip(call("run", { ...asked, test: "subtracts" }))
          assert.deepInclude(absent, { _tag: "TestNotFound", found: 0, known: listed }, runner)
          const mixed = yield* Effect.flip(call("run", { ...asked, test: "sums > 3" }))
          assert.deepInclude(mixed, { _tag: "TestNotFound", found: 0 }, runner)
          const several = yield* Effect.flip(call("run", { ...asked, test: "adds" }))
          assert.deepInclude(several, { _tag: "TestNotFound", found: 2 }, runner)
        }
      })
    ).pipe(Effect.scoped)
  )

  it.effect("of a table of vitest are found by the names that they have when they run", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.symlink(join(import.meta.dirname, "../../../node_modules"), `${directory}/node_modules`)
        yield* fs.writeFileString(`${directory}/package.json`, '{"type":"module"}')
        yield* fs.writeFileString(
          `${directory}/sums.test.js`,
          'import { it } from "vitest"\nit.each([1, 2])("adds %d", () => {})\n'
        )
        const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
        const asked = { runner: "vitest" as const, directory, environment: own }
        const several = yield* Effect.flip(call("run", { ...asked, test: "adds" }))
        assert.deepInclude(several, { _tag: "TestNotFound", found: 2, known: ["adds 1", "adds 2"] })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("of node are found by their names; one that does not exist fails", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const program = `${directory}/bank.test.mjs`
        yield* fs.writeFileString(program, named)
        const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
        const asked = { runner: "node" as const, directory, program, environment: own }
        const absent = yield* Effect.flip(call("run", { ...asked, test: "twicee" }))
        assert.deepInclude(absent, { _tag: "TestNotFound", name: "twicee" })
        const several = yield* Effect.flip(call("run", { ...asked, test: "t" }))
        assert.deepInclude(several, { _tag: "TestNotFound", found: 2 })
        for (const [test, line] of [
          ["group twice", 5],
          ["around within", 9]
        ] as const) {
          const { data } = yield* call("run", { ...asked, test })
          assert.deepInclude(data, { event: "stopped", reason: "exception" }, test)
          assert.strictEqual(data.location?.line, line, test)
        }
        const passed = yield* call("run", { ...asked, test: "calls back" })
        assert.deepInclude(passed.data, { event: "exited", exit_code: 0 })
        yield* fs.writeFileString(program, named.replace("assert.equal(1, 2)", "{}"))
        const failing = yield* call("run", { ...asked, failing: true })
        assert.deepInclude(failing.data.run?.tests, { failed: 1, first: "around" })
        assert.strictEqual(failing.data.location?.line, 9)
      })
    ).pipe(Effect.scoped)
  )
}

if (here) suite("names of tests of JavaScript", tests)
else {
  layer(NodeServices.layer)("names of tests of JavaScript", (it) => {
    it.effect("are tried under js-debug only", () =>
      Effect.sync(() => assert.isFalse(Tools.recorded("js-debug", here)))
    )
  })
}
