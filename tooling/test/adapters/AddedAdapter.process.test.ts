// A debugger of another language is added by code alone: a command and its launch arguments, provided as a layer.
import { assert, describe, it } from "@effect/vitest"
import { CommandAdapter, Registry } from "@sigtrap/backends"
import { Sigtrap } from "@sigtrap/host"
import { Effect, Layer, Stream } from "effect"
import { fileURLToPath } from "node:url"

const fixtures = fileURLToPath(new URL("../../../examples/adapter/", import.meta.url))

const sums = CommandAdapter.make({
  name: "sums",
  command: "node",
  args: [`${fixtures}sums-adapter.mjs`],
  languages: ["Sums"],
  extensions: [".sums"],
  launch: ({ program }) => ({ program })
})

const withSums = Sigtrap.layer({ isolated: true, directory: fixtures }).pipe(Layer.provide(Registry.layer([sums])))

describe("an added adapter", () => {
  it.live("debugs programs of its language, chosen by their suffix", () =>
    Effect.gen(function* () {
      const debug = yield* Sigtrap.Sigtrap
      const first = yield* debug.start({ program: "four.sums", break: ["four.sums:3"] })
      assert.deepInclude(first.data.adapter, { name: "sums", backend: "dap" })
      assert.strictEqual(first.data.location?.line, 3)
      const printed = yield* debug.print({ expressions: ["sum"] })
      assert.strictEqual(printed.data.values[0]?.value, "3")
      const stepped = yield* debug.next()
      assert.strictEqual(stepped.data.location?.line, 4)
      const end = yield* debug.continue()
      assert.strictEqual(end.data.event, "exited")
      const pages = yield* Stream.runCollect(debug.follow.output())
      assert.strictEqual([...pages].map(({ text }) => text).join(""), "1\n3\n6\n10\n")
    }).pipe(Effect.provide(withSums))
  )

  it.live("is one of the adapters beside the built-in ones, and names its remedy when it is missing", () =>
    Effect.gen(function* () {
      const debug = yield* Sigtrap.Sigtrap
      const missing = yield* Effect.flip(debug.start({ program: "four.sums", adapter: "absent" }))
      assert.strictEqual(missing._tag, "AdapterNotFound")
      assert.include(JSON.stringify(missing.hints), "get it from example.org")
      const unknown = yield* Effect.flip(debug.start({ program: "four.sums", adapter: "nonsense" }))
      assert.include(unknown.message, "sums, absent, lldb-dap, debugpy")
    }).pipe(
      Effect.provide(
        withSums.pipe(
          Layer.provide(
            Registry.layer([
              CommandAdapter.make({
                name: "absent",
                command: "no-such-debugger",
                languages: ["None"],
                launch: () => ({}),
                installation: "get it from example.org"
              })
            ])
          )
        )
      )
    )
  )

  it.effect("replaces a built-in one of the same name", () =>
    Effect.gen(function* () {
      const mine = CommandAdapter.make({ name: "gdb", command: "gdb", languages: ["C"], launch: () => ({}) })
      const names = yield* Effect.provide(
        Effect.map(Registry.Adapters, (all) => all.filter(({ name }) => name === "gdb")),
        Registry.layer([mine])
      )
      assert.deepStrictEqual(names, [mine])
    })
  )
})
