import {
  AuditFiles,
  AuditReader,
  Daemon,
  RemoteClient,
  DaemonLauncher,
  ClientLayers,
  Platform,
  Refusals,
  RuntimeDirectory,
  RuntimePath
} from "@sigtrap/host"
import { Manager } from "@sigtrap/manager"
import { Client, Feed, Hint, Operations } from "@sigtrap/protocol"
import { assert, it, vi } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schedule, Scope, Stream } from "effect"
import type { ChildProcess } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { createConnection, createServer } from "node:net"
import { child, directory, ended, fakeDaemon, awaitOutput, signal } from "../../src/testing/Children.ts"

const { program, args } = fakeDaemon
const slow = 30_000

const daemon = (path: string) => child(program, args, { SIGTRAP_RUNTIME_DIR: path })

/** Returns the paths of a runtime directory. */
const placeOf = (path: string) => {
  const place = RuntimePath.resolve({ explicit: path, environment: {}, uid: process.geteuid?.() ?? -1 })
  assert(place._tag === "Place")
  return place
}

const connected = (path: string) =>
  Effect.acquireRelease(
    RemoteClient.connect({ runtimeDirectory: path, daemon: { program, args } }),
    ({ scope }, exit) => Scope.close(scope, exit)
  )

/** Stops the daemon of a directory at the end of the test. */
const stoppedAfter = (path: string) => Effect.addFinalizer(() => Effect.ignore(RemoteClient.stop(placeOf(path).socket)))

/** Starts a daemon and waits until it listens. */
const listening = Effect.fnUntraced(function* (path: string) {
  const started = yield* daemon(path)
  yield* awaitOutput(started, "listening")
  return started
})

/** Sends messages over a raw connection; answers are text. */
const raw = (path: string, ...messages: ReadonlyArray<unknown>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = createConnection(placeOf(path).socket).setEncoding("utf8")
      for (const message of messages) socket.write(`${JSON.stringify(message)}\n`)
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const request = (tag: string, payload: unknown) => ({ _tag: "Request", id: "1", tag, payload, headers: [] })

const line = (...argv: ReadonlyArray<string>) => ({
  protocol: "2.0",
  argv,
  directory: "/",
  environment: {},
  terminal: { stdout: false, stderr: false, columns: 80, color: false }
})

it.live(
  "of ten daemons started at the same time one serves, and the others exit with 0",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const all = yield* Effect.forEach(Array.from({ length: 10 }), () => daemon(path))
      const outcome = (process: ChildProcess) =>
        Effect.raceFirst(
          Effect.map(ended(process), (code) => ({ process, code })),
          Effect.as(awaitOutput(process, "listening"), { process, code: undefined }).pipe(
            // One that exits ends its output first, and its exit code decides.
            Effect.catchDefect(() => Effect.never)
          )
        )
      const outcomes = yield* Effect.forEach(all, outcome, { concurrency: "unbounded" })
      const serving = outcomes.filter(({ code }) => code === undefined)
      assert.strictEqual(serving.length, 1)
      assert.isTrue(outcomes.every(({ code }) => code === undefined || code === 0))
      const { status } = yield* connected(path)
      assert.strictEqual(status.pid, serving[0]?.process.pid)
      const place = placeOf(path)
      assert.strictEqual(statSync(place.socket).mode & 0o777, 0o600)
      assert.strictEqual(statSync(place.directory).mode & 0o777, 0o700)
    }),
  slow
)

it.live(
  "a daemon that listens has removed the pipes and homes that a killed one left",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      mkdirSync(`${path}/streams/home-left/symbolizer-1`, { recursive: true })
      yield* listening(path)
      assert.deepStrictEqual(readdirSync(`${path}/streams`), [])
      assert.strictEqual(statSync(`${path}/streams`).mode & 0o777, 0o700)
    }),
  slow
)

