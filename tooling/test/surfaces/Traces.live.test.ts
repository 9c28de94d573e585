/** Traces of the built programs: what a collector on the loopback gets of real sessions, and that it cannot hold a call. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { environment, platform, Programs } from "../support/fixturePrograms.ts"

const root = new URL("../../../apps/", import.meta.url)
const sigtrap = fileURLToPath(new URL("cli/dist/sigtrap.js", root))
const mcp = fileURLToPath(new URL("mcp/dist/sigtrap-mcp.js", root))

/** A span as the collector gets it. */
interface Received {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly stringValue: string } }>
}

/** A collector on the loopback. `answers` false: it accepts requests and never answers. */
const listen = (answers = true) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const bodies: Array<string> = []
      const waiting: Array<{ readonly test: () => boolean; readonly done: () => void }> = []
      const server = createServer((request, response) => {
        let text = ""
        request.setEncoding("utf8").on("data", (part) => (text += String(part)))
        request.on("end", () => {
          bodies.push(text)
          for (const { done, test } of waiting) if (test()) done()
          if (answers) response.end("{}")
        })
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      const url = `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`
      const spans = (): ReadonlyArray<Received> =>
        bodies
          .map((body) => JSON.parse(body))
          .flatMap(({ resourceSpans = [] }) => resourceSpans)
          .flatMap(({ scopeSpans }) => scopeSpans)
          .flatMap(({ spans: list }) => list)
      /** Waits until these spans have arrived, or this text. */
      const arrived = (test: (all: ReadonlyArray<Received>, text: string) => boolean) =>
        Effect.promise(
          () =>
            new Promise<void>((resolve) => {
              const isThere = () => test(spans(), bodies.join(""))
              if (isThere()) resolve()
              else waiting.push({ test: isThere, done: resolve })
            })
        )
      return { server, bodies, url, spans, arrived }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const attribute = ({ attributes }: Received, key: string) =>
  attributes.find((one) => one.key === `sigtrap.${key}`)?.value.stringValue

/** Returns the operations of the calls of clients. */
const calls = (spans: ReadonlyArray<Received>) =>
  spans.filter(({ name }) => name === "Client.call").map((span) => attribute(span, "operation"))

/** Returns each span as the names from its root: `Client.call > Operation.next`. */
const paths = (spans: ReadonlyArray<Received>): ReadonlyArray<string> => {
  const path = (span: Received): string => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
    return parent === undefined ? span.name : `${path(parent)} > ${span.name}`
  }
  return spans.map(path)
}

const machine = Effect.gen(function* () {
  const { directory, source } = yield* Programs
  const fs = yield* FileSystem.FileSystem
  const temporary = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-trace-" }))
  const env = { ...environment, HOME: temporary, TMPDIR: temporary, SIGTRAP_RUNTIME_DIR: `${temporary}/run` }
  const run = (words: ReadonlyArray<string>, more: { readonly [name: string]: string } = {}) =>
    Effect.promise(
      () =>
        new Promise<{ readonly code: unknown; readonly text: string }>((resolve) => {
          execFile(
            process.execPath,
            [sigtrap, ...words],
            { cwd: directory, env: { ...env, ...more } },
            (error, out, err) => resolve({ code: error?.code ?? 0, text: `${out}${err}` })
          )
        })
    )
  yield* Effect.addFinalizer(() => run(["daemon", "stop"]))
  return { run, directory, source, env }
})

const slow = 60_000

layer(platform)("traces of the built programs", (it) => {
  it.effect(
    "have a span for the client, the operation, the session, the debugger and each request, and no values",
    () =>
      Effect.gen(function* () {
        const { directory, run, source } = yield* machine
        const collector = yield* listen()
        const traced = ["--trace-otlp", collector.url]
        const started = yield* run([
          "start",
          `${directory}/app`,
          "--break",
          "main",
          "--env",
          "TOKEN=hunter2",
          ...traced
        ])
        assert.strictEqual(started.code, 0, started.text)
        // Neither the daemon nor the session keeps the collector.
        assert.strictEqual((yield* run(["backtrace"])).code, 0)
        const printed = yield* run(["print", '"a-literal"', "1234567 + 1"], { SIGTRAP_OTLP: collector.url })
        assert.include(printed.text, "1234568")
        assert.strictEqual((yield* run(["next"], { SIGTRAP_OTLP: collector.url })).code, 0)
        // Durations are sent after the spans of the same time.
        const duration = '"name":"sigtrap.call.duration"'
        yield* collector.arrived((all, text) => calls(all).includes("next") && text.includes(duration))
        const spans = collector.spans()
        assert.deepStrictEqual(calls(spans), ["start", "print", "next"])
        const all = paths(spans)
        for (const path of [
          "Client.call > Operation.start > Manager.begin > Session.start",
          "Client.call > Operation.next > Session.resume > DapBackend.resume > Client.request"
        ]) {
          assert.include(all, path)
        }

        const launch = all.find((path) => path.endsWith(" > DapBackend.launch"))
        assert.match(launch ?? "", /^Client.call > Operation.start > Manager.begin > /)
        const commands = spans.filter(({ name }) => name === "Client.request").map((span) => attribute(span, "command"))
        assert.includeMembers(commands, ["initialize", "configurationDone", "threads", "next"])
        const text = collector.bodies.join("")
        for (const value of ["hunter2", "a-literal", "1234567", directory, source("app"), "app.c"]) {
          assert.notInclude(text, value)
        }
        const list = yield* run(["log", "--slow", "--json"])
        assert.include(list.text, '"operation":"start"')
      }).pipe(Effect.scoped),
    slow
  )

  it.effect(
    "a collector that is gone or silent delays and fails no call",
    () =>
      Effect.gen(function* () {
        const { run } = yield* machine
        const silent = yield* listen(false)
        const gone = yield* listen()
        gone.server.close()
        yield* Effect.promise(() => once(gone.server, "close"))
        for (const { url } of [silent, gone]) {
          for (let count = 0; count < 3; count++) {
            assert.deepStrictEqual(yield* run(["sessions", "--trace-otlp", url]), { code: 0, text: "no sessions\n" })
          }
          assert.deepStrictEqual(yield* run(["sessions", "--foreground", "--trace-otlp", url]), {
            code: 0,
            text: "no sessions\n"
          })
        }
      }).pipe(Effect.scoped),
    slow
  )

  it.effect(
    "the daemon's part of a call over MCP continues the trace of the server",
    () =>
      Effect.gen(function* () {
        const { directory, env } = yield* machine
        const collector = yield* listen()
        const server = yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn(process.execPath, [mcp, "--trace-otlp", collector.url, "--profile", "full"], {
              cwd: directory,
              env: { ...env, SIGTRAP_DAEMON: sigtrap },
              stdio: ["pipe", "pipe", "inherit"]
            })
          ),
          (child) => Effect.sync(() => child.kill("SIGTERM"))
        )
        const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
        const clientInfo = { name: "tester", version: "1" }
        send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } })
        send({ method: "notifications/initialized" })
        send({ id: 2, method: "tools/call", params: { name: "sessions", arguments: {} } })
        server.stdout.resume()
        // The server and the daemon send their own spans.
        yield* collector.arrived(
          (all) => calls(all).length > 0 && all.some(({ name }) => name === "Operation.sessions")
        )
        const operations = paths(collector.spans()).filter((path) => path.endsWith("Operation.sessions"))
        assert.deepStrictEqual(operations, ["Client.call > RemoteClient.call > Operation.sessions"])
      }).pipe(Effect.scoped),
    slow
  )
})
