// From `start` to its report, beside lldb-dap alone: the adapter started with the program, and one that waits before the clock
// starts. The two of sigtrap are the same: without an adapter that was started early, and with one.
import { NodeServices } from "@effect/platform-node"
import { Backends, PrestartedAdapters, Simulators } from "@sigtrap/backends"
import { FileReader as HostFiles, Processes as HostProcesses } from "@sigtrap/host"
import * as HostSockets from "@sigtrap/host/process/AdapterSockets"
import * as HostStreams from "@sigtrap/host/process/ProgramStreams"
import { IntentStore, Ledger, Local } from "@sigtrap/manager"
import { Client, Methods } from "@sigtrap/protocol"
import { Effect, Layer, Schedule } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ratiosTo, rowOf, type Table } from "./Harness.ts"
import { RawAdapter } from "./RawAdapter.ts"

const rounds = 12
const warmup = 2

const source = "int main(void) {\n  int a = 1;\n  a++;\n  return a;\n}\n"
const line = 3

const layer = Local.layer.pipe(
  Layer.provide([Backends.layer, Simulators.layer(process.platform)]),
  Layer.provideMerge(PrestartedAdapters.layer),
  Layer.provide([
    HostFiles.layer,
    HostSockets.layer,
    HostStreams.layer,
    HostProcesses.layer,
    Ledger.Ledger.layerNone,
    IntentStore.IntentStore.layerNone
  ]),
  Layer.provide(NodeServices.layer)
)

/** Times one launch of lldb-dap alone, to its stop. */
const raw = async (program: string, file: string, waits: boolean) => {
  const since = performance.now()
  const adapter = new RawAdapter()
  if (waits) await adapter.initialize()
  const from = waits ? performance.now() : since
  await adapter.launch(program, file, line)
  const time = (performance.now() - from) * 1000
  await adapter.end()
  return time
}

/** Measures starts, interleaved. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
    const file = join(folder, "small.c")
    const program = join(folder, "small")
    writeFileSync(file, source)
    if (spawnSync("cc", ["-g", file, "-o", program]).status !== 0) throw new Error("a C compiler is needed")
    const { waiting } = yield* PrestartedAdapters.PrestartedAdapters
    const environment = { PATH: process.env["PATH"] ?? "", HOME: folder }
    const debug = Methods.make(yield* Client.Client, { directory: folder, environment })
    const start = Effect.fnUntraced(function* (settings: Record<string, string>) {
      const since = performance.now()
      yield* debug.start({ program, break: [`small.c:${line}`], settings })
      const time = (performance.now() - since) * 1000
      yield* debug.stop({})
      return time
    })
    const cold: Array<number> = []
    const idle: Array<number> = []
    const fresh: Array<number> = []
    const early: Array<number> = []
    yield* start({})
    for (let round = -warmup; round < rounds; round++) {
      const times = {
        cold: yield* Effect.promise(() => raw(program, file, false)),
        idle: yield* Effect.promise(() => raw(program, file, true)),
        fresh: yield* start({ "defaults.prestart": "false" }),
        early: yield* Effect.repeat(waiting, {
          schedule: Schedule.spaced("100 millis"),
          until: (one) => one !== undefined
        }).pipe(Effect.andThen(Effect.sleep("1 second")), Effect.andThen(start({})))
      }
      if (round < 0) continue
      cold.push(times.cold)
      idle.push(times.idle)
      fresh.push(times.fresh)
      early.push(times.early)
    }
    const coldRow = rowOf("lldb-dap alone: its start to the stop", cold)
    const idleRow = rowOf("lldb-dap alone, waiting: launch to the stop", idle)
    const freshRow = rowOf("start", fresh)
    const earlyRow = rowOf("start, with an adapter that waits", early)
    return [
      {
        title: "A start to the report of its first stop",
        rounds,
        rows: [
          coldRow,
          idleRow,
          { ...freshRow, ...ratiosTo(freshRow, coldRow), target: 1.1 },
          { ...earlyRow, ...ratiosTo(earlyRow, idleRow), target: 1.3 }
        ]
      }
    ]
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)
