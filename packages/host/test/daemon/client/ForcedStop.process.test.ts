// A daemon can always be stopped: while its main thread is held, while it is paused, and while its sessions do not end.
import { ForcedStop, HolderRecord, DaemonState, RuntimePath, SupervisorClient, Version } from "@sigtrap/host"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { ChildProcess } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createConnection } from "node:net"
import { join } from "node:path"
import {
  awaitOutput,
  child,
  directory,
  ended,
  fakeDaemon,
  signal,
  supervisorModule
} from "../../../src/testing/Children.ts"
import * as RecordedPrograms from "../../../src/daemon/supervisor/RecordedPrograms.ts"
import * as ProcessTable from "../../../src/process/ProcessTable.ts"

const slow = 30_000

const placeOf = (path: string) => {
  const place = RuntimePath.resolve({ explicit: path, environment: {}, uid: process.geteuid?.() ?? -1 })
  assert(place._tag === "Place")
  return place
}

/** Starts a daemon with a supervisor and waits until it has printed all of some words. */
const daemon = Effect.fnUntraced(function* (
  path: string,
  env: Record<string, string> = {},
  words: ReadonlyArray<string> = ["listening"]
) {
  const started = yield* child(fakeDaemon.program, fakeDaemon.args, {
    SIGTRAP_RUNTIME_DIR: path,
    SIGTRAP_TEST_SUPERVISOR: supervisorModule(),
    ...env
  })
  yield* Effect.forEach(words, (word) => awaitOutput(started, word), { concurrency: "unbounded" })
  return started
})

/** Sends a command line to a daemon until the scope ends. */
const send = (path: string, ...argv: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const terminal = { stdout: false, stderr: false, columns: 80, color: false }
      const payload = { protocol: Version.protocol, argv, directory: "/", environment: {}, terminal }
      const socket = createConnection(placeOf(path).socket)
      socket.on("error", () => {})
      socket.write(`${JSON.stringify({ _tag: "Request", id: "1", tag: "cli.exec", payload, headers: [] })}\n`)
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Holds the main thread of a daemon by an endless computation. */
const hold = Effect.fnUntraced(function* (started: ChildProcess, path: string) {
  const holding = yield* Effect.forkChild(awaitOutput(started, "holding"), { startImmediately: true })
  yield* send(path, "hold")
  yield* Fiber.join(holding)
})

/** Starts a program and writes the record of its session. */
const program = Effect.fnUntraced(function* (path: string, name: string, launched: boolean) {
  const started = yield* child("sleep", ["60"])
  const pid = started.pid ?? 0
  const { sessions } = placeOf(path)
  mkdirSync(sessions, { recursive: true, mode: 0o700 })
  const debuggee = ProcessTable.find(pid)
  const entry = { name, program: "sleep", args: [], started_at: 0, debuggee, launched }
  writeFileSync(join(sessions, `${name}.json`), JSON.stringify(entry), { mode: 0o600 })
  return { started, pid }
})

/** Runs a forced stop. */
const forced = Effect.fnUntraced(function* (path: string, times: Partial<ForcedStop.Times> = { killed: slow }) {
  const stopped = yield* ForcedStop.run(placeOf(path), times)
  assert(stopped !== undefined && stopped !== "running")
  return stopped
})

it.live(
  "the supervisor answers while the main thread is held, and ends launched programs and the daemon",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const place = placeOf(path)
      const started = yield* daemon(path, {}, ["listening", "supervised"])
      assert.strictEqual(statSync(place.supervisor).mode & 0o777, 0o600)
      yield* hold(started, path)
      // A daemon that is not held stores its time each millisecond. One that is held has not answered for the whole time between
      // two questions, which is longer.
      const asked = performance.now()
      const early = yield* SupervisorClient.ask(place, "status")
      const answered = performance.now()
      assert.strictEqual(early?.pid, started.pid)
      const launched = yield* program(path, "mine", true)
      const attached = yield* program(path, "theirs", false)
      const askedAgain = performance.now()
      const later = yield* SupervisorClient.ask(place, "status")
      const grown = (later?.unanswered_ms ?? 0) - (early?.unanswered_ms ?? Infinity)
      assert.isAtLeast(grown, askedAgain - answered - 1)
      assert.isAtMost(grown, performance.now() - asked + 1)

      // On a busy machine the supervisor, and the end of a killed process, take longer than the product waits.
      const stopped = yield* forced(path, { supervisor: slow, killed: slow })
      assert.deepStrictEqual(stopped, {
        pid: started.pid ?? 0,
        by: "supervisor",
        programs: {
          ended: [{ session: "mine", pid: launched.pid }],
          left: [{ session: "theirs", pid: attached.pid }]
        }
      })
      assert.strictEqual(yield* ended(started), "SIGKILL")
      assert.strictEqual(yield* ended(launched.started), "SIGKILL")
      assert.isDefined(ProcessTable.find(attached.pid))
      // The lock is free, and the records of the sessions are left for the next daemon.
      assert.isTrue(existsSync(join(place.sessions, "mine.json")))
      yield* daemon(path)
    }),
  slow
)

it.live(
  "the first session of a daemon brings its supervisor",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const place = placeOf(path)
      const started = yield* daemon(path, { SIGTRAP_TEST_SESSION: "later" })
      yield* send(path, "wait")
      yield* awaitOutput(started, "waiting")
      assert.isFalse(existsSync(place.supervisor))
      const supervised = yield* Effect.forkChild(awaitOutput(started, "supervised"), { startImmediately: true })
      yield* send(path, "session")
      yield* Fiber.join(supervised)
      assert.strictEqual((yield* SupervisorClient.ask(place, "status"))?.pid, started.pid)
    }),
  slow
)

