/** What is said of breakpoints of JavaScript that were never bound to code, at the end of the program. */
import { assert, layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"
import { here } from "./jsDebug.ts"

/** The code of `mapped.js` is that of line 1 of a source that the map places in another directory. */
const map = (source: string) =>
  Buffer.from(JSON.stringify({ version: 3, sources: [source], names: [], mappings: "AAAA" })).toString("base64")

const files: Readonly<Record<string, string>> = {
  "source.ts": "console.log(1)\n",
  "wrong.js": `console.log(1)\n//# sourceMappingURL=data:application/json;base64,${map("other/source.ts")}\n`,
  "right.js": `console.log(1)\n//# sourceMappingURL=data:application/json;base64,${map("source.ts")}\n`,
  "branch.js": "setTimeout(() => console.log(1), 1000)\nif (process.argv.length > 9) {\n  console.log(2)\n}\n",
  "unloaded.js": "console.log(3)\n"
}

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const tests: Parameters<typeof suite>[1] = (it) => {
  it.effect("stayed pending, and one in a branch that was not taken was not reached", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        for (const [name, text] of Object.entries(files)) yield* fs.writeFileString(`${directory}/${name}`, text)
        const started = Effect.fnUntraced(function* (program: string, at: string) {
          const { data } = yield* start(`${directory}/${program}`, { break: [`${directory}/${at}`], replace: true })
          return data
        })
        const unresolved = "the debugger reported no code for this line before the program ended"
        for (const [program, at] of [
          ["wrong.js", "source.ts:1"],
          ["branch.js", "unloaded.js:1"]
        ] as const) {
          const { event, never_hit } = yield* started(program, at)
          assert.strictEqual(event, "exited", at)
          assert.deepStrictEqual(
            never_hit?.map((one) => one.unresolved),
            [unresolved],
            at
          )
          const { breakpoints } = (yield* call("breakpoint.list", {})).data
          assert.deepInclude(breakpoints[0], { resolved: false, reason: unresolved }, at)
        }
        const skipped = yield* started("branch.js", "branch.js:3")
        assert.deepStrictEqual(
          skipped.never_hit?.map((one) => one.unresolved),
          [undefined]
        )
        const mapped = yield* started("right.js", "source.ts:1")
        assert.deepInclude(mapped, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual(mapped.location?.file, `${directory}/source.ts`)
      })
    )
  )
}

if (here) suite("a breakpoint that is bound to no code", tests)
else {
  layer(NodeServices.layer)("a breakpoint that is bound to no code", (it) => {
    it.effect("is tried under js-debug only", () => Effect.sync(() => assert.isFalse(Tools.recorded("js-debug", here))))
  })
}
