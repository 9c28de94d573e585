// Read-only links, which a page makes for others.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { code, type Linked, onPlatform, served } from "./servedPage.ts"

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
