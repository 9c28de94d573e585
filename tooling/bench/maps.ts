// Pages of a large std::map, whose elements LLDB finds one after the other, and at each stop anew: the first page at the next stop, again at
// the same stop, and one that is too far to be read.
import { Sigtrap } from "@sigtrap/host"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rowOf, type Table } from "./Harness.ts"

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

/** The times of one backend. */
const session = (folder: string, backend: "dap" | "lldb-cli") =>
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
      rowOf(`again, at the next stop, ${backend}`, later),
      rowOf(`again, at the same stop, ${backend}`, again, { limit }),
      rowOf(`one at ${elements - page}, which is refused, ${backend}`, far, { limit })
    ]
  }).pipe(Effect.scoped, Effect.runPromise)

/** Measures pages of a map in both backends. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  try {
    const source = join(folder, "maps.cpp")
    writeFileSync(source, text)
    const { status } = spawnSync("cc", ["-g", "-O0", source, "-o", join(folder, "maps"), "-lstdc++"])
    if (status !== 0) throw new Error("a C++ compiler is needed for this bench")
    const rows = [...(await session(folder, "dap")), ...(await session(folder, "lldb-cli"))]
    return [{ title: `A page of ${page} elements of a std::map of ${elements}`, rounds, rows }]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
