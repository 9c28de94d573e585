// Who may end a session that another client began.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Effects } from "@sigtrap/protocol"
import { Effect } from "effect"
import { call, calls, code, fakeWith, over } from "../../support.ts"

/** Runs calls as an actor with these tiers. */
const as =
  (actor: Caller.Actor, ...tiers: ReadonlyArray<Effects.Tier>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, Caller.Current, {
      actor,
      allowance: { effects: Effects.ofTiers(tiers), destructive: tiers.includes("admin"), uses: [] }
    })

const agent = as({ kind: "mcp", name: "claude-code" }, ...Effects.tiers)
const other = as({ kind: "mcp", name: "codex" }, "observe", "control")
const client = as({ kind: "http", name: "script" }, "observe", "control")
const person = as({ kind: "cli", name: "pts/3", person: true }, "observe", "control")
const page = as({ kind: "page", name: "1" }, "observe", "control")

const started = agent(call.start({ break: ["square"] }))

describe("a session that an agent began", () => {
  it.effect("is ended and started again by a person in front of a page", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* page(call.restart())
        yield* page(call.stop())
        assert.deepStrictEqual((yield* agent(call.sessions())).data.sessions, [])
      })
    )
  )

  it.effect("is ended by no other client that may only control it", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        for (const one of [other, client, person]) {
          for (const attempt of calls(call.stop(), call.restart(), call.detach())) {
            assert.strictEqual(yield* code(one(attempt)), "TIER_REQUIRED")
          }
        }
        assert.lengthOf((yield* agent(call.sessions())).data.sessions, 1)
      })
    )
  )

  it.effect("is not ended by a page while another actor has control of it", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* agent(call.take())
        assert.strictEqual(yield* code(page(call.stop())), "LEASE_HELD")
        yield* page(call.take())
        yield* page(call.stop())
      })
    )
  )
})
