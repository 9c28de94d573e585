// The page and its files, which are served without a token.
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { gunzipSync } from "node:zlib"
import * as PageFiles from "../src/PageFiles.ts"
import * as PageRoutes from "../src/PageRoutes.ts"
import { folder, index, once, onPlatform, script, served } from "./servedPage.ts"

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
