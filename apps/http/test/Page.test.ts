// The page and its files without a token, and the exchange of its code for one.
import { assert, describe, it } from "@effect/vitest"
import { Refusals } from "@sigtrap/host"
import { Grants } from "@sigtrap/host/http/Grants"
import * as PageEntry from "@sigtrap/host/http/PageEntry"
import { Caller, Errors, Feed } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Fiber, FileSystem, Logger, Redacted, Stream } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { gunzipSync } from "node:zlib"
import * as Api from "../src/Api.ts"
import * as PageFiles from "../src/PageFiles.ts"
import * as PageRoutes from "../src/PageRoutes.ts"

const authority = "127.0.0.1:4711"
const code = "0123456789abcdef".repeat(2)
const index = `<!doctype html><title>sigtrap</title><script type="module" src="/page/page-3f2a91.js"></script>`
const script = "const text = 'x'\n".repeat(200)

/** Writes a folder as the build of the page does, with things that must not be served. */
const folder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* fs.makeTempDirectoryScoped()
  const files = {
    "index.html": index,
    "page-3f2a91.js": script,
    "page-77c0d1.css": "body{}",
    "icon.svg": "<svg/>",
    "page-3f2a91.js.map": "{}",
    ".env": "SECRET=1",
    "notes.txt": "text"
  }
  for (const [name, text] of Object.entries(files)) yield* fs.writeFileString(`${path}/${name}`, text)
  yield* fs.symlink("/etc/passwd", `${path}/passwd-123456.js`)
  yield* fs.makeDirectory(`${path}/folder-123456.js`)
  return path
})

const opened: PageEntry.Opened = {
  token: "a".repeat(64),
  expires: 43_200_000,
  tiers: ["observe", "control"],
  actor: { id: "page:ann", kind: "page", role: "person", name: "ann" }
}

