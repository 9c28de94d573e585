// Settings of the owner that make clients of a kind ask a person.
import { assert, describe, it } from "@effect/vitest"
import { Client, Operations, Payload, type Question, type Settings } from "@sigtrap/protocol"
import { Effect, type Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { ClientRules } from "../../../src/index.ts"
import { call, code, type manager, settle } from "../../support.ts"
import {
  agent,
  agentActor,
  answer,
  as,
  asking,
  consenting,
  person,
  requests,
  started,
  usual,
  waits
} from "../../session/consent/consentCalls.ts"

describe("the rules of the owner", () => {
  const ruled = <A, E>(
    values: Settings.Values,
    work: Effect.Effect<A, E, Layer.Success<ReturnType<typeof manager>> | Scope.Scope>
  ) => Effect.provideService(consenting(work), ClientRules.Current, Effect.succeed(ClientRules.of(values)))

  it.effect("make clients of a kind ask for tiers that they have", () =>
    ruled(
      { "policy.ask.mcp": ["control"], "policy.ask.http": "evaluate" },
      Effect.gen(function* () {
        yield* started
        // Other tiers and other kinds are as their credentials say.
        yield* agent(call.eval("n"))
        yield* as({ kind: "library" })(call.eval("n"))
        const token = as({ kind: "http", name: "viewer" }, ["observe"])
        assert.strictEqual(yield* code(token(call.next())), "TIER_REQUIRED")
        const evaluated = yield* asking(token(call.eval("n")))
        yield* person(answer(evaluated.question.id, "allow"))
        yield* evaluated.running.done
        const { question, running } = yield* asking(agent(call.next()))
        assert.deepInclude(question, { operation: "next", tier: "control" })
        yield* person(answer(question.id, "deny"))
        assert.strictEqual((yield* Effect.flip(running.done))._tag, "ConsentDenied")
        assert.strictEqual((yield* person(call.status())).stop, 1)
        // What a server accepted by itself does not count.
        const uses = [{ effect: "control" as const }]
        const own = as(agentActor, usual, { ...waits, allowance: { effects: ["observe"], destructive: false, uses } })
        const again = yield* asking(own(call.next()))
        yield* person(answer(again.question.id, "session"))
        assert.strictEqual((yield* again.running.done).stop, 2)
        assert.strictEqual((yield* agent(call.next())).stop, 3)
      })
    )
  )

  it.effect("do not concern a person at a terminal, and hold for the commands of a script", () =>
    ruled(
      { "policy.ask.cli": ["control", "evaluate"] },
      Effect.gen(function* () {
        yield* started
        assert.strictEqual((yield* person(call.next())).stop, 2)
        const shell = as({ kind: "cli", name: "claude[4711]" })
        const commands = ["next; threads", "eval n+1"]
        const payload = yield* Payload.decode(Operations.byTag("script"), { commands })
        const script = Effect.flatMap(Client.Client, ({ callAny }) => callAny(Operations.byTag("script"), payload))
        const { question, running } = yield* asking(shell(script))
        assert.deepInclude(question, { operation: "script", tier: "control" })
        // One question for each kind of effect, for the script and all of its commands.
        const asked: Array<string> = []
        for (let one: Question.Question | undefined = question; one !== undefined; [one] = yield* requests) {
          assert.strictEqual(one.operation, "script")
          asked.push(one.tier)
          yield* person(answer(one.id, "allow"))
          yield* settle
        }
        assert.deepStrictEqual(asked, ["control", "evaluate"])
        assert.strictEqual((yield* running.done).stop, 3)
      })
    )
  )

  it.effect("refuse such a call at once if no person is there", () =>
    ruled(
      { "policy.ask.library": ["evaluate"] },
      Effect.gen(function* () {
        const library = as({ kind: "library" })
        yield* library(call.start({ break: ["square"] }))
        const refused = yield* Effect.flip(library(call.eval("n")))
        assert.strictEqual(refused._tag, "TierRequired")
        assert.include(refused.message, "no person is there to ask")
      })
    )
  )

  it.effect("say how long a call waits, and when idle control ends", () =>
    ruled(
      { "ask.timeout": "5s", "control.idle": "10s" },
      Effect.gen(function* () {
        yield* started
        const { question, running } = yield* asking(agent(call.set("n", "3")))
        assert.strictEqual(question.expires - question.created, 5000)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Effect.flip(running.done))._tag, "ConsentDenied")
        assert.strictEqual((yield* agent(call.take())).data.lease?.idle_s, 10)
        yield* TestClock.adjust("9 seconds")
        assert.isDefined((yield* person(call.control())).data.lease)
        yield* TestClock.adjust("1 second")
        const { clients, lease } = (yield* person(call.control())).data
        assert.isUndefined(lease)
        assert.notInclude(
          clients.map(({ actor }) => actor.id),
          "mcp:claude-code"
        )
      })
    )
  )
})
