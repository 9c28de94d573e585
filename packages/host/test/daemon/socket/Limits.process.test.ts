// One client cannot take the daemon from the others: connections, requests, messages and waiting are bounded.
import { RemoteClient, RuntimePath, Version } from "@sigtrap/host"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Scope } from "effect"
import { createConnection, type Socket } from "node:net"
import { awaitOutput, child, directory, fakeDaemon } from "../../../src/testing/Children.ts"

const slow = 30_000

const socketOf = (path: string) => {
  const place = RuntimePath.resolve({ explicit: path, environment: {}, uid: process.geteuid?.() ?? -1 })
  assert(place._tag === "Place")
  return place.socket
}

/** Starts a daemon with these limits; returns the path of its socket. */
const daemon = Effect.fnUntraced(function* (limits: object) {
  const path = yield* directory
  const env = { SIGTRAP_RUNTIME_DIR: path, SIGTRAP_TEST_LIMITS: JSON.stringify(limits) }
  yield* awaitOutput(yield* child(fakeDaemon.program, fakeDaemon.args, env), "listening")
  return socketOf(path)
})

interface Raw {
  readonly socket: Socket
  /** Returns the next message. */
  readonly next: Effect.Effect<unknown>
  /** Completes when the daemon closed the connection. */
  readonly closed: Effect.Effect<void>
}

