// Measures requests to a real LLDB, through lldb-dap and through LLDB's command line: one request at a time, to a program that
// is stopped 3000 calls deep.
import { NodeServices } from "@effect/platform-node"
import { Backends } from "@sigtrap/backends"
import { FileReader as HostFiles, Processes as HostProcesses } from "@sigtrap/host"
import * as HostSockets from "@sigtrap/host/process/AdapterSockets"
import * as HostStreams from "@sigtrap/host/process/ProgramStreams"
import { Backend } from "@sigtrap/manager"
import { Deferred, Effect, Exit, Layer } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Candidate, measure, type Table } from "./Harness.ts"

const source = fileURLToPath(new URL("../fixtures/c/deep.c", import.meta.url))

/** Requests per sample. */
const times = 50

const backends = Backends.layer.pipe(
  Layer.provide([HostFiles.layer, HostSockets.layer, HostStreams.layer, HostProcesses.layer]),
  Layer.provide(NodeServices.layer)
)

/** Starts a program with this backend and stops it in `leaf`. */
const stopped = Effect.fnUntraced(function* (directory: string, backend: "dap" | "lldb-cli") {
  const service = yield* Backend.Backend
  const thread = Deferred.makeUnsafe<number>()
  const env = { PATH: process.env["PATH"] ?? "", HOME: directory }
  const launch = { program: join(directory, "deep"), args: [], cwd: directory, env, stopOnEntry: false, backend }
  const connection = yield* service.launch(launch, {
    emit: (event) => {
      if (event._tag === "Stopped") Deferred.doneUnsafe(thread, Exit.succeed(event.thread ?? 0))
    },
    spawned: () => Effect.void,
    placed: () => {}
  })
  yield* connection.setBreakpoints({ kind: "function" }, [{ id: 1, function: "leaf" }])
  yield* connection.run
  const id = yield* Deferred.await(thread)
  const { frames } = yield* connection.stack(id, 0, 1)
  return { connection, thread: id, frame: frames[0]?.handle ?? 0 }
})

const questions = ["raw version", "locals", "stack of 20", "expression"] as const

const ask = (
  question: (typeof questions)[number],
  connection: Backend.Connection,
  thread: number,
  frame: number
): Effect.Effect<unknown, Backend.Failure> => {
  switch (question) {
    case "raw version":
      return connection.command("version")
    case "locals":
      return connection.locals(frame)
    case "stack of 20":
      return connection.stack(thread, 0, 20)
    case "expression":
      return connection.evaluate("n * 2 + 1", frame, "read")
  }
}

/** Sends the same four requests to both. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const directory = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  const { status } = spawnSync("cc", ["-g", "-O0", source, "-o", join(directory, "deep")])
  if (status !== 0) throw new Error("a C compiler is needed for this bench")
  const tables = Effect.gen(function* () {
    const both = [
      { name: "lldb-dap", ...(yield* stopped(directory, "dap")) },
      { name: "lldb", ...(yield* stopped(directory, "lldb-cli")) }
    ]
    return yield* Effect.forEach(questions, (question) => {
      const candidates = both.map(({ connection, frame, name, thread }): Candidate => {
        const batch = () =>
          Effect.runPromise(Effect.replicateEffect(ask(question, connection, thread, frame), times, { discard: true }))
        return { name, times, run: batch, ...(name === "lldb-dap" ? {} : { beside: "lldb-dap" }) }
      })
      return Effect.promise(() => measure(`A real debugger: ${question}`, candidates, { rounds: 20, warmup: 3 }))
    })
  }).pipe(Effect.scoped, Effect.provide(backends), Effect.runPromise)
  return tables.finally(() => rmSync(directory, { recursive: true, force: true }))
}
