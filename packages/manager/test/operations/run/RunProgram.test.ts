// Who may run a program in one call.
import { assert, it } from "@effect/vitest"
import { Caller, Client, Effects, Errors, Hint, Operations, Payload } from "@sigtrap/protocol"
import { Effect } from "effect"
import { FakeBackend, SimulatedProgram } from "../../../src/testing/index.ts"
import { call, over } from "../../support.ts"

const operation = Operations.byTag("run")

/** A client that a person has given every tier, except that of the owner. */
const agent: Caller.Caller = {
  actor: { kind: "mcp" },
  allowance: {
    effects: Effects.ofTiers(["observe", "control", "evaluate", "write", "admin"]),
    destructive: true,
    uses: []
  }
}

it.effect("a client without the tier of the owner may use every field of run", () =>
  over(
    FakeBackend.make(),
    Effect.gen(function* () {
      const { data } = yield* call.start({ break: ["main"] })
      assert.strictEqual(data.event, "stopped")
      const client = yield* Client.Client
      const program = "/src/app"
      for (const input of [
        { program, until_failure: 2, all: true, keep: false, replace: true, same_signature: "7e29a34b" },
        { program, locals: true, max_stops: 1, fail_if: ["exit", "hang:1s"], eval: ["1"] },
        { program, until_failure: 1, native_first: true, parallel: 2 }
      ]) {
        const payload = yield* Payload.decode(operation, input)
        const ended = yield* Effect.result(client.callAny(operation, payload))
        const code = ended._tag === "Failure" ? ended.failure._tag : "answer"
        assert.notStrictEqual(code, "TierRequired", JSON.stringify(input))
      }
    }).pipe(Effect.provideService(Caller.Current, agent))
  )
)

it.effect.each([
  [{ runner: "auto" }, "--runner needs --test or --failing"],
  [{ test: "adds" }, "--test needs --runner"],
  [{ failing: true }, "--failing needs --runner"]
] as const)("run %j without the other option is refused, and its own help is the hint", ([input, message]) =>
  over(
    FakeBackend.make(),
    Effect.gen(function* () {
      const client = yield* Client.Client
      const payload = yield* Payload.decode(operation, { directory: "/src", ...input })
      const error = yield* Effect.flip(client.callAny(operation, payload))
      assert.strictEqual(error.message, message)
      assert.deepStrictEqual(error.hints, [Hint.help("run")])
    })
  )
)

it.effect("run says once which condition could not be evaluated, although the program ran on", () =>
  over(
    FakeBackend.make({ ...SimulatedProgram.sample, compiles: () => false }),
    Effect.gen(function* () {
      const client = yield* Client.Client
      const payload = yield* Payload.decode(operation, { program: "/src/app", break: ["app.c:3 if nothing"] })
      const { data, warnings } = yield* client.callAny(operation, payload)
      assert.nestedPropertyVal(data, "run.outcome", "passed")
      const problems = warnings.filter(({ code }) => code === "CONDITION_ERROR")
      assert.strictEqual(problems.length, 1)
      assert.include(problems[0]?.message, "undeclared identifier 'nothing'")
    })
  )
)

/** A call of `run` without one tier. Returns the tiers that its refusal names, and the state of the session afterwards. */
const refusedWithout = (tier: Effects.Tier, input: object) =>
  over(
    FakeBackend.make(),
    Effect.gen(function* () {
      yield* call.start({ run: false })
      const client = yield* Client.Client
      const payload = yield* Payload.decode(operation, { directory: "/src", ...input })
      const effects = agent.allowance.effects.filter((effect) => Effects.tierOf(effect) !== tier)
      const caller: Caller.Caller = { ...agent, allowance: { ...agent.allowance, effects } }
      const result = yield* Effect.result(
        Effect.provideService(client.callAny(operation, payload), Caller.Current, caller)
      )
      const error = result._tag === "Failure" ? result.failure : undefined
      const named = error instanceof Errors.TierRequired ? error.missing.map((use) => use.tier) : undefined
      const { sessions } = (yield* client.call("sessions", {})).data
      return { named, sessions: sessions.map(({ name, state }) => [name, state]) }
    })
  )

const another = { program: "/src/app", session: "another" }

for (const [what, input] of [
  ["names everything that its call lacks at once, before it tells of sessions and files", {}],
  ["does so before a rule that cannot be read", { fail_if: ["nonsense"] }],
  ["does so before runs that exclude each other", { failing: true, until_failure: 2 }],
  ["does so when it runs again and again", { until_failure: 2 }],
  ["does so when it replaces a session of another client", { replace: true }]
] as const) {
  it.effect(`run ${what}`, () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const client = yield* Client.Client
        const payload = yield* Payload.decode(operation, {
          directory: "/src",
          program: "/src/app",
          session: "default",
          trace: ["main :: {f()}"],
          report: "/nowhere/report",
          ...input
        })
        const observer: Caller.Caller = {
          actor: { kind: "mcp" },
          allowance: { effects: Effects.ofTiers(["observe"]), destructive: false, uses: [] }
        }
        const error = yield* Effect.flip(
          Effect.provideService(client.callAny(operation, payload), Caller.Current, observer)
        )
        if (!(error instanceof Errors.TierRequired)) return assert.fail(error._tag)
        const tiers = new Set(error.missing.map(({ tier }) => tier))
        assert.deepStrictEqual([...tiers].toSorted(), ["admin", "control", "evaluate", "write"])
        const destroys = error.missing.flatMap((use) => use.destroys ?? [])
        assert.lengthOf(destroys, "replace" in input ? 1 : 0)
      })
    )
  )
}

for (const [what, tier, input] of [
  ["the loaded program", "control", {}],
  ["a program", "control", another],
  ["a program", "admin", another],
  ["expressions at each stop", "evaluate", { ...another, eval: ["f()"] }],
  ["recorded values", "evaluate", { ...another, trace: ["main :: {f()}"] }],
  ["conditions of breakpoints", "evaluate", { ...another, break: ["main if f()"] }],
  ["a report", "write", { ...another, report: "/src/report" }],
  ["a report as XML", "write", { ...another, junit: "/src/report.xml" }]
] as const) {
  it.effect(`run needs the tier ${tier} for ${what}, before anything happens`, () =>
    Effect.gen(function* () {
      const { named, sessions } = yield* refusedWithout(tier, input)
      assert.deepStrictEqual([...new Set(named)], [tier])
      assert.deepStrictEqual(sessions, [["default", "starting"]])
    })
  )
}
