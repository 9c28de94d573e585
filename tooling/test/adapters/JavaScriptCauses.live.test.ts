/** The causes of an exception of JavaScript, and the exceptions in it. What the program prints of them is the second source. */
import { assert, layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"
import { here } from "./jsDebug.ts"

const files: Readonly<Record<string, string>> = {
  "chain.cjs": `function parse(text) {
  throw new SyntaxError("bad token " + text, { cause: "offline" })
}
function load(name) {
  try {
    parse(name)
  } catch (error) {
    throw new Error("cannot load " + name, { cause: error })
  }
}
try {
  load("a.cfg")
} catch (error) {
  throw new TypeError("no config", { cause: error })
}
`,
  "group.cjs": `const part = (n) => new RangeError("part " + n)
const inner = new AggregateError([part(2), { code: 5, path: "/a" }], "inner")
throw new AggregateError([part(1), inner, null], "several", { cause: { code: "ENOENT" } })
`,
  "any.mjs": `const fail = async (n) => {
  throw new Error("mirror " + n)
}
await Promise.any([fail(1), fail(2)])
`,
  "long.cjs": `class Refused extends Error {}
let error = new Refused("link 0")
for (let i = 1; i < 13; i++) error = new Error("link " + i, { cause: error })
throw error
`,
  "timer.cjs": `function work() {
  throw new Error("late")
}
setTimeout(work, 10)
`,
  // An error that is its own cause, and members with a getter, which is not called.
  "getter.cjs": `const first = new Error("first")
first.cause = new Error("second", { cause: first })
const calls = []
const error = Object.defineProperty(new Error("third", {}), "cause", { get: () => calls.push("called") })
process.on("exit", () => console.log("calls", calls.length))
throw process.argv[2] === "getter" ? error : first
`
}

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const tests: Parameters<typeof suite>[1] = (it) => {
  it.effect("are in the report of the stop and in explain, and no getter runs", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        for (const [name, text] of Object.entries(files)) yield* fs.writeFileString(`${directory}/${name}`, text)
        const explained = Effect.gen(function* () {
          const { facts } = (yield* call("explain", {})).data
          return facts.map(({ text }) => text).filter((text) => /^(?:caused by|contains) /.test(text))
        })
        const place = (name: string, within: string, line: number) => ({
          function: within,
          file: `${directory}/${name}`,
          line
        })
        const chain = (yield* start(`${directory}/chain.cjs`)).data
        assert.deepStrictEqual(chain.exception?.caused_by, [
          { text: "Error: cannot load a.cfg", raised_at: place("chain.cjs", "load", 8) },
          { text: "SyntaxError: bad token a.cfg", raised_at: place("chain.cjs", "parse", 2) },
          { text: '"offline"' }
        ])
        assert.deepStrictEqual(yield* explained, [
          "caused by Error: cannot load a.cfg, in load chain.cjs:8",
          "caused by SyntaxError: bad token a.cfg, in parse chain.cjs:2",
          'caused by "offline"'
        ])
        yield* call("stop", {})
        yield* start(`${directory}/group.cjs`)
        assert.deepStrictEqual(yield* explained, [
          'caused by {code: "ENOENT"}',
          "contains RangeError: part 1, in part group.cjs:1",
          "contains RangeError: part 2, in part group.cjs:1",
          'contains {code: 5, path: "/a"}',
          "contains null"
        ])
        yield* call("stop", {})
        yield* start(`${directory}/any.mjs`)
        assert.deepStrictEqual(yield* explained, [
          "contains Error: mirror 1, in fail any.mjs:2",
          "contains Error: mirror 2, in fail any.mjs:2"
        ])
        yield* call("stop", {})
        const long = (yield* start(`${directory}/long.cjs`)).data
        const link = (n: number) => `caused by Error: link ${n}, in <anonymous> long.cjs:3`
        assert.deepStrictEqual(yield* explained, [
          ...[11, 10, 9, 8, 7].map(link),
          "caused by 5 more exceptions",
          link(1),
          // The class of the error gives it no name of its own.
          "caused by Refused [Error]: link 0, in <anonymous> long.cjs:2"
        ])
        assert.deepInclude(long.exception?.caused_by?.[5], { omitted: 5 })
        yield* call("stop", {})
        yield* start(`${directory}/getter.cjs`)
        assert.deepStrictEqual(yield* explained, ["caused by Error: second, in <anonymous> getter.cjs:2"])
        yield* call("stop", {})
        const getter = (yield* start(`${directory}/getter.cjs`, { args: ["getter"] })).data
        assert.isUndefined(getter.exception?.caused_by)
        assert.deepStrictEqual(yield* explained, [])
        const ended = yield* call("continue", {})
        assert.deepInclude(ended.data, { event: "exited", exit_code: 1 })
        assert.include(JSON.stringify((yield* call("output", {})).data), "calls 0")
      })
    )
  )
}

/** js-debug puts the receiver before the name, as far as its description has no blank. */
const names: Parameters<typeof suite>[1] = (it) => {
  it.effect("has the plain name of the function that a timer calls", () =>
    debugging(({ start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const program = `${yield* fs.realPath(yield* fs.makeTempDirectoryScoped())}/timer.cjs`
        yield* fs.writeFileString(program, files["timer.cjs"] ?? "")
        assert.deepInclude((yield* start(program)).data.location, { function: "work", line: 2 })
      })
    )
  )
}

if (here) suite("the place of an exception of JavaScript", names)
if (here) suite("the causes of an exception of JavaScript", tests)
else {
  layer(NodeServices.layer)("the causes of an exception of JavaScript", (it) => {
    it.effect("are read under js-debug only", () => Effect.sync(() => assert.isFalse(Tools.recorded("js-debug", here))))
  })
}
