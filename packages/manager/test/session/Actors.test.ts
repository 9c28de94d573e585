// What one client reads or selects changes nothing of what another one is shown.
import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@sigtrap/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call, code, fakeWith, over } from "../support.ts"

/** Runs calls as a client. */
const as =
  (kind: Caller.Kind, name?: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, Caller.Current, {
      actor: { kind, ...(name === undefined ? {} : { name }) },
      allowance: Caller.everything
    })

const agent = as("mcp", "claude-code")
const person = as("cli", "pts/3")

describe("two clients of a session", () => {
  it.effect("each get the output and the changes since their own last report", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["square"] }))
        yield* person(call.context())
        let next = (yield* agent(call.next())).data
        for (let step = 0; step < 8 && next.output?.bytes === 0; step++) next = (yield* agent(call.next())).data
        assert.isAbove(next.output?.bytes ?? 0, 0, "the program writes in one of these steps")
        const seen = yield* Effect.forEach(["context", "context"] as const, () => person(call.context()))
        assert.deepStrictEqual(
          seen.map(({ data }) => data.output?.bytes),
          [next.output?.bytes, 0]
        )
        yield* person(call.context())
        assert.strictEqual((yield* agent(call.context())).data.output?.bytes, 0)
      })
    )
  )

  it.effect("are compared with what they were shown themselves, also by their first call of a run", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        const first = (others: boolean) =>
          Effect.gen(function* () {
            yield* agent(call.start({ break: ["app.c:10"], replace: true }))
            if (others) {
              yield* as("http")(call.locals())
              yield* as("http")(call.locals({ frame: "1" }))
            }
            yield* agent(call.next())
            if (others) yield* as("http")(call.locals())
            const { locals = [] } = (yield* person(call.context())).data
            return locals.map(({ changed, name, old, value }) => ({ name, value, changed, old }))
          })
        const alone = yield* first(false)
        assert.deepStrictEqual(yield* first(true), alone)
        assert.isTrue(alone.every(({ changed }) => changed === undefined))
        const { locals = [] } = (yield* person(call.next())).data
        assert.includeMembers(
          locals.flatMap(({ changed, name }) => (changed === true ? [name] : [])),
          ["i"]
        )
      })
    )
  )

  it.effect("drop no output by what they do", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["square"], settings: { "output.max_events": "100" } }))
        yield* agent(call.continue())
        yield* agent(call.continue())
        const before = (yield* person(call.output())).data
        assert.strictEqual(before.text, "total=1\ntotal=5\n")
        for (let time = 0; time < 150; time++) yield* agent(call.toggle([1]))
        const { dropped, text } = (yield* person(call.output())).data
        assert.deepStrictEqual({ dropped, text }, { dropped: 0, text: before.text })
        assert.strictEqual((yield* as("page")(call.output({ new: true }))).data.text, before.text)
        const { data } = yield* person(call.events({ limit: 10_000 }))
        assert.isAbove(data.dropped, 0)
        assert.strictEqual(data.events.filter(({ kind }) => kind === "output").length, 2)
      })
    )
  )

  it.effect("each read the output that is new for them, also in parts", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["square"] }))
        const fresh = (input: Parameters<typeof call.output>[0] = {}) =>
          Effect.map(call.output({ new: true, ...input }), ({ data }) => data.text)
        assert.strictEqual(yield* agent(fresh()), "")
        yield* agent(call.continue())
        yield* agent(call.continue())
        assert.strictEqual(yield* agent(fresh()), "total=1\ntotal=5\n")
        assert.strictEqual(yield* agent(fresh()), "")
        assert.strictEqual(yield* person(fresh({ limit: 3 })), "tot")
        // A surface that could show less takes the rest back.
        assert.strictEqual(yield* person(fresh({ before: "0", limit: 1 })), "")
        assert.strictEqual(yield* person(fresh({ limit: 8 })), "total=1\n")
        // What is read by another way is not new either.
        yield* person(call.output())
        assert.strictEqual(yield* person(fresh()), "")
        assert.strictEqual(yield* code(agent(call.output({ new: true, tail: 1 }))), "USAGE")
        const earlier = yield* as("page")(call.output({ tail: 1 }))
        assert.strictEqual(earlier.data.text, "total=5\n")
      })
    )
  )

  it.effect("see in the events where the program stopped, and how often breakpoints were hit", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["square"] }))
        yield* agent(call.continue())
        const { events } = (yield* person(call.events({ kind: ["stopped"] }))).data
        assert.deepStrictEqual(
          events.map(({ text }) => text),
          ["breakpoint 1 (hit 1) in square at /src/app.c:2", "breakpoint 1 (hit 2) in square at /src/app.c:2"]
        )
        assert.deepStrictEqual(
          events.map(({ hit_counts }) => hit_counts),
          [[1], [2]]
        )
        assert.strictEqual(events[0]?.location?.line, 2)
      })
    )
  )

  it.effect("select frames for themselves only", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["square"] }))
        const before = (yield* agent(call.frame())).data.frame.index
        yield* person(call.up())
        assert.strictEqual((yield* agent(call.frame())).data.frame.index, before)
        assert.strictEqual((yield* person(call.frame())).data.frame.index, before + 1)
        yield* person(call.next())
        assert.strictEqual((yield* person(call.frame())).data.frame.index, 0)
      })
    )
  )

  it.effect("are named by events and status", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["square"] }))
        yield* agent(call.next())
        yield* person(call.locals())
        yield* person(call.backtrace())
        yield* person(call.print(["n"]))
        yield* Effect.ignore(person(call.print(["nosuch"])))
        yield* agent(call.break("main"))
        yield* agent(call.continue())
        const { events } = (yield* person(call.events({ limit: 1000 }))).data
        const acts = events.flatMap(({ actor, code, kind, text, tier }) =>
          kind === "acted" ? [[actor?.id, tier, text, ...(code === undefined ? [] : [code])]] : []
        )
        assert.deepStrictEqual(acts.slice(1), [
          ["mcp:claude-code", "control", "next"],
          ["cli:pts/3", "observe", "locals"],
          ["cli:pts/3", "observe", "backtrace"],
          ["cli:pts/3", "observe", "print n"],
          ["cli:pts/3", "observe", "print nosuch: VARIABLE_NOT_FOUND", "VARIABLE_NOT_FOUND"],
          ["mcp:claude-code", "control", "break main"],
          ["mcp:claude-code", "control", "continue"]
        ])
        // Of an agent, the first reads are events at once.
        yield* agent(call.print(["n"]))
        yield* agent(call.print(["n"]))
        yield* agent(call.locals({ frame: "1" }))
        const newest = (yield* person(call.events({ limit: 1000 }))).data.events.slice(events.length)
        assert.deepStrictEqual(
          newest.flatMap(({ kind, text }) => (kind === "acted" ? [text] : [])),
          ["print n", "locals --frame 1"]
        )
        const by = (kind: string) => events.find((event) => event.kind === kind)?.actor
        assert.deepStrictEqual(by("resumed"), {
          id: "mcp:claude-code",
          kind: "mcp",
          role: "agent",
          name: "claude-code"
        })
        assert.strictEqual(by("breakpoint")?.id, "mcp:claude-code")
        assert.isUndefined(by("stopped"))
        const { clients } = (yield* person(call.status())).data
        assert.deepStrictEqual(
          clients?.map(({ actor, role }) => [actor.id, role]),
          [
            ["mcp:claude-code", "drive"],
            ["cli:pts/3", "view"]
          ]
        )
      })
    )
  )

  it.effect("keep a session from its idle limit unless they only read", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["square"], ttl: "10m" }))
        for (let minute = 0; minute < 15; minute++) {
          yield* TestClock.adjust("1 minute")
          yield* Effect.ignore(person(call.context()))
        }
        assert.strictEqual((yield* person(call.status())).data.state, "none")
      })
    )
  )

  it.effect("keep a session that they use", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["square"], ttl: "10m" }))
        for (let minute = 0; minute < 15; minute++) {
          yield* TestClock.adjust("1 minute")
          yield* agent(call.context())
        }
        assert.strictEqual((yield* person(call.status())).data.state, "stopped")
      })
    )
  )
})
