// Clients that start a daemon, lose it, and use the next one.
import { assert, it } from "@effect/vitest"
import { RemoteClient, DaemonLauncher, ClientLayers } from "@sigtrap/host"
import { Client, Hint } from "@sigtrap/protocol"
import { Effect, Fiber } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { awaitOutput, directory, signal } from "../../../src/testing/Children.ts"
import { args, connected, listening, placeOf, program, slow, stoppedAfter } from "../daemons.ts"

it.live(
  "a client starts the daemon, the next one uses it, and stopping removes the socket",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* stoppedAfter(path)
      const first = yield* connected(path)
      const second = yield* connected(path)
      assert.strictEqual(first.status.pid, second.status.pid)
      const stopped = yield* RemoteClient.stop(placeOf(path).socket)
      assert.strictEqual(stopped?.pid, first.status.pid)
      assert.isUndefined(yield* RemoteClient.stop(placeOf(path).socket))
    }),
  slow
)

it.live(
  "after SIGKILL the stale socket is replaced; pending calls fail, later ones work",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const first = yield* listening(path)
      yield* stoppedAfter(path)
      yield* Effect.gen(function* () {
        const client = yield* Client.Client
        const waiting = yield* Effect.forkChild(
          Effect.flip(client.call("wait", { timeout: "30s", context: "brief", lines: 3 }))
        )
        yield* awaitOutput(first, "waiting")
        yield* signal(first, "SIGKILL")
        const error = yield* Fiber.join(waiting)
        assert.strictEqual(error._tag, "DaemonUnreachable")
        assert.include(error.message, "may or may not have run")
        assert.isTrue(existsSync(placeOf(path).socket))
        const answer = yield* client.call("sessions", {})
        assert.deepStrictEqual(answer.data.sessions, [])
      }).pipe(Effect.provide(ClientLayers.layerDaemon({ runtimeDirectory: path, daemon: { program, args } })))
    }),
  slow
)

it.live(
  "a client whose daemon was killed between two calls uses the next daemon, without an error",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const first = yield* listening(path)
      yield* stoppedAfter(path)
      yield* Effect.gen(function* () {
        const client = yield* Client.Client
        yield* client.call("sessions", {})
        yield* signal(first, "SIGKILL")
        yield* listening(path)
        const answer = yield* client.call("sessions", {})
        assert.deepStrictEqual(answer.data.sessions, [])
      }).pipe(Effect.provide(ClientLayers.layerDaemon({ runtimeDirectory: path, daemon: "none" })))
    }),
  slow
)

it.live("without permission to start a daemon the failure has a hint", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const error = yield* Effect.flip(RemoteClient.connect({ runtimeDirectory: path, daemon: "none" }))
    assert.strictEqual(error._tag, "DaemonUnreachable")
    assert.deepStrictEqual(error.hints, [Hint.local("daemon.start")])
  })
)

it.live("a daemon that cannot start is reported with the end of its log", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const broken = { program: "/bin/sh", args: ["-c", "echo the disk is on fire >&2; exit 3"] }
    const error = yield* Effect.flip(RemoteClient.connect({ runtimeDirectory: path, daemon: broken }))
    assert.include(error.message, "ended with 3")
    assert.include(error.message, "the disk is on fire")
    assert.deepStrictEqual(DaemonLauncher.tail(placeOf(path).log, 1), ["the disk is on fire"])
    assert.include(readFileSync(placeOf(path).log, "utf8"), "fire")
  })
)
