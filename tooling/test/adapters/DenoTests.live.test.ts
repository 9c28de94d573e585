/** Stops where tests and programs of Deno fail, under js-debug. What Deno says without a debugger is the second source. */
import { assert, layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, Path } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"
import { here } from "./jsDebug.ts"

const text = `import assert from "node:assert"
interface Kind {
  readonly name: string
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 5))
const truthy = (value: unknown) => {
  if (!value) throw new Error("not truthy")
}
const late = async (kind: Kind) => {
  await tick()
  throw new Error(kind.name)
}
const early = async (kind: Kind) => {
  throw new Error(kind.name)
}
Deno.test("sum", () => {
  const sum = 9
  assert.equal(sum, 10)
})
Deno.test({ name: "called", fn: () => truthy(0) })
Deno.test("awaited", async () => {
  const awaited = 4
  await tick()
  truthy(awaited)
  assert.equal(awaited, 5)
})
Deno.test("late", async () => {
  await late({ name: "later" })
})
Deno.test("early", async () => {
  await early({ name: "at once" })
})
Deno.test("steps", async (t) => {
  await t.step("first", () => {})
  await t.step("second", async (inner) => {
    await inner.step("third", () => truthy(""))
  })
})
Deno.test("caught", async () => {
  try {
    truthy(0)
  } catch {}
  try {
    await late({ name: "caught" })
  } catch {}
  await early({ name: "caught" }).catch(() => {})
  assert.throws(() => truthy(0))
})
Deno.test("refused", async () => {
  await assert.rejects(late({ name: "first" }))
  await assert.rejects(early({ name: "second" }))
  await assert.rejects(() => early({ name: "third" }))
  await assert.rejects(Promise.reject(new Error("fourth")))
})
Deno.test.ignore("ignored", () => truthy(0))
`

/** The tests, each with the text of the line where it stops, and the function that is shown. */
const stops: ReadonlyArray<readonly [name: string, line: string]> = [
  ["sum", "assert.equal(sum, 10)"],
  ["called", 'if (!value) throw new Error("not truthy")'],
  ["awaited", "assert.equal(awaited, 5)"],
  ["late", "throw new Error(kind.name)"],
  ["steps", 'if (!value) throw new Error("not truthy")'],
  ["steps > second", 'if (!value) throw new Error("not truthy")']
]

const bin = `${process.cwd()}/node_modules/.bin`
const env = { ...environment, PATH: `${bin}:${environment["PATH"] ?? ""}`, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" }

const lineOf = (words: string) => text.split("\n").findIndex((line) => line.trim() === words) + 1

const project = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  yield* fs.writeFileString(`${directory}/deno.json`, "{}")
  yield* fs.writeFileString(`${directory}/bank_test.ts`, text)
  return directory
})

const tests = layer(platform, { excludeTestServices: true, timeout: "180 seconds" })

const suite: Parameters<typeof tests>[1] = (it) => {
  it.effect("stop at the failure, and not at exceptions that they handle", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const directory = yield* project
        const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
        const asked = { runner: "deno" as const, directory, program: `${directory}/bank_test.ts`, environment: own }
        for (const [test, line] of stops) {
          const { data, warnings } = yield* call("run", { ...asked, test })
          assert.deepInclude(data, { event: "stopped", reason: "exception" }, test)
          assert.strictEqual(data.location?.file, `${directory}/bank_test.ts`, test)
          assert.strictEqual(data.location?.line, lineOf(line), test)
          assert.notInclude(
            warnings.map(({ code }) => code),
            "SOURCE_NEWER"
          )
        }
        for (const test of ["caught", "refused", "ignored"]) {
          const { data } = yield* call("run", { ...asked, test })
          assert.deepInclude(data, { event: "exited", exit_code: 0 }, test)
        }
        const absent = yield* Effect.flip(call("run", { ...asked, test: "lates" }))
        assert.deepInclude(absent, { _tag: "TestNotFound", name: "lates" })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("are found by deno.json; the failed one has its values, its exit code and its output", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const directory = yield* project
        const own = { ...env, HOME: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
        const failing = yield* call("run", { runner: "auto", directory, environment: own, failing: true })
        assert.deepInclude(failing.data.run?.tests, { failed: 6, first: "sum" })
        const places = (failing.data.run?.tests?.list ?? []).map(({ file, line, name }) => [name, file, line])
        assert.deepInclude(places, ["steps > second > third", `${directory}/bank_test.ts`, 8])
        assert.deepInclude(failing.data, { event: "stopped", reason: "exception" })
        yield* call("stop", { session: "failed" })
        const kept = yield* call("run", { runner: "auto", directory, environment: own, test: "awaited", keep: true })
        assert.strictEqual(kept.data.run?.session, "failed")
        const values = (yield* call("print", { expressions: ["awaited + 1"], session: "failed" })).data.values
        assert.strictEqual(values[0]?.value, "5")
        assert.deepInclude((yield* call("continue", { session: "failed" })).data, { event: "exited", exit_code: 1 })
        const { entries } = (yield* call("output", { session: "failed" })).data
        const written = entries.map((one) => one.text).join("")
        assert.include(written, "awaited ... FAILED")
        assert.notInclude(written, "Debugger")
        yield* call("stop", { session: "failed" })
        const early = yield* call("run", { runner: "auto", directory, environment: own, test: "early", keep: true })
        assert.strictEqual(early.data.location?.function, "theTestHasFailed")
        const stack = (yield* call("print", { expressions: ["error.stack"], session: "failed" })).data.values
        assert.include(stack[0]?.value, "at early")
      })
    ).pipe(Effect.scoped)
  )
}

