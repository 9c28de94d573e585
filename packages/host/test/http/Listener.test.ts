import { NodeHttpServer } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { connect } from "node:net"
import * as Listener from "../../src/http/Listener.ts"

/** Limits that a real connection exceeds in a short test; times are in milliseconds. */
const short: Listener.Limits = {
  maxHeaderSize: 16_384,
  headersTimeout: 100,
  requestTimeout: 200,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 20,
  maxConnections: 2
}

/** Timeouts that no connection of a test exceeds. */
const slow = { headersTimeout: 60_000, requestTimeout: 60_000 }

/** Sends text and waits for the end of the connection; returns the bytes of the server. */
const untilClosed = (port: number, text: string) =>
  Effect.callback<string>((resume) => {
    let seen = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    socket.setEncoding("utf8").on("data", (piece) => (seen += String(piece)))
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(seen)))
    return Effect.sync(() => socket.destroy())
  })

/** Sends a request on new connections until the server serves one. */
const untilServed = (port: number, request: string) =>
  untilClosed(port, request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")).pipe(
    Effect.repeat({ until: (text) => text !== "" })
  )

/** Opens a connection that sends nothing; it is closed with the scope. */
const silent = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof connect>>((resume) => {
      const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const scoped = <A, E>(test: Effect.Effect<A, E, Effect.Services<ReturnType<typeof Listener.listen>>>) =>
  Effect.scoped(test).pipe(Effect.provide(NodeHttpServer.layerHttpServices))

it.live("a server listens on the loopback address only", () =>
  scoped(
    Effect.gen(function* () {
      const { server } = yield* Listener.listen({ port: 0 })
      assert(server.address._tag !== "UnixPathAddress")
      assert.include(["127.0.0.1", "::1"], String(server.address.address))
    })
  )
)

it.live("a connection whose headers arrive slowly is closed", () =>
  scoped(
    Effect.gen(function* () {
      const listener = yield* Listener.listen({ port: 0 }, short)
      yield* listener.server.serve(Effect.succeed(HttpServerResponse.text("served")))
      const port = Number(listener.authority.split(":").at(-1))
      const answer = yield* untilClosed(port, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow:")
      assert.match(answer, /^HTTP\/1\.1 408 /)
    })
  )
)

it.live("a connection whose body arrives slowly is closed, and its rule is reported", () =>
  scoped(
    Effect.gen(function* () {
      const rules: Array<string> = []
      const refused = (rule: string) => Effect.sync(() => void rules.push(rule))
      const listener = yield* Listener.listen({ port: 0, refused }, short)
      yield* listener.server.serve(
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) =>
          Effect.orDie(Effect.map(text, (body) => HttpServerResponse.text(body)))
        )
      )
      const port = Number(listener.authority.split(":").at(-1))
      const answer = yield* untilClosed(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{")
      assert.match(answer, /^HTTP\/1\.1 408 /)
      assert.deepStrictEqual(rules, ["request-time"])
    })
  )
)

it.live("a second request that arrives slowly gets its own status, and one whose answer has begun gets none", () =>
  scoped(
    Effect.gen(function* () {
      const listener = yield* Listener.listen({ port: 0 }, short)
      yield* listener.server.serve(Effect.succeed(HttpServerResponse.text("served")))
      const port = Number(listener.authority.split(":").at(-1))
      const whole = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
      const statuses = (text: string) =>
        Effect.map(untilClosed(port, text), (answer) =>
          [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)
        )
      assert.deepStrictEqual(yield* statuses(`${whole}POST / HTTP/1.1\r\nHost:`), ["200", "408"])
      // This request is answered before its body has arrived.
      assert.deepStrictEqual(yield* statuses("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{"), ["200"])
    })
  )
)

it.live("a request to connect elsewhere, and one with two meanings, is refused by the form of a request", () =>
  scoped(
    Effect.gen(function* () {
      const rules: Array<string> = []
      const refused = (rule: string) => Effect.sync(() => void rules.push(rule))
      const listener = yield* Listener.listen({ port: 0, refused }, { ...short, ...slow })
      yield* listener.server.serve(Effect.succeed(HttpServerResponse.text("served")))
      const port = Number(listener.authority.split(":").at(-1))
      const post = "POST / HTTP/1.1\r\nHost: a\r\n"
      const chunks = "2\r\n{}\r\n0\r\n\r\n"
      const requests = [
        "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
        `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
        `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
        `${post}Transfer-Encoding: chunked, identity\r\n\r\n${chunks}`,
        `${post}Authorization: Bearer\r\n a\r\nContent-Length: 2\r\n\r\n{}`,
        `${post.replaceAll("\r\n", "\n")}Content-Length: 2\n\n{}`,
        "POST / HTTP/1.1\r\nHost : a\r\nContent-Length: 2\r\n\r\n{}",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
      ]
      for (const request of requests) {
        assert.match(yield* untilClosed(port, request), /^HTTP\/1\.1 400 /, JSON.stringify(request))
      }
      assert.deepStrictEqual(
        rules,
        requests.map(() => "request-form")
      )
    })
  )
)

/** Sends a request and waits for the first bytes of the answer. */
const answered = (socket: ReturnType<typeof connect>, request: string) =>
  Effect.callback<string>((resume) => {
    socket.once("data", (text) => resume(Effect.succeed(String(text))))
    socket.write(request)
  })

it.live("a connection over the limit is closed at once, and the others are served", () =>
  scoped(
    Effect.gen(function* () {
      const listener = yield* Listener.listen({ port: 0 }, { ...short, ...slow })
      yield* listener.server.serve(Effect.succeed(HttpServerResponse.text("served")))
      const port = Number(listener.authority.split(":").at(-1))
      const request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
      const first = yield* silent(port)
      const second = yield* silent(port)
      // Bun counts a connection from its first request on.
      if (process.versions["bun"] !== undefined) {
        yield* answered(first, request)
        yield* answered(second, request)
      }
      assert.strictEqual(yield* untilClosed(port, request), "")
      assert.match(yield* answered(second, request), /^HTTP\/1\.1 200 /)
      yield* Effect.callback<void>((resume) => {
        first.once("close", () => resume(Effect.void))
        first.end()
      })
      assert.match(yield* untilServed(port, request), /^HTTP\/1\.1 200 /)
    })
  )
)

/** Sends text, closes this side of the connection and waits for its end; returns the bytes of the server. */
const halfClosed = (port: number, text: string, onPiece: (piece: string) => void = () => {}) =>
  Effect.callback<string>((resume) => {
    let seen = ""
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => socket.end(text))
    socket.setEncoding("utf8").on("data", (piece) => {
      seen += String(piece)
      onPiece(String(piece))
    })
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(seen)))
    return Effect.sync(() => socket.destroy())
  })

