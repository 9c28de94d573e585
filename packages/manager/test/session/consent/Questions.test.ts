// Calls that wait until a person allows them.
import { assert, describe, it } from "@effect/vitest"
import { Client, Effects, Feed, type Question } from "@sigtrap/protocol"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { SessionFeed } from "../../../src/index.ts"
import { call, code, fakeWith, manager } from "../../support.ts"
import {
  agent,
  agentActor,
  answer,
  as,
  asking,
  consenting,
  form,
  person,
  requests,
  started,
  usual,
  waits
} from "./consentCalls.ts"

describe("a call without its tier", () => {
  it.effect("waits until a person allows it, and runs", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const { question, running } = yield* asking(agent(call.set("n", "3")))
        assert.deepInclude(question, { operation: "set", tier: "write", session: "default" })
        assert.strictEqual(question.actor.id, "mcp:claude-code")
        assert.deepInclude(question.input, { target: "n", value: "3" })
        assert.strictEqual(question.expires - question.created, 60_000)
        const told = (yield* person(call.status())).warnings
        assert.deepStrictEqual(
          told.map(({ code, message }) => [code, message]),
          [
            [
              "CONSENT_WANTED",
              `mcp:claude-code waits for your consent to set in default (write), request ${question.id}`
            ]
          ]
        )
        assert.deepStrictEqual((yield* as({ kind: "mcp", name: "other" })(call.status())).warnings, [])
        const { data } = yield* person(answer(question.id, "allow"))
        assert.deepStrictEqual((yield* person(call.status())).warnings, [])
        assert.strictEqual(data.by.id, "cli:pts/3")
        assert.strictEqual((yield* running.done).data.new.value, "(3)")
        assert.lengthOf(yield* requests, 0)
        // It was allowed for that call alone.
        const next = yield* asking(agent(call.set("n", "3")))
        assert.notStrictEqual(next.question.id, question.id)
      })
    )
  )

  it.effect("names the function in which an expression is evaluated, and shows all of it", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const observer = as(agentActor, ["observe", "control"], waits)
        const expression = `n = ${"1 + ".repeat(200)}1`
        const inner = yield* asking(observer(call.eval(expression)))
        assert.deepInclude(inner.question, { function: "square", input: { expression } })
        yield* person(answer(inner.question.id, "deny"))
        const outer = yield* asking(observer(call.eval("n = 1", { frame: "1" })))
        assert.strictEqual(outer.question.function, "main")
        yield* person(answer(outer.question.id, "deny"))
      })
    )
  )

  it.effect("is refused at once if no person is there, and says who can allow it", () =>
    consenting(
      Effect.gen(function* () {
        yield* as({ kind: "library" })(call.start({ break: ["square"] }))
        const refused = yield* Effect.flip(agent(call.set("n", "3")))
        assert.strictEqual(refused._tag, "TierRequired")
        assert.include(refused.message, "no person is there to ask")
        assert.include(JSON.stringify(refused), "a person at a terminal")
        yield* person(call.status())
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* code(agent(call.set("n", "3"))), "TIER_REQUIRED")
      })
    )
  )

  it.effect("asks no person about a session that is not there, such as one that was renamed", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const client = yield* Client.Client
        yield* person(client.call("session.rename", { name: "default", new_name: "other" }))
        for (const asker of [agent, form]) {
          const failure = yield* Effect.flip(
            asker(client.call("set", { target: "n", value: "3", reveal: false, session: "default" }))
          )
          assert.strictEqual(failure._tag, "SessionNotFound")
        }
        assert.deepStrictEqual(yield* requests, [])
      })
    )
  )

  it.effect("asks no person while another client has control: it would be refused once it is allowed", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        yield* person(call.take())
        for (const asker of [agent, form])
          assert.strictEqual((yield* Effect.flip(asker(call.set("n", "3"))))._tag, "LeaseHeld")
        assert.deepStrictEqual(yield* requests, [])
        const { data } = yield* person(call.events({ since: 1 }))
        assert.lengthOf(
          data.events.filter(({ text }) => text === "set n 3: LEASE_HELD"),
          2
        )
        yield* person(call.release())
        const { question, running } = yield* asking(agent(call.set("n", "3")))
        yield* person(answer(question.id, "allow"))
        yield* running.done
      })
    )
  )

  it.effect("is denied by a person, and by the end of its time", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const first = yield* asking(agent(call.set("n", "3")))
        yield* person(answer(first.question.id, "deny"))
        const denied = yield* Effect.flip(first.running.done)
        assert.strictEqual(denied._tag, "ConsentDenied")
        assert.include(denied.message, "cli:pts/3 (person) denied request 1")
        const { data } = yield* person(call.events({ kind: ["acted"] }))
        const acted = data.events.map(({ actor, code, text, tier }) => [actor?.id, tier, text, code])
        assert.deepStrictEqual(acted.slice(1), [
          ["mcp:claude-code", "write", "set n 3: CONSENT_DENIED", "CONSENT_DENIED"]
        ])
        const second = yield* asking(agent(call.set("n", "3")))
        yield* TestClock.adjust("60 seconds")
        assert.include((yield* Effect.flip(second.running.done)).message, "no person answered request 2 in time")
        assert.lengthOf(yield* requests, 0)
        const late = yield* Effect.flip(person(answer(second.question.id, "allow")))
        assert.strictEqual(late._tag, "RequestNotFound")
      })
    )
  )

  it.effect("asks no more once its caller has left", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const fiber = yield* Effect.forkChild(agent(call.set("n", "3")), { startImmediately: true })
        yield* Effect.yieldNow
        assert.lengthOf(yield* requests, 1)
        yield* Fiber.interrupt(fiber)
        assert.lengthOf(yield* requests, 0)
      })
    )
  )

  it.effect("asks for each kind of effect apart", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const { question, running } = yield* asking(
          as(agentActor, ["observe"], waits)(call.break("main if f()", { cmd: ["bt"] }))
        )
        const kinds: Array<string> = []
        for (let asked: Question.Question | undefined = question; asked !== undefined; [asked] = yield* requests) {
          kinds.push([...new Set(asked.missing.map(({ effect }) => effect))].join())
          yield* person(answer(asked.id, "allow"))
        }
        assert.deepStrictEqual(kinds, ["control", "eval", "raw"])
        yield* running.done
      })
    )
  )

  it.effect("that was allowed until the session ends needs no more consent for this effect of this actor", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const { question, running } = yield* asking(agent(call.set("n", "3")))
        yield* person(answer(question.id, "session"))
        yield* running.done
        yield* agent(call.set("n", "4"))
        // Another effect of the same tier, another actor, and another session of the name ask again.
        yield* asking(as({ kind: "mcp", name: "codex" }, usual, waits)(call.set("n", "5")))
        yield* TestClock.adjust("60 seconds")
        yield* person(call.stop())
        yield* started
        yield* asking(agent(call.set("n", "4")))
      })
    )
  )
})

