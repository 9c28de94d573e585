// A page of another server on this machine, and one whose name leads here, in the same browser as the page: neither reads, drives,
// frames or opens anything of it.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { createServer, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { shows } from "./pageTests.ts"

/** A server of another origin with one empty page. */
const foreign = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly origin: string; readonly referrers: ReadonlyArray<string>; readonly close: () => void }>(
        (resolve) => {
          const referrers: Array<string> = []
          const server = createServer(({ headers }, response) => {
            referrers.push(JSON.stringify(headers))
            response.setHeader("content-type", "text/html").end("<!doctype html><title>other</title><p>other</p>")
          })
          server.listen(0, "127.0.0.1", () => {
            const address: AddressInfo | string | null = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            resolve({ origin: `http://127.0.0.1:${port}`, referrers, close: () => void server.close() })
          })
        }
      )
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
    form: await attempt(async () => (await fetch(origin + "/v1/next", { method: "POST", mode: "no-cors", body: new URLSearchParams({ session: "app" }) })).type),
    plainForm: await attempt(() => new Promise((resolve) => {
      // Its body is a document of JSON, and it needs no preflight.
      const frame = Object.assign(document.createElement("iframe"), { name: "target" })
      const form = Object.assign(document.createElement("form"), { method: "post", action: origin + "/v1/next", enctype: "text/plain", target: "target" })
      form.append(Object.assign(document.createElement("input"), { name: '{"session":"app","reason":"', value: '"}' }))
      document.body.append(frame, form)
      form.submit()
      setTimeout(() => { try { resolve(frame.contentDocument?.body?.textContent || "blocked") } catch { resolve("blocked") } }, 1500)
    })),
    worker: await attempt(() => new Worker(origin + "/page/SCRIPT")),
    jsonBeacon: await attempt(() => String(navigator.sendBeacon(origin + "/v1/next", new Blob(['{"session":"app"}'], { type: "application/json" })))),
    cookies: await attempt(async () => (await fetch(origin + "/v1/status", { method: "POST", mode: "no-cors", credentials: "include", body: "{}" })).type),
    beacon: await attempt(() => String(navigator.sendBeacon(origin + "/v1/next", '{"session":"app"}'))),
    events: await new Promise((resolve) => {
      const source = new EventSource(origin + "/v1/stream")
      source.onopen = () => resolve("opened")
      source.onerror = () => resolve("blocked")
    }),
    socket: await new Promise((resolve) => {
      const socket = new WebSocket(origin.replace("http", "ws") + "/v1/stream")
      socket.onopen = () => resolve("opened")
      socket.onerror = () => resolve("blocked")
    }),
    object: await loads(() => Object.assign(document.createElement("object"), { data: origin + "/" })),
    style: await loads(() => Object.assign(document.createElement("link"), { rel: "stylesheet", href: origin + "/page/STYLE" })),
    sandboxed: await attempt(() => new Promise((resolve) => {
      addEventListener("message", ({ data }) => resolve(data))
      // A frame without an origin of its own: its requests say Origin: null.
      const frame = Object.assign(document.createElement("iframe"), { sandbox: "allow-scripts" })
      frame.srcdoc = "<script>fetch(" + JSON.stringify(origin + "/v1/next") + ", { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: JSON.stringify({ session: 'app' }) }).then(({ type }) => parent.postMessage(type, '*'), () => parent.postMessage('blocked', '*'))</" + "script>"
      document.body.append(frame)
    })),
    image: await loads(() => Object.assign(document.createElement("img"), { src: origin + "/page/ICON" })),
    opened: await attempt(() => {
      const opened = window.open(origin + "/")
      return new Promise((resolve) => setTimeout(() => resolve(opened === null || opened.closed || opened.length === 0 ? "separate" : "reached"), 1500))
    })
  })
})()`

/** Sends a request with headers that no browser page can choose; returns its status. */
const statusOf = (
  url: URL,
  {
    body = "",
    headers,
    method = "POST"
  }: { readonly headers: { readonly [name: string]: string }; readonly body?: string; readonly method?: string }
) =>
  Effect.promise(
    () =>
      new Promise<number>((resolve) => {
        const sent = request(
          url,
          { method, agent: false, headers: { "content-length": String(body.length), ...headers } },
          (answer) => {
            answer.resume()
            resolve(answer.statusCode ?? 0)
          }
        )
        // A connection that is closed without an answer.
        sent.on("error", () => resolve(0))
        sent.end(body)
      })
  )

/** Sends the lines of a request as they are, which no HTTP client would; returns the status of the answer, 0 without one. */
const statusOfLines = (port: string, lines: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<number>((resolve) => {
        const socket = connect(Number(port), "127.0.0.1")
        let answer = ""
        socket.on("data", (piece) => (answer += String(piece)))
        socket.on("error", () => resolve(0))
        socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)))
        socket.write(lines.join("\r\n"))
      })
  )

/** Headers of a request with a valid token that are refused, and with which status. `self` is the server. */
const wrongHeaders = (self: string, port: string): ReadonlyArray<readonly [number, ...ReadonlyArray<string>]> => [
  ...[
    "0.0.0.0",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "[::1]",
    "a@127.0.0.1"
  ].map((name) => [421, `host: ${name}:${port}`] as const),
  [421, "host: 127.0.0.1"],
  [421],
  [421, `host: ${self}`, `host: ${self}`],
  [421, `host: ${self}`, "host: rebound.test"],
  [421, "host: rebound.test", `host: ${self}`],
  [403, `host: ${self}`, `origin: http://${self}`, "origin: http://rebound.test"],
  [403, `host: ${self}`, `origin: HTTP://${self}`],
  [403, `host: ${self}`, "origin: "],
  [403, `host: ${self}`, "sec-fetch-site: Cross-Site"],
  [401, `host: ${self}`, "authorization: Bearer 0"],
  [431, `host: ${self}`, `x-long: ${"a".repeat(17_000)}`]
]

