/** What `run` says of programs that stop at exceptions which they handle later, and at those that end them. */
import { assert, layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"
import { here } from "./jsDebug.ts"

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
  "later.js": [
    'const bad = () => { throw new Error("bad") }\nconst fs = require("node:fs")\nfs.stat(".", () => {\n  const one = Promise.resolve().then(bad)\n  setTimeout(() => one.catch(() => {}))\n  process.on("unhandledRejection", () => {})\n})\n',
    "passed"
  ],
  "listens.js": ['process.on("uncaughtException", () => console.log("got it"))\nthrow new Error("top")\n', "passed"],
  "rejected.js": [
    'function main() {\n  const one = Promise.reject(new Error("no"))\n  one.catch(() => {})\n}\nmain()\n',
    "passed"
  ],
  "resolvers.js": [
    'let reject\nconst one = new Promise((_, no) => { reject = no })\nfunction fail() { reject(new Error("no")) }\nfail()\none.catch(() => {})\n',
    "passed"
  ],
  "unhandled.js": [
    'function main() { Promise.reject(new Error("no")) }\nmain()\n',
    "failed",
    "exception main < <anonymous>"
  ],
  "rejects.js": [
    'const bad = async () => { throw new Error("bad") }\nbad()\n',
    "failed",
    "exception bad < <anonymous>"
  ],
  "throws.js": ['function bad() { throw new Error("bad") }\nbad()\n', "failed", "exception bad < <anonymous>"]
}

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
          // Nothing can handle what a function throws that no promise waits for.
          const [event, stops] = name === "throws.js" ? (["stopped", 0] as const) : (["exited", 1] as const)
          assert.deepInclude(data, { event }, name)
          assert.lengthOf(data.stops ?? [], stops, name)
          assert.isTrue(data.stops?.every(({ reason }) => reason === "exception") ?? true, name)
        }
      })
    )
  )

  it.effect("keeps the process of a failure where Node reports it", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const run = Effect.fnUntraced(function* (name: string) {
          const [text] = programs[name] ?? [""]
          yield* fs.writeFileString(`${directory}/${name}`, text)
          const program = `${directory}/${name}`
          // The file that js-debug loads is in the cache of the user.
          const own = { ...environment, XDG_CACHE_HOME: `${directory}/cache` }
          const rules = { fail_if: ["crash"], until_failure: 2, replace: true }
          return (yield* call("run", { program, directory, environment: own, ...rules })).data
        })
        assert.deepInclude((yield* run("settled.js")).run, { outcome: "passed", runs: 2 })
        assert.deepInclude((yield* run("listens.js")).run, { outcome: "passed", runs: 2 })
        const rejected = yield* run("rejects.js")
        assert.deepInclude(rejected.run, { outcome: "failed", session: "failed" })
        assert.deepStrictEqual(rejected.run?.signatures[0]?.frames, ["bad", "<anonymous>"])
        assert.deepInclude(rejected.location, { function: "theProgramHasFailed" })
        const thrown = yield* run("throws.js")
        assert.deepInclude(thrown.location, { function: "bad", line: 1 })
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
