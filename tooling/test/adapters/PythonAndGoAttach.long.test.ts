/** Attaches to running Python and Go programs, connects to their debug servers, and detaches. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Scope, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

/** The Python interpreters on PATH. */
const pythons = (environment["PATH"] ?? "").split(":").map((directory) => `${directory}/python3`)

const hasDebugpy = (python: string): boolean => {
  try {
    execFileSync(python, ["-c", "import debugpy"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const python = pythons.find(hasDebugpy)

const freePort = Effect.callback<number>((done) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => done(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

/** Writes the header of a core file of x86-64 (elf(5)), which has nothing in it. */
const writeCore = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const bytes = new Uint8Array(64)
  const [coreType, x64, version, headerSize] = [4, 62, 1, 64]
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  bytes.set([coreType, 0, x64, 0, version], 16)
  bytes[52] = headerSize
  yield* fs.writeFile(path, bytes)
})

/** Starts a program that ends with the test, and waits for its first output. */
const beside = Effect.fnUntraced(function* (command: string, args: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const scope = yield* Effect.scope
  const handle = yield* spawner.spawn(ChildProcess.make(command, args)).pipe(Scope.provide(scope))
  yield* Stream.runHead(handle.stdout).pipe(Effect.timeout("20 seconds"))
  return Number(handle.pid)
})

const suite = layer(platform, { excludeTestServices: true, timeout: "90 seconds" })

const loop = 'import time\nn = 0\nprint("ready", flush=True)\nwhile True:\n    n = n + 1\n    time.sleep(0.01)\n'

const pythonTests =
  (interpreter: string): Parameters<typeof suite>[1] =>
  (it) => {
    const script = Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      yield* fs.writeFileString(`${directory}/loop.py`, loop)
      return `${directory}/loop.py`
    })

    it.effect("is connected to where it listens, stops in its loop, and runs on after a detach", () =>
      Effect.gen(function* () {
        const file = yield* script
        const port = yield* freePort
        const pid = yield* beside(interpreter, ["-m", "debugpy", "--listen", `127.0.0.1:${port}`, file])
        yield* debugging(({ call }) =>
          Effect.gen(function* () {
            const address = `127.0.0.1:${port}`
            const connected = yield* call("connect", { address, adapter: "debugpy", environment })
            assert.deepInclude(connected.data, { event: "stopped", reason: "pause" })
            assert.strictEqual(connected.data.adapter.name, "debugpy")
            yield* call("break", { at: `${file}:5` })
            assert.deepInclude((yield* call("continue", {})).data, { event: "stopped", reason: "breakpoint" })
            yield* call("detach", {})
            assert.notMatch(readFileSync(`/proc/${pid}/status`, "utf8"), /^State:\s+[TtZ]/m)
          })
        )
      }).pipe(Effect.scoped)
    )

    it.effect("reports that nothing listens, and that core files are unsupported", () =>
      debugging(({ call }) =>
        Effect.gen(function* () {
          const address = `127.0.0.1:${yield* freePort}`
          const refused = yield* Effect.flip(call("connect", { address, adapter: "debugpy", environment }))
          assert.strictEqual(refused._tag, "AttachFailed")
          const file = `${yield* script}.core`
          yield* writeCore(file)
          const core = yield* Effect.flip(call("core", { file, adapter: "debugpy", environment }))
          assert.strictEqual(core._tag, "Unsupported")
        })
      ).pipe(Effect.scoped)
    )
  }

const goTests: Parameters<typeof suite>[1] = (it) => {
  it.effect("is attached to by its pid, stops at a breakpoint, and runs on after a detach", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      const source = `${directory}/loop.go`
      yield* fs.writeFileString(
        source,
        'package main\n\nimport (\n\t"fmt"\n\t"time"\n)\n\nfunc main() {\n\tfmt.Println("ready")\n\tfor n := 0; n >= 0; n++ {\n\t\ttime.Sleep(time.Millisecond)\n\t}\n}\n'
      )
      const build = ["build", "-gcflags=all=-N -l", "-o", `${directory}/loop`, source]
      assert.strictEqual(yield* spawner.exitCode(ChildProcess.make("go", build)), 0, "go build")
      const pid = yield* beside(`${directory}/loop`, [])
      yield* debugging(({ call }) =>
        Effect.gen(function* () {
          const attached = yield* call("attach", { pid, pause: true, environment })
          assert.deepInclude(attached.data, { event: "stopped", pid })
          assert.strictEqual(attached.data.adapter.name, "delve")
          yield* call("break", { at: `${source}:11` })
          const stopped = yield* call("continue", {})
          assert.deepInclude(stopped.data, { event: "stopped", reason: "breakpoint" })
          assert.strictEqual(stopped.data.location?.function, "main.main")
          yield* call("detach", {})
          assert.notMatch(readFileSync(`/proc/${pid}/status`, "utf8"), /^State:\s+[TtZ]/m)
        })
      )
    }).pipe(Effect.scoped)
  )
}

// Without debugpy, or without Go, its tests are left out.
if (Tools.recorded("debugpy", python !== undefined) && python !== undefined)
  suite("a Python program that runs", pythonTests(python))
if (["dlv", "go"].every((name) => Tools.isPresent(name, environment))) suite("a Go program that runs", goTests)
