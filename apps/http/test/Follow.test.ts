// `follow` over HTTP: one envelope per line.
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Logger, Redacted } from "effect"
import { HttpEffect } from "effect/http"
import { Errors } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Api from "../src/Api.ts"

const token = "0123456789abcdef".repeat(4)
const authority = "127.0.0.1:4711"

const send = Effect.fnUntraced(function* (recorder: Recorder.Recorder, path: string, accept: string, body: object) {
  const caller = { directory: "/", environment: {} }
  const api = yield* Api.make({ version: "1", authority, token: Redacted.make(token), caller }).pipe(
    Effect.provide(recorder.layer)
  )
  const handle = HttpEffect.toWebHandler(api)
  const request = new Request(`http://${authority}${path}`, {
    method: "POST",
    headers: { host: authority, authorization: `Bearer ${token}`, "content-type": "application/json", accept },
    body: JSON.stringify(body)
  })
  const response = yield* Effect.promise(() => handle(request, Context.make(Logger.CurrentLoggers, new Set())))
  const text = yield* Effect.promise(() => response.text())
  return {
    type: response.headers.get("content-type"),
    lines: text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
  }
})

const page = (next: number, state: "running" | "exited", ...texts: ReadonlyArray<string>) => ({
  ...Recorder.answer({
    entries: texts.map((text, index) => ({ seq: next - 1 + index, channel: "stdout", text, time: 0, stop: 0 })),
    text: texts.join(""),
    next,
    dropped: 0
  }),
  state
})

const pages = () => {
  const remaining = [page(4, "running", "one\n"), page(6, "running", "two\n"), page(7, "exited"), page(7, "exited")]
  return Recorder.make(() => Effect.sync(() => remaining.shift() ?? page(7, "exited")))
}

describe("follow", () => {
  it.effect("streams one envelope per line to a caller that accepts ndjson", () =>
    Effect.gen(function* () {
      const recorder = pages()
      const { lines, type } = yield* send(recorder, "/v1/output", "application/x-ndjson", { follow: true })
      assert.strictEqual(type, "application/x-ndjson")
      assert.deepStrictEqual(
        lines.map(({ cmd, data, ok }) => [ok, cmd, data.text]),
        [
          [true, "output", "one\n"],
          [true, "output", "two\n"]
        ]
      )
      assert.strictEqual(recorder.calls.length, 4)
    })
  )

  it.effect("returns one envelope to any other caller", () =>
    Effect.gen(function* () {
      const recorder = pages()
      const { lines, type } = yield* send(recorder, "/v1/output", "application/json", { follow: true })
      assert.include(type, "application/json")
      assert.deepStrictEqual([lines.length, recorder.calls.length], [1, 1])
    })
  )

  it.effect("reports an error in the last line", () =>
    Effect.gen(function* () {
      const recorder = Recorder.make(() => Effect.fail(new Errors.NoSession({})))
      const { lines } = yield* send(recorder, "/v1/events", "application/x-ndjson", { follow: true })
      assert.deepStrictEqual(
        lines.map(({ error, ok }) => [ok, error.code]),
        [[false, "NO_SESSION"]]
      )
    })
  )
})
