// `sigtrap serve`: the HTTP server of the daemon is started once, observed, and stopped with a last line in its streams.
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { directory } from "@sigtrap/host/testing"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { sigtrap } from "./commandLine.ts"

it.live(
  "the daemon serves HTTP on request, once, until it is stopped",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* Effect.addFinalizer(() => Effect.ignoreCause(Effect.scoped(sigtrap(path, "daemon", "stop", "--force"))))
      const { data: served } = yield* sigtrap(path, "serve")
      assert.deepInclude(served, { address: "127.0.0.1", already: false, token_file: join(path, "http.token") })
      assert.strictEqual(statSync(served.token_file).mode & 0o777, 0o600)
      const headers = {
        authorization: `Bearer ${readFileSync(served.token_file, "utf8")}`,
        "content-type": "application/json"
      }
      const post = (name: string, sent: object = headers) =>
        Effect.promise(() => fetch(`${served.url}/v1/${name}`, { method: "POST", headers: { ...sent }, body: "{}" }))
      assert.strictEqual((yield* post("sessions")).status, 200)
      assert.strictEqual((yield* post("sessions", { "content-type": "application/json" })).status, 401)

      assert.deepInclude((yield* sigtrap(path, "serve", "--port", String(served.port))).data, { already: true })
      const other = yield* sigtrap(path, "serve", "--port", served.port === 4711 ? "4712" : "4711")
      assert.deepStrictEqual([other.code, other.error.code], [4, "INVALID_STATE"])
      const everywhere = yield* sigtrap(path, "serve", "--address", "0.0.0.0")
      assert.strictEqual(everywhere.ok, false)

      const stream = yield* post("stream")
      const text = yield* Effect.forkChild(
        Effect.promise(() => stream.text()),
        { startImmediately: true }
      )
      assert.deepInclude((yield* sigtrap(path, "serve", "--stop")).data, { stopped: true })
      const lines = (yield* Fiber.join(text))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        lines.map(({ type }) => type),
        ["hello", "end"]
      )
      assert.deepInclude((yield* sigtrap(path, "serve", "--stop")).data, { stopped: false })
      const audit = yield* sigtrap(path, "log", "--audit", "--refused")
      assert.include(JSON.stringify(audit.data), "/v1/sessions")
      assert.include(JSON.stringify(audit.data), "ACCESS_DENIED")
      const served2 = yield* sigtrap(path, "log", "--audit", "--operation", "serve")
      assert.include(JSON.stringify(served2.data), '"stop":true')
    }),
  60_000
)
