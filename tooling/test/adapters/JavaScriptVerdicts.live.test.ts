/** What `run` says of programs that stop at exceptions which they handle later, and at those that end them. */
import { assert, layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Registry } from "@sigtrap/backends"
import { FileReader } from "@sigtrap/host"
import { Effect, FileSystem } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

/** The programs, and whether they fail. */
const programs: Readonly<Record<string, readonly [text: string, outcome: "passed" | "failed", signature?: string]>> = {
  "any.js": [
    'const bad = async () => { throw new Error("bad") }\nPromise.any([bad(), Promise.resolve(2)]).then((one) => console.log(one))\n',
    "passed"
  ],
  "settled.js": [
    'const all = [1, 2].map(async (one) => { if (one === 2) throw new Error("two") })\nPromise.allSettled(all).then(() => process.exit(3))\n',
    "passed"
  ],
  "listens.js": ['process.on("uncaughtException", () => console.log("got it"))\nthrow new Error("top")\n', "passed"],
  "rejects.js": [
    'const bad = async () => { throw new Error("bad") }\nbad()\n',
    "failed",
    "exception bad < <anonymous>"
  ],
  "throws.js": ['function bad() { throw new Error("bad") }\nbad()\n', "failed", "exception bad < <anonymous>"]
}

const found = await Effect.runPromise(
  Effect.provide(Registry.discover(environment), [FileReader.layer, NodeServices.layer])
)
const here = found.some((one) => one.name === "js-debug" && one.path !== undefined && one.problem === undefined)

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const tests: Parameters<typeof suite>[1] = (it) => {
  it.effect("goes by their end", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        for (const [name, [text, outcome, signature]] of Object.entries(programs)) {
          yield* fs.writeFileString(`${directory}/${name}`, text)
          const { data } = yield* call("run", { program: `${directory}/${name}`, directory, environment })
          assert.strictEqual(data.run?.outcome, outcome, name)
          const [first] = data.run?.signatures ?? []
          assert.strictEqual(
            first === undefined ? undefined : `${first.reason} ${first.frames.join(" < ")}`,
            signature,
            name
          )
          assert.deepInclude(data, { event: "exited" }, name)
          assert.deepInclude(data.stops?.[0], { event: "stopped", reason: "exception" }, name)
        }
      })
    )
  )
}

if (here) suite("a run of JavaScript", tests)
else {
  layer(NodeServices.layer)("a run of JavaScript", (it) => {
    it.effect("is tried under js-debug only", () => Effect.sync(() => assert.isFalse(Tools.recorded("js-debug", here))))
  })
}