it.live(
  "SIGTERM ends a daemon whose main thread is held within its grace, with its launched programs",
  () =>
    Effect.gen(function* () {
      // Bun and Deno have no signals in a thread.
      if (process.versions["bun"] !== undefined || process.versions["deno"] !== undefined) return
      const path = yield* directory
      const started = yield* daemon(path, { SIGTRAP_TEST_GRACE: "short" }, ["listening", "supervised"])
      const launched = yield* program(path, "mine", true)
      const attached = yield* program(path, "theirs", false)
      yield* hold(started, path)
      yield* signal(started, "SIGTERM")
      assert.strictEqual(yield* ended(started), "SIGKILL")
      assert.strictEqual(yield* ended(launched.started), "SIGKILL")
      assert.isDefined(ProcessTable.find(attached.pid))
    }),
  slow
)

for (const [what, env] of [
  ["a held daemon", {}],
  ["a paused daemon", {}],
  ["a held daemon without supervisor", { SIGTRAP_TEST_SUPERVISOR: "/nonexistent" }]
] as const) {
  it.live(
    `an inquiry about ${what} names its process`,
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        const words = what === "a held daemon" ? ["listening", "supervised"] : ["listening"]
        const started = yield* daemon(path, env, words)
        yield* what === "a paused daemon" ? signal(started, "SIGSTOP") : hold(started, path)
        const found = yield* DaemonState.run(placeOf(path))
        assert(found !== undefined && "_tag" in found)
        assert.strictEqual(found.pid, started.pid)
        assert.strictEqual(found.version, Version.product)
        assert.isAbove(found.started_at, 0)
        if (what === "a held daemon") assert.isAbove(found.unanswered_ms ?? 0, 0)
        else assert.strictEqual(found.process_state, what === "a paused daemon" ? "stopped" : "running")
      }),
    slow
  )
}

for (const [what, env] of [
  ["a paused daemon", {}],
  ["a held daemon without supervisor", { SIGTRAP_TEST_SUPERVISOR: "/nonexistent" }]
] as const) {
  it.live(
    `${what} is ended by the client, with its launched programs`,
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        const started = yield* daemon(path, env)
        const launched = yield* program(path, "mine", true)
        const attached = yield* program(path, "theirs", false)
        yield* what === "a paused daemon" ? signal(started, "SIGSTOP") : hold(started, path)
        const stopped = yield* forced(path)
        assert.strictEqual(stopped.by, "client")
        assert.strictEqual(yield* ended(started), "SIGKILL")
        assert.strictEqual(yield* ended(launched.started), "SIGKILL")
        assert.isDefined(ProcessTable.find(attached.pid))
      }),
    slow
  )
}

it.live(
  "a daemon that answers ends in order, and none is left to stop",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const place = placeOf(path)
      const started = yield* daemon(path)
      assert.strictEqual(HolderRecord.read(place.holder)?.pid, started.pid)
      assert.strictEqual(statSync(place.holder).mode & 0o777, 0o600)
      // On a busy machine an orderly end takes longer than the product waits.
      assert.deepStrictEqual(yield* ForcedStop.run(place, { orderly: slow, answer: slow }), {
        pid: started.pid ?? 0,
        by: "request"
      })
      assert.strictEqual(yield* ended(started), 0)
      assert.isFalse(existsSync(place.holder))
      assert.isUndefined(yield* ForcedStop.run(place))
    }),
  slow
)

it.live(
  "a daemon that has ended in order, whose process does not exit, is killed without the supervisor",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const started = yield* daemon(path, { SIGTRAP_TEST_EXIT: "never" }, ["listening", "supervised"])
      const launched = yield* program(path, "mine", true)
      const times = { answer: slow, orderly: slow, exit: 0, killed: slow }
      assert.deepStrictEqual(yield* ForcedStop.run(placeOf(path), times), { pid: started.pid ?? 0, by: "request" })
      assert.strictEqual(yield* ended(started), "SIGKILL")
      assert.isDefined(ProcessTable.find(launched.pid))
    }),
  slow
)

it.live("a process is not ended by a record with another start time", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const place = placeOf(path)
    const other = yield* program(path, "mine", true)
    const record = { pid: other.pid, started: "1", version: "0", started_at: 0 }
    writeFileSync(place.holder, JSON.stringify(record), { mode: 0o600 })
    assert.isUndefined(yield* ForcedStop.run(place))
    const file = join(place.sessions, "mine.json")
    const { debuggee, ...rest } = JSON.parse(readFileSync(file, "utf8"))
    writeFileSync(file, JSON.stringify({ ...rest, debuggee: { ...debuggee, started: "1" } }))
    RecordedPrograms.end(place.sessions)
    assert.isDefined(ProcessTable.find(other.pid))
  })
)

it.live(
  "a daemon whose sessions do not end exits in time and kills their programs",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const started = yield* daemon(path, { SIGTRAP_TEST_ENDING: "never" })
      const launched = yield* program(path, "mine", true)
      yield* signal(started, "SIGTERM")
      assert.strictEqual(yield* ended(started), 1)
      assert.strictEqual(yield* ended(launched.started), "SIGKILL")
      assert.include(readFileSync(placeOf(path).log, "utf8"), "killed: mine")
      yield* daemon(path)
    }),
  slow
)