interface Sent {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

interface Linked {
  readonly tiers?: PageEntry.Opened["tiers"]
  readonly session?: string
  readonly kind?: "page"
}

/** A server with the page. `exchange` is undefined for one without a daemon. */
const served = Effect.fnUntraced(function* (
  exchange?: PageEntry.Exchange,
  path?: string,
  { kind, session, tiers = opened.tiers }: Linked = { kind: "page" }
) {
  const links: Array<readonly [string, string]> = []
  const refusals: Array<Refusals.Report> = []
  const callers: Array<Caller.Caller> = []
  const recorder = Recorder.make(() =>
    Effect.map(Caller.Current, (caller) => {
      callers.push(caller)
      return Recorder.answer({ sessions: [] })
    })
  )
  const api = yield* Api.make({
    version: "1.2.3",
    authority,
    token: Redacted.make("f".repeat(64)),
    caller: { directory: "/src", environment: {} },
    page: yield* PageFiles.load(path ?? (yield* folder))
  }).pipe(
    Effect.provideService(Feed.Feed, { lines: () => Stream.never }),
    Effect.provide(recorder.layer),
    Effect.provideService(PageEntry.PageEntry, exchange),
    Effect.provideService(PageEntry.PageLink, ({ name = "" }, session) =>
      Effect.sync(() => {
        links.push([name, session])
        return { code, expires: 60_000 }
      })
    ),
    Effect.provideService(Grants, {
      verify: (token) =>
        Effect.succeed(
          token === opened.token
            ? {
                id: "g1",
                name: "ann",
                tiers,
                ...(kind === undefined ? {} : { kind }),
                ...(session === undefined ? {} : { session })
              }
            : undefined
        ),
      ended: () => Effect.never
    }),
    Effect.provideService(Refusals.Refusals, (report) => Effect.sync(() => void refusals.push(report)))
  )
  const handle = HttpEffect.toWebHandler(api)
  /** Sends a code in this fiber, so that the clock of the test counts. */
  const enterHere = (sent: string) =>
    Effect.provideService(
      api,
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(
        new Request(`http://${authority}/v1/page`, {
          method: "POST",
          headers: { host: authority, "content-type": "application/json" },
          body: JSON.stringify({ code: sent })
        })
      )
    )
  const send = (target: string, { body, headers, method = "GET" }: Sent = {}) =>
    Effect.promise(async () => {
      const request = new Request(`http://${authority}${target}`, {
        method,
        headers: { host: authority, ...headers },
        ...(body === undefined ? {} : { body })
      })
      const response = await handle(request, Context.make(Logger.CurrentLoggers, new Set()))
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  const enter = (body: string, headers: { readonly [name: string]: string } = {}) =>
    send("/v1/page", { method: "POST", headers: { "content-type": "application/json", ...headers }, body })
  /** Asks for a read-only link. */
  const link = (body: object, token = opened.token) =>
    send("/v1/page/link", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(body)
    })
  return { callers, enter, enterHere, link, links, refusals, send }
})

/** Answers one code once. */
const once = (): PageEntry.Exchange => {
  let used = false
  return ({ code: sent }) =>
    Effect.sync(() => {
      if (sent !== code || used) return { refused: "page-code" } as const
      used = true
      return { opened }
    })
}

const onPlatform = <A, E>(effect: Effect.Effect<A, E, Effect.Services<ReturnType<typeof served>>>) =>
  Effect.scoped(effect).pipe(Effect.provide(NodeHttpServer.layerHttpServices))

describe("the page", () => {
  it.effect("is served without a token, under a policy that allows its own files only", () =>
    onPlatform(
      Effect.gen(function* () {
        const { send } = yield* served()
        const { headers, status, text } = yield* send("/", { headers: { "sec-fetch-site": "none" } })
        assert.deepStrictEqual([status, text], [200, index])
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        assert.strictEqual(headers.get("cache-control"), "no-cache")
        assert.deepStrictEqual((headers.get("content-security-policy") ?? "").split("; ").toSorted(), [
          "base-uri 'none'",
          "connect-src 'self'",
          "default-src 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "img-src 'self'",
          "require-trusted-types-for 'script'",
          "script-src 'self'",
          "style-src 'self'",
          "trusted-types 'none'"
        ])
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        assert.strictEqual(headers.get("cross-origin-opener-policy"), "same-origin")
        assert.strictEqual(headers.get("cross-origin-resource-policy"), "same-origin")
        assert.isNull(headers.get("access-control-allow-origin"))
        assert.isNull(headers.get("set-cookie"))
      })
    )
  )

  it.effect("has files that a browser keeps for ever if their name has a hash", () =>
    onPlatform(
      Effect.gen(function* () {
        const { send } = yield* served()
        const lasting = "public, max-age=31536000, immutable"
        const rows: ReadonlyArray<readonly [path: string, type: string, cache: string]> = [
          ["/page/page-3f2a91.js", "text/javascript; charset=utf-8", lasting],
          ["/page/page-77c0d1.css", "text/css; charset=utf-8", lasting],
          ["/page/icon.svg", "image/svg+xml", "no-cache"]
        ]
        for (const [path, type, cache] of rows) {
          const { headers, status } = yield* send(path)
          assert.strictEqual(status, 200, path)
          assert.strictEqual(headers.get("content-type"), type)
          assert.strictEqual(headers.get("cache-control"), cache, path)
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          assert.strictEqual(headers.get("content-security-policy"), PageRoutes.policy)
          const known = yield* send(path, { headers: { "if-none-match": headers.get("etag") ?? "" } })
          assert.deepStrictEqual([known.status, known.text], [304, ""], path)
        }
      })
    )
  )

  it.effect("is compressed for clients that read gzip", () =>
    onPlatform(
      Effect.gen(function* () {
        const files = yield* PageFiles.load(yield* folder)
        const { content } = files.get("/page/page-3f2a91.js") ?? {}
        assert.strictEqual(gunzipSync(content?.gzipped ?? "").toString(), script)
        const { send } = yield* served()
        const { headers } = yield* send("/page/page-3f2a91.js", { headers: { "accept-encoding": "gzip" } })
        assert.strictEqual(headers.get("content-encoding"), "gzip")
      })
    )
  )

  it.effect("has the files that were in its folder at the start, and no others", () =>
    onPlatform(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* folder
        const { send } = yield* served(undefined, path)
        yield* fs.writeFileString(`${path}/later-123456.js`, "later")
        yield* fs.writeFileString(`${path}/page-3f2a91.js`, "changed")
        for (const name of [
          "later-123456.js",
          "passwd-123456.js",
          "folder-123456.js",
          "page-3f2a91.js.map",
          ".env",
          "notes.txt",
          "index.html",
          "page-3f2a91.js/",
          "PAGE-3f2a91.js",
          "page-3f2a91%2ejs",
          "..%2f..%2fetc%2fpasswd",
          "%00",
          "",
          "__proto__",
          "constructor"
        ]) {
          const { status, text } = yield* send(`/page/${name}`)
          assert.strictEqual(status, 404, name)
          assert.notInclude(text, "root:")
        }
        assert.strictEqual((yield* send("/page/page-3f2a91.js")).text, script)
      })
    )
  )

  it.effect("takes GET and HEAD only", () =>
    onPlatform(
      Effect.gen(function* () {
        const { send } = yield* served(once())
        for (const path of ["/", "/page/page-3f2a91.js", "/page/none.js"]) {
          for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
            const { headers, status } = yield* send(path, { method })
            assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD"], `${method} ${path}`)
          }
        }
        for (const method of ["GET", "HEAD", "PUT", "OPTIONS"]) {
          const { headers, status } = yield* send("/v1/page", { method })
          assert.deepStrictEqual([status, headers.get("allow")], [405, "POST"], method)
        }
      })
    )
  )

