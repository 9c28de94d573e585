// Every surface that listens on a port refuses what the access rules refuse. The table of requests is sent over real
// connections, because a surface can forget to call a rule, and a parser can change a request before the rules see it.
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { connect } from "node:net"
import * as Access from "@sigtrap/host/http/Access"
import * as AccessTable from "@sigtrap/host/testing/AccessTable"
import * as HttpSurface from "@sigtrap/http/Server"
import * as McpSurface from "@sigtrap/mcp/server/HttpServer"
import { Recorder } from "@sigtrap/protocol/testing"
import { none, read, sources } from "../repository/sources.ts"

const recorder = Recorder.make(() => Effect.succeed(Recorder.answer({ sessions: [] })))
const caller = { directory: "/src/here", environment: {} }

/** A surface that listens: the module, how it is started, and the path of a request with a body. */
interface Surface {
  readonly name: string
  readonly module: string
  readonly path: string
  /** True if requests to the path need no token, because they ask for one. */
  readonly isEntry?: true
  readonly start: Effect.Effect<{ readonly url: string; readonly token_file?: string }, unknown, Listening>
}
type Listening =
  | Effect.Services<ReturnType<typeof HttpSurface.start>>
  | Effect.Services<ReturnType<typeof McpSurface.start>>

const surfaces: ReadonlyArray<Surface> = [
  {
    name: "the HTTP server",
    module: "apps/http/src/Server.ts",
    path: "/v1/sessions",
    start: HttpSurface.start({ port: 0, version: "1.2.3", caller })
  },
  {
    name: "the stream of the HTTP server",
    module: "apps/http/src/Server.ts",
    path: "/v1/stream",
    start: HttpSurface.start({ port: 0, version: "1.2.3", caller })
  },
  {
    name: "the page's request for its token",
    module: "apps/http/src/Server.ts",
    path: "/v1/page",
    isEntry: true,
    start: HttpSurface.start({ port: 0, version: "1.2.3", caller })
  },
  {
    name: "the MCP server",
    module: "apps/mcp/src/server/HttpServer.ts",
    path: "/mcp",
    start: McpSurface.start({ port: 0, version: "1.2.3", caller, profile: "full", allow: [], structured: true })
  }
]

/** Modules that listen and are not in the table of surfaces, each with the reason. */
const others: { readonly [module: string]: string } = {
  "packages/host/src/http/Listener.ts": "the server of every surface in the table",
  "packages/host/src/daemon/Daemon.ts": "a Unix socket of mode 0600, which has no Host and no Origin",
  "packages/host/src/daemon/supervisor/SupervisorThread.ts": "a Unix socket of mode 0600 in the private directory",
  "packages/host/src/process/AdapterSockets.ts": "a port that accepts nothing and is closed at once"
}

interface Response {
  readonly status: number
  readonly rule: string | undefined
}

/** Sends a request as bytes; returns the status and the rule that refused it. */
const send = (port: number, lines: ReadonlyArray<string>, body: ReadonlyArray<string>) =>
  Effect.callback<Response>((resume) => {
    let text = ""
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(`${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`)
      for (const part of body) socket.write(part)
    })
    socket.setEncoding("latin1").on("data", (piece) => (text += String(piece)))
    const end = () => {
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)
      const rule = /"details":\{"rule":"([a-z-]+)"/.exec(text)?.[1]
      resume(Effect.succeed({ status, rule }))
    }
    socket.on("close", end)
    // A server that refuses a body closes the connection while it is being sent.
    socket.on("error", () => {})
    return Effect.sync(() => socket.destroy())
  })

const headerLines = (headers: AccessTable.Headers) =>
  Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((each) => `${name}: ${each}`))

/** Starts a surface; returns how a row of the table is sent to it, and its name and token. */
const started = Effect.fnUntraced(function* ({ path, start }: Surface) {
  const fs = yield* FileSystem.FileSystem
  const { token_file: file = "", url } = yield* start
  const { host: authority, port } = new URL(url)
  const token = yield* fs.readFileString(file)
  const good = AccessTable.good({ authority, token })
  const ask = (row: AccessTable.Row, body: ReadonlyArray<string> = ["{}"]) =>
    send(Number(port), [`POST ${row.target ?? path} HTTP/1.1`, ...headerLines({ ...good, ...row.headers })], body)
  return { ask, authority, token, port: Number(port), path }
})

const onPlatform = <A, E>(effect: Effect.Effect<A, E, Listening>) =>
  Effect.scoped(effect).pipe(Effect.provide([NodeHttpServer.layerHttpServices, recorder.layer]))

