import { Processes } from "@sigtrap/host"
import { Processes as Table } from "@sigtrap/manager"
import { SteppedClock } from "@sigtrap/protocol/testing"
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { child, ended, awaitOutput } from "../../src/testing/Children.ts"

const layer = Processes.layer.pipe(Layer.provide(NodeServices.layer))

it("a process name with blanks and parentheses does not confuse the fields", () => {
  const line = (name: string, state = "S", threads = 1) =>
    `42 (${name}) ${state} 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 ${threads} 0 99887 1 2 3`
  for (const name of ["cat", "a b", "x) R 1 (y", "((", "))"]) {
    assert.deepStrictEqual(Processes.parseStat(line(name)), { pid: 42, parent: 7, started: "99887" })
  }
  assert.isUndefined(Processes.parseStat(line("dead", "Z")))
  const ended = { pid: 42, parent: 7, started: "99887", mainEnded: true }
  assert.deepStrictEqual(Processes.parseStat(line("main ended", "Z", 2)), ended)
  assert.isUndefined(Processes.parseStat(""))
})

it("a line of ps is parsed, and a zombie is skipped", () => {
  assert.deepStrictEqual(Processes.parsePs("  501     1 Ss   Mon Jan  5 09:01:02 2026"), {
    pid: 501,
    parent: 1,
    started: "Mon Jan  5 09:01:02 2026"
  })
  assert.isUndefined(Processes.parsePs("501 1 Z+ Mon Jan  5 09:01:02 2026"))
  assert.isUndefined(Processes.parsePs(""))
})

it.live("a child is identified, found among the descendants, killed, and reported as exited", () =>
  Effect.gen(function* () {
    const processes = yield* Table.Processes
    const started = yield* child("cat", [])
    const pid = started.pid ?? 0
    const found = Option.getOrThrow(yield* processes.identify(pid))
    assert.strictEqual(found.pid, pid)
    assert.deepInclude(yield* processes.descendants(process.pid), found)
    assert.isFalse(yield* processes.awaitExit(found, 20))
    assert.isFalse(yield* processes.kill({ ...found, started: "0" }, "SIGKILL"))
    assert.isTrue(yield* processes.kill(found, "SIGKILL"))
    assert.strictEqual(yield* ended(started), "SIGKILL")
    assert.isTrue(yield* processes.awaitExit(found, 2000))
    assert.isTrue(Option.isNone(yield* processes.identify(pid)))
    assert.isFalse(yield* processes.kill(found, "SIGKILL"))
  }).pipe(Effect.provide(layer))
)

it.live("grandchildren are descendants too, after children", () =>
  Effect.gen(function* () {
    const processes = yield* Table.Processes
    const parent = yield* child("sh", ["-c", "sleep 60 & echo pid $!; wait"])
    const text = yield* awaitOutput(parent, "\n")
    const grandchild = Number(text.match(/\d+/)?.[0])
    const pids = (yield* processes.descendants(process.pid)).map(({ pid }) => pid)
    const [first, second] = [pids.indexOf(parent.pid ?? 0), pids.indexOf(grandchild)]
    assert.isTrue(first >= 0 && second > first)
    process.kill(grandchild, "SIGKILL")
  }).pipe(Effect.provide(layer))
)

it.live("waiting for an exit ends in time while the wall clock steps back", () =>
  Effect.gen(function* () {
    const processes = yield* Table.Processes
    const started = yield* child("cat", [])
    const found = Option.getOrThrow(yield* processes.identify(started.pid ?? 0))
    const stepped = yield* SteppedClock.make
    const waited = yield* Effect.timeoutOption(stepped(processes.awaitExit(found, 20)), "5 seconds")
    assert.deepStrictEqual(waited, Option.some(false))
  }).pipe(Effect.provide(layer))
)