  it.effect("that was not built is 404, and its favicon needs no token", () =>
    onPlatform(
      Effect.gen(function* () {
        const { refusals, send } = yield* served(undefined, "/no/such/folder")
        const { headers, status, text } = yield* send("/")
        assert.strictEqual(status, 404)
        assert.include(text, "this server has no page")
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual((yield* send("/favicon.ico")).status, 404)
        assert.deepStrictEqual(refusals, [])
      })
    )
  )

  it.effect("opens no other path without a token", () =>
    onPlatform(
      Effect.gen(function* () {
        const { send } = yield* served(once())
        for (const path of ["/page", "//", "/index.html", "/pages/x", "/v1/page/", "/v1/page/x", "/v1/operations"]) {
          assert.strictEqual((yield* send(path)).status, 401, path)
        }
      })
    )
  )
})

describe("a page code", () => {
  it.effect("is exchanged for a token, whose calls come from a person with its tiers", () =>
    onPlatform(
      Effect.gen(function* () {
        const { callers, enter, send } = yield* served(once())
        const { headers, status, text } = yield* enter(JSON.stringify({ code }), {
          origin: `http://${authority}`,
          "sec-fetch-site": "same-origin"
        })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(JSON.parse(text), { ok: true, data: opened })
        assert.strictEqual(headers.get("cache-control"), "no-store")
        const authorization = `Bearer ${opened.token}`
        yield* send("/v1/sessions", {
          method: "POST",
          headers: { authorization, "content-type": "application/json", "sigtrap-as": "someone" },
          body: "{}"
        })
        assert.deepStrictEqual(callers, [
          {
            actor: { kind: "page", name: "ann", project: "/src" },
            allowance: { effects: ["observe", "read-file", "control"], destructive: false, uses: [] },
            grant: "g1"
          }
        ])
        assert.strictEqual(Caller.role(callers[0]?.actor ?? { kind: "http" }), "person")
      })
    )
  )

  it.effect("that is used again, wrong or too long is 401 and in the audit log", () =>
    onPlatform(
      Effect.gen(function* () {
        const { enter, refusals } = yield* served(once())
        assert.strictEqual((yield* enter(JSON.stringify({ code }))).status, 200)
        const again = yield* enter(JSON.stringify({ code }))
        assert.strictEqual(again.status, 401)
        assert.strictEqual(JSON.parse(again.text).error.details.rule, "page-code")
        assert.notInclude(again.text, code)
        assert.strictEqual((yield* enter(JSON.stringify({ code: "x" }))).status, 401)
        assert.deepStrictEqual(refusals, [
          { actor: { kind: "http" }, operation: "POST /v1/page", code: "ACCESS_DENIED", rule: "page-code" },
          { actor: { kind: "http" }, operation: "POST /v1/page", code: "ACCESS_DENIED", rule: "page-code" }
        ])
        for (const body of ["{}", `{"code":7}`, `"${code}"`, "[]", "{", JSON.stringify({ code: "x".repeat(200) })]) {
          assert.strictEqual((yield* enter(body)).status, 400, body)
        }
      })
    )
  )

  it.effect("that is guessed is delayed like a token", () =>
    onPlatform(
      Effect.gen(function* () {
        const { enterHere } = yield* served(once())
        for (let guess = 0; guess < 5; guess += 1) assert.strictEqual((yield* enterHere("x")).status, 401)
        const sixth = yield* Effect.forkChild(enterHere("x"))
        // The server reads the body with promises, which the clock of the test does not wait for.
        const exchanged = yield* Effect.forkChild(enterHere(code))
        assert.strictEqual((yield* Fiber.join(exchanged)).status, 200)
        yield* TestClock.adjust("999 millis")
        assert.isUndefined(sixth.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(sixth)).status, 401)
      })
    )
  )

  it.effect("of a process of another user is refused", () =>
    onPlatform(
      Effect.gen(function* () {
        const { enter, refusals } = yield* served(() => Effect.succeed({ refused: "user" }))
        assert.strictEqual((yield* enter(JSON.stringify({ code }))).status, 403)
        assert.deepStrictEqual(
          refusals.map(({ rule }) => rule),
          ["user"]
        )
      })
    )
  )

  it.effect("is not sent by a form, another origin, another site or with another host", () =>
    onPlatform(
      Effect.gen(function* () {
        let exchanged = 0
        const { enter } = yield* served(() =>
          Effect.sync(() => {
            exchanged++
            return { opened }
          })
        )
        const body = JSON.stringify({ code })
        const rows: ReadonlyArray<readonly [status: number, headers: { readonly [name: string]: string }]> = [
          [421, { host: "evil.example" }],
          [421, { host: "localhost:4711" }],
          [403, { origin: "https://evil.example" }],
          [403, { origin: "null" }],
          [403, { origin: "http://127.0.0.1:4712" }],
          [403, { "sec-fetch-site": "cross-site" }],
          [403, { "sec-fetch-site": "same-site" }],
          [415, { "content-type": "text/plain" }],
          [415, { "content-type": "application/x-www-form-urlencoded" }]
        ]
        for (const [status, headers] of rows) {
          assert.strictEqual((yield* enter(body, headers)).status, status, JSON.stringify(headers))
        }
        const large = yield* enter(JSON.stringify({ code, more: "x".repeat(2000) }))
        assert.strictEqual(large.status, 413)
        assert.include(large.text, "the body has more than 1024 bytes")
        assert.strictEqual(exchanged, 0)
      })
    )
  )

  it.effect("does not exist without a daemon, and a daemon that cannot store the token says so", () =>
    onPlatform(
      Effect.gen(function* () {
        const isolated = yield* served()
        const { status, text } = yield* isolated.enter(JSON.stringify({ code }))
        assert.strictEqual(status, 409)
        assert.include(text, "has no page codes")
        const full = yield* served(() => Effect.fail(new Errors.InvalidState({ problem: "there are 100 grants" })))
        assert.strictEqual((yield* full.enter(JSON.stringify({ code }))).status, 409)
      })
    )
  )
})

