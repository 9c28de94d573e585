/** A server with a page and its files, for tests: sends requests to it, and records what it was asked. */
import { Refusals } from "@sigtrap/host"
import { Grants } from "@sigtrap/host/http/Grants"
import * as PageTokens from "@sigtrap/host/http/PageTokens"
import { Caller, Feed } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, FileSystem, Logger, Redacted, Stream } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import * as Api from "../src/Api.ts"
import * as PageFiles from "../src/PageFiles.ts"

/** The host and port of the server. */
export const authority = "127.0.0.1:4711"

/** The code that is exchanged. */
export const code = "0123456789abcdef".repeat(2)

/** The text of index.html. */
export const index = `<!doctype html><title>sigtrap</title><script type="module" src="/page/page-3f2a91.js"></script>`

/** The text of the script of the page. */
export const script = "const text = 'x'\n".repeat(200)

/** Writes a folder as the build of the page does, with things that must not be served. */
export const folder = Effect.gen(function* () {
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

/** What a code is exchanged for. */
export const opened: PageTokens.Opened = {
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

/** The credential that asks for a link. */
export interface Linked {
  readonly tiers?: PageTokens.Opened["tiers"]
  readonly session?: string
  readonly kind?: "page"
}

/** A server with the page. `exchange` is undefined for one without a daemon. */
export const served = Effect.fnUntraced(function* (
  exchange?: PageTokens.Exchange,
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
    Effect.provideService(PageTokens.PageTokens, exchange),
    Effect.provideService(PageTokens.PageLink, ({ name = "" }, session) =>
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
export const once = (): PageTokens.Exchange => {
  let used = false
  return ({ code: sent }) =>
    Effect.sync(() => {
      if (sent !== code || used) return { refused: "page-code" } as const
      used = true
      return { opened }
    })
}

/** Runs a test with the services of Node. */
export const onPlatform = <A, E>(effect: Effect.Effect<A, E, Effect.Services<ReturnType<typeof served>>>) =>
  Effect.scoped(effect).pipe(Effect.provide(NodeHttpServer.layerHttpServices))
