/** Stripped programs whose debug information a package has installed below /usr/lib/debug. Writing there needs root. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <unistd.h>
static int turns;
int work(int n) {
  turns += n;
  return turns;
}
int main(int argc, char **argv) {
  for (int i = 0; i < 3 || argc > 1; i++) {
    work(i);
    if (argc > 1) usleep(1000);
  }
  return 0;
}
`

const isRoot = process.platform === "linux" && process.getuid?.() === 0

/** Moves the debug information of a program to a file, as packages do. Without a build ID the program names the file. */
const installed = Effect.fnUntraced(function* (isById: boolean) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const id = `-Wl,--build-id=${isById ? "uuid" : "none"}`
  const folder = yield* compiled({ "turns.c": source }, ["gcc", id, "-o", "turns", "turns.c"])
  const program = `${folder}/turns`
  const run = (command: string, ...args: ReadonlyArray<string>) =>
    Effect.map(spawner.string(ChildProcess.make(command, args, { cwd: folder })), (text) => text.trim())
  const [, build = ""] = /Build ID: ([0-9a-f]+)/.exec(yield* run("readelf", "-n", program)) ?? []
  const file = isById
    ? `/usr/lib/debug/.build-id/${build.slice(0, 2)}/${build.slice(2)}.debug`
    : `/usr/lib/debug${folder}/turns.debug`
  const directory = file.slice(0, file.lastIndexOf("/"))
  yield* Effect.acquireRelease(fs.makeDirectory(directory, { recursive: true }), () =>
    Effect.ignore(fs.remove(isById ? file : directory, { recursive: true }))
  )
  yield* run("objcopy", "--only-keep-debug", program, file)
  yield* run("objcopy", "--strip-all", ...(isById ? [] : [`--add-gnu-debuglink=${file}`]), program)
  return { folder, program }
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("debug information of a package", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect.skipIf(!isRoot)(`is read for a program that starts, under ${backend}`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          for (const isById of [true, false]) {
            const { folder, program } = yield* installed(isById)
            const stop = yield* call("start", { program, backend, environment, break: ["work if n == 2"] })
            assert.deepInclude(stop.data.location, { function: "work", file: `${folder}/turns.c`, line: 4 })
            assert.deepStrictEqual(stop.warnings, [])
            yield* call("stop", {})
          }
        })
      )
    )

    it.effect.skipIf(!isRoot)(`is read for a process, under ${backend}`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const { program } = yield* installed(true)
          const child = yield* ChildProcess.make(program, ["on"])
          const attached = yield* call("attach", { pid: Number(child.pid), backend, environment, pause: true })
          assert.deepStrictEqual(attached.warnings, [])
          yield* call("break", { at: "work" })
          const stop = yield* call("continue", {})
          assert.strictEqual(stop.data.event === "stopped" ? stop.data.location?.function : undefined, "work")
          yield* call("detach", {})
        })
      )
    )
  }
})
