// Pages of a large std::map, whose elements LLDB finds one after the other, and at each stop anew: the first page at the next stop, again at
// the same stop, and one that is too far to be read.
import { Sigtrap } from "@sigtrap/host"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ratiosTo, type Row, rowOf, type Table } from "./Harness.ts"
import { listIn, numberIn, RawAdapter } from "./RawAdapter.ts"

const elements = 100_000
const page = 100
const rounds = 20
const warmup = 3

/** The target of a page that was read before, in microseconds. */
const limit = 8000

const text = `#include <map>
static volatile int sink;
int main() {
  std::map<int, int> numbers;
  for (int n = 0; n < ${elements}; n++) numbers[n] = n * 2;
  for (;;) {
    sink++;
    sink--;
  }
}
`

const line = text.split("\n").findIndex((one) => one.includes("sink++")) + 1

/** The time of a page in lldb-dap alone, with its own formatters: `evaluate` and `variables` at each stop. */
const raw = async (folder: string) => {
  const adapter = new RawAdapter()
  const threadId = await adapter.launch(join(folder, "maps"), join(folder, "maps.cpp"), line)
  const times: Array<number> = []
  for (let round = -warmup; round < rounds; round++) {
    const stopped = adapter.event("stopped")
    await adapter.request("next", { threadId })
    await stopped
    const { stackFrames } = await adapter.request("stackTrace", { threadId, startFrame: 0, levels: 1 })
    const frameId = numberIn(listIn({ stackFrames }, "stackFrames")[0] ?? {}, "id")
    const start = performance.now()
    const found = await adapter.request("evaluate", { expression: "numbers", context: "hover", frameId })
    const variablesReference = numberIn(found, "variablesReference")
    const { variables } = await adapter.request("variables", { variablesReference, start: 0, count: page })
    const shown = listIn({ variables }, "variables").length
    if (shown < page) throw new Error(`lldb-dap alone has ${shown} elements`)
    if (round >= 0) times.push((performance.now() - start) * 1000)
  }
  await adapter.end()
  return rowOf("at the next stop, in lldb-dap alone", times)
}

/** The times of one backend. */
const session = (folder: string, backend: "dap" | "lldb-cli", floor: Row) =>
  Effect.gen(function* () {
    const debug = yield* Sigtrap.make({ isolated: true })
    const source = join(folder, "maps.cpp")
    yield* debug.start({ program: join(folder, "maps"), break: [`${source}:${line}`], backend })
    yield* debug.breakpoint.remove({ all: true })
    const timed = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        const start = performance.now()
        return Effect.map(effect, (answer) => ({ answer, micros: (performance.now() - start) * 1000 }))
      })
    const read = (start: number) => timed(debug.expand({ target: "numbers", start, count: page }))
    const first = (yield* read(0)).micros
    const again: Array<number> = []
    const later: Array<number> = []
    const far: Array<number> = []
    for (let round = -warmup; round < rounds; round++) {
      yield* debug.next({})
      const times = [(yield* read(0)).micros, (yield* read(0)).micros]
      const refused = yield* timed(
        Effect.flip(debug.expand({ target: "numbers", start: elements - page, count: page }))
      )
      if (round < 0) continue
      later.push(times[0] ?? Number.NaN)
      again.push(times[1] ?? Number.NaN)
      far.push(refused.micros)
    }
    yield* debug.stop({})
    return [
      rowOf(`its first time, ${backend}`, [first]),
      ofFloor(rowOf(`again, at the next stop, ${backend}`, later, { limit }), floor),
      rowOf(`again, at the same stop, ${backend}`, again, { limit }),
      rowOf(`one at ${elements - page}, which is refused, ${backend}`, far, { limit })
    ]
  }).pipe(Effect.scoped, Effect.runPromise)

const ofFloor = (row: Row, floor: Row): Row => ({ ...row, ...ratiosTo(row, floor) })

/** Measures pages of a map in both backends. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  try {
    const source = join(folder, "maps.cpp")
    writeFileSync(source, text)
    const { status } = spawnSync("cc", ["-g", "-O0", source, "-o", join(folder, "maps"), "-lstdc++"])
    if (status !== 0) throw new Error("a C++ compiler is needed for this bench")
    const floor = await raw(folder)
    const rows = [floor, ...(await session(folder, "dap", floor)), ...(await session(folder, "lldb-cli", floor))]
    return [{ title: `A page of ${page} elements of a std::map of ${elements}`, rounds, rows }]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
