import { assert, describe, it } from "@effect/vitest"
import { Client } from "@sigtrap/protocol"
import { Effect, Layer } from "effect"
import { Sigtrap } from "../src/index.ts"

/** A client that answers with the payload that it got. */
const echo = Layer.succeed(Client.Client, {
  call: () => Effect.die("methods call operations by name"),
  callAny: (_, payload) => Effect.succeed({ state: "none", data: payload, warnings: [], truncated: [] })
})

/** Returns the payload that the client echoed. */
const sent = ({ data }: { readonly data: unknown }): Record<string, unknown> => Object(data)

describe("Sigtrap", () => {
  it.effect("fills in the directory and the environment of this process", () =>
    Effect.gen(function* () {
      const debug = yield* Sigtrap.fromClient()
      const payload = sent(yield* debug.start({ program: "app" }))
      assert.strictEqual(payload["directory"], process.cwd())
      assert.deepInclude(payload["environment"], { PATH: process.env["PATH"] })
    }).pipe(Effect.provide(echo))
  )

  it.effect("takes another directory and environment, and fields of a call win", () =>
    Effect.gen(function* () {
      const debug = yield* Sigtrap.fromClient({ directory: "/srv", environment: { A: "1" } })
      assert.deepInclude(sent(yield* debug.start({ program: "app" })), { directory: "/srv", environment: { A: "1" } })
      assert.deepInclude(sent(yield* debug.start({ program: "app", directory: "/opt" })), {
        directory: "/opt",
        environment: { A: "1" }
      })
    }).pipe(Effect.provide(echo))
  )

  it.effect("runs sessions in this process if asked to", () =>
    Effect.gen(function* () {
      const debug = yield* Sigtrap.Sigtrap
      assert.deepStrictEqual((yield* debug.sessions()).data.sessions, [])
      const error = yield* Effect.flip(debug.next())
      assert.strictEqual(error._tag, "NoSession")
    }).pipe(Effect.provide(Sigtrap.layer({ isolated: true })))
  )

  it.effect("says so if no daemon may be started and none runs", () =>
    Effect.gen(function* () {
      const debug = yield* Sigtrap.make({
        connection: { runtimeDirectory: `/tmp/st-none-${process.pid}`, daemon: "none" }
      })
      const error = yield* Effect.flip(debug.sessions())
      assert.strictEqual(error._tag, "DaemonUnreachable")
    })
  )
})
