// `next` to its report, beside the requests that it needs sent to lldb-dap alone: next, stackTrace, scopes, variables.
import { Sigtrap } from "@sigtrap/host"
import { Effect, Exit, Scope } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { measure, type Table } from "./Harness.ts"
import { listIn, numberIn, RawAdapter } from "./RawAdapter.ts"

/** Steps per sample. */
const times = 20

const loop = `struct pt { int x, y; };
static volatile long acc;
static int work(int i) {
  int a = i;
  struct pt p = {a, i};
  acc += p.x + p.y;
  a++;
  return a;
}
static int deep(int n) {
  if (n > 0) return deep(n - 1) + 1;
  int r = 0;
  for (;;) {
    r += work(r);
    r ^= 3;
  }
}
int main(void) { return deep(25); }
`

/** Measures a step in both. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  const source = join(folder, "loop.c")
  const program = join(folder, "loop")
  writeFileSync(source, loop)
  const { status } = spawnSync("cc", ["-g", "-O0", source, "-o", program])
  if (status !== 0) throw new Error("a C compiler is needed for this bench")
  const line = loop.split("\n").findIndex((text) => text.includes("r += work")) + 1
  const adapter = new RawAdapter()
  const threadId = await adapter.launch(program, source, line)
  await adapter.request("setBreakpoints", { source: { path: source }, breakpoints: [] })
  const scope = Scope.makeUnsafe()
  const debug = await Effect.runPromise(Scope.provide(Sigtrap.make({ isolated: true }), scope))
  await Effect.runPromise(debug.start({ program, break: [`${source}:${line}`] }))
  await Effect.runPromise(debug.breakpoint.remove({ all: true }))

  const step = async () => {
    for (let index = 0; index < times; index++) {
      const stopped = adapter.event("stopped")
      await adapter.request("next", { threadId })
      await stopped
      const { stackFrames } = await adapter.request("stackTrace", { threadId, startFrame: 0, levels: 20 })
      const [frame = {}] = listIn({ stackFrames }, "stackFrames")
      const scopes = listIn(await adapter.request("scopes", { frameId: numberIn(frame, "id") }), "scopes")
      await adapter.request("variables", { variablesReference: numberIn(scopes[0] ?? {}, "variablesReference") })
    }
  }
  const next = () => Effect.runPromise(Effect.replicateEffect(debug.next({}), times, { discard: true }))
  const floor = "next, stack, scopes, variables: lldb-dap alone"
  try {
    return [
      await measure(
        "One step and its report",
        [
          { name: floor, times, run: step },
          { name: "next", times, run: next, floor, target: 1.5 }
        ],
        { rounds: 20, warmup: 3 }
      )
    ]
  } finally {
    await adapter.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}
