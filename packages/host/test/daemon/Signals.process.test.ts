// Signals that a daemon gets.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, renameSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { awaitOutput, directory, ended, signal } from "../../src/testing/Children.ts"
import { connected, listening, placeOf, slow } from "./daemons.ts"

it.live(
  "SIGTERM ends the sessions and removes the socket, but not that of another daemon",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const { socket } = placeOf(path)
      const first = yield* listening(path)
      const text = awaitOutput(first, "ended")
      const other = `${path}/other`
      const server = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer()
          server.listen(other, () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      renameSync(other, socket)
      yield* signal(first, "SIGTERM")
      yield* text
      assert.strictEqual(yield* ended(first), 0)
      assert.isTrue(statSync(socket).isSocket())
      server.close()

      const second = yield* listening(path)
      yield* signal(second, "SIGTERM")
      assert.strictEqual(yield* ended(second), 0)
      assert.isFalse(existsSync(socket))
    }),
  slow
)

it.live(
  "a second SIGTERM ends the daemon at once, and SIGHUP has no effect",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const started = yield* listening(path)
      yield* signal(started, "SIGHUP")
      const { status } = yield* connected(path)
      const { pid = 0 } = started
      assert.strictEqual(status.pid, pid)
      process.kill(pid, "SIGTERM")
      process.kill(pid, "SIGINT")
      assert.strictEqual(yield* ended(started), 1)
    }),
  slow
)
