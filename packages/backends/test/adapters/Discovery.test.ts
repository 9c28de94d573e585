/** The search for adapters' files: which are examined, side by side, and how often a program is asked for its version. */
import { Hint } from "@sigtrap/protocol"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, FileSystem } from "effect"
import type { Located } from "../../src/adapters/Adapter.ts"
import * as Discovery from "../../src/adapters/Discovery.ts"
import { executable, platform } from "../support.ts"

const kindOf = (examine: (file: string) => Effect.Effect<Located>): Discovery.Kind => ({
  name: "some",
  aliases: [],
  variable: "SIGTRAP_SOME",
  names: ["one", "two", "three"],
  remedy: Hint.local("setup", ["some"]),
  examine
})

const directoryOf = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-test-" }))
  for (const name of names) yield* executable(`${directory}/${name}`)
  return directory
})

describe("the search", () => {
  it.layer(platform)("", (it) => {
    it.effect("examines all files side by side, and keeps their order", () =>
      Effect.gen(function* () {
        const PATH = yield* directoryOf(["one", "two"])
        const second = yield* Deferred.make<void>()
        const kind = kindOf((file) =>
          Effect.as(file.endsWith("one") ? Deferred.await(second) : Deferred.succeed(second, undefined), {
            version: file.endsWith("one") ? "1" : "2"
          })
        )
        assert.deepStrictEqual(yield* Discovery.all(kind, { env: { PATH }, cwd: "/" }), [
          { path: `${PATH}/one`, version: "1" },
          { path: `${PATH}/two`, version: "2" }
        ])
      })
    )

    it.effect("skips a file that others can change without running it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const PATH = yield* directoryOf(["one", "two"])
        yield* fs.chmod(`${PATH}/one`, 0o757)
        const examined: Array<string> = []
        const kind = kindOf((file) =>
          Effect.sync(() => {
            examined.push(file)
            return { version: "2.5" }
          })
        )
        const found = yield* Discovery.find(kind, { env: { PATH }, cwd: "/" })
        assert.strictEqual(found.path, `${PATH}/two`)
        assert.deepStrictEqual(found.skipped, [`${PATH}/one: other users can write to ${PATH}/one`])
        assert.deepStrictEqual(examined, [`${PATH}/two`])
      })
    )

    it.effect("of one to use ends at the first usable file", () =>
      Effect.gen(function* () {
        const PATH = yield* directoryOf(["one", "two", "three"])
        const examined: Array<string> = []
        const kind = kindOf((file) =>
          Effect.sync(() => {
            examined.push(file.slice(PATH.length + 1))
            return file.endsWith("one") ? { problem: "it is broken" } : { version: "2.5" }
          })
        )
        const found = yield* Discovery.find(kind, { env: { PATH }, cwd: "/" })
        assert.deepStrictEqual(found, { path: `${PATH}/two`, version: "2.5", major: 2 })
        assert.deepStrictEqual(examined, ["one", "two"])
      })
    )
  })
})

describe("the version of a program", () => {
  it.layer(platform)("", (it) => {
    it.effect("is asked for once until the file changes; a failure is asked for again", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* directoryOf(["program"])
        const program = `${directory}/program`
        const log = `${directory}/log`
        const ask = Discovery.askVersion(program, ["--version"], { PATH: "/bin" })
        const runs = Effect.map(fs.readFileString(log), (text) => text.length)

        yield* fs.writeFileString(program, `#!/bin/sh\nprintf x >> ${log}; exit 1\n`)
        assert.strictEqual(yield* ask, "")
        yield* fs.writeFileString(program, `#!/bin/sh\nprintf x >> ${log}; echo version 1\n`)
        assert.deepStrictEqual([yield* ask, yield* ask, yield* runs], ["version 1\n", "version 1\n", 2])
        yield* fs.writeFileString(program, `#!/bin/sh\nprintf x >> ${log}; echo the version 2\n`)
        assert.deepStrictEqual([yield* ask, yield* runs], ["the version 2\n", 3])
        assert.isUndefined(yield* Discovery.askVersion(`${directory}/absent`, [], {}))
      }).pipe(Effect.provideService(Discovery.Versions, new Map()))
    )
  })
})
