/** Stops where tests of JavaScript fail. What the runner says without a debugger is the second source. */
import { assert, layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, Path } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import { here } from "./jsDebug.ts"

/** The tests, each with the text of the line where it stops. */
const tests: ReadonlyArray<readonly [name: string, line: string]> = [
  ["sum", "assert.equal(sum, 10)"],
  ["thrown", 'throw new TypeError("thrown")'],
  ["called", "assert.ok(value)"],
  ["late", 'throw new Error("late")']
]

const body = `const tick = () => new Promise((resolve) => setTimeout(resolve, 5))
interface Kind {
  readonly name: string
}
const truthy = (value: unknown) => {
  assert.ok(value)
}
const late = async () => {
  await tick()
  throw new Error("late")
}
const early = async (kind: Kind) => {
  throw new Error(kind.name)
}
describe("outer", () => {
  describe("inner", () => {
    test("sum", () => {
      const sum = 9
      assert.equal(sum, 10)
    })
    test("thrown", () => {
      throw new TypeError("thrown")
    })
    test("called", () => truthy(0))
    test("awaited", async () => {
      const awaited = 4
      await tick()
      truthy(awaited)
      assert.equal(awaited, 5)
    })
    test("late", async () => {
      await late()
    })
    test("early", async () => {
      await early({ name: "early" })
    })
    test("caught", async () => {
      try {
        assert.equal(1, 2)
      } catch {}
      try {
        await late()
      } catch {}
      assert.throws(() => truthy(0))
      await assert.rejects(late())
      await assert.rejects(early({ name: "first" }))
      await assert.rejects(() => early({ name: "second" }))
      await assert.rejects(Promise.reject(new Error("third")))
    })
  })
})
`

/** The file of a runner. Node removes types in place, so its lines are those of the file. */
const files = {
  node: {
    file: "bank.test.ts",
    text: `import assert from "node:assert"\nimport { describe, test } from "node:test"\n${body}`
  },
  vitest: {
    file: "bank.test.ts",
    text: `import assert from "node:assert"\nimport { describe, expect, test } from "vitest"\n${body.replace("assert.equal(sum, 10)", "expect(sum).toBe(10)")}`
  }
}

const bin = `${process.cwd()}/node_modules/.bin`
const env = { ...environment, PATH: `${bin}:${environment["PATH"] ?? ""}` }

const suite = layer(platform, { excludeTestServices: true, timeout: "180 seconds" })

const stops: Parameters<typeof suite>[1] = (it) => {
  for (const runner of ["node", "vitest"] as const) {
    const { file, text } = files[runner]
    const project = Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      yield* fs.writeFileString(`${directory}/${file}`, text)
      yield* fs.writeFileString(`${directory}/package.json`, '{ "type": "module" }')
      yield* fs.symlink(path.resolve("node_modules"), `${directory}/node_modules`)
      return directory
    })
    const lineOf = (words: string) => {
      const shown = runner === "vitest" ? words.replace("assert.equal(sum, 10)", "expect(sum).toBe(10)") : words
      return text.split("\n").findIndex((line) => line.trim() === shown) + 1
    }

    it.effect(`of ${runner}, also in functions that it calls`, () =>
      debugging(({ call, temporary }) =>
        Effect.gen(function* () {
          const directory = yield* project
          const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
          const asked = { runner, directory, program: `${directory}/${file}`, environment: own }
          for (const [name, line] of tests) {
            const { data, warnings } = yield* call("run", { ...asked, test: `outer inner ${name}` })
            assert.deepInclude(data, { event: "stopped", reason: "exception" }, name)
            assert.strictEqual(data.location?.file, `${directory}/${file}`, name)
            assert.strictEqual(data.location?.line, lineOf(line), name)
            assert.notInclude(
              warnings.map(({ code }) => code),
              "SOURCE_NEWER"
            )
            assert.strictEqual(data.run?.outcome, "failed", name)
          }
        })
      ).pipe(Effect.scoped)
    )

    it.effect(`of ${runner}, and not at exceptions that it handles`, () =>
      debugging(({ call, temporary }) =>
        Effect.gen(function* () {
          const directory = yield* project
          const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
          const asked = { runner, directory, program: `${directory}/${file}`, environment: own }
          const { data } = yield* call("run", { ...asked, test: "outer inner caught" })
          assert.deepInclude(data, { event: "exited", exit_code: 0 })
        })
      ).pipe(Effect.scoped)
    )

    it.effect(`of ${runner} with the locals of the test; late at a promise that was rejected at once`, () =>
      debugging(({ call, temporary }) =>
        Effect.gen(function* () {
          const directory = yield* project
          const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
          const asked = { runner, directory, program: `${directory}/${file}`, environment: own }
          const kept = yield* call("run", { ...asked, test: "outer inner awaited", keep: true })
          assert.strictEqual(kept.data.run?.session, "failed")
          const line = lineOf("assert.equal(awaited, 5)")
          assert.deepInclude(kept.data.location, { file: `${directory}/${file}`, line })
          const values = (yield* call("print", { expressions: ["awaited + 1"], session: "failed" })).data.values
          assert.strictEqual(values[0]?.value, "5")
          assert.deepInclude((yield* call("continue", { session: "failed" })).data, { event: "exited", exit_code: 1 })
          yield* call("stop", { session: "failed" })
          const early = yield* call("run", { ...asked, test: "outer inner early", keep: true })
          assert.deepInclude(early.data, { event: "stopped", reason: "exception" })
          assert.strictEqual(early.data.location?.function, "theTestHasFailed")
          const stack = (yield* call("print", { expressions: ["error.stack"], session: "failed" })).data.values
          assert.include(stack[0]?.value, "at early")
          assert.deepInclude((yield* call("continue", { session: "failed" })).data, { event: "exited", exit_code: 1 })
        })
      ).pipe(Effect.scoped)
    )
  }
}