describe.each(surfaces)("$name", (surface) => {
  it.live("refuses each request of the table by its rule", () =>
    onPlatform(
      Effect.gen(function* () {
        const { ask, authority, token } = yield* started(surface)
        const rows = AccessTable.refused({ authority, token }).filter(
          ({ rule, wire }) => wire !== "trimmed" && (rule !== "token" || surface.isEntry !== true)
        )
        const answers = yield* Effect.forEach(rows, (row) => ask(row), { concurrency: "unbounded" })
        const expected = rows.map(({ name, rule, wire }) =>
          wire === "parser" ? { name, status: 400, rule: undefined } : { name, status: Access.rules[rule], rule }
        )
        assert.deepStrictEqual(
          answers.map((answer, at) => ({ name: rows[at]?.name, ...answer })),
          expected
        )
      })
    )
  )

  it.live("accepts each request of the table that is allowed", () =>
    onPlatform(
      Effect.gen(function* () {
        const { ask, authority, token } = yield* started(surface)
        const rows = AccessTable.accepted({ authority, token }).filter(({ wire }) => wire === undefined)
        const answers = yield* Effect.forEach(rows, (row) => ask(row), { concurrency: "unbounded" })
        for (const [at, { rule, status }] of answers.entries()) {
          assert.isUndefined(rule, rows[at]?.name)
          assert.notInclude(Object.values(Access.rules), status, rows[at]?.name)
        }
      })
    )
  )

  it.live("refuses a body without a length as soon as it is too large", () =>
    onPlatform(
      Effect.gen(function* () {
        const { ask } = yield* started(surface)
        const piece = " ".repeat(65_536)
        const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`
        const chunks = Array.from({ length: 17 }, () => chunk)
        const headers = {
          "content-length": undefined,
          "transfer-encoding": "chunked",
          accept: "application/json, text/event-stream"
        }
        const answer = yield* ask({ name: "chunked", headers }, [...chunks, "0\r\n\r\n"])
        assert.deepStrictEqual(answer, { status: 413, rule: "size" })
      })
    )
  )

  it.live("refuses headers over 16 KiB", () =>
    onPlatform(
      Effect.gen(function* () {
        const { ask } = yield* started(surface)
        const { status } = yield* ask({ name: "large", headers: { "x-large": "x".repeat(16_384) } })
        assert.strictEqual(status, 431)
      })
    )
  )

  it.live("answers the health check without a token, and nothing else", () =>
    onPlatform(
      Effect.gen(function* () {
        const { authority, path, port } = yield* started(surface)
        const get = (target: string) => send(port, [`GET ${target} HTTP/1.1`, `host: ${authority}`], [])
        assert.strictEqual((yield* get("/health")).status, 200)
        // The page of the HTTP server needs no token; its own test is below.
        const others = surface.name === "the MCP server" ? [path, "/"] : surface.isEntry === true ? [] : [path]
        for (const target of [...others, "/openapi.json", "/health/x"]) {
          assert.deepStrictEqual(yield* get(target), { status: 401, rule: "token" }, target)
        }
      })
    )
  )
})

describe("the page of the HTTP server", () => {
  const script = "page-3f2a91.js"

  /** Starts a server with a page; returns how a request for a file is sent to it. */
  const page = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const pageFolder = yield* fs.makeTempDirectoryScoped()
    yield* fs.writeFileString(`${pageFolder}/index.html`, "<!doctype html>")
    yield* fs.writeFileString(`${pageFolder}/${script}`, "0")
    const { url } = yield* HttpSurface.start({ port: 0, version: "1.2.3", caller, pageFolder })
    const { host: authority, port } = new URL(url)
    const get = (target: string, headers: AccessTable.Headers = {}, method = "GET") =>
      send(Number(port), [`${method} ${target} HTTP/1.1`, ...headerLines({ host: authority, ...headers })], [])
    return { authority, get }
  })

  it.live("refuses each request of the table that is not for the token, and accepts the others", () =>
    onPlatform(
      Effect.gen(function* () {
        const { authority, get } = yield* page
        const rows = AccessTable.refused({ authority, token: "0".repeat(64) }).filter(
          ({ rule, wire }) => wire === undefined && rule !== "token" && rule !== "media-type"
        )
        for (const path of ["/", `/page/${script}`]) {
          const answers = yield* Effect.forEach(rows, ({ headers, target = path }) => get(target, headers), {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(
            answers.map(({ rule, status }, at) => ({ name: rows[at]?.name, rule, status })),
            rows.map(({ name, rule }) => ({ name, rule, status: Access.rules[rule] })),
            path
          )
          for (const headers of [{}, { "sec-fetch-site": "none" }, { "sec-fetch-site": "same-origin" }]) {
            assert.strictEqual((yield* get(path, headers)).status, 200)
          }
        }
      })
    )
  )

  it.live("has no path to another file", () =>
    onPlatform(
      Effect.gen(function* () {
        const { get } = yield* page
        const names = ["../index.html", "..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..\\index.html", "/", "."]
        for (const name of [...names, `x/../${script}`, `./${script}`, `${script}%00.css`, `${script}/..`]) {
          assert.strictEqual((yield* get(`/page/${name}`)).status, 404, name)
        }
        for (const target of ["/../etc/passwd", "//", "/./", "/%2e%2e/", "/page", "/index.html"]) {
          assert.strictEqual((yield* get(target)).status, 401, target)
        }
        assert.strictEqual((yield* get(`/page/${script}?v=1`)).status, 200)
        assert.strictEqual((yield* get("/", {}, "HEAD")).status, 200)
        for (const method of ["PUT", "DELETE", "OPTIONS", "TRACE"]) {
          assert.strictEqual((yield* get("/", {}, method)).status, 405, method)
        }
      })
    )
  )
})

describe("modules that listen", () => {
  const listens =
    /\b(?:createServer|NodeSocketServer\.\w+|NodeHttpServer\.(?:make|layer)|BunHttpServer|Listener\.listen)\(|\.listen\(\s*(?:\d|port|path)/

  it("are in the table, or are listed with a reason", () => {
    const known = new Set([...surfaces.map(({ module }) => module), ...Object.keys(others)])
    none(
      sources
        .filter((path) => /^(?:packages|apps)\/\w+\/src\/(?!testing\/)/.test(path))
        .filter((path) => listens.test(read(path)) && !known.has(path))
        .map((path) => `${path} listens and is not in the table`)
    )
    none([...known].filter((path) => !listens.test(read(path))).map((path) => `${path} does not listen`))
  })
})
