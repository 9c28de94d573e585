// Configurations that are used again: the same while nothing has changed, a new one after every change.
import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigCache } from "@sigtrap/host"
import { Operations } from "@sigtrap/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { directory } from "../../src/testing/Children.ts"

const place = Effect.map(directory, (home) => {
  const project = join(home, "project", "deep")
  mkdirSync(project, { recursive: true })
  mkdirSync(join(home, ".config/sigtrap"), { recursive: true })
  return { directory: project, environment: { HOME: home }, own: join(home, ".config/sigtrap/config.toml") }
})

/** Moves the clock, so that the files of this test are old. */
const later = Effect.suspend(() => TestClock.setTime(Date.now() + 60_000))

const valuesOf = (where: Config.Place) => Effect.map(ConfigCache.resolve(where), ({ values }) => values)

describe("the cache of configurations", () => {
  it.effect("gives the same configuration while its files are unchanged", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      writeFileSync(own, "output.lines = 2\n")
      yield* later
      const first = yield* ConfigCache.resolve(where)
      assert.strictEqual(yield* ConfigCache.resolve(where), first)
      yield* TestClock.adjust("2 seconds")
      const second = yield* ConfigCache.resolve(where)
      assert.notStrictEqual(second, first, "it is read again after a second")
      assert.deepStrictEqual(second, first)
    })
  )

  it.effect("sees each change, each new file and each lost file", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      yield* later
      assert.deepStrictEqual(yield* valuesOf(where), {})
      writeFileSync(own, "output.lines = 2\n")
      assert.deepStrictEqual(yield* valuesOf(where), { "output.lines": "2" })
      // The clock of this test is not that of the file system, so each text has another size.
      writeFileSync(own, "output.lines =  3\n")
      assert.deepStrictEqual(yield* valuesOf(where), { "output.lines": "3" })
      const file = join(where.directory, "..", Config.projectName)
      writeFileSync(file, "output.lines = 4\n")
      assert.deepStrictEqual(yield* valuesOf(where), { "output.lines": "3" })
      const project = (yield* Config.projectFile(where.directory)) ?? { file: "", text: "" }
      yield* Config.trust(project, where)
      assert.deepStrictEqual(yield* valuesOf(where), { "output.lines": "4" })
      rmSync(file)
      assert.deepStrictEqual(yield* valuesOf(where), { "output.lines": "3" })
      const target = join(where.environment.HOME, "dotfile.toml")
      writeFileSync(target, "output.lines = 5\n")
      rmSync(own)
      symlinkSync(target, own)
      assert.deepStrictEqual(yield* valuesOf(where), { "output.lines": "5" })
      writeFileSync(target, "output.lines =  6\n")
      assert.deepStrictEqual(yield* valuesOf(where), { "output.lines": "6" })
      const environment = { ...where.environment, SIGTRAP_CONTEXT: "none" }
      const both = { "output.lines": "6", "output.context": "none" }
      assert.deepStrictEqual(yield* valuesOf({ ...where, environment }), both)
    })
  )

  it.live("sees changes of the same size within one tick of the clock of the file system", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      for (let round = 10; round < 50; round++) {
        writeFileSync(own, `output.lines = ${round}\n`)
        assert.deepStrictEqual(yield* valuesOf(where), { "output.lines": String(round) })
      }
    })
  )

  it.effect("gives mistakes again, and refuses a path with a NUL byte", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      writeFileSync(own, "output.lines = many\n")
      yield* later
      for (let round = 0; round < 2; round++) {
        assert.strictEqual((yield* Effect.flip(ConfigCache.resolve(where)))._tag, "InvalidConfig")
      }
      writeFileSync(own, "output.lines = 2\n")
      assert.deepStrictEqual(yield* valuesOf(where), { "output.lines": "2" })
      const broken = { ...where, environment: { HOME: `${where.environment.HOME}\0` } }
      assert.strictEqual((yield* Effect.exit(ConfigCache.resolve(broken)))._tag, "Success")
    })
  )

  it.effect("looks at no file for an operation that uses no value, if it did within a second", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      yield* later
      const values = ConfigCache.valuesFor(where)
      const [start, status] = [Operations.find("start"), Operations.find("status")]
      if (start === undefined || status === undefined) return assert.fail("no operation")
      assert.deepStrictEqual(yield* values(status), {})
      writeFileSync(own, "output.lines = 2\n")
      assert.deepStrictEqual(yield* values(status), {})
      assert.deepStrictEqual(yield* values(start), { "output.lines": "2" })
      assert.deepStrictEqual(yield* values(status), { "output.lines": "2" })
      writeFileSync(own, "output.lines = 3\n")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* values(status), { "output.lines": "3" })
    })
  )
})
