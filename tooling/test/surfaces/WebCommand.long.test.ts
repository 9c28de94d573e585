// `sigtrap web` with the built command and a page beside it: the code of its address, the token, and their ends.
import { assert, describe, it } from "@effect/vitest"
import { child, directory, ended } from "@sigtrap/host/testing"
import { Effect, Fiber } from "effect"
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const bundles = fileURLToPath(new URL("../../../apps/cli/dist", import.meta.url))

interface Document {
  readonly ok: boolean
  readonly data: { readonly [name: string]: unknown } & { readonly url: string }
  readonly error: { readonly code: string; readonly details: { readonly rule?: string } }
}

/** Copies the built command with a page of its own; returns how it is run. Its daemon ends with the test. */
const installed = Effect.gen(function* () {
  const folder = yield* directory
  const dist = join(folder, "dist")
  cpSync(bundles, dist, { recursive: true, filter: (path) => path !== join(bundles, "sigtrap") })
  rmSync(join(dist, "page"), { recursive: true, force: true })
  mkdirSync(join(dist, "page"))
  writeFileSync(join(dist, "page/index.html"), "<!doctype html><title>sigtrap</title>")
  const environment = { SIGTRAP_RUNTIME_DIR: join(folder, "run"), DISPLAY: "", WAYLAND_DISPLAY: "", SIGTRAP_AS: "ann" }
  const start = (...words: ReadonlyArray<string>) =>
    child(process.execPath, [join(dist, "sigtrap.js"), ...words], environment)
  const sigtrap = Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
    const run = yield* start(...words, "--json")
    let out = ""
    run.stdout.on("data", (text: string) => (out += text))
    yield* ended(run)
    const document: Document = JSON.parse(out)
    return document
  })
  yield* Effect.addFinalizer(() => Effect.ignoreCause(Effect.scoped(sigtrap("daemon", "stop", "--force"))))
  return { sigtrap, start }
})

const post = (url: string, body: object, headers: { readonly [name: string]: string } = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    })
    return { status: response.status, response }
  })

const json = (response: Response) =>
  Effect.promise(async (): Promise<Document> => {
    const document: Document = JSON.parse(await response.text())
    return document
  })

/** Returns the parts of an opened address. */
const partsOf = ({ data: { url } }: Document) => {
  const { hash, origin } = new URL(url)
  const fields = new URLSearchParams(hash.slice(1))
  return { origin, code: fields.get("code") ?? "", session: fields.get("session") }
}

/** Exchanges the code of an address; returns the headers of a caller with the token. */
const entered = Effect.fnUntraced(function* (document: Document, server?: string) {
  const { code, origin } = partsOf(document)
  const { response, status } = yield* post(`${server ?? origin}/v1/page`, { code })
  assert.strictEqual(status, 200)
  const { data } = yield* json(response)
  return { data, headers: { authorization: `Bearer ${String(data["token"])}` } }
})

describe("sigtrap web", () => {
  it.live(
    "prints an address whose code gives the page of a person its token, once",
    () =>
      Effect.gen(function* () {
        const { sigtrap } = yield* installed
        const web = yield* sigtrap("web", "--session", "one")
        assert.deepInclude(web.data, { opened: false, session: "one", tiers: ["observe", "control"] })
        const { code, origin, session } = partsOf(web)
        assert.strictEqual(session, "one")
        const page = yield* Effect.promise(() => fetch(origin))
        assert.deepStrictEqual([page.status, page.headers.get("cache-control")], [200, "no-cache"])
        const { data, headers } = yield* entered(web)
        assert.deepInclude(data, { session: "one", tiers: ["observe", "control"] })
        assert.deepStrictEqual(data["actor"], { id: "page:ann", kind: "page", role: "person", name: "ann" })
        const again = yield* post(`${origin}/v1/page`, { code })
        assert.strictEqual(again.status, 401)
        assert.strictEqual((yield* json(again.response)).error.details.rule, "page-code")

        assert.strictEqual((yield* post(`${origin}/v1/sessions`, {}, headers)).status, 200)
        const evaluated = yield* post(`${origin}/v1/raw`, { command: "version" }, headers)
        assert.strictEqual((yield* json(evaluated.response)).error.code, "TIER_REQUIRED")

        // The page outlives the daemon; a code does not.
        const waiting = yield* sigtrap("web")
        yield* sigtrap("daemon", "stop")
        const next = yield* sigtrap("web", "--print", "--allow", "evaluate")
        const { origin: now } = partsOf(next)
        assert.strictEqual((yield* post(`${now}/v1/page`, { code: partsOf(waiting).code })).status, 401)
        assert.strictEqual((yield* post(`${now}/v1/sessions`, {}, headers)).status, 200)
        assert.deepStrictEqual((yield* entered(next)).data["tiers"], ["observe", "control", "evaluate"])

        const { response } = yield* post(`${now}/v1/stream`, { sessions: true }, headers)
        const stream = yield* Effect.forkChild(
          Effect.promise(() => response.text()),
          { startImmediately: true }
        )
        yield* sigtrap("grant", "revoke", "g1")
        assert.match(yield* Fiber.join(stream), /\{"type":"end","reason":"the token has ended"\}\n$/)
        assert.strictEqual((yield* post(`${now}/v1/sessions`, {}, headers)).status, 401)
        const audit = JSON.stringify((yield* sigtrap("log", "--audit")).data)
        for (const part of ['"operation":"web"', '"kind":"page"', "page-code"]) assert.include(audit, part)
        assert.notInclude(audit, code)
        assert.notInclude(audit, String(data["token"]))
      }),
    60_000
  )

  it.live(
    "gives codes to a server beside the daemon, and none to one without it",
    () =>
      Effect.gen(function* () {
        const { sigtrap, start } = yield* installed
        const address = (...words: ReadonlyArray<string>) =>
          Effect.flatMap(start("serve", ...words), (server) =>
            Effect.callback<string>((resume) => {
              server.stdout.once("data", (text: string) => {
                const { url }: { readonly url: string } = JSON.parse(text)
                resume(Effect.succeed(url))
              })
            })
          )
        const beside = yield* address("--foreground")
        const web = yield* sigtrap("web")
        const { data } = yield* entered(web, beside)
        assert.deepInclude(data, { tiers: ["observe", "control"] })
        assert.strictEqual((yield* post(`${beside}/v1/page`, { code: partsOf(web).code })).status, 401)

        const alone = yield* address("--isolated")
        assert.strictEqual((yield* Effect.promise(() => fetch(alone))).status, 200)
        const refused = yield* post(`${alone}/v1/page`, { code: partsOf(yield* sigtrap("web")).code })
        assert.strictEqual((yield* json(refused.response)).error.code, "INVALID_STATE")
      }),
    60_000
  )

  it.live("refuses options that it cannot follow", () =>
    Effect.gen(function* () {
      const { sigtrap } = yield* installed
      for (const words of [["--allow", "owner"], ["--allow", ""], ["--session", "a b"], ["--port", "70000"], ["x"]]) {
        assert.strictEqual((yield* sigtrap("web", ...words)).error.code, "USAGE", words.join(" "))
      }
    })
  )
})
