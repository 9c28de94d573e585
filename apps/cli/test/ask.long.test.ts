// A call of a granted token waits in the daemon until a person allows it, on every surface.
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { RemoteClient } from "@sigtrap/host"
import { directory } from "@sigtrap/host/testing"
import { Client } from "@sigtrap/protocol"
import { sigtrap } from "./commandLine.ts"

const grantWords = ["grant", "--tier", "observe", "--ask", "write", "--name", "review", "--print"]

it.live(
  "a token asks for a tier, a person answers at a terminal, and an agent cannot",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* Effect.addFinalizer(() => Effect.ignoreCause(sigtrap(path, "daemon", "stop", "--force")))
      const { data: served } = yield* sigtrap(path, "serve")
      const { data: granted } = yield* sigtrap(path, ...grantWords)
      assert.deepStrictEqual([granted.grant.tiers, granted.grant.ask], [["observe"], ["write"]])
      const set = (name: string, body: object) =>
        Effect.promise(async () => {
          const response = await fetch(`${served.url}/v1/${name}`, {
            method: "POST",
            headers: { authorization: `Bearer ${granted.token}`, "content-type": "application/json" },
            body: JSON.stringify(body)
          })
          return { status: response.status, ...JSON.parse(await response.text()) }
        })
      const alone = yield* set("set", { target: "n", value: "3" })
      assert.deepStrictEqual([alone.status, alone.error.code], [403, "TIER_REQUIRED"])
      assert.include(alone.error.message, "no person is there to ask")

      const remote = RemoteClient.layer({
        runtimeDirectory: path,
        daemon: "none",
        actor: { kind: "cli", name: "pts/9", person: true }
      })
      yield* Effect.gen(function* () {
        const person = yield* Client.Client
        const waiting = Effect.flatMap(person.call("ask.list", {}), ({ data: { requests } }) =>
          requests[0] === undefined ? Effect.fail("nothing is asked yet") : Effect.succeed(requests[0])
        ).pipe(Effect.retry(Schedule.spaced("20 millis")))
        yield* person.call("ask.list", {})
        for (const [answer, code] of [
          ["allow", "NO_SESSION"],
          ["deny", "CONSENT_DENIED"]
        ] as const) {
          const call = yield* Effect.forkChild(set("set", { target: "n", value: "3" }), { startImmediately: true })
          const { actor, id, operation, tier } = yield* waiting
          assert.deepStrictEqual([actor.id, operation, tier], ["http:review", "set", "write"])
          const listed = yield* sigtrap(path, "ask", "list")
          assert.strictEqual(listed.data.requests[0].id, id)
          // A command line without a terminal is an agent; the token itself has no tier for it.
          const agent = yield* sigtrap(path, "ask", "answer", String(id), "allow")
          assert.deepStrictEqual([agent.code, agent.error.code], [10, "PERMISSION"])
          const own = yield* set("ask/answer", { id, answer: "allow" })
          assert.strictEqual(own.error.code, "TIER_REQUIRED")
          yield* person.call("ask.answer", { id, answer })
          assert.strictEqual((yield* Fiber.join(call)).error.code, code)
        }
        const audit = yield* sigtrap(path, "log", "--audit", "--operation", "ask.answer")
        assert.include(JSON.stringify(audit.data), "pts/9")
      }).pipe(Effect.provide(remote))
    }),
  60_000
)
