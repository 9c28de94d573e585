/** `run --failing` with runners of JavaScript: the failed tests are named with their places, also without a debugger for them. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "240 seconds" })

/** A runner, its test file, and the failed tests with their lines. */
interface Row {
  readonly runner: "node" | "vitest" | "bun" | "deno"
  readonly file: string
  readonly text: string
  readonly failed: ReadonlyArray<readonly [name: string, line: number]>
  /** The error that says why none is debugged. */
  readonly code: string
}

const rows: ReadonlyArray<Row> = [
  {
    runner: "node",
    file: "bank.test.mjs",
    text: `import assert from "node:assert"
import { describe, test } from "node:test"
describe("bank", () => {
  test("adds", () => assert.equal(1 + 1, 2))
  test("fails # twice", () => {
    const sum = 9
    assert.equal(sum, 10)
  })
})
test("other", () => assert.ok(false))
`,
    failed: [
      ["fails # twice", 7],
      ["other", 10]
    ],
    code: "ADAPTER_NOT_FOUND"
  },
  {
    runner: "vitest",
    file: "bank.test.ts",
    text: `import { describe, expect, it } from "vitest"
describe("bank", () => {
  it("adds", () => expect(2).toBe(2))
  it("fails", () => {
    const sum: number = 9
    expect(sum).toBe(10)
  })
})
`,
    failed: [["bank fails", 6]],
    code: "ADAPTER_NOT_FOUND"
  },
  {
    runner: "bun",
    file: "bank.test.ts",
    text: `import { describe, expect, test } from "bun:test"
describe("bank", () => {
  test("adds", () => expect(2).toBe(2))
  test("fails & 'more'", () => {
    expect(9).toBe(10)
  })
})
`,
    failed: [["bank fails & 'more'", 5]],
    code: "UNSUPPORTED"
  },
  {
    runner: "deno",
    file: "bank_test.ts",
    text: `Deno.test("adds", () => {})
Deno.test("fails <twice>", () => {
  throw new Error("sum")
})
`,
    failed: [["fails <twice>", 3]],
    code: "ADAPTER_NOT_FOUND"
  }
]

suite("the failed tests of a runner", (it) => {
  for (const { code, failed, file, runner, text } of rows) {
    it.effect(`of ${runner} have their places, and the answer says what is missing`, () =>
      debugging((own) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const path = yield* Path.Path
          const bin = path.resolve("node_modules/.bin")
          const env = { ...environment, PATH: `${bin}:${environment["PATH"] ?? ""}`, LC_MARK: own.temporary }
          if (runner !== "vitest" && !Tools.isPresent(runner, env)) return
          const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
          yield* fs.writeFileString(`${directory}/${file}`, text)
          if (runner === "vitest") yield* fs.symlink(path.resolve("node_modules"), `${directory}/node_modules`)
          const { data, warnings } = yield* own.call("run", {
            runner,
            directory,
            failing: true,
            environment: { ...env, SIGTRAP_JS_DEBUG: "", HOME: own.temporary, XDG_CACHE_HOME: `${own.temporary}/cache` }
          })
          assert.deepInclude(data.run, { outcome: "failed", by: runner })
          assert.notProperty(data.run, "session")
          const { tests } = data.run ?? {}
          assert.strictEqual(tests?.failed, failed.length)
          const places = (tests?.list ?? []).map((one) => [one.name, path.basename(one.file ?? ""), one.line])
          assert.deepStrictEqual(
            places,
            failed.map(([name, line]) => [name, file, line])
          )
          const missing = warnings.find((one) => one.code === code)
          assert.isDefined(missing, JSON.stringify(warnings))
          assert.isAtLeast(missing?.hints?.length ?? 0, 1)
          assert.deepStrictEqual((yield* own.call("sessions", {})).data.sessions, [])
        })
      ).pipe(Effect.scoped)
    )
  }

  it.effect("of bun is run by its name without a debugger, and start refuses it", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const bin = path.resolve("node_modules/.bin")
        const env = { ...environment, PATH: `${bin}:${environment["PATH"] ?? ""}` }
        if (!Tools.isPresent("bun", env)) return
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const program = `${directory}/nested.test.ts`
        yield* fs.writeFileString(
          program,
          `import { describe, test } from "bun:test"
const check = (n: number) => {
  if (n !== 3) throw new TypeError("not three")
}
describe("outer", () => {
  describe("inner", () => {
    test("four", () => check(4))
    test("three", () => check(3))
  })
})
`
        )
        const environmentOf = { ...env, HOME: own.temporary, XDG_CACHE_HOME: `${own.temporary}/cache` }
        const asked = { runner: "bun" as const, directory, program, environment: environmentOf }
        const { data, warnings } = yield* own.call("run", { ...asked, test: "outer inner four" })
        assert.deepInclude(data.run, { outcome: "failed", by: "bun" })
        assert.deepStrictEqual(data.run?.tests?.list, [
          { name: "outer inner four", file: program, line: 3, message: "not three" }
        ])
        assert.isTrue(warnings.some(({ code }) => code === "UNSUPPORTED"))
        const passed = yield* own.call("run", { ...asked, test: "three" })
        assert.deepInclude(passed.data.run, { outcome: "passed" })
        const absent = yield* Effect.flip(own.call("run", { ...asked, test: "five" }))
        assert.deepInclude(absent, { _tag: "TestNotFound", name: "five" })
        const started = yield* Effect.flip(own.call("start", { ...asked, test: "four" }))
        assert.strictEqual(started._tag, "Unsupported")
        const broken = yield* Effect.flip(own.call("run", { ...asked, test: "four", break: [`${program}:3`] }))
        assert.strictEqual(broken._tag, "Unsupported")
      })
    ).pipe(Effect.scoped)
  )
})