/** Tests that pass although their functions throw, because of their options. */
const expected = {
  node: `import assert from "node:assert"
import { test } from "node:test"
test("expected", { todo: true }, () => assert.equal(1, 2))
`,
  vitest: `import { expect, test } from "vitest"
let attempts = 0
test("expected", { fails: true }, () => expect(1).toBe(2))
test("repeated", { retry: 2 }, () => {
  attempts += 1
  expect(attempts).toBe(2)
})
test("given up", { retry: 1 }, () => {
  attempts += 1
  expect(attempts).toBe(0)
})
`
}

const passes: Parameters<typeof suite>[1] = (it) => {
  it.effect("that are expected to fail, or are repeated, stop only if they fail in the end", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.symlink(path.resolve("node_modules"), `${directory}/node_modules`)
        const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
        for (const [runner, test] of [
          ["node", "expected"],
          ["vitest", "expected"],
          ["vitest", "repeated"]
        ] as const) {
          const program = `${directory}/${runner}.test.mjs`
          yield* fs.writeFileString(program, expected[runner])
          const { data } = yield* call("run", { runner, directory, program, environment: own, test })
          assert.deepInclude(data, { event: "exited", exit_code: 0 }, `${runner} ${test}`)
        }
        const program = `${directory}/vitest.test.mjs`
        const last = yield* call("run", {
          runner: "vitest",
          directory,
          program,
          environment: own,
          test: "given up",
          keep: true
        })
        assert.deepInclude(last.data, { event: "stopped", reason: "exception" })
        const [attempts] = (yield* call("print", { expressions: ["attempts"], session: "failed" })).data.values
        assert.strictEqual(attempts?.value, "2")
      })
    ).pipe(Effect.scoped)
  )
}

/** Hooks that fail, and tests with a callback. */
const others = {
  node: `import assert from "node:assert"
import { after, before, beforeEach, describe, test } from "node:test"
const check = (a, b) => {
  assert.equal(a, b)
}
test("throws", (_, done) => {
  const n = 3
  check(n, 4)
  done()
})
test("gives", (_, done) => setTimeout(() => done(new Error("given")), 1))
test("calls back", (_, done) => setTimeout(done, 1))
describe("each", () => {
  beforeEach(() => check(1, 2))
  test("one", () => {})
})
describe("ends", () => {
  after(() => check(3, 4))
  test("one", () => {})
})
`,
  vitest: `import assert from "node:assert"
import { afterAll, beforeEach, describe, test } from "vitest"
const check = (a, b) => {
  assert.equal(a, b)
}
describe("each", () => {
  beforeEach(() => check(1, 2))
  test("one", () => {})
})
describe("ends", () => {
  afterAll(() => check(3, 4))
  test("one", () => {})
})
`
}

const outside: Parameters<typeof suite>[1] = (it) => {
  it.effect("stop in hooks, in tests with a callback, and at the error of a file that cannot be loaded", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        yield* fs.symlink(path.resolve("node_modules"), `${directory}/node_modules`)
        const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
        for (const runner of ["node", "vitest"] as const) {
          yield* fs.writeFileString(`${directory}/${runner}.test.mjs`, others[runner])
        }
        const run = (runner: "node" | "vitest", test: string) =>
          call("run", { runner, directory, program: `${directory}/${runner}.test.mjs`, environment: own, test })
        for (const [runner, test] of [
          ["node", "throws"],
          ["node", "each one"],
          ["node", "ends one"],
          ["vitest", "each one"],
          ["vitest", "ends one"]
        ] as const) {
          const { data } = yield* run(runner, test)
          assert.deepInclude(data, { event: "stopped", reason: "exception" }, `${runner} ${test}`)
          assert.deepInclude(data.location, { function: "check", line: 4 }, `${runner} ${test}`)
        }
        const given = yield* run("node", "gives")
        assert.deepInclude(given.data, { event: "stopped", reason: "exception", description: "Error: given" })
        assert.strictEqual(given.data.location?.line, 11)
        assert.deepInclude((yield* run("node", "calls back")).data, { event: "exited", exit_code: 0 })
        const text = (module: string) =>
          `import { test } from "${module}"\ntest("one", () => {})\nthrow new Error("at import")\n`
        const loaded = `${directory}/import.test.mjs`
        yield* fs.writeFileString(loaded, text("node:test"))
        const asked = { directory, program: loaded, environment: own }
        const stopped = yield* call("run", { ...asked, runner: "node", test: "one" })
        assert.deepInclude(stopped.data, { event: "stopped", reason: "exception", description: "Error: at import" })
        yield* fs.writeFileString(loaded, text("vitest"))
        const { data } = yield* call("run", { ...asked, runner: "vitest", failing: true })
        assert.deepStrictEqual(data.run?.tests?.list, [{ name: loaded, file: loaded, message: "at import" }])
      })
    ).pipe(Effect.scoped)
  )
}

if (here) suite("tests", outside)
if (here) suite("tests", passes)
if (here) suite("a failing test of JavaScript stops", stops)
else {
  layer(NodeServices.layer)("a failing test of JavaScript stops", (it) => {
    it.effect("under js-debug only", () => Effect.sync(() => assert.isFalse(here)))
  })
}