const programs: Parameters<typeof tests>[1] = (it) => {
  it.effect("stops at a line of its TypeScript, whatever port another program has", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const program = path.join(directory, "main.ts")
        yield* fs.writeFileString(
          program,
          `interface One {\n  readonly n: number\n}\n\nconst twice = (one: One) => {\n  const n = one.n * 2\n  return n\n}\nconsole.log(twice({ n: 21 }))\n`
        )
        const own = { ...env, HOME: temporary }
        const { data } = yield* call("start", {
          program,
          environment: own,
          adapter_opt: ['runtimeExecutable="deno"', 'runtimeArgs=["run","--inspect-wait"]', "attachSimplePort=9229"],
          break: [`${program}:7`]
        })
        assert.deepInclude(data, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual((yield* call("print", { expressions: ["n"] })).data.values[0]?.value, "42")
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        const { entries } = (yield* call("output", {})).data
        assert.strictEqual(entries.map((one) => one.text).join(""), "42\n")
      })
    ).pipe(Effect.scoped)
  )
}

/** Programs that throw where Deno itself catches, each with the place of the error in explain. */
const uncaught = [
  [
    "top.ts",
    "const bad = (n: number) => {\n  throw new RangeError(`bad ${n}`)\n}\ntry {\n  bad(1)\n} catch {}\nbad(2)\n"
  ],
  [
    "timer.ts",
    'const bad = () => {\n  throw new RangeError("bad 2")\n}\ntry {\n  bad()\n} catch {}\nsetTimeout(() => bad(), 1)\n'
  ]
] as const

const reported: Parameters<typeof tests>[1] = (it) => {
  it.effect("stops when Deno reports what the top level or a timer threw, and once at a rejected promise", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const own = { ...env, HOME: temporary }
        const run = (program: string) =>
          call("start", { program, environment: own, adapter_opt: ['runtimeExecutable="deno"'] })
        for (const [name, content] of uncaught) {
          yield* fs.writeFileString(`${directory}/${name}`, content)
          const { data, warnings } = yield* run(`${directory}/${name}`)
          const description = "RangeError: bad 2"
          assert.deepInclude(data, { event: "stopped", reason: "exception", description }, name)
          assert.deepInclude(data.location, { function: "theProgramHasFailed" }, name)
          const said = `created in bad ${name}:2, reported after the frames that threw it had ended`
          assert.strictEqual(data.explain, said)
          assert.deepStrictEqual((yield* call("explain", {})).data.facts.at(-1)?.text, said)
          assert.deepStrictEqual(warnings, [])
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 }, name)
        }
        const program = `${directory}/rejected.ts`
        yield* fs.writeFileString(
          program,
          "const bad = async () => {\n  await 0\n  throw new Error('late')\n}\nbad()\n"
        )
        const { data } = yield* run(program)
        assert.deepInclude(data.location, { function: "bad", line: 3 })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 })
      })
    ).pipe(Effect.scoped)
  )
}

if (here) {
  tests("an uncaught exception in a program of Deno", reported)
  tests("tests of Deno", suite)
  tests("a program of Deno", programs)
} else {
  layer(NodeServices.layer)("tests of Deno", (it) => {
    it.effect("are debugged under js-debug only", () =>
      Effect.sync(() => assert.isFalse(Tools.recorded("js-debug", here)))
    )
  })
}
