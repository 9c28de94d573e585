/** Requests that the daemon's HTTP server refuses, over a stopped program: each by its rule, in the audit log, and nothing moves. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { request } from "node:http"
import { connect } from "node:net"
import { builtSigtrap, record } from "../support/builtSigtrap.ts"
import { platform } from "../support/fixturePrograms.ts"

/** What a server answered to a request. */
interface Refusal {
  readonly status: number
  readonly code: string
  readonly rule: string | undefined
}

/** Sends a request with any headers. `parts` of the body are sent one after the other; without `ends` more would follow. */
const send = (
  url: string,
  path: string,
  headers: { readonly [name: string]: string },
  parts: ReadonlyArray<string>,
  ends = true
) =>
  Effect.callback<Refusal>((resume) => {
    const sent = request(`${url}${path}`, { method: "POST", headers, agent: false }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part) => (text += String(part)))
      response.once("close", () => {
        const { code, details } = record(record(text === "" ? {} : JSON.parse(text))["error"])
        const { rule } = record(details)
        resume(
          Effect.succeed({
            status: response.statusCode ?? 0,
            code: String(code ?? ""),
            rule: rule === undefined ? undefined : String(rule)
          })
        )
        sent.destroy()
      })
    })
    sent.on("error", () => resume(Effect.succeed({ status: 0, code: "", rule: undefined })))
    for (const part of parts) sent.write(part)
    if (ends) sent.end()
    return Effect.sync(() => sent.destroy())
  })

/** Sends a request and the beginning of another one on one connection; returns the statuses of the answers. */
const slowSecond = (url: string, authorization: string) =>
  Effect.callback<ReadonlyArray<string | undefined>>((resume) => {
    const { host, hostname, port } = new URL(url)
    let text = ""
    const socket = connect(Number(port), hostname, () => {
      const fields = [`Host: ${host}`, `Authorization: ${authorization}`, "Content-Type: application/json"]
      socket.write(`POST /v1/status HTTP/1.1\r\n${fields.join("\r\n")}\r\nContent-Length: 2\r\n\r\n{}`)
    })
    socket.setEncoding("utf8").on("data", (part) => {
      if (text === "") socket.write("POST /v1/next HTTP/1.1\r\nHost:")
      text += String(part)
    })
    socket.on("error", () => {})
    socket.on("close", () =>
      resume(Effect.succeed([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)))
    )
    return Effect.sync(() => socket.destroy())
  })

layer(platform, { excludeTestServices: true, timeout: "300 seconds" })("the HTTP server of the daemon", (it) => {
  it.effect(
    "refuses a request by its rule, records it, and moves nothing",
    () =>
      Effect.gen(function* () {
        const { directory, must, run, serve } = yield* builtSigtrap
        const started = yield* must("start", `${directory}/app`, "--break", "main")
        const { token, url } = yield* serve
        const { host } = new URL(url)
        const granted = (...words: ReadonlyArray<string>) =>
          Effect.map(must("grant", ...words, "--print"), ({ data }) => ({
            token: String(data["token"]),
            id: String(record(data["grant"])["id"])
          }))
        const observer = yield* granted("--tier", "observe")
        const revoked = yield* granted("--tier", "control")
        yield* must("grant", "revoke", revoked.id)
        const brief = yield* granted("--tier", "observe", "--ttl", "1s")
        const good = { host, authorization: `Bearer ${token}`, "content-type": "application/json" }
        const { authorization: _, ...anonymous } = good
        const bearer = (text: string) => ({ ...good, authorization: `Bearer ${text}` })
        // The token has expired when it is refused.
        const expired = yield* Effect.repeat(send(url, "/v1/status", bearer(brief.token), ["{}"]), {
          until: ({ status }) => status !== 200,
          schedule: Schedule.spaced("200 millis")
        })
        assert.deepStrictEqual(expired, { status: 401, code: "ACCESS_DENIED", rule: "token" })

        // Bodies that never end: the server closes the connections at its own limit.
        const slow = yield* Effect.forkChild(
          Effect.forEach(
            ["/v1/next", "/v1/stream"],
            (path) => send(url, path, { ...good, "content-length": "10" }, ["{"], false),
            { concurrency: "unbounded" }
          ),
          { startImmediately: true }
        )
        const secondSlow = yield* Effect.forkChild(slowSecond(url, good.authorization), { startImmediately: true })
        const large = " ".repeat(1_100_000)
        for (const path of ["/v1/next", "/v1/stream"]) {
          const refused = (headers: { readonly [name: string]: string }, ...parts: ReadonlyArray<string>) =>
            Effect.map(send(url, path, headers, parts.length === 0 ? ["{}"] : parts), ({ rule, status }) => [
              status,
              rule
            ])
          assert.deepStrictEqual(yield* refused({ ...good, origin: "http://evil.example" }), [403, "origin"], path)
          assert.deepStrictEqual(yield* refused({ ...good, origin: "http://127.0.0.1:1" }), [403, "origin"], path)
          assert.deepStrictEqual(
            yield* refused({ ...good, host: `evil.example:${new URL(url).port}` }),
            [421, "host"],
            path
          )
          assert.deepStrictEqual(yield* refused(anonymous), [401, "token"], path)
          assert.deepStrictEqual(yield* refused(bearer("x".repeat(64))), [401, "token"], path)
          assert.deepStrictEqual(yield* refused(bearer(brief.token)), [401, "token"], path)
          assert.deepStrictEqual(yield* refused(bearer(revoked.token)), [401, "token"], path)
          for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
            assert.deepStrictEqual(
              yield* refused({ ...good, "content-type": type }),
              [415, "media-type"],
              `${path} ${type}`
            )
          }
          assert.deepStrictEqual(yield* refused({ ...good, "content-length": "1100000" }, large), [413, "size"], path)
        }
        const tier = yield* send(url, "/v1/next", bearer(observer.token), ["{}"])
        assert.deepStrictEqual([tier.status, tier.code], [403, "TIER_REQUIRED"])

        for (const { status } of yield* Fiber.join(slow)) assert.include([0, 408], status)
        assert.deepStrictEqual(yield* Fiber.join(secondSlow), ["200", "408"])

        const status = yield* must("status")
        assert.deepStrictEqual([status.state, status.stop], ["stopped", started.stop])
        // Refusals are written in batches.
        const wanted = ["origin", "host", "token", "media-type", "size"]
        const rulesOf = Effect.map(run("log", "--audit", "--refused", "-n", "1000"), ({ text }) =>
          wanted.filter((rule) => new RegExp(`"rule":"${rule}`).test(text) && text.includes("/v1/stream"))
        )
        const recorded = yield* Effect.repeat(rulesOf, {
          until: (found) => found.length === wanted.length,
          schedule: Schedule.spaced("200 millis")
        })
        assert.deepStrictEqual(recorded, wanted)
        assert.include((yield* run("log", "--audit", "--refused", "-n", "1000")).text, "TIER_REQUIRED")
      }).pipe(Effect.scoped),
    300_000
  )
})
