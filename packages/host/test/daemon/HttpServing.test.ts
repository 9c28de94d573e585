import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpServing from "../../src/daemon/HttpServing.ts"

/** Makes the server of a daemon that counts its starts and ends. */
const counted = Effect.gen(function* () {
  const count = { started: 0, ended: 0 }
  const http = yield* HttpServing.make(
    ({ address, port }) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          count.started++
          return { url: `http://${address}:${port || 4711}`, port: port || 4711 }
        }),
        () => Effect.sync(() => void count.ended++)
      ),
    "/run/http.token"
  )
  return { count, http }
})

describe("the HTTP server of a daemon", () => {
  it.effect("is started once, and is the same for every later request", () =>
    Effect.gen(function* () {
      const { count, http } = yield* counted
      assert.isFalse(http.isServing())
      const all = yield* Effect.all([http.serve({ port: 0 }), http.serve({ port: 4711 })], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        all.map(({ already, url }) => [already, url]),
        [
          [false, "http://127.0.0.1:4711"],
          [true, "http://127.0.0.1:4711"]
        ]
      )
      assert.strictEqual((yield* Effect.flip(http.serve({ port: 4712 })))._tag, "InvalidState")
      assert.isTrue(http.isServing())
      assert.deepStrictEqual([yield* http.stop, yield* http.stop], [true, false])
      assert.deepStrictEqual(count, { started: 1, ended: 1 })
    })
  )

  it.effect("listens only on the address of one interface", () =>
    Effect.gen(function* () {
      const { count, http } = yield* counted
      for (const address of ["0.0.0.0", "::", "0:0:0:0:0:0:0:0", "localhost", "example.org", ""]) {
        assert.strictEqual((yield* Effect.flip(http.serve({ port: 0, address })))._tag, "Usage", address)
      }
      assert.strictEqual(count.started, 0)
    })
  )
})
