// What grows with what: calls beside other sessions, memory per session, pages of deep stacks, and many calls at once.
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import { codeOf, Connection } from "../src/poison/Connection.ts"
import * as Clients from "./Clients.ts"
import { latencies, type Row, rowOf, type Table } from "./Harness.ts"
import { resident } from "./memory.ts"

const sessions = 6

const deep = `int bottom(void) {
  return 1;
}
int depth(int n) {
  volatile int own = n;
  return n == 0 ? bottom() : depth(n - 1) + own;
}
int main(void) {
  return depth(20000) == 0;
}
`

const simple = "int main(void) {\n  for (volatile int n = 0;; n++) {\n  }\n}\n"

/** Runs a command line that has to succeed. */
const succeeded = async (connection: Connection, argv: ReadonlyArray<string>, root: string): Promise<void> => {
  const code = codeOf(await connection.run(argv, root))
  if (code !== "ok") throw new Error(`${argv.join(" ")}: ${code}`)
}

/** Starts further sessions; returns the growth of the daemon by each, in MB. */
const grow = async (connection: Connection, pid: number, root: string): Promise<ReadonlyArray<number>> => {
  const growth: Array<number> = []
  for (let count = 0; count < sessions; count++) {
    const before = resident(pid)
    await succeeded(connection, ["start", "./app", "--break", "main", "--session", `s${count}`], root)
    growth.push(resident(pid) - before)
  }
  return growth
}

/** Calls `status` 256 times at once over eight connections, whose limit is 32 each. */
const atOnce = async (socket: string): Promise<ReadonlyArray<number>> => {
  const connections = Array.from({ length: 8 }, () => Clients.pipelined(socket))
  const times: Array<number> = []
  for (let round = -2; round < 8; round++) {
    const start = performance.now()
    await Promise.all(
      connections.flatMap((connection) =>
        Array.from({ length: 32 }, async () => {
          await connection.call("status", { session: "work" })
          if (round >= 0) times.push((performance.now() - start) * 1000)
        })
      )
    )
  }
  await Promise.all(connections.map((connection) => connection.close()))
  return times
}

const withP99 = (name: string, values: ReadonlyArray<number>): Row => {
  const p99 = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * 0.99)] ?? Number.NaN
  return rowOf(name, values, { p99 })
}

/** Measures sessions, stacks and calls at once. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    writeFileSync(join(root, "app.c"), simple)
    RealDaemon.compile(root, join(root, "app.c"))
    const { pid, place } = yield* RealDaemon.start(root, "main")
    const connection = new Connection(place.socket)
    const socket = Clients.socket(place.socket)
    const status = { name: "status", run: async () => void (await socket.call("status", { session: "work" })) }
    const list = { name: "sessions", run: async () => void (await socket.call("sessions", {})) }
    const options = { calls: 20, rounds: 20, warmup: 10 }
    const one = yield* Effect.promise(() => latencies("one", [status, list], options))
    const crowd = yield* Effect.promise(() => atOnce(place.socket))
    const growth = yield* Effect.promise(() => grow(connection, pid, root))
    const many = yield* Effect.promise(() => latencies("many", [status, list], options))
    yield* Effect.promise(async () => {
      for (let count = 0; count < sessions; count++) await connection.run(["stop", "--session", `s${count}`], root)
    })
    writeFileSync(join(root, "deep.c"), deep)
    RealDaemon.compile(root, join(root, "deep.c"))
    yield* Effect.promise(() =>
      succeeded(connection, ["start", "./app", "--break", "bottom", "--session", "deep"], root)
    )
    const page = (name: string, start: number, count: number) => ({
      name,
      run: () =>
        succeeded(
          connection,
          ["backtrace", String(count), "--start", String(start), "--json", "--session", "deep"],
          root
        )
    })
    const stacks = yield* Effect.promise(() =>
      latencies(
        "Pages of a stack of 20,000 frames, through lldb-dap",
        [page("the innermost 20", 0, 20), page("20 in the middle", 10_000, 20), page("the innermost 1,000", 0, 1000)],
        { calls: 1, rounds: 10, warmup: 1 }
      )
    )
    connection.close()
    yield* Effect.promise(() => socket.close())
    const named = (table: Table, text: string) => table.rows.map((row) => ({ ...row, name: `${row.name}, ${text}` }))
    const [alone] = one.rows
    const [beside] = many.rows
    const ratio = (beside?.median ?? Number.NaN) / (alone?.median ?? Number.NaN)
    return [
      {
        title: "Calls beside other sessions",
        rounds: options.calls * options.rounds,
        rows: [...named(one, "one session"), ...named(many, `${sessions + 1} sessions`)],
        notes: [`status beside ${sessions} other sessions takes ${ratio.toFixed(2)} × as long as alone.`]
      },
      {
        title: "Memory of the daemon for a session of lldb-dap",
        rounds: sessions,
        rows: [rowOf("growth by one session", growth, { unit: "MB" })]
      },
      {
        title: "256 calls of status at once, over 8 connections",
        rounds: crowd.length,
        rows: [withP99("status", crowd)]
      },
      stacks
    ]
  }).pipe(Effect.scoped, Effect.runPromise)
