// Requests and messages that a daemon gets, and clients that disconnect.
import { assert, it } from "@effect/vitest"
import { RemoteClient } from "@sigtrap/host"
import { Client } from "@sigtrap/protocol"
import { Effect, Exit, Fiber, Scope } from "effect"
import { awaitOutput, directory, ended } from "../../src/testing/Children.ts"
import { connected, line, listening, raw, request, slow } from "./daemons.ts"

it.live(
  "a client that disconnects gives up control, and the end of a command line does not",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const started = yield* listening(path)
      const seen: Array<string> = []
      started.stdout?.on("data", (text) => seen.push(String(text)))
      const command = yield* raw(path, request("cli.exec", { ...line("status"), client: { kind: "cli", name: "sh" } }))
      yield* Effect.callback<void>((resume) => void command.once("data", () => resume(Effect.void)))
      command.destroy()
      const gone = yield* Effect.forkChild(awaitOutput(started, "disconnected"), { startImmediately: true })
      yield* Effect.gen(function* () {
        const client = yield* Client.Client
        yield* client.call("sessions", {})
      }).pipe(
        Effect.provide(
          RemoteClient.layer({ runtimeDirectory: path, daemon: "none", actor: { kind: "mcp", name: "claude-code" } })
        )
      )
      yield* Fiber.join(gone)
      assert.match(seen.join(""), /^disconnected mcp:claude-code$/m)
      assert.notInclude(seen.join(""), "disconnected cli")
    }),
  slow
)

it.live(
  "a disconnected client interrupts its command",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const started = yield* listening(path)
      const waiting = yield* Effect.forkChild(awaitOutput(started, "waiting"), { startImmediately: true })
      const client = yield* raw(path, request("cli.exec", line("wait")))
      yield* Fiber.join(waiting)
      const interrupted = yield* Effect.forkChild(awaitOutput(started, "interrupted"), { startImmediately: true })
      client.destroy()
      yield* Fiber.join(interrupted)
    }),
  slow
)

it.live(
  "another protocol version is refused with an error, and invalid messages affect nothing else",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* listening(path)
      const reply = (message: unknown) =>
        Effect.scoped(
          Effect.flatMap(raw(path, message), (socket) =>
            Effect.callback<string>(
              (resume) => void socket.once("data", (text) => resume(Effect.succeed(String(text))))
            )
          )
        )
      for (const tag of ["daemon.hello", "cli.exec"]) {
        const answer = JSON.parse(yield* reply(request(tag, { ...line("status"), protocol: "9.0" })))
        assert.deepStrictEqual(answer.exit.cause[0].error, {
          _tag: "DaemonVersion",
          client: "9.0",
          daemon: "2.0",
          sessions: 0
        })
      }
      assert.include(yield* reply(request("no.such", {})), "no.such")
      assert.include(yield* reply(request("cli.exec", { argv: 7 })), "Failure")
      assert.include(yield* reply("nonsense"), "Defect")
      yield* connected(path)
    }),
  slow
)

it.live(
  "a daemon that has nothing to do ends for a client of another version, but not while another client is connected",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const serving = yield* listening(path)
      const hello = Effect.scoped(
        Effect.flatMap(raw(path, request("daemon.hello", { protocol: "2.0", version: "99.0.0" })), (socket) =>
          Effect.callback<{
            readonly exit: { readonly _tag: string; readonly cause?: ReadonlyArray<{ error: object }> }
          }>((resume) => void socket.once("data", (text) => resume(Effect.succeed(JSON.parse(String(text))))))
        )
      )
      const other = yield* connected(path)
      assert.strictEqual((yield* hello).exit._tag, "Success")
      yield* Scope.close(other.scope, Exit.void)
      // The daemon notices the end of a connection a moment after the client has closed it.
      const answer = yield* Effect.repeat(hello, { while: ({ exit }) => exit._tag === "Success" })
      assert.deepInclude(answer.exit.cause?.[0]?.error, { _tag: "DaemonVersion", sessions: 0, ended: true })
      assert.strictEqual(yield* ended(serving), 0)
    }),
  slow
)

it.live(
  "a message of 17 MiB is not read: its connection is closed, and other clients are served",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* listening(path)
      const client = yield* raw(path, request("cli.exec", line("echo", "x".repeat(17 * 1024 * 1024))))
      const answer = yield* Effect.callback<string>((resume) => {
        let text = ""
        client.on("data", (piece) => (text += String(piece)))
        client.on("error", () => {})
        client.on("close", () => resume(Effect.succeed(text)))
      })
      assert.notInclude(answer, "Stdout")
      yield* connected(path)
    }),
  slow
)
