// A daemon that is killed in the middle of runs until a failure leaves no program and no debug server.
import { RuntimePath } from "@sigtrap/host"
import { awaitOutput, child, directory, ended } from "@sigtrap/host/testing"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { NodeServices } from "@effect/platform-node"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Attack from "../../src/poison/Attack.ts"
import { Connection } from "../../src/poison/Connection.ts"

/** Returns the processes whose command line names a folder. */
const processesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
        return line.includes(folder) ? [line] : []
      } catch {
        return []
      }
    })

const program = `#include <unistd.h>
int main(void) { for (;;) pause(); }
`

it.live(
  "a daemon that is killed during runs leaves no program",
  () =>
    Effect.gen(function* () {
      const root = yield* directory
      const path = join(root, "run")
      writeFileSync(join(root, "endless.c"), program)
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const file = join(root, "endless")
      assert.strictEqual(Number(yield* spawner.exitCode(ChildProcess.make("cc", ["-g", `${file}.c`, "-o", file]))), 0)
      const { args, program: command } = Attack.daemon
      const daemon = yield* child(command, args, { SIGTRAP_RUNTIME_DIR: path })
      yield* awaitOutput(daemon, "listening")
      const place = RuntimePath.resolve({ explicit: path, environment: {}, uid: process.geteuid?.() ?? -1 })
      assert(place._tag === "Place")
      const connection = new Connection(place.socket)
      void connection
        .run(["run", file, "--until-failure=50", "--parallel", "2", "--timeout", "60s"], root)
        .catch(() => {})
      const running = () => processesOf(root).filter((line) => line.startsWith(file)).length
      while (running() < 2) yield* Effect.sleep(10)
      daemon.kill("SIGKILL")
      yield* ended(daemon)
      while (running() > 0) yield* Effect.sleep(10)
      connection.close()
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
  60_000
)
