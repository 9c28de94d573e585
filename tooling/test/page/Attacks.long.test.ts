// A page of another server on this machine, and one whose name leads here, in the same browser as the page: neither reads, drives,
// frames or opens anything of it.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { shows } from "./pageTests.ts"

/** A server of another origin with one empty page. */
const foreign = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly origin: string; readonly close: () => void }>((resolve) => {
        const server = createServer((_, response) =>
          response.setHeader("content-type", "text/html").end("<!doctype html><title>other</title><p>other</p>")
        )
        server.listen(0, "127.0.0.1", () => {
          const address: AddressInfo | string | null = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resolve({ origin: `http://127.0.0.1:${port}`, close: () => void server.close() })
        })
      })
  ),
  ({ close }) => Effect.sync(close)
)

/** What the foreign page tries. Each answers with what it got, or `blocked`. */
const attacks = (origin: string, token: string) => `(async () => {
  const origin = ${JSON.stringify(origin)}
  const json = { "content-type": "application/json" }
  const attempt = async (act) => {
    try { return String(await act()) } catch { return "blocked" }
  }
  const loads = (make) => new Promise((resolve) => {
    const element = make()
    element.onload = () => resolve("loaded")
    element.onerror = () => resolve("blocked")
    document.body.append(element)
    setTimeout(() => resolve("blocked"), 3000)
  })
  const text = async (path, init) => (await fetch(origin + path, init)).text()
  return JSON.stringify({
    page: await attempt(() => text("/")),
    health: await attempt(() => text("/health")),
    withToken: await attempt(() => text("/v1/status", { method: "POST", headers: { ...json, authorization: "Bearer ${token}" }, body: "{}" })),
    preflight: await attempt(() => text("/v1/next", { method: "POST", headers: json, body: '{"session":"app"}' })),
    stream: await attempt(() => text("/v1/stream", { method: "POST", headers: json, body: '{"sessions":true}' })),
    simple: await attempt(async () => (await fetch(origin + "/v1/next", { method: "POST", mode: "no-cors", headers: { "content-type": "text/plain" }, body: '{"session":"app"}' })).type),
    code: await attempt(async () => (await fetch(origin + "/v1/page", { method: "POST", mode: "no-cors", body: '{"code":"' + "0".repeat(32) + '"}' })).type),
    script: await loads(() => Object.assign(document.createElement("script"), { src: origin + "/page/SCRIPT" })),
    image: await loads(() => Object.assign(document.createElement("img"), { src: origin + "/page/ICON" })),
    opened: await attempt(() => {
      const opened = window.open(origin + "/")
      return new Promise((resolve) => setTimeout(() => resolve(opened === null || opened.closed || opened.length === 0 ? "separate" : "reached"), 1500))
    })
  })
})()`

describe.runIf(isPresent(Chromium.program, {}))("the page beside a foreign page", () => {
  it.live(
    "is neither read, nor driven, nor framed, nor reached by another origin or a rebound name",
    () =>
      Effect.gen(function* () {
        const machine = yield* Chromium.machine
        machine.compile("app")
        machine.sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const opened = yield* Chromium.browserWith("--host-resolver-rules=MAP rebound.test 127.0.0.1")
        const { messages, page } = yield* Chromium.open(
          opened,
          machine.sigtrap("web", "--print", "--session", "app").trim()
        )
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        const { origin, port } = new URL(page.url())
        const token = String(
          yield* Effect.promise(() => page.evaluate("JSON.parse(sessionStorage.getItem('sigtrap.credentials')).token"))
        )
        const files = String(
          yield* Effect.promise(() =>
            page.evaluate(
              "[document.querySelector('script').src, document.querySelector('link[rel=icon]').href].map((url) => new URL(url).pathname.split('/').at(-1)).join(' ')"
            )
          )
        )
        const [script = "", icon = ""] = files.split(" ")

        const other = yield* foreign
        const tab = yield* Effect.promise(() => page.context().newPage())
        yield* Effect.promise(() => tab.goto(other.origin))
        const tries = attacks(origin, token).replace("SCRIPT", script).replace("ICON", icon)
        const got: unknown = JSON.parse(String(yield* Effect.promise(() => tab.evaluate(tries))))
        assert.deepStrictEqual(got, {
          page: "blocked",
          health: "blocked",
          withToken: "blocked",
          preflight: "blocked",
          stream: "blocked",
          // It is sent, and refused; the answer cannot be read.
          simple: "opaque",
          code: "opaque",
          script: "blocked",
          image: "blocked",
          opened: "separate"
        })
        // The storage of another port is another one.
        assert.strictEqual(yield* Effect.promise(() => tab.evaluate("sessionStorage.length + localStorage.length")), 0)

        // A frame of the page stays empty.
        yield* Effect.promise(() =>
          tab.evaluate(
            `new Promise((resolve) => { const frame = document.createElement("iframe"); frame.onload = resolve; frame.src = ${JSON.stringify(origin)} + "/"; document.body.append(frame) })`
          )
        )
        const framed = tab.frames().find((frame) => frame !== tab.mainFrame())
        assert.strictEqual(yield* Effect.promise(async () => await framed?.locator("#page").count()), 0)

        // A name that leads to this machine is refused, whatever it asks.
        const rebound = yield* Effect.promise(() => tab.goto(`http://rebound.test:${port}/`))
        assert.strictEqual(rebound?.status(), 421)
        const asked = yield* Effect.promise(() =>
          tab.evaluate(
            `fetch("/v1/status", { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer ${token}" }, body: "{}" }).then(({ status }) => status)`
          )
        )
        assert.strictEqual(asked, 421)

        // Nothing moved, and the page still works.
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        assert.include(machine.sigtrap("status", "--session", "app"), "stopped")
        assert.deepStrictEqual(messages, [])
        // A script that is added does not run.
        const ran = yield* Effect.promise(() =>
          page.evaluate(
            "(async () => { try { const script = document.createElement('script'); script.text = 'globalThis.added = 1'; document.body.append(script) } catch {} ; await new Promise((done) => setTimeout(done, 100)); return String(globalThis.added) })()"
          )
        )
        assert.strictEqual(ran, "undefined")
      }).pipe(Effect.scoped),
    120_000
  )
})
