// What the owner asks of the daemon to open the page, and what the answer shows.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as PageCodes from "../../src/daemon/tokens/PageCodes.ts"
import * as PageOpener from "../../src/daemon/PageOpener.ts"

const url = "http://127.0.0.1:4711"
const request: PageOpener.Request = { allow: [], port: 0, print: false, environment: { SIGTRAP_AS: "ann" } }

/** Opens the page of a daemon that notes what it is asked. */
const opened = (hasBrowser: boolean, change: Partial<PageOpener.Request> = {}) => {
  const codes: Array<PageCodes.Request> = []
  const addresses: Array<string> = []
  const open = PageOpener.make({
    serve: ({ port }) => Effect.succeed({ url, address: "127.0.0.1", port, token_file: "/run/token", already: false }),
    create: (code) =>
      Effect.sync(() => {
        codes.push(code)
        return { code: "c0de", expires: 60_000 }
      }),
    browse: (address) =>
      Effect.sync(() => {
        addresses.push(address)
        return hasBrowser
      })
  })
  return Effect.map(open({ ...request, ...change }), (page) => ({ page, codes, addresses }))
}

describe("the page", () => {
  it.effect("is opened with a code in the fragment, which the answer does not show", () =>
    Effect.gen(function* () {
      const { addresses, codes, page } = yield* opened(true)
      assert.deepStrictEqual(codes, [{ tiers: ["observe", "control"], name: "ann" }])
      assert.deepStrictEqual(addresses, [`${url}/#code=c0de`])
      assert.deepStrictEqual(page, {
        url: `${url}/`,
        opened: true,
        tiers: ["observe", "control"],
        expires: 60_000
      })
    })
  )

  it.effect("without a browser is an address to open", () =>
    Effect.gen(function* () {
      const { page } = yield* opened(false)
      assert.deepInclude(page, { url: `${url}/#code=c0de`, opened: false })
      const printed = yield* opened(true, { print: true })
      assert.deepInclude(printed.page, { url: `${url}/#code=c0de`, opened: false })
      assert.deepStrictEqual(printed.addresses, [])
    })
  )

  it.effect("gets more tiers and one session only if they are asked for", () =>
    Effect.gen(function* () {
      const { addresses, codes, page } = yield* opened(true, { allow: ["control", "write"], only: "web" })
      assert.deepStrictEqual(codes, [{ tiers: ["observe", "control", "write"], session: "web", name: "ann" }])
      assert.deepStrictEqual(addresses, [`${url}/#code=c0de&session=web`])
      assert.strictEqual(page.session, "web")
      const first = yield* opened(true, { session: "web" })
      assert.deepStrictEqual(first.codes, [{ tiers: ["observe", "control"], name: "ann" }])
      assert.deepStrictEqual(first.addresses, [`${url}/#code=c0de&session=web`])
    })
  )

  it.effect("has the name of the user, without what no name may have", () =>
    Effect.gen(function* () {
      const { codes } = yield* opened(true, { environment: { SIGTRAP_AS: "Ann\n Lee\u202e" } })
      assert.strictEqual(codes[0]?.name, "AnnLee")
      const { codes: own } = yield* opened(true, { environment: {} })
      assert.match(own[0]?.name ?? "user", /^[\x21-\x7e]{1,64}$/)
    })
  )
})
