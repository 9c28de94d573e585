/** Stops at the exceptions that end an ES module, and at no other. What Node says without a debugger is the second source. */
import { assert, layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"
import { here } from "./jsDebug.ts"

/** Programs, each with the text of the line where it stops. Those in `handled` end with the exit code 0. */
const files: Readonly<Record<string, string>> = {
  "top.mjs": `const bad = (n) => {
  throw new Error("bad " + n)
}
try {
  bad(1)
} catch {}
bad(2)
`,
  "awaited.mjs": `const late = async (n) => {
  await undefined
  throw new Error("late " + n)
}
await new Promise((resolve) => setTimeout(resolve, 2))
try {
  await late(1)
} catch {}
await late(2)
`,
  "types.mts": `interface Account {
  readonly balance: number
}
const check = ({ balance }: Account): void => {
  if (balance < 0) throw new RangeError("negative")
}
try {
  check({ balance: -1 })
} catch {}
for (const balance of [1, 0, -1]) check({ balance })
`,
  "imports.mjs": `import "./top.mjs"\n`,
  "dynamic.mjs": `await import("./top.mjs").catch(() => {})\nawait import("./top.mjs")\n`,
  "handled.mjs": `import fs from "node:fs"
const early = async (n) => {
  throw new Error("early " + n)
}
const late = async (n) => {
  await undefined
  throw new Error("late " + n)
}
const bad = () => {
  throw new Error("bad")
}
const caught = () => late(0).catch(() => {})
await early(1).catch(() => {})
await late(1).catch(() => {})
await caught()
const kept = late(2).catch(() => {})
await kept
try {
  await early(2)
} catch {}
await Promise.allSettled([early(3), late(3)])
await new Promise(() => bad()).catch(() => {})
try {
  ;[1].forEach(bad)
} catch {}
try {
  fs.readFileSync("/nonexistent")
} catch {}
await import("./top.mjs").catch(() => {})
await Promise.resolve().then(bad).catch(() => {})
`,
  "many.mjs": `for (let index = 0; index < 500; index++) {
  try {
    JSON.parse("{")
  } catch {}
}
throw new Error("after many")
`,
  "forgotten.mjs": `const early = async () => {
  throw new Error("forgotten")
}
early()
`,
  "deep.cjs": `const deep = (n) => deep(n + 1) + 1
deep(0)
`,
  "callback.cjs": `process.on("uncaughtException", (error) => console.log("handler", error.message))
setTimeout(() => {
  throw new Error("late")
}, 1)
`
}

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const project = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  for (const [name, text] of Object.entries(files)) yield* fs.writeFileString(`${directory}/${name}`, text)
  return directory
})

const tests: Parameters<typeof suite>[1] = (it) => {
  it.effect("in the throwing frame", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const directory = yield* project
        for (const [program, file, line, expression, value] of [
          ["top.mjs", "top.mjs", 2, "n + 1", "3"],
          ["awaited.mjs", "awaited.mjs", 3, "n", "2"],
          ["types.mts", "types.mts", 5, "balance", "-1"],
          ["imports.mjs", "top.mjs", 2, "n", "2"],
          ["callback.cjs", "callback.cjs", 3, "1", "1"]
        ] as const) {
          const { data } = yield* start(`${directory}/${program}`, {})
          assert.deepInclude(data, { event: "stopped", reason: "exception" }, program)
          assert.deepInclude(data.location, { file: `${directory}/${file}`, line }, program)
          assert.strictEqual((yield* call("print", { expressions: [expression] })).data.values[0]?.value, value)
          const code = program === "callback.cjs" ? 0 : 1
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: code }, program)
        }
      })
    )
  )

  it.effect("also if uncaught exceptions are requested, at the start or at a stop", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const program = `${yield* project}/top.mjs`
        const requested = yield* start(program, { catch: ["uncaught"] })
        assert.deepInclude(requested.data.location, { file: program, line: 2 })
        yield* call("stop", {})
        yield* start(program, { break: ["top.mjs:4"] })
        yield* call("catch", { filter: "uncaught" })
        const later = yield* call("continue", {})
        assert.deepInclude(later.data, { event: "stopped", reason: "exception", description: "Error: bad 2" })
        assert.deepInclude(later.data.location, { file: program, line: 2 })
      })
    )
  )

  it.effect("and not at those that it handles", () =>
    debugging(({ start }) =>
      Effect.gen(function* () {
        const directory = yield* project
        const { data } = yield* start(`${directory}/handled.mjs`, {})
        assert.deepInclude(data, { event: "exited", exit_code: 0 })
      })
    )
  )

  it.effect("when Node reports them, if the frames have ended or the program catches many", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const directory = yield* project
        for (const [program, message, created] of [
          ["many.mjs", "after many", "<anonymous> many.mjs:6"],
          ["forgotten.mjs", "forgotten", "early forgotten.mjs:2"],
          ["dynamic.mjs", "bad 2", "bad top.mjs:2"],
          ["deep.cjs", "Maximum call stack size exceeded", "deep deep.cjs:1"]
        ] as const) {
          const { data, warnings } = yield* start(`${directory}/${program}`, {})
          assert.deepInclude(
            data,
            {
              event: "stopped",
              reason: "exception",
              description: `${program === "deep.cjs" ? "Range" : ""}Error: ${message}`
            },
            program
          )
          assert.strictEqual(data.location?.function, "theProgramHasFailed", program)
          const explained = (yield* call("explain", {})).data
          const said = `created in ${created}, reported after the frames that threw it had ended`
          assert.deepStrictEqual(explained.facts.at(-1)?.text, said)
          // The report says so too. It neither shows the text of the file of sigtrap nor warns of it.
          assert.strictEqual(data.explain, said)
          assert.deepStrictEqual(warnings, [])
          assert.isUndefined(explained.user_frame)
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 }, program)
        }
        const without = yield* start(`${directory}/top.mjs`, { catch: ["none"] })
        assert.deepInclude(without.data, { event: "exited", exit_code: 1 })
      })
    )
  )
}

if (here) suite("an ES module stops at the exceptions that end it", tests)
else {
  layer(NodeServices.layer)("an ES module", (it) => {
    it.effect("is debugged under js-debug only", () =>
      Effect.sync(() => assert.isFalse(Tools.recorded("js-debug", here)))
    )
  })
}