// Bun and Deno close the whole connection.
const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined

it.live.runIf(isNode)(
  "a client that closes its side before the answer gets it, and one that has gone is not waited for",
  () =>
    scoped(
      Effect.gen(function* () {
        const listener = yield* Listener.listen({ port: 0 }, { ...short, ...slow })
        const answers = yield* Queue.unbounded<string>()
        const begun = yield* Queue.unbounded<string>()
        yield* listener.server.serve(
          Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
            url === "/now"
              ? Effect.succeed(HttpServerResponse.text("now"))
              : Effect.andThen(
                  Queue.offer(begun, url),
                  Effect.map(Queue.take(answers), (text) => HttpServerResponse.text(text))
                )
          )
        )
        const port = Number(listener.authority.split(":").at(-1))
        for (const version of ["1.1", "1.0"]) {
          const answer = yield* Effect.forkChild(halfClosed(port, `GET /kept HTTP/${version}\r\nHost: a\r\n\r\n`))
          assert.strictEqual(yield* Queue.take(begun), "/kept")
          yield* Queue.offer(answers, "served")
          const text = yield* Fiber.join(answer)
          assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*Connection: close[^]*served$/i)
        }
        // An answer that takes time comes after a sign of life, which clients ignore.
        const pieces = yield* Queue.unbounded<string>()
        const late = yield* Effect.forkChild(
          halfClosed(port, "GET /late HTTP/1.1\r\nHost: a\r\n\r\n", (piece) => Queue.offerUnsafe(pieces, piece))
        )
        assert.strictEqual(yield* Queue.take(begun), "/late")
        assert.strictEqual(yield* Queue.take(pieces), "HTTP/1.1 100 Continue\r\n\r\n")
        yield* Queue.offer(answers, "late")
        assert.match(yield* Fiber.join(late), /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)+HTTP\/1\.1 200 OK\r\n[^]*late$/)
        // Two connections are the limit. Their clients go before they are answered.
        for (const name of ["/first", "/second"]) {
          const gone = yield* silent(port)
          gone.write(`GET ${name} HTTP/1.1\r\nHost: a\r\n\r\n`)
          assert.strictEqual(yield* Queue.take(begun), name)
          gone.destroy()
        }
        assert.match(yield* untilServed(port, "GET /now HTTP/1.1\r\nHost: a\r\n\r\n"), /now$/)
        yield* Queue.offerAll(answers, ["", ""])
      })
    )
)

it("the limits of every server are those of the documents", () => {
  assert.deepStrictEqual(Listener.limits, {
    maxHeaderSize: 16_384,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 15_000,
    connectionsCheckingInterval: 1000,
    maxConnections: 256
  })
  // The start of a further request is closed by its own limit, with its status and its rule, and not as an idle connection.
  const { connectionsCheckingInterval, headersTimeout, keepAliveTimeout } = Listener.limits
  assert.isAbove(keepAliveTimeout, headersTimeout + connectionsCheckingInterval)
})
