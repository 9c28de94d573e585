// A debugger that reports the pid of a foreign process, such as one of a container, does not make it the session's program.
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Ledger, Processes } from "../../src/index.ts"
import * as OwnedProcesses from "../../src/session/OwnedProcesses.ts"

const launch = { program: "/w/a", args: [], cwd: "/w", env: {}, stopOnEntry: false }

/** Records a debugger and a program with these start times; returns the pids that the session owns and those it signals. */
const owned = (
  adapter: string,
  program: string,
  existing?: { readonly kind: "process"; readonly pid: number; readonly started: string }
) => {
  const signalled: Array<number> = []
  const table = Layer.succeed(Processes.Processes, {
    identify: (pid) => Effect.succeed(Option.some({ pid, started: pid === 10 ? adapter : program })),
    self: 4242,
    describe: () => Effect.succeedNone,
    named: () => Effect.succeed([]),
    descendants: () => Effect.succeed([]),
    carrying: () => Effect.succeed([]),
    kill: ({ pid }) => Effect.sync(() => signalled.push(pid) > 0),
    awaitExit: () => Effect.succeed(false)
  })
  return Effect.gen(function* () {
    const request = existing === undefined ? launch : { ...launch, existing }
    const session = yield* OwnedProcesses.make({ name: "a", launch: request })
    yield* session.record("adapter", 10)
    yield* session.record("debuggee", 20)
    yield* session.signal("SIGTERM")
    return { pids: (yield* session.remaining).map(({ pid }) => pid), signalled }
  }).pipe(Effect.provide([table, Ledger.Ledger.layerNone]))
}

it.effect("a process that is older than the debugger is not the program that it launched", () =>
  Effect.gen(function* () {
    const [early, late] = ["Mon Nov 23 05:23:06 2026", "Mon Nov 23 05:24:06 2026"]
    const own = { pids: [10, 20], signalled: [20] }
    assert.deepStrictEqual(yield* owned("1000", "999"), { pids: [10], signalled: [] })
    assert.deepStrictEqual(yield* owned(late, early), { pids: [10], signalled: [] })
    assert.deepStrictEqual(yield* owned("1000", "1000"), own)
    assert.deepStrictEqual(yield* owned("999", "1000"), own)
    assert.deepStrictEqual(yield* owned(early, late), own)
    assert.deepStrictEqual(yield* owned("now", "now"), own)
    // A program that was attached is older than its debugger.
    assert.deepStrictEqual(yield* owned("1000", "999", { kind: "process", pid: 20, started: "999" }), own)
  })
)
