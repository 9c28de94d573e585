/** Breakpoints at the beginning of functions after a restart, under both LLDB backends: places, conditions, counts, messages. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, type Debugging, platform } from "../support/fixturePrograms.ts"
import { oneLine } from "./functionEntryTests.ts"
import { type Backend, build, starting, values } from "../support/builtPrograms.ts"

const backends: ReadonlyArray<Backend> = ["dap", "lldb-cli"]

/** The functions and the arguments of the stops that follow `first`. */
const stops = Effect.fnUntraced(function* ({ call }: Debugging, first: Stop, count: number) {
  const all = [first, ...(yield* Effect.replicateEffect(call("continue", {}), count - 1))]
  return all.map(({ data }) => [data.location?.function, data.breakpoints, values(data.locals)])
})

type Stop = Effect.Success<ReturnType<Debugging["start"]>>

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("after a restart", (it) => {
  for (const backend of backends) {
    it.effect(`breakpoints stay at the bodies of functions, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("one.c", oneLine, "gcc", ["-O0"])
          const places = ["sq if side == 4", "one.c:2 if side == 5", "one.c:3", "/^eight$/"]
          const first = yield* starting(client, built, backend, { break: places })
          yield* call("logpoint", { at: "late", message: "a={a} b={b}" })
          const eight = [
            "eight",
            [4],
            Object.fromEntries([..."abcdefgh"].map((letter, index) => [letter, `${index + 1}`]))
          ]
          const expected = [
            ["sq", [1], { side: "4" }],
            ["sq", [2], { side: "5" }],
            ["late", [3], { a: "3", b: "4" }],
            ["late", [3], { a: "5", b: "6" }],
            eight
          ]
          const located = Effect.map(call("breakpoint.list", {}), ({ data }) =>
            data.breakpoints.map(({ id, locations }) => [id, locations])
          )
          assert.deepStrictEqual(yield* stops(client, first, expected.length), expected)
          const before = yield* located
          for (const _ of [1, 2]) {
            const again = yield* call("restart", {})
            assert.deepStrictEqual(yield* stops(client, again, expected.length), expected)
            assert.deepStrictEqual(yield* located, before)
          }
          // A condition that is changed now is changed for the next run too, and the first one does not come back.
          yield* call("breakpoint.edit", { id: 1, condition: "side == 3" })
          yield* call("breakpoint.remove", { ids: [2, 3] })
          const edited = yield* call("restart", {})
          assert.deepStrictEqual(yield* stops(client, edited, 2), [["sq", [1], { side: "3" }], eight])
          assert.include((yield* call("output", { channel: ["log"] })).data.text, "a=3 b=4\na=5 b=6\n")
        })
      )
    )
  }
})
