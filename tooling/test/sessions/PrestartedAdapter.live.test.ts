/** The adapter that is started early is used by the next start with the same environment, and by no other. */
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Backends, PrestartedAdapters, Simulators } from "@sigtrap/backends"
import { FileReader as HostFiles, Processes as HostProcesses } from "@sigtrap/host"
import * as HostSockets from "@sigtrap/host/process/AdapterSockets"
import * as HostStreams from "@sigtrap/host/process/ProgramStreams"
import { IntentStore, Ledger, Local, Processes } from "@sigtrap/manager"
import { Client, Methods } from "@sigtrap/protocol"
import { Effect, Layer, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const layer = Local.layer.pipe(
  Layer.provide([Backends.layer, Simulators.layer(process.platform)]),
  Layer.provideMerge(PrestartedAdapters.layer),
  Layer.provide([HostFiles.layer, HostSockets.layer, HostStreams.layer]),
  Layer.provide([Ledger.Ledger.layerNone, IntentStore.IntentStore.layerNone]),
  Layer.provideMerge(HostProcesses.layer),
  Layer.provideMerge(NodeServices.layer)
)

it.live(
  "an adapter that was started early serves the next start with the same environment",
  () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "sigtrap-early-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true, force: true })))
      const source = join(directory, "app.c")
      writeFileSync(source, "int main(void) {\n  int a = 1;\n  return a;\n}\n")
      execFileSync("cc", ["-g", source, "-o", join(directory, "app")])
      const environment = { PATH: process.env["PATH"] ?? "", HOME: directory }
      const { waiting } = yield* PrestartedAdapters.PrestartedAdapters
      const processes = yield* Processes.Processes
      const client = yield* Client.Client
      const debug = Methods.make(client, { directory, environment })
      /** Waits for an adapter that is not the one with this pid. */
      const startedAfter = (pid: number) =>
        Effect.repeat(waiting, {
          schedule: Schedule.spaced("20 millis"),
          until: (one) => one !== undefined && one.pid !== pid
        }).pipe(Effect.map((one) => one?.pid ?? 0))
      const stopAt = { program: "app", break: ["app.c:3"] }

      yield* debug.start(stopAt)
      const first = yield* startedAfter(0)
      yield* debug.stop({})
      const other = Methods.make(client, { directory, environment: { ...environment, LANG: "C.UTF-8" } })
      yield* other.start(stopAt)
      const second = yield* startedAfter(first)
      assert.strictEqual((yield* processes.identify(first))._tag, "None")
      yield* other.stop({})
      const found = yield* processes.identify(second)
      if (found._tag === "None") return assert.fail("the adapter that waits has ended")
      const stop = yield* other.start(stopAt)
      assert.deepInclude(stop.data.location, { line: 3 })
      assert.notStrictEqual((yield* waiting)?.pid, second)
      assert.deepStrictEqual(yield* processes.identify(second), found)
      yield* other.stop({})
      assert.isTrue(yield* processes.awaitExit(found.value, 5000))
    }).pipe(Effect.scoped, Effect.provide(layer)),
  60_000
)
