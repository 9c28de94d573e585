/** Shared by the live tests: compiled fixtures, a client on a real debugger, and a check for remaining processes. */
import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Backends, Simulators } from "@sigtrap/backends"
import { FileReader as HostFiles, Processes as HostProcesses } from "@sigtrap/host"
import * as HostSockets from "@sigtrap/host/process/AdapterSockets"
import * as HostStreams from "@sigtrap/host/process/ProgramStreams"
import { IntentStore, Ledger, Local } from "@sigtrap/manager"
import { Client, Operations, Payload, type Errors, type Operation } from "@sigtrap/protocol"
import { Context, Effect, FileSystem, Layer } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { readFileSync, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { compilerOf, flags } from "./programs.ts"

const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url))

/** Compiles a C or C++ source file. */
export const compile = Effect.fnUntraced(function* (source: string, output: string) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const compiler = compilerOf(source)
  const code = yield* spawner.exitCode(ChildProcess.make(compiler, [...flags, source, "-o", output]))
  assert.strictEqual(code, 0, `${compiler} ${source}: a C and C++ compiler is needed for these tests`)
})

/** A copy of the compiled fixtures, in a directory of its own. */
export class Programs extends Context.Service<
  Programs,
  {
    readonly directory: string
    /** The path of a fixture's source. */
    readonly source: (name: string) => string
    /** The number of the line that a fixture marks with `mark: NAME`. */
    readonly line: (name: string, mark: string) => number
  }
>()("@sigtrap/tooling/Programs") {
  static readonly layer = Layer.effect(
    Programs,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-live-" }))
      const source = (name: string) => `${fixtures}${name.split(".").at(-1) ?? ""}/${name}`
      yield* fs.copy(inject("programs"), directory, { overwrite: true })
      const line = (name: string, mark: string) => {
        const index = readFileSync(source(name), "utf8")
          .split("\n")
          .findIndex((text) => text.includes(`// mark: ${mark}`))
        assert(index >= 0, `${name} has no mark ${mark}`)
        return index + 1
      }
      return Programs.of({ directory, source, line })
    })
  )
}

const manager = Local.layer.pipe(
  Layer.provide([Backends.layer, Simulators.layer(process.platform)]),
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

/** Variables that tests pass on: where debuggers are looked for, and which of them a whole run of the tests uses. */
const passed = [
  "PATH",
  "LLVM_DISABLE_SYMBOLIZATION",
  "SIGTRAP_LLDB_DAP",
  "SIGTRAP_LLDB",
  "SIGTRAP_GDB",
  "SIGTRAP_BACKEND",
  "SIGTRAP_JS_DEBUG",
  "RUSTUP_HOME"
]

/** The environment of debuggers in tests. */
export const environment: Readonly<Record<string, string>> = {
  // Where rustup looks for tool chains, also if HOME is another one.
  RUSTUP_HOME: join(homedir(), ".rustup"),
  ...Object.fromEntries(
    passed.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )
}

/** Everything a live test needs: real files and processes, compiled programs. */
export const platform = Programs.layer.pipe(Layer.provideMerge([NodeServices.layer, HostFiles.layer]))

/** Returns the pids of the living processes whose environment contains a text. */
const carrying = (marker: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(marker) ? [Number(pid)] : []
      } catch {
        return []
      }
    })

/** Calls an operation with a payload as a program writes it. */
type Call = <T extends Operations.Tag>(
  tag: T,
  input: Operations.PayloadInput<T>
) => Effect.Effect<Operations.Answer<T>, Errors.SigtrapError>

/** A client with its own manager and real debuggers. */
export interface Debugging {
  readonly call: Call
  /** Calls an operation with a payload that is decoded first. */
  readonly callAny: (operation: Operation.Any, input: object) => Effect.Effect<unknown, Errors.SigtrapError>
  /** Starts a program. A relative name is in the directory of the compiled fixtures. */
  readonly start: (
    program: string,
    input?: Partial<Operations.PayloadInput<"start">>
  ) => Effect.Effect<Operations.Answer<"start">, Errors.SigtrapError>
  /** The environment of a caller, for operations other than `start`. */
  readonly environment: Readonly<Record<string, string>>
  /** Temporary directory in the environment of every process of this client. */
  readonly temporary: string
  /** Debuggers, debug servers and programs of this client that are alive. */
  readonly alive: () => ReadonlyArray<number>
}

/** Operations that set the roots of a session's source text. */
const rooted: ReadonlySet<string> = new Set(["start", "attach", "core", "connect", "diverge"])

let count = 0

/**
 * Runs a test with its own client. Afterwards every process of the client must be gone, whether the test stopped its sessions
 * or left that to the end of the manager.
 */
export const debugging = <A, E, R>(test: (debugging: Debugging) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { directory } = yield* Programs
    // Each of these marks the processes, since adapters have another HOME or TMPDIR, and pass on the variables of the locale.
    const temporary = yield* fs.makeTempDirectoryScoped({ prefix: `sigtrap-live-${process.pid}-${count++}-` })
    const own = {
      ...environment,
      HOME: temporary,
      TMPDIR: temporary,
      LC_MARK: temporary
    }
    const alive = () => carrying(`=${temporary}\0`)
    const result = yield* Effect.scoped(
      Effect.gen(function* () {
        const client = Context.get(yield* Layer.build(manager), Client.Client)
        const callAny = Effect.fnUntraced(function* (operation: Operation.Any, input: object) {
          // The fixtures are compiled elsewhere, and these calls come from no directory of a project.
          const roots = rooted.has(operation._tag) ? { sources: [fixtures], ...input } : input
          return yield* client.callAny(operation, yield* Payload.decode(operation, roots))
        })
        function call<T extends Operations.Tag>(
          tag: T,
          input: Operations.PayloadInput<T>
        ): Effect.Effect<Operations.Answer<T>, Errors.SigtrapError>
        function call(tag: Operations.Tag, input: object): Effect.Effect<unknown, Errors.SigtrapError> {
          return callAny(Operations.byTag(tag), input)
        }
        const start: Debugging["start"] = (program, input) =>
          call("start", { program, directory, environment: own, ...input })
        return yield* test({ call, callAny, environment: own, temporary, alive, start })
      })
    )
    assert.deepStrictEqual(alive(), [], "processes are left behind")
    return result
  }).pipe(Effect.scoped)
