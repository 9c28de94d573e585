// Who may run a program in one call.
import { assert, it } from "@effect/vitest"
import { Caller, Client, Effects, Operations, Payload } from "@sigtrap/protocol"
import { Effect } from "effect"
import { FakeBackend } from "../../src/testing/index.ts"
import { call, over } from "../support.ts"

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