describe("a read-only link", () => {
  it.effect("is made for a page that may control, and for one session", () =>
    onPlatform(
      Effect.gen(function* () {
        const { link, links } = yield* served()
        const { status, text } = yield* link({ session: "app" })
        assert.deepStrictEqual([status, JSON.parse(text)], [200, { ok: true, data: { code, expires: 60_000 } }])
        assert.deepStrictEqual(links, [["ann", "app"]])
        assert.strictEqual((yield* link({})).status, 400)
        assert.strictEqual((yield* link({ session: "../x" })).status, 400)
        assert.strictEqual((yield* link({ session: "app" }, "b".repeat(64))).status, 401)
        assert.strictEqual(links.length, 1)
      })
    )
  )

  it.effect("is refused to a page that may only observe, to another session, and to a client without a page", () =>
    onPlatform(
      Effect.gen(function* () {
        for (const [credential, session] of [
          [{ kind: "page", tiers: ["observe"] }, "app"],
          [{ kind: "page", session: "other" }, "app"],
          [{ tiers: ["observe", "control", "admin"] }, "app"]
        ] satisfies ReadonlyArray<readonly [Linked, string]>) {
          const { link, links } = yield* served(undefined, undefined, credential)
          const { status, text } = yield* link({ session })
          assert.strictEqual(status, 409, text)
          assert.deepStrictEqual(links, [])
        }
        const { link, links } = yield* served()
        // The server's own token belongs to the owner, who has `sigtrap web`.
        assert.strictEqual((yield* link({ session: "app" }, "f".repeat(64))).status, 409)
        assert.deepStrictEqual(links, [])
      })
    )
  )
})
