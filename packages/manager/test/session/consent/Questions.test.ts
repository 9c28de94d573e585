// Calls that wait until a person allows them.
import { assert, describe, it } from "@effect/vitest"
import {
  Caller,
  Client,
  Effects,
  type Errors,
  Feed,
  Operations,
  Payload,
  type Question,
  type Settings
} from "@sigtrap/protocol"
import { Effect, Fiber, Layer, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ClientRules, Manager, Questions, SessionFeed } from "../../../src/index.ts"
import { begin, call, code, fakeWith, manager, over, settle } from "../../support.ts"

/** Runs calls as an actor with these tiers, which may ask for others. */
const as =
  (actor: Caller.Actor, tiers: ReadonlyArray<Effects.Tier> = Effects.tiers, more: Partial<Caller.Caller> = {}) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, Caller.Current, {
      actor,
      allowance: { effects: Effects.ofTiers(tiers), destructive: tiers.includes("admin"), uses: [] },
      ...more
    })

const agentActor = { kind: "mcp", name: "claude-code" } as const
const usual = ["observe", "control", "evaluate"] as const
const askable = Effects.names.filter((name) => name !== "owner")
const waits = { asks: { effects: askable, form: false } }
const shows = { asks: { effects: askable, form: true } }

const agent = as(agentActor, usual, waits)
const form = as(agentActor, usual, shows)
const person = as({ kind: "cli", name: "pts/3", person: true })
const inForm = as({ ...agentActor, person: true })

const list = person(Effect.flatMap(Client.Client, (client) => client.call("ask.list", {})))
const requests = Effect.map(list, ({ data }) => data.requests)
const answer = (id: number, verdict: Question.Verdict) =>
  Effect.flatMap(Client.Client, (client) => client.call("ask.answer", { id, answer: verdict }))

const started = person(call.start({ break: ["square"] }))

/** Starts a call of the agent that has to ask, and waits until the question is there. */
const asking = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const running = yield* begin(work)
  const [question] = yield* requests
  if (question === undefined) return yield* Effect.die("nothing was asked")
  return { running, question }
})

const test = <A, E>(work: Effect.Effect<A, E, Layer.Success<ReturnType<typeof manager>> | Scope.Scope>) =>
  over(fakeWith({}), Effect.asVoid(work))

describe("a call without its tier", () => {
  it.effect("waits until a person allows it, and runs", () =>
    test(
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
    test(
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
    test(
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

  it.effect("is denied by a person, and by the end of its time", () =>
    test(
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
    test(
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
    test(
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
    test(
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
    test(
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
    test(
      Effect.gen(function* () {
        yield* started
        const page = as({ kind: "page", name: "1" }, ["observe", "control"], waits)
        const { question } = yield* asking(page(call.set("n", "3")))
        assert.strictEqual(yield* code(as({ kind: "page", name: "1" })(answer(question.id, "allow"))), "PERMISSION")
      })
    )
  )

  it.effect("until the session ends needs a session", () =>
    test(
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
    test(
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

describe("a question that a form shows", () => {
  /** The questions that a refused call names. */
  const refused = <A, R>(work: Effect.Effect<A, Errors.SigtrapError, R>) =>
    Effect.flatMap(Effect.flip(work), (error) =>
      error._tag === "TierRequired" ? Effect.succeed(error.requests ?? []) : Effect.die(error)
    )
  const repeating = (ids: ReadonlyArray<number>) => as(agentActor, usual, { ...shows, requests: ids })

  it.effect("refuses the call, which is repeated with its number once it is allowed", () =>
    test(
      Effect.gen(function* () {
        yield* started
        const ids = yield* refused(form(call.set("n", "3")))
        assert.deepStrictEqual(ids, [1])
        yield* inForm(answer(1, "allow"))
        // Another call, another actor and a second time have to ask.
        assert.deepStrictEqual(yield* refused(repeating(ids)(call.set("n", "4"))), [2])
        const other = as({ kind: "mcp", name: "codex" }, usual, { ...shows, requests: ids })
        assert.deepStrictEqual(yield* refused(other(call.set("n", "3"))), [3])
        yield* repeating(ids)(call.set("n", "3"))
        assert.deepStrictEqual(yield* refused(repeating(ids)(call.set("n", "3"))), [4])
      })
    )
  )

  it.effect("is answered at a terminal as well: the repeated call waits for it", () =>
    test(
      Effect.gen(function* () {
        yield* started
        const ids = yield* refused(form(call.set("n", "3")))
        const running = yield* begin(repeating(ids)(call.set("n", "3")))
        yield* person(answer(1, "allow"))
        yield* running.done
      })
    )
  )

  it.effect("ends after ten minutes, and with the connection of its asker", () =>
    test(
      Effect.gen(function* () {
        yield* started
        yield* refused(form(call.set("n", "3")))
        yield* TestClock.adjust("9 minutes")
        assert.lengthOf(yield* requests, 1)
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(yield* requests, 0)
        yield* person(call.status())
        const over = (connection: string) => Effect.provideService(Questions.Connection, connection)
        yield* refused(form(call.set("n", "3")).pipe(over("7")))
        yield* inForm(answer(2, "client"))
        yield* form(call.set("n", "4")).pipe(over("7"))
        // Another client of the same name has to ask.
        yield* refused(form(call.set("n", "4")).pipe(over("8")))
        yield* refused(form(call.raw("version")).pipe(over("7")))
        yield* Effect.flatMap(Manager.Manager, ({ left }) => left("7"))
        assert.deepStrictEqual(
          (yield* requests).map(({ operation }) => operation),
          ["set"]
        )
        yield* refused(form(call.set("n", "4")).pipe(over("7")))
      })
    )
  )

  it.effect("is bounded by count", () =>
    test(
      Effect.gen(function* () {
        yield* started
        for (let count = 0; count < 8; count++) yield* refused(form(call.set("n", String(count))))
        const ninth = yield* Effect.flip(form(call.set("n", "9")))
        assert.include(ninth.message, "too many requests wait for consent")
        for (let count = 0; count < 24; count++) {
          yield* refused(as({ kind: "mcp", name: `a${count}` }, usual, shows)(call.set("n", "1")))
        }
        const other = as({ kind: "mcp", name: "late" }, usual, shows)
        assert.include((yield* Effect.flip(other(call.set("n", "1")))).message, "too many requests")
        assert.lengthOf(yield* requests, 32)
      })
    )
  )

  it.effect("has no secrets and at most 2,000 characters of a value", () =>
    test(
      Effect.gen(function* () {
        yield* started
        const token = `ghp_${"a".repeat(36)}`
        const command = `print "${token}" ${"x".repeat(5000)}`
        yield* Effect.flip(form(call.raw(command)))
        yield* Effect.flip(form(call.set("password", "hunter2")))
        // What observers get, and what the operation answers with.
        const { questions } = yield* Manager.Manager
        const kept = yield* Effect.flatMap(questions, ({ list: all }) => all)
        assert.deepStrictEqual(yield* requests, kept)
        const shown = JSON.stringify(kept)
        assert.notInclude(shown, token)
        assert.notInclude(shown, "hunter2")
        assert.isBelow(shown.length, 8000)
        assert.include(shown, "more characters")
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

describe("the rules of the owner", () => {
  const ruled = <A, E>(
    values: Settings.Values,
    work: Effect.Effect<A, E, Layer.Success<ReturnType<typeof manager>> | Scope.Scope>
  ) => Effect.provideService(test(work), ClientRules.Current, Effect.succeed(ClientRules.of(values)))

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
