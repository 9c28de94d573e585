// A caller that is confined to one session sees and acts on no other.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Client, Effects, Feed, Operation, Operations, Payload } from "@sigtrap/protocol"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { SessionFeed } from "../../../src/index.ts"
import { call, code, fakeWith, manager, settle } from "../../support.ts"

const confined = Effect.provideService(Caller.Current, {
  actor: { kind: "http", name: "review" },
  allowance: { ...Caller.everything, session: "web" },
  grant: "g1"
})

/** Runs a test with the sessions `web` and `other`. */
const over = <A, E>(test: Effect.Effect<A, E, Client.Client | Feed.Feed>) =>
  Effect.andThen(
    Effect.andThen(
      call.start({ session: "web", break: ["square"] }),
      call.start({ session: "other", break: ["square"] })
    ),
    test
  ).pipe(Effect.provide(SessionFeed.layer("1.2.3").pipe(Layer.provideMerge(manager(fakeWith({}))))))

describe("a caller with a token for one session", () => {
  it.effect("needs no name for it, and sees no other", () =>
    over(
      Effect.gen(function* () {
        assert.strictEqual((yield* confined(call.next())).session, "web")
        const { sessions } = (yield* confined(call.sessions())).data
        assert.deepStrictEqual(
          sessions.map(({ name }) => name),
          ["web"]
        )
        const feed = yield* Feed.Feed
        const [hello] = yield* confined(Stream.runCollect(Stream.take(feed.lines({ sessions: true }), 1)))
        assert.deepStrictEqual(hello?.type === "hello" ? hello.sessions.map(({ session }) => session) : [], ["web"])
      })
    )
  )

  it.effect("calls no operation on another one, and none beside sessions", () =>
    over(
      Effect.gen(function* () {
        const client = yield* Client.Client
        for (const operation of Operations.all) {
          const { composite, examples, execution, ofSession } = Operation.meta(operation)
          if (composite || (execution === "start" && operation._tag.startsWith("sim."))) continue
          const named = Object.hasOwn(Payload.published(operation).properties, "session") ? { session: "other" } : {}
          if (ofSession && !("session" in named)) continue
          const payload = yield* Payload.decode(operation, { ...examples[0].input, directory: "/src", ...named })
          const found = yield* Effect.result(confined(client.callAny(operation, payload)))
          const tag = found._tag === "Failure" ? found.failure._tag : "none"
          // What is started or attached to is looked up before the session gets its name.
          const early = ["ProcessNotFound", "ProgramNotFound", "InvalidState", "LaunchFailed", "Permission"]
          assert.include(["Policy", ...(execution === "start" ? early : [])], tag, operation._tag)
        }
        assert.strictEqual((yield* call.status({ session: "other" })).data.stop, 1)
      })
    )
  )

  it.effect("ends, renames and replaces no other", () =>
    over(
      Effect.gen(function* () {
        assert.strictEqual(yield* code(confined(call.stop({ names: ["other"] }))), "POLICY")
        assert.strictEqual(yield* code(confined(call.rename("other", "web"))), "POLICY")
        assert.strictEqual(yield* code(confined(call.rename("web", "mine"))), "POLICY")
        assert.strictEqual(yield* code(confined(call.start({ session: "other", replace: true }))), "POLICY")
        const { sessions } = (yield* confined(call.stop({ all: true }))).data
        assert.deepStrictEqual(
          sessions.map(({ name }) => name),
          ["web"]
        )
        const refused = yield* Effect.flip(confined(call.status({ session: "other" })))
        assert.strictEqual(refused.message, "the policy session web of the token does not allow the session other")
        assert.strictEqual((yield* confined(call.start({ break: ["square"] }))).session, "web")
        assert.strictEqual((yield* call.status({ session: "other" })).data.state, "stopped")
      })
    )
  )

  it.effect("that lacks a tier gets the name of who can allow it", () =>
    over(
      Effect.gen(function* () {
        const observer = Effect.provideService(Caller.Current, {
          actor: { kind: "http", name: "g2" },
          allowance: { effects: Effects.ofTiers(["observe"]), destructive: false, uses: [] },
          grant: "g2"
        })
        const error = yield* Effect.flip(observer(call.next({ session: "web" })))
        assert.deepInclude(error, { _tag: "TierRequired", who: "the owner of the daemon" })
        assert.deepInclude(error.hints[0], { operation: "grant", input: { arguments: ["--tier", "control"] } })
      })
    )
  )

  it.effect("follows its session when that is renamed, if it is a page, until another one has the name", () =>
    over(
      Effect.gen(function* () {
        const page = Effect.provideService(Caller.Current, {
          actor: { kind: "page", name: "g2" },
          allowance: { ...Caller.everything, session: "web" },
          grant: "g2"
        })
        const seen = Effect.map(page(call.sessions()), ({ data }) => data.sessions.map(({ name }) => name))
        const feed = yield* Feed.Feed
        const gone: Array<string> = []
        const lines = yield* Effect.forkChild(
          page(
            Stream.runForEach(feed.lines({ sessions: true }), (line) =>
              Effect.sync(() => {
                if (line.type === "session") gone.push(`${line.session} ${line.snapshot?.state ?? "gone"}`)
              })
            )
          ),
          { startImmediately: true }
        )
        yield* settle
        yield* call.rename("web", "fresh")
        yield* TestClock.adjust(100)
        yield* settle
        assert.deepStrictEqual(gone, ["web gone", "fresh stopped"])
        assert.deepStrictEqual(yield* seen, ["fresh"])
        assert.strictEqual((yield* page(call.next())).session, "fresh")
        assert.strictEqual((yield* page(call.next({ session: "fresh" }))).session, "fresh")
        assert.strictEqual(yield* code(page(call.status({ session: "other" }))), "POLICY")
        // Another caller has what it was given: the name.
        assert.strictEqual(yield* code(confined(call.status({ session: "fresh" }))), "POLICY")
        yield* call.rename("fresh", "newest")
        assert.deepStrictEqual(yield* seen, ["newest"])
        yield* call.start({ session: "web", break: ["square"] })
        assert.deepStrictEqual(yield* seen, ["web"])
        assert.strictEqual(yield* code(page(call.status({ session: "newest" }))), "POLICY")
        // One that has a name which the session had before is not the session.
        yield* call.stop({ names: ["newest", "web"] })
        yield* call.start({ session: "newest", break: ["square"] })
        assert.deepStrictEqual(yield* seen, [])
        yield* Fiber.interrupt(lines)
      })
    )
  )
})
