import { NodeHttpServer } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, FileSystem } from "effect"
import { connect } from "node:net"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Server from "../src/Server.ts"

const options: Server.Options = { port: 0, version: "1.2.3", caller: { directory: "/", environment: {} } }

const recorder = Recorder.make(() => Effect.succeed(Recorder.answer({ sessions: [] })))

/** Sends raw request lines and returns the status line of the response. */
const raw = (port: number, lines: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`))
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString()
      if (!text.includes("\r\n")) return
      resume(Effect.succeed(text.slice(0, text.indexOf("\r\n"))))
      socket.destroy()
    })
    socket.on("error", (error) => resume(Effect.die(error)))
    return Effect.sync(() => socket.destroy())
  })

it.live("a server on a free port accepts the token of its file and refuses other requests", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { url, token_file: file = "" } = yield* Server.start(options).pipe(Effect.provide(recorder.layer))
    const token = yield* fs.readFileString(file)
    assert.match(token, /^[0-9a-f]{64}$/)
    assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)

    const call = (headers: { readonly [name: string]: string }, body = "{}") =>
      Effect.promise(() =>
        fetch(`${url}/v1/sessions`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body
        })
      )
    const answered = yield* call({ authorization: `Bearer ${token}` })
    assert.strictEqual(answered.status, 200)
    assert.deepInclude(yield* Effect.promise(() => answered.json()), { ok: true, cmd: "sessions" })
    assert.strictEqual((yield* call({})).status, 401)

    const { port } = new URL(url)
    const request = "POST /v1/sessions HTTP/1.1"
    const authorized = `Authorization: Bearer ${token}`
    const rows: ReadonlyArray<readonly [lines: ReadonlyArray<string>, status: number]> = [
      [[request, authorized], 421],
      [[request, authorized, "Host: evil.example"], 421],
      [[request, authorized, `Host: 127.0.0.1:${port}`, "Host: evil.example"], 421],
      [[`POST http://evil.example/v1/sessions HTTP/1.1`, authorized, `Host: 127.0.0.1:${port}`], 421],
      [[request, authorized, `Host: 127.0.0.1:${port}`, "Content-Length: 2000000"], 413],
      [[request, `Host: 127.0.0.1:${port}`, `X-Large: ${"x".repeat(20_000)}`], 431]
    ]
    for (const [lines, status] of rows) {
      assert.match(yield* raw(Number(port), lines), new RegExp(`^HTTP/1.1 ${status} `), lines.join(" | ").slice(0, 200))
    }
    return file
  }).pipe(
    Effect.scoped,
    Effect.flatMap((file) =>
      Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.map(fs.exists(file), (exists) => assert.isFalse(exists)))
    ),
    Effect.provide(NodeHttpServer.layerHttpServices)
  )
)

it.live("a body arrives in pieces, and one that ends early fails its own request only", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const asked = Recorder.make(() => Effect.succeed(Recorder.answer({ sessions: [] })))
    const { port, token_file: file = "" } = yield* Server.start(options).pipe(Effect.provide(asked.layer))
    const token = yield* fs.readFileString(file)
    const bytes = new TextEncoder().encode(JSON.stringify({ directory: "/s\u20ac" }))
    const head = (length: number) =>
      [
        "POST /v1/sessions HTTP/1.1",
        `Host: 127.0.0.1:${port}`,
        `Authorization: Bearer ${token}`,
        "Content-Type: application/json",
        `Content-Length: ${length}`,
        "\r\n"
      ].join("\r\n")
    /** Sends pieces and returns the status; with `ends`, the connection is closed after them. */
    const send = (length: number, pieces: ReadonlyArray<Uint8Array>, ends = false) =>
      Effect.callback<string>((resume) => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.write(head(length))
          for (const piece of pieces) socket.write(piece)
          if (ends) socket.end()
        })
        let text = ""
        socket.on("data", (chunk) => (text += chunk.toString()))
        socket.on("data", () => text.includes("\r\n") && !ends && socket.end())
        socket.on("error", () => resume(Effect.succeed("error")))
        socket.on("close", () => resume(Effect.succeed(text.split(" ")[1] ?? "")))
      })
    assert.notStrictEqual(yield* send(bytes.length + 10, [bytes.subarray(0, 4)], true), "200")
    // The euro sign has three bytes; the pieces divide it.
    const middle = bytes.indexOf(0xe2) + 1
    assert.strictEqual(yield* send(bytes.length, [bytes.subarray(0, middle), bytes.subarray(middle)]), "200")
    assert.strictEqual(yield* send(4, [bytes.subarray(0, 4)]), "400")
    assert.lengthOf(asked.calls, 1)
    assert.deepInclude(asked.calls[0]?.payload, { directory: "/s\u20ac" })
  }).pipe(Effect.scoped, Effect.provide(NodeHttpServer.layerHttpServices))
)

it.live("a call ends when its client closes the connection", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const begun = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<void>()
    const asked = Recorder.make(() =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
      )
    )
    const { port, token_file: file = "" } = yield* Server.start(options).pipe(Effect.provide(asked.layer))
    const token = yield* fs.readFileString(file)
    const request = [
      "POST /v1/sessions HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      "Content-Length: 2",
      "\r\n"
    ].join("\r\n")
    const socket = connect(port, "127.0.0.1", () => socket.write(`${request}{}`))
    socket.on("error", () => {})
    yield* Deferred.await(begun)
    socket.destroy()
    yield* Deferred.await(ended)
  }).pipe(Effect.scoped, Effect.provide(NodeHttpServer.layerHttpServices))
)
