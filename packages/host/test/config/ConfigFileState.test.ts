// Both ways of looking at the files of a configuration see the same, and files that may be remote are looked at by other threads.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ConfigFileState from "../../src/config/ConfigFileState.ts"
import { directory } from "../../src/testing/Children.ts"

it.effect("both ways of looking see the same state, another one after each change", () =>
  Effect.gen(function* () {
    const home = yield* directory
    const own = join(home, ".config/sigtrap/config.toml")
    const place = { directory: join(home, "file", "below"), environment: { HOME: home } }
    const seen = new Set<string>()
    const look = Effect.gen(function* () {
      const state = yield* ConfigFileState.look(place)
      assert.deepStrictEqual(ConfigFileState.lookNow(place), state)
      assert.isFalse(seen.has(state.text))
      seen.add(state.text)
    })
    yield* look
    mkdirSync(join(home, ".config/sigtrap"), { recursive: true })
    writeFileSync(own, "output.lines = 2\n")
    yield* look
    writeFileSync(own, "output.lines =  2\n")
    yield* look
    rmSync(own)
    symlinkSync(own, own)
    yield* look
    // A directory of the caller that is a file.
    writeFileSync(join(home, "file"), "")
    writeFileSync(join(home, ".sigtrap.toml"), "")
    yield* look
  })
)

it.effect.skipIf(process.platform !== "linux")(
  "files of the kernel and paths with a NUL byte do not count as local",
  () =>
    Effect.gen(function* () {
      const home = yield* directory
      const place = { directory: home, environment: { HOME: home } }
      assert.isFalse(yield* ConfigFileState.areLocal({ ...place, directory: "/proc/self" }))
      assert.isFalse(yield* ConfigFileState.areLocal({ ...place, file: "/proc/self/none/config.toml" }))
      assert.isFalse(yield* ConfigFileState.areLocal({ ...place, directory: `${home}\0` }))
      const linked = join(home, "linked.toml")
      symlinkSync("/proc/version", linked)
      assert.isFalse(yield* ConfigFileState.areLocal({ ...place, file: linked }))
    })
)
