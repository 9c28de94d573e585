/** Daemons of a directory and connections to them, for tests. */
import { assert } from "@effect/vitest"
import { RemoteClient, RuntimePath } from "@sigtrap/host"
import { Effect, Scope } from "effect"
import { createConnection } from "node:net"
import { awaitOutput, child, fakeDaemon } from "../../src/testing/Children.ts"

/** The command that starts a daemon without debuggers. */
export const { program, args } = fakeDaemon

/** The time limit of a test that starts daemons, in milliseconds. */
export const slow = 30_000

/** Starts a daemon for a directory. */
export const daemon = (path: string) => child(program, args, { SIGTRAP_RUNTIME_DIR: path })

/** Returns the paths of a runtime directory. */
export const placeOf = (path: string) => {
  const place = RuntimePath.resolve({ explicit: path, environment: {}, uid: process.geteuid?.() ?? -1 })
  assert(place._tag === "Place")
  return place
}

/** Connects to the daemon of a directory, and starts it if none runs. */
export const connected = (path: string) =>
  Effect.acquireRelease(
    RemoteClient.connect({ runtimeDirectory: path, daemon: { program, args } }),
    ({ scope }, exit) => Scope.close(scope, exit)
  )

/** Stops the daemon of a directory at the end of the test. */
export const stoppedAfter = (path: string) =>
  Effect.addFinalizer(() => Effect.ignore(RemoteClient.stop(placeOf(path).socket)))

/** Starts a daemon and waits until it listens. */
export const listening = Effect.fnUntraced(function* (path: string) {
  const started = yield* daemon(path)
  yield* awaitOutput(started, "listening")
  return started
})

/** Sends messages over a raw connection; answers are text. */
export const raw = (path: string, ...messages: ReadonlyArray<unknown>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = createConnection(placeOf(path).socket).setEncoding("utf8")
      for (const message of messages) socket.write(`${JSON.stringify(message)}\n`)
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** A message that calls a procedure. */
export const request = (tag: string, payload: unknown) => ({ _tag: "Request", id: "1", tag, payload, headers: [] })

/** The payload of a command line. */
export const line = (...argv: ReadonlyArray<string>) => ({
  protocol: "2.0",
  argv,
  directory: "/",
  environment: {},
  terminal: { stdout: false, stderr: false, columns: 80, color: false }
})