it.live(
  "a killed daemon leaves a chain that the next one continues, with the calls of named clients and of servers",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* stoppedAfter(path)
      const { audit } = placeOf(path)
      const actor = { kind: "mcp" as const, name: "claude-code" }
      const work = Effect.gen(function* () {
        const client = yield* Client.Client
        const report = yield* Refusals.Refusals
        for (let times = 0; times < 5; times++) yield* Effect.flip(client.callAny(Operations.byTag("next"), {}))
        yield* report({ actor, operation: "GET /mcp", code: "ACCESS_DENIED", rule: "token" })
      }).pipe(Effect.provide(RemoteClient.layer({ runtimeDirectory: path, daemon: { program, args }, actor })))
      const written = (count: number) =>
        Effect.suspend(() =>
          AuditReader.verify(audit).records >= count ? Effect.void : Effect.fail("not written yet")
        ).pipe(Effect.retry(Schedule.spaced("20 millis")))
      const held = Effect.andThen(
        Effect.forkScoped(Effect.andThen(work, Effect.never)),
        Effect.suspend(() => written(AuditReader.verify(audit).records + 6))
      )
      yield* held
      const { status } = yield* connected(path)
      process.kill(status.pid, "SIGKILL")
      yield* Platform.awaitExit(status.pid, 5000)
      const [name = ""] = AuditFiles.list(audit)
      // Deno sets the mode of a file that exists, too.
      appendFileSync(join(audit, name), '{"seq":99,"time":"2026', { mode: 0o600 })
      yield* held
      const { broken, records } = AuditReader.verify(audit)
      assert.isUndefined(broken)
      assert.strictEqual(records, 12)
      const all = AuditReader.newest(audit, 100, () => true)
      const next = all.filter(({ operation }) => operation === "next")
      assert.lengthOf(next, 10)
      assert.isTrue(next.every((entry) => entry.actor.name === "claude-code" && entry.code === "NO_SESSION"))
      assert.deepInclude(all.at(-1), { operation: "GET /mcp", refused: true, rule: "token" })
      assert.strictEqual(statSync(join(audit, name)).mode & 0o777, 0o600)
    }),
  slow
)

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

it.live(
  "a process that runs a daemon may continue after it has ended",
  () =>
    Effect.gen(function* () {
      const set = vi.spyOn(globalThis, "setTimeout")
      const clear = vi.spyOn(globalThis, "clearTimeout")
      // A worker, in which Bun runs this file, may not set the mask of its process.
      const mask = vi.spyOn(process, "umask").mockReturnValue(0o077)
      yield* Effect.addFinalizer(() => Effect.sync(() => [set, clear, mask].forEach((spy) => spy.mockRestore())))
      const exitWithin = 86_400_000
      const outcome = yield* Daemon.run({
        sessions: Layer.mergeAll(
          Layer.mock(Client.Client, {}),
          Layer.mock(Feed.Feed, {}),
          Layer.mock(Manager.Manager, { onChange: () => () => {}, live: Effect.succeed(0), endAll: Effect.void })
        ),
        exec: () => Stream.empty,
        idle: 0,
        exitWithin
      }).pipe(Effect.provide(RuntimeDirectory.layer(yield* directory)))
      assert.strictEqual(outcome, "served")
      const timer = set.mock.calls.findIndex(([, millis]) => millis === exitWithin)
      assert.isAtLeast(timer, 0)
      assert.include(
        clear.mock.calls.map(([cleared]) => cleared),
        set.mock.results[timer]?.value
      )
    }),
  slow
)

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

it.live(
  "a daemon with an uncaught failure keeps the records of its sessions before it ends them, and exits with 70",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const started = yield* listening(path)
      const seen = yield* Effect.forkChild(awaitOutput(started, "ended"), { startImmediately: true })
      yield* raw(path, request("cli.exec", line("throw")))
      assert.deepStrictEqual((yield* Fiber.join(seen)).trim().split("\n"), ["kept", "ended"])
      assert.strictEqual(yield* ended(started), 70)
    }),
  slow
)