/** Opens a connection that sends and reads messages as they are. */
const raw = (path: string) =>
  Effect.acquireRelease(
    Effect.callback<Raw>((resume) => {
      const lines: Array<string> = []
      const waiting: Array<(line: string) => void> = []
      let text = ""
      const socket = createConnection(path).setEncoding("utf8")
      socket.on("error", () => {})
      socket.on("data", (piece) => {
        const parts = (text + String(piece)).split("\n")
        text = parts.pop() ?? ""
        for (const line of parts) {
          const wake = waiting.shift()
          if (wake === undefined) lines.push(line)
          else wake(line)
        }
      })
      const next = Effect.callback<unknown>((resume) => {
        const wake = (line: string) => resume(Effect.succeed(JSON.parse(line)))
        const line = lines.shift()
        if (line === undefined) waiting.push(wake)
        else wake(line)
      })
      const closed = Effect.callback<void>((resume) => {
        if (socket.closed) return resume(Effect.void)
        socket.once("close", () => resume(Effect.void))
      })
      socket.on("connect", () => resume(Effect.succeed({ socket, next, closed })))
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

const send = ({ socket }: Raw, message: object) => Effect.sync(() => void socket.write(`${JSON.stringify(message)}\n`))

const request = (id: string, tag: string, payload: object) => ({ _tag: "Request", id, tag, payload, headers: [] })

const terminal = { stdout: false, stderr: false, columns: 80, color: false }

const line = (id: string, ...argv: ReadonlyArray<string>) =>
  request(id, "cli.exec", { protocol: Version.protocol, argv, directory: "/", environment: {}, terminal })

const failed = (requestId: string, error: object) => ({
  _tag: "Exit",
  requestId,
  exit: { _tag: "Failure", cause: [{ _tag: "Fail", error }] }
})

const hello = request("9", "daemon.hello", { protocol: Version.protocol })

describe("connections", () => {
  it.live(
    "over the limit get a reason and are closed, and the others are served",
    () =>
      Effect.gen(function* () {
        const path = yield* daemon({ connections: 2 })
        const first = yield* raw(path)
        const second = yield* raw(path)
        yield* send(first, hello)
        yield* first.next
        yield* send(second, hello)
        yield* second.next
        const third = yield* raw(path)
        yield* send(third, line("1", "echo"))
        assert.deepStrictEqual(
          yield* third.next,
          failed("1", { _tag: "Busy", what: "connections", limit: 2, retry_ms: 1000 })
        )
        yield* third.closed
        const error = yield* Effect.flip(RemoteClient.dial(path))
        assert.strictEqual(error._tag, "Busy")
        assert.include(error.message, "2 connections")
        first.socket.destroy()
        // The daemon notices the end of a connection a moment later.
        const dialled = RemoteClient.dial(path).pipe(Effect.delay(20), Effect.eventually, Effect.timeout("5 seconds"))
        const connection = yield* dialled
        assert.isDefined(connection)
        if (connection !== undefined) yield* Scope.close(connection.scope, yield* Effect.exit(Effect.void))
      }),
    slow
  )

  it.live(
    "with half a message, or with an answer that is not acknowledged, end after a time without progress",
    () =>
      Effect.gen(function* () {
        const path = yield* daemon({ progress: 300 })
        const half = yield* raw(path)
        half.socket.write('{"_tag":"Request",')
        const idle = yield* raw(path)
        const reader = yield* raw(path)
        yield* send(reader, line("1", "large"))
        yield* reader.next
        yield* half.closed
        const error = { _tag: "RequestTimeout", by: "the client", command: "cli.exec", after_ms: 300 }
        assert.deepStrictEqual(yield* reader.next, failed("1", error))
        // A connection without a message is kept, and a stream that ended does not end its connection.
        for (const client of [idle, reader]) {
          yield* send(client, hello)
          assert.include(JSON.stringify(yield* client.next), client === idle ? "Success" : "Interrupt")
        }
      }),
    slow
  )
})

describe("requests", () => {
  it.live(
    "over the number in flight are refused, and those about the daemon are answered",
    () =>
      Effect.gen(function* () {
        const path = yield* daemon({ requests: 3 })
        const client = yield* raw(path)
        for (const id of ["1", "2", "3", "4"]) yield* send(client, request(id, "wait", {}))
        assert.deepStrictEqual(
          yield* client.next,
          failed("4", { _tag: "Busy", what: "requests", limit: 3, retry_ms: 100 })
        )
        yield* send(client, hello)
        assert.include(JSON.stringify(yield* client.next), "Success")
        yield* send(client, { _tag: "Interrupt", requestId: "1" })
        yield* client.next
        yield* send(client, request("5", "sessions", {}))
        assert.include(JSON.stringify(yield* client.next), "Success")
      }),
    slow
  )

  it.live(
    "that are too large are refused before they have arrived, and others are served meanwhile",
    () =>
      Effect.gen(function* () {
        const path = yield* daemon({})
        const client = yield* raw(path)
        const text = JSON.stringify(line("1", "echo", "x".repeat(15_000_000)))
        client.socket.write(text.slice(0, 5_000_000))
        const refused = failed("1", {
          _tag: "Usage",
          problem: "the request has more than 4194304 characters",
          near: [],
          remedies: [{ note: "send less in one request; pass large data as a file" }]
        })
        assert.deepStrictEqual(yield* client.next, refused)
        const rest = yield* Effect.forkChild(
          Effect.sync(() => void client.socket.write(`${text.slice(5_000_000)}\n`)),
          { startImmediately: true }
        )
        const other = yield* raw(path)
        yield* send(other, hello)
        yield* other.next
        yield* Fiber.join(rest)
        yield* send(client, hello)
        assert.include(JSON.stringify(yield* client.next), "Success")
        for (const [payload, problem] of [
          [["echo", "x".repeat(2_000_000)], "argv.1 has 2000000 characters; the limit is 131072"],
          [Array.from({ length: 11_000 }, () => ""), "more than 10000 values"]
        ] as const) {
          yield* send(client, line("2", ...payload))
          assert.include(JSON.stringify(yield* client.next), problem)
        }
        // These are refused before they are parsed.
        for (const [payload, problem] of [
          [`[${"1,".repeat(30_000)}1]`, "more than 10000 values"],
          ["[".repeat(30_000) + "]".repeat(30_000), "more than 64 levels"]
        ] as const) {
          client.socket.write(`{"_tag":"Request","id":"4","tag":"sessions","payload":${payload},"headers":[]}\n`)
          assert.include(JSON.stringify(yield* client.next), problem)
        }
        client.socket.write(
          `{"_tag":"Request","id":"3","tag":"sessions","payload":${"[".repeat(99)}${"]".repeat(99)}}\n`
        )
        assert.include(JSON.stringify(yield* client.next), "more than 64 levels")
      }),
    slow
  )
})

describe("large requests", () => {
  it.live(
    "begin one after another, and other requests are answered between them",
    () =>
      Effect.gen(function* () {
        const path = yield* daemon({})
        const large = yield* raw(path)
        const small = yield* raw(path)
        const order: Array<string> = []
        const words = Array.from({ length: 9000 }, (_, n) => `w${n}`)
        /** Acknowledges outputs and notes exits. */
        const collect = (from: Raw, name: string, answers: number) =>
          Effect.gen(function* () {
            for (let left = answers; left > 0;) {
              const text = JSON.stringify(yield* from.next)
              if (text.includes('"Exit"')) {
                order.push(name)
                left -= 1
              } else yield* send(from, { _tag: "Ack", requestId: /"requestId":"(\d+)"/.exec(text)?.[1] })
            }
          }).pipe(Effect.forkChild({ startImmediately: true }))
        const count = 8
        const others = yield* collect(large, "large", count)
        for (let id = 1; id <= count; id++) yield* send(large, line(String(id), "pid", ...words))
        const own = yield* collect(small, "small", 1)
        yield* send(small, request("1", "sessions", {}))
        yield* Fiber.join(own)
        yield* Fiber.join(others)
        assert.isBelow(order.indexOf("small"), count)
        assert.lengthOf(order, count + 1)
      }),
    slow
  )
})

describe("answers", () => {
  it.live(
    "over the limit fail alone, and their connection is kept",
    () =>
      Effect.gen(function* () {
        const path = yield* daemon({})
        const client = yield* raw(path)
        const limit = 16 * 1024 * 1024
        yield* send(client, request("1", "wait", {}))
        for (const message of [request("2", "sessions", { request_id: "large" }), line("3", "huge")]) {
          yield* send(client, message)
          const answer = JSON.stringify(yield* client.next)
          assert.include(answer, `"requestId":"${message.id}"`)
          assert.match(answer, new RegExp(`"AnswerTooLarge","bytes":178\\d{5},"limit":${limit}`))
        }
        yield* send(client, request("4", "sessions", {}))
        assert.include(JSON.stringify(yield* client.next), "Success")
      }),
    slow
  )
})