describe("an answer", () => {
  it.effect("is not taken from an agent, from the asker, from another form, or without the tier", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const { question, running } = yield* asking(agent(call.set("n", "3")))
        for (const other of [
          as(agentActor),
          as({ kind: "mcp", name: "codex" }),
          as({ kind: "cli", name: "claude[7]" }),
          as({ kind: "http" }),
          as({ kind: "mcp", name: "codex", person: true })
        ]) {
          assert.strictEqual(yield* code(other(answer(question.id, "allow"))), "PERMISSION")
        }
        const page = as({ kind: "page", name: "1" }, ["observe", "control"])
        assert.strictEqual(yield* code(page(answer(question.id, "allow"))), "TIER_REQUIRED")
        const confined = as({ kind: "page", name: "2" }, Effects.tiers, {
          allowance: { effects: Effects.names, destructive: true, uses: [], session: "web" }
        })
        assert.strictEqual(yield* code(confined(answer(question.id, "allow"))), "REQUEST_NOT_FOUND")
        assert.lengthOf(yield* requests, 1)
        yield* page(answer(question.id, "deny"))
        assert.strictEqual(yield* code(running.done), "CONSENT_DENIED")
      })
    )
  )

  it.effect("of a person to a call of the same person is refused", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const page = as({ kind: "page", name: "1" }, ["observe", "control"], waits)
        const { question } = yield* asking(page(call.set("n", "3")))
        assert.strictEqual(yield* code(as({ kind: "page", name: "1" })(answer(question.id, "allow"))), "PERMISSION")
      })
    )
  )

  it.effect("until the session ends needs a session", () =>
    consenting(
      Effect.gen(function* () {
        yield* person(call.status())
        const { question, running } = yield* asking(agent(call.start()))
        assert.strictEqual(yield* code(person(answer(question.id, "session"))), "USAGE")
        yield* person(answer(question.id, "client"))
        yield* running.done
        yield* person(call.stop())
        yield* agent(call.start())
      })
    )
  )

  it.effect("that holds for longer does not hold for what destroys another's session", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const { question, running } = yield* asking(agent(call.stop({ names: ["default"] })))
        assert.include(JSON.stringify(question.missing), "destroys")
        yield* person(answer(question.id, "client"))
        yield* running.done
        const launch = yield* asking(agent(call.start()))
        yield* person(answer(launch.question.id, "deny"))
        yield* started
        yield* asking(agent(call.stop({ names: ["default"] })))
      })
    )
  )
})

it.effect("an observer gets questions and how they end", () =>
  Effect.gen(function* () {
    yield* started
    const waiting = yield* asking(agent(call.set("n", "3")))
    const feed = yield* Feed.Feed
    const seen: Array<Feed.Line> = []
    const reader = yield* Effect.forkChild(
      person(Stream.runForEach(feed.lines({ sessions: true }), (line) => Effect.sync(() => void seen.push(line)))),
      { startImmediately: true }
    )
    yield* Effect.yieldNow
    const [hello] = seen
    assert.deepStrictEqual(hello?.type === "hello" ? hello.requests : [], [waiting.question])
    yield* person(answer(waiting.question.id, "allow"))
    yield* waiting.running.done
    yield* TestClock.adjust("1 second")
    const line = seen.find(({ type }) => type === "request")
    assert.deepInclude(line, { ended: "allow", request: waiting.question })
    yield* Fiber.interrupt(reader)
  }).pipe(Effect.provide(SessionFeed.layer("1").pipe(Layer.provideMerge(manager(fakeWith({}))))), Effect.scoped)
)