describe.runIf(isPresent(Chromium.program, {}))("the page beside a foreign page", () => {
  it.live(
    "refuses a token that comes with another host, origin, type or place, and a code that was used",
    () =>
      Effect.gen(function* () {
        const machine = yield* Chromium.machine
        machine.compile("app")
        machine.sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const opened = yield* Chromium.browser
        const address = machine.sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(opened, address)
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        const { origin, port } = new URL(page.url())
        const token = String(
          yield* Effect.promise(() => page.evaluate("JSON.parse(sessionStorage.getItem('sigtrap.credentials')).token"))
        )
        // The code of the address was used: it opens nothing again, and the attempt is in the audit log.
        // Refusals that follow each other are counted, so this is the first one.
        const code = new URLSearchParams(new URL(address).hash.slice(1)).get("code") ?? ""
        const entry = { headers: { "content-type": "application/json" }, body: JSON.stringify({ code }) }
        assert.strictEqual(yield* statusOf(new URL("/v1/page", origin), entry), 401)
        // Refusals are written in batches.
        yield* Effect.repeat(
          Effect.sync(() => machine.sigtrap("log", "--audit")),
          {
            until: (log) => /POST \/v1\/page\s+refused ACCESS_DENIED/.test(log),
            schedule: Schedule.spaced("200 millis")
          }
        )

        const good = { authorization: `Bearer ${token}`, "content-type": "application/json" }
        const next = new URL("/v1/next", origin)
        const body = '{"session":"app"}'
        for (const [headers, status] of [
          [{ ...good, host: `rebound.test:${port}` }, 421],
          [{ ...good, host: `127.0.0.1.rebound.test:${port}` }, 421],
          [{ ...good, host: `localhost:${Number(port) + 1}` }, 421],
          [{ ...good, origin: "null" }, 403],
          [{ ...good, origin: `http://127.0.0.1:${Number(port) + 1}` }, 403],
          [{ ...good, origin: `https://127.0.0.1:${port}` }, 403],
          [{ ...good, "sec-fetch-site": "cross-site" }, 403],
          [{ ...good, "sec-fetch-site": "same-site" }, 403],
          [{ ...good, "content-type": "text/plain" }, 415],
          [{ ...good, "content-type": "application/x-www-form-urlencoded" }, 415],
          [{ ...good, "content-type": "multipart/form-data; boundary=x" }, 415],
          [{ "content-type": "application/json" }, 401],
          [{ "content-type": "application/json", cookie: `token=${token}` }, 401],
          [
            {
              "content-type": "application/json",
              authorization: `Bearer ${token.slice(0, -1)}${token.endsWith("0") ? 1 : 0}`
            },
            401
          ]
        ] as const)
          assert.strictEqual(yield* statusOf(next, { headers, body }), status, JSON.stringify(headers))
        // What no client writes: other names of this machine, headers twice, and another server in the request line.
        const self = `127.0.0.1:${port}`
        const rest = [
          ...Object.entries(good).map(([name, value]) => `${name}: ${value}`),
          `content-length: ${body.length}`
        ]
        const end = [...rest, "connection: close", "", body]
        const line = "POST /v1/next HTTP/1.1"
        for (const [status, ...headers] of wrongHeaders(self, port))
          assert.strictEqual(
            yield* statusOfLines(port, [line, ...headers, ...end]),
            status,
            headers.join().slice(0, 80)
          )
        const elsewhere = ["POST http://rebound.test/v1/next HTTP/1.1", `host: ${self}`, ...end]
        assert.strictEqual(yield* statusOfLines(port, elsewhere), 421)
        const inAddress = new URL(`/v1/next?token=${token}&access_token=${token}`, origin)
        assert.strictEqual(yield* statusOf(inAddress, { headers: { "content-type": "application/json" }, body }), 401)
        assert.strictEqual(yield* statusOf(next, { headers: good, method: "GET" }), 405)
        const socket = { ...good, upgrade: "websocket", connection: "Upgrade" }
        assert.include([0, 405], yield* statusOf(next, { headers: socket, method: "GET" }))

        // Neither the code nor the token is in the address, the history or the referrer of a page that is opened from here.
        const other = yield* foreign
        const seen = yield* Effect.promise(async () => [
          page.url(),
          String(await page.evaluate("history.length + ' ' + JSON.stringify(history.state) + ' ' + document.referrer")),
          String(await page.evaluate("JSON.stringify(performance.getEntries().map(({ name }) => name))"))
        ])
        yield* Effect.promise(() => page.evaluate(`void (location.href = ${JSON.stringify(other.origin)} + "/")`))
        yield* Effect.promise(() => page.waitForURL(`${other.origin}/`))
        seen.push(...other.referrers, String(yield* Effect.promise(() => page.evaluate("document.referrer + name"))))
        for (const text of seen) {
          assert.notInclude(text, token)
          if (code !== "") assert.notInclude(text.replace(address, ""), code)
        }
        // Going back shows the page again, without the code.
        yield* Effect.promise(() => page.goBack())
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        assert.notInclude(page.url(), "code=")
        assert.include(machine.sigtrap("status", "--session", "app"), "stopped")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

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
              "[document.querySelector('script').src, document.querySelector('link[rel=icon]').href, document.querySelector('link[rel=stylesheet]').href].map((url) => new URL(url).pathname.split('/').at(-1)).join(' ')"
            )
          )
        )
        const [script = "", icon = "", style = ""] = files.split(" ")

        const other = yield* foreign
        const tab = yield* Effect.promise(() => page.context().newPage())
        yield* Effect.promise(() => tab.goto(other.origin))
        const tries = attacks(origin, token).replace("SCRIPT", script).replace("ICON", icon).replace("STYLE", style)
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
          form: "opaque",
          plainForm: "blocked",
          worker: "blocked",
          // The browser asks for leave before it sends this, and gets none.
          jsonBeacon: "true",
          cookies: "opaque",
          beacon: "true",
          events: "blocked",
          socket: "blocked",
          object: "blocked",
          style: "blocked",
          sandboxed: "opaque",
          script: "blocked",
          image: "blocked",
          opened: "separate"
        })
        // The storage of another port is another one.
        assert.strictEqual(yield* Effect.promise(() => tab.evaluate("sessionStorage.length + localStorage.length")), 0)

        // A frame of the page stays empty.
        yield* Effect.promise(() =>
          tab.evaluate(
            `new Promise((resolve) => { const frame = document.createElement("iframe"); frame.name = "framed"; frame.onload = resolve; frame.src = ${JSON.stringify(origin)} + "/"; document.body.append(frame) })`
          )
        )
        const framed = tab.frame({ name: "framed" })
        assert.isNotNull(framed)
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
