// A frame of any thread is named by its reference. Naming one moves no selection.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SimulatedProgram } from "../../src/testing/index.ts"
import { call, code, fakeWith, over } from "../support.ts"

const twoThreads: SimulatedProgram.Program = {
  ...SimulatedProgram.sample,
  threads: [
    { id: 7, name: "app" },
    { id: 9, name: "worker" }
  ]
}

it.effect("reads take a reference to a frame, and the selection stays", () =>
  over(
    fakeWith({}, twoThreads),
    Effect.gen(function* () {
      yield* call.start({ break: ["square"] })
      const { frames, threads = [] } = (yield* call.backtrace({ all_threads: true })).data
      const caller = frames.find(({ function: name }) => name === "main")?.ref ?? ""
      const worker = threads[1]?.frames[0]?.ref ?? ""
      const inMain = (yield* call.locals({ frame: caller })).data
      assert.deepStrictEqual([inMain.frame.function, inMain.variables[0]?.name], ["main", "total"])
      assert.strictEqual((yield* call.locals({ frame: worker })).data.frame.function, "worker")
      assert.strictEqual((yield* call.locals({ frame: "1" })).data.frame.function, "main")
      assert.strictEqual((yield* call.print(["total"], { frame: `:${caller.slice(1)}` })).data.values[0]?.value, "0")
      assert.strictEqual((yield* call.expand("pair", { frame: caller })).data.children.length, 2)
      assert.strictEqual((yield* call.vars(["i"], { frame: caller })).data.variables[0]?.value, "1")
      assert.strictEqual((yield* call.context({ frame: worker })).data.location?.function, "worker")
      assert.strictEqual((yield* call.source(undefined, { frame: caller })).data.current, 10)
      yield* call.registers({ frame: caller })
      assert.strictEqual((yield* call.frame()).data.frame.function, "square")
      assert.strictEqual((yield* call.thread()).data.thread.id, 7)
    })
  )
)

it.effect("a label between asynchronous callers is shown, and up and down pass it", () => {
  const { moments } = SimulatedProgram.sample
  const awaited: SimulatedProgram.Program = {
    ...SimulatedProgram.sample,
    moments: moments.map((moment) => {
      const [inner, ...callers] = moment.stack
      return callers.length === 0
        ? moment
        : { ...moment, stack: [inner, { function: "await", label: true }, ...callers] }
    })
  }
  return over(
    fakeWith({}, awaited),
    Effect.gen(function* () {
      yield* call.start({ break: ["square"] })
      const { frames } = (yield* call.backtrace()).data
      assert.deepStrictEqual(
        frames.map(({ function: name, label }) => [name, label]),
        [
          ["square", undefined],
          ["await", true],
          ["main", undefined]
        ]
      )
      assert.strictEqual((yield* call.up()).data.frame.function, "main")
      assert.strictEqual((yield* call.down()).data.frame.function, "square")
    })
  )
})

it.effect("a value is assigned in the frame in which it was read", () =>
  over(
    fakeWith({}),
    Effect.gen(function* () {
      yield* call.start({ break: ["square"] })
      const pair = (yield* call.print(["pair"], { frame: 1 })).data.values[0]?.ref ?? ""
      assert.strictEqual(yield* code(call.print(["pair"])), "VARIABLE_NOT_FOUND")
      assert.strictEqual((yield* call.set(pair, "1")).data.name, "pair")
    })
  )
)

it.effect("a reference to a frame of an earlier stop is stale, and names the call that lists frames", () =>
  over(
    fakeWith({}),
    Effect.gen(function* () {
      yield* call.start({ break: ["square"] })
      const ref = (yield* call.backtrace()).data.frames[0]?.ref ?? ""
      yield* call.next()
      const error = yield* Effect.flip(call.locals({ frame: ref }))
      assert.deepInclude(error, { _tag: "StaleReference", ref })
      assert.deepStrictEqual(error.hints, [{ operation: "backtrace", input: {} }])
      // The past stop still has it.
      assert.strictEqual((yield* call.context({ stop: 1, frame: ref })).data.location?.function, "square")
      assert.strictEqual(yield* code(call.context({ stop: 1, frame: "@f999" })), "STALE_REF")
    })
  )
)
