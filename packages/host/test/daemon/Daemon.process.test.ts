// A daemon from its start to its end: one for each directory, what it removes and records, and its failures.
import { assert, it, vi } from "@effect/vitest"
import { AuditFiles, AuditReader, Daemon, RemoteClient, Platform, Refusals, RuntimeDirectory } from "@sigtrap/host"
import { Manager } from "@sigtrap/manager"
import { Client, Feed, Operations } from "@sigtrap/protocol"
import { Effect, Fiber, Layer, Schedule, Stream } from "effect"
import type { ChildProcess } from "node:child_process"
import { appendFileSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { awaitOutput, directory, ended } from "../../src/testing/Children.ts"
import {
  args,
  connected,
  daemon,
  line,
  listening,
  placeOf,
  program,
  raw,
  request,
  slow,
  stoppedAfter
} from "./daemons.ts"

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
