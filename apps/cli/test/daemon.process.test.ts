import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { child, directory, fakeDaemon, awaitOutput, signal } from "@sigtrap/host/testing"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { started as sigtrap } from "./commandLine.ts"

const slow = 30_000

const daemon = Effect.fnUntraced(function* (path: string) {
  const started = yield* child(fakeDaemon.program, fakeDaemon.args, { SIGTRAP_RUNTIME_DIR: path })
  yield* awaitOutput(started, "listening")
  return started
})

it.live(
  "the daemon gets words, directory and environment; the client gets the whole text and the exit code",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* daemon(path)
      const echo = yield* (yield* sigtrap(path, "echo", "--x=ü", "--", "-y")).finished
      assert.strictEqual(echo.code, 0)
      const line = JSON.parse(echo.out)
      assert.deepStrictEqual(line.argv, ["echo", "--x=ü", "--", "-y"])
      assert.strictEqual(line.directory, process.cwd())
      assert.strictEqual(line.environment.SIGTRAP_RUNTIME_DIR, path)
      const large = yield* (yield* sigtrap(path, "large")).finished
      assert.strictEqual(large.code, 0)
      assert.strictEqual(large.out.split("\n").length, 201)
      assert.strictEqual((yield* (yield* sigtrap(path, "fail")).finished).code, 7)
    }),
  slow
)

it.live(
  "a daemon that is killed while the client waits is reported in one line, with code 11",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const started = yield* daemon(path)
      const waiting = yield* Effect.forkChild(awaitOutput(started, "waiting"), { startImmediately: true })
      const { finished } = yield* sigtrap(path, "wait")
      yield* Fiber.join(waiting)
      yield* signal(started, "SIGKILL")
      const { code, out } = yield* finished
      assert.strictEqual(code, 11)
      assert.strictEqual(JSON.parse(out).error.code, "DAEMON_UNREACHABLE")
      const none = yield* (yield* sigtrap(path, "status", "--no-daemon-start")).finished
      assert.strictEqual(none.code, 11)
    }),
  slow
)

it.live(
  "an interrupt ends the wait in the client and in the daemon",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const started = yield* daemon(path)
      const waiting = yield* Effect.forkChild(awaitOutput(started, "waiting"), { startImmediately: true })
      const { started: running, finished } = yield* sigtrap(path, "wait")
      yield* Fiber.join(waiting)
      const interrupted = yield* Effect.forkChild(awaitOutput(started, "interrupted"), { startImmediately: true })
      yield* signal(running, "SIGINT")
      assert.strictEqual((yield* finished).code, 130)
      yield* Fiber.join(interrupted)
    }),
  slow
)

/** Listens as a daemon that has one session and refuses every request, because its protocol is another one. */
const refusing = (path: string) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer((socket) => {
        socket.on("data", (bytes) => {
          for (const line of String(bytes).trim().split("\n")) {
            const { _tag, id } = JSON.parse(line)
            const error = { _tag: "DaemonVersion", client: "2.0", daemon: "9.0", sessions: 1 }
            const exit = { _tag: "Failure", cause: [{ _tag: "Fail", error }] }
            if (_tag === "Request") socket.write(`${JSON.stringify({ _tag: "Exit", requestId: id, exit })}\n`)
          }
        })
      })
      server.listen(join(path, "daemon.sock"), () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )

it.live(
  "a daemon of another protocol is named with both protocols, and each hint leads to the next step",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* refusing(path)
      const fails = (...words: ReadonlyArray<string>) =>
        Effect.map(
          Effect.flatten(Effect.map(sigtrap(path, ...words), ({ finished }) => finished)),
          ({ code, out }) => ({
            code,
            ...JSON.parse(out).error
          })
        )
      const message = "the daemon has protocol 9.0, this client 2.0; the daemon has 1 live session"
      assert.deepInclude(yield* fails("status"), { code: "DAEMON_VERSION", message, hint: "sigtrap daemon restart" })
      assert.deepInclude(yield* fails("grant", "list"), {
        code: "DAEMON_VERSION",
        message,
        hint: "sigtrap daemon restart"
      })
      assert.deepInclude(yield* fails("daemon", "restart"), {
        code: "INVALID_STATE",
        message: "1 session would end with the daemon; use --force",
        hint: "sigtrap daemon restart --force"
      })
    }),
  slow
)
