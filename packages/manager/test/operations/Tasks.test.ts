import { assert, describe, it } from "@effect/vitest"
import { Caller, Effects } from "@sigtrap/protocol"
import { Effect } from "effect"
import type { Tasks } from "../../src/index.ts"
import { SimulatedProgram } from "../../src/testing/index.ts"
import { call, code, fakeWith, over } from "../support.ts"

const at = (name: string, line: number) => ({ function: name, file: "/src/app.go", line })

const receiver = (id: string): Tasks.RuntimeTask => ({
  id,
  kind: "goroutine",
  state: "waiting",
  wait: "chan receive",
  awaits: "channel 0x10",
  frames: [at("main.receiver", 4)]
})

const goroutines: ReadonlyArray<Tasks.RuntimeTask> = [
  { id: "1", kind: "goroutine", state: "running", frames: [at("main.main", 9)] },
  receiver("7"),
  receiver("8"),
  { ...receiver("9"), awaits: "channel 0x20" },
  { ...receiver("10"), frames: [at("main.other", 4)] }
]

const listing = (tasks: ReadonlyArray<Tasks.RuntimeTask>, runsCode: boolean) =>
  fakeWith({}, { ...SimulatedProgram.sample, tasks: { runsCode, list: Effect.succeed({ tasks }) } })

/** Makes the calls of a client that may do what these tiers allow. */
const as = (tiers: ReadonlyArray<Effects.Tier>) =>
  Effect.provideService(Caller.Current, {
    actor: { kind: "cli" },
    allowance: { effects: Effects.ofTiers(tiers), destructive: false, uses: [] }
  })

describe("tasks", () => {
  it.effect("with the same stack that wait for the same are one group", () =>
    over(
      listing(goroutines, false),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const { groups, total } = (yield* call.tasks()).data
        assert.strictEqual(total, 5)
        assert.deepStrictEqual(
          groups.map(({ awaits, count, state, tasks }) => [count, state, awaits, tasks.map(({ id }) => id).join()]),
          [
            [2, "waiting", "channel 0x10", "7,8"],
            [1, "waiting", "channel 0x20", "9"],
            // Another function on the same line.
            [1, "waiting", "channel 0x10", "10"],
            [1, "running", undefined, "1"]
          ]
        )
        assert.lengthOf((yield* call.tasks({ match: "receiver" })).data.groups, 2)
        const cut = yield* call.tasks({ limit: 1 })
        assert.deepInclude(cut.truncated[0], { path: "data.groups", shown: 1, total: 4 })
        const explained = (yield* call.explain({ what: "hang" })).data
        assert.strictEqual(explained.summary, "5 goroutines: 4 wait, 1 running")
        assert.deepStrictEqual(explained.tasks, groups)
      })
    )
  )

  it.effect("that the debugger reads without code of its own need a stopped program", () =>
    over(
      listing(goroutines, false),
      Effect.gen(function* () {
        yield* call.start({ run: false })
        assert.strictEqual(yield* code(call.tasks()), "NOT_STOPPED")
      })
    )
  )

  it.effect("that need code in the program need the effect eval", () =>
    over(
      listing(goroutines, true),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        assert.strictEqual(yield* code(as(["observe", "control"])(call.tasks())), "TIER_REQUIRED")
        assert.strictEqual(yield* code(as(["observe", "control"])(call.explain({ what: "hang" }))), "TIER_REQUIRED")
        assert.lengthOf((yield* as(["observe", "evaluate"])(call.tasks())).data.groups, 4)
      })
    )
  )

  it.effect("of a language without such tasks are unsupported", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        assert.strictEqual(yield* code(call.tasks()), "UNSUPPORTED")
      })
    )
  )
})
