/** A fake-xcrun machine for one test, with apps from the fixtures. Fails if files or processes remain after the test. */
import { assert } from "@effect/vitest"
import { Effect, FileSystem, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { bundle, prepare } from "../../fake-xcrun/src/Seed.ts"
import type { World } from "../../fake-xcrun/src/World.ts"
import { Programs } from "../support/fixturePrograms.ts"

/** Path of a tool of the simulated machine. */
export const toolPath = (tool: string): string =>
  fileURLToPath(new URL(`../../fake-xcrun/bin/${tool}`, import.meta.url))

/** An iPhone 17 of the usual world, which no other device's name is. */
export const phone = "4E9D2A7B-1C3F-4D68-8B20-6FA15C7E9002"

/** What a call ended with. */
interface Ended {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

/** A simulated machine. */
export interface Machine {
  /** Its state directory. */
  readonly root: string
  /** A folder for files of the test. */
  readonly folder: string
  readonly environment: { readonly [name: string]: string }
  /** Runs a tool by its name. */
  readonly tool: (
    name: string,
    words: ReadonlyArray<string>,
    environment?: { readonly [name: string]: string }
  ) => Effect.Effect<Ended>
  readonly simctl: (...words: ReadonlyArray<string>) => Effect.Effect<Ended>
  /** Like `simctl`, and it must succeed; the answer is what it printed. */
  readonly ok: (...words: ReadonlyArray<string>) => Effect.Effect<string>
  /** The processes of the machine: apps, and calls that have not ended. */
  readonly alive: () => ReadonlyArray<number>
  /** A bundle of a fixture, with its id. */
  readonly app: (bundleId: string, program?: string, platforms?: ReadonlyArray<string>) => string
}

const mentioning = (text: string) => (pid: string) => {
  try {
    const [cmdline, environ, stat] = ["cmdline", "environ", "stat"].map((name) =>
      readFileSync(`/proc/${pid}/${name}`, "latin1")
    )
    const dead = /\) [ZX] /.test(stat ?? "")
    return !dead && (cmdline?.includes(text) === true || environ?.includes(text) === true)
  } catch {
    return false
  }
}

const make = Effect.fnUntraced(function* (changes: Partial<World>) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { directory } = yield* Programs
  const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-simulator-" }))
  const root = `${folder}/machine`
  prepare(root, changes)
  const environment = { PATH: process.env["PATH"] ?? "", HOME: folder, SIGTRAP_SIM_STATE: root }
  const tool: Machine["tool"] = (name, words, extra) =>
    Effect.scoped(
      Effect.gen(function* () {
        const handle = yield* spawner.spawn(
          ChildProcess.make(toolPath(name), words, {
            env: { ...environment, ...extra },
            extendEnv: false,
            stdin: "ignore"
          })
        )
        const text = (stream: typeof handle.stdout) => Stream.mkString(Stream.decodeText(stream))
        const [stdout, stderr] = yield* Effect.all([text(handle.stdout), text(handle.stderr)], { concurrency: 2 })
        return { exit: yield* handle.exitCode, stdout, stderr }
      })
    ).pipe(Effect.orDie)
  const simctl: Machine["simctl"] = (...words) => tool("xcrun", ["simctl", ...words])
  const machine: Machine = {
    root,
    folder,
    environment,
    tool,
    simctl,
    ok: (...words) =>
      Effect.map(simctl(...words), ({ exit, stdout, stderr }) => {
        assert.strictEqual(exit, 0, `${words.join(" ")}: ${stderr}`)
        return stdout
      }),
    alive: () =>
      readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
        .filter(mentioning(root))
        .map(Number),
    app: (bundleId, program = "sim_app", platforms = ["iPhoneSimulator"]) =>
      bundle(`${folder}/apps`, {
        bundleId,
        name: bundleId.split(".").at(-1) ?? "App",
        program: `${directory}/${program}`,
        platforms
      })
  }
  return machine
})

/** Runs a test with a machine, and shuts its devices down afterwards. Fails if a process remains. */
export const simulated = <A, E, R>(test: (machine: Machine) => Effect.Effect<A, E, R>, changes: Partial<World> = {}) =>
  Effect.gen(function* () {
    const machine = yield* make(changes)
    // Faults are of the test, not of the end.
    const end = Effect.andThen(
      machine.tool("xcrun", ["simctl", "shutdown", "all"]),
      Effect.sync(() => machine.alive())
    )
    const result = yield* Effect.onError(test(machine), () => end)
    assert.deepStrictEqual(yield* end, [], "processes are left behind")
    return result
  }).pipe(Effect.scoped)

/** Boots the phone, waits for it, and installs an app. */
export const ready = (machine: Machine, bundleId = "com.example.app", program?: string) =>
  Effect.gen(function* () {
    yield* machine.ok("boot", phone)
    yield* machine.ok("bootstatus", phone)
    yield* machine.ok("install", phone, machine.app(bundleId, program))
  })

/** Returns the process id in the output of `simctl launch` of `com.example.app`; NaN without one. */
export const pidIn = (stdout: string) => Number(/^com\.example\.app: (\d+)\n$/.exec(stdout)?.[1])

/** True if a process exists and is not a zombie. */
export const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))

/** Reads a file until it holds this, at most 20 seconds. */
export const until = (path: string, text: string) =>
  Effect.sync(() => (existsSync(path) ? readFileSync(path, "utf8") : "")).pipe(
    Effect.repeat({ until: (found) => found.includes(text) }),
    Effect.timeout("20 seconds")
  )
