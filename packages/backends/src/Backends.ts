/**
 * Which backend debugs a program, and the one `Backend` that leads to either.
 *
 * In this order: what the request names (`backend`, or an adapter that is an `lldb`), `SIGTRAP_BACKEND` of the caller's
 * environment, `defaults.backend` of the configuration, which a session default stands in for, `dap`. Environment and configuration decide about native
 * programs only: a Python script has its own debugger whatever stands there.
 */
import { Lldb } from "@sigtrap/lldb"
import { Backend, type Processes } from "@sigtrap/manager"
import { Errors, Hint, type Session, Settings } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import type { Machine } from "./adapters/Adapter.ts"
import type { AdapterSockets } from "./process/AdapterSockets.ts"
import * as EditorTypes from "./adapters/EditorTypes.ts"
import * as DapBackend from "./dap/Backend.ts"
import * as LldbProgram from "./lldb-cli/Lldb.ts"
import * as LldbCliBackend from "./lldb-cli/Backend.ts"
import * as LldbDap from "./adapters/LldbDap.ts"
import type { ProgramStreams } from "./process/Streams.ts"
import * as Registry from "./adapters/Registry.ts"

/** The environment variable that names a backend. */
export const variable = "SIGTRAP_BACKEND"

type Name = Session.Adapter["backend"]

/** Words for backends; `lldb` is short for `lldb-cli`. */
const words: Readonly<Record<string, Name>> = { dap: "dap", "lldb-cli": "lldb-cli", lldb: "lldb-cli" }

const unknown = (value: string, from: string) =>
  new Errors.Usage({
    problem: `${from} is '${value}', which is no backend; write dap or lldb-cli`,
    near: [],
    remedies: [Hint.again("start", { backend: "lldb-cli" })]
  })

const named = (value: string, from: string): Effect.Effect<Name, Errors.Usage> => {
  const name = Object.hasOwn(words, value) ? words[value] : undefined
  return name === undefined ? Effect.fail(unknown(value, from)) : Effect.succeed(name)
}

const isLldb = (adapter: string) => LldbProgram.file.test(adapter.slice(adapter.lastIndexOf("/") + 1))

/** The backend for a request. Fails when a word for one is none. */
export const choose = Effect.fnUntraced(function* (
  request: Backend.LaunchRequest
): Effect.fn.Return<Name, Errors.Usage, FileSystem.FileSystem> {
  const { adapter, backend } = request
  if (backend !== undefined) {
    const name = yield* named(backend, "--backend")
    if (adapter === undefined || isLldb(adapter) === (name === "lldb-cli")) return name
    return yield* new Errors.Usage({
      problem: `the adapter ${adapter} is not driven by the backend ${name}`,
      near: [],
      remedies: [Hint.local("adapters")]
    })
  }
  if (adapter !== undefined) return isLldb(adapter) || words[adapter] === "lldb-cli" ? "lldb-cli" : "dap"
  const environment = (request.surroundings ?? request.env)[variable]
  const wished =
    environment === undefined || environment === "" ? Settings.text(request.settings, "defaults.backend") : environment
  if (wished === undefined || wished === "") return "dap"
  const name = yield* named(wished, variable)
  const native = request.existing !== undefined || (yield* Registry.choose(request)) === LldbDap.adapter
  return native ? name : "dap"
})

/** The same call with the other backend. */
const instead = ({ existing, program }: Backend.LaunchRequest, backend: Name): Hint.Hint => {
  switch (existing?.kind) {
    case undefined:
      return Hint.call("start", { program, backend })
    case "process":
      return Hint.call("attach", { pid: existing.pid, backend })
    case "core":
      return Hint.call("core", { file: existing.file, backend })
    case "remote":
      return Hint.call("connect", { address: `${existing.host}:${existing.port}`, backend })
  }
}

/** A debugger that is not there is told with the other one, where that is there. */
const offering =
  (request: Backend.LaunchRequest, name: Name) =>
  <A, E, R>(launch: Effect.Effect<A, E | Errors.AdapterNotFound, R>) =>
    Effect.catchIf(
      launch,
      (error): error is Errors.AdapterNotFound => error instanceof Errors.AdapterNotFound,
      (error) => {
        const native = error.adapter === "lldb-dap" || error.adapter === "lldb"
        const { adapter: _, ...rest } = request
        const search = { ...rest, env: request.surroundings ?? request.env }
        const other = name === "dap" ? LldbProgram.find(search) : LldbDap.find(search)
        return Effect.flatMap(Effect.option(native ? other : Effect.fail(error)), (found) =>
          Effect.fail(
            found._tag === "None"
              ? error
              : new Errors.AdapterNotFound({
                  adapter: error.adapter,
                  looked: error.looked,
                  remedies: [instead(request, name === "dap" ? "lldb-cli" : "dap")]
                })
          )
        )
      }
    )

/** Every debugger of every kind on this machine, by what a caller's environment says; one entry at least for each. */
export const discover = (
  environment: Readonly<Record<string, string>>
): Effect.Effect<ReadonlyArray<Registry.Discovered>, never, Machine> =>
  Effect.zipWith(
    Registry.discover(environment),
    LldbProgram.all({ env: environment, cwd: "/" }),
    (adapters, found): ReadonlyArray<Registry.Discovered> => {
      const about = { name: "lldb", languages: LldbProgram.languages, marker: Lldb.marker }
      return [
        ...adapters,
        ...(found.length === 0 ? [{ ...about, problem: "not found" }] : found.map((one) => ({ ...about, ...one })))
      ]
    }
  )

type Needs =
  | AdapterSockets
  | ProgramStreams
  | Processes.Processes
  | ChildProcessSpawner.ChildProcessSpawner
  | FileSystem.FileSystem
  | Path.Path

/** The layer of the backend that chooses among all. */
export const layer: Layer.Layer<Backend.Backend, never, Needs> = Layer.effect(
  Backend.Backend,
  Effect.gen(function* () {
    const services = yield* Effect.context<Needs>()
    const built = {
      dap: Context.get(yield* Layer.build(DapBackend.layer), Backend.Backend),
      "lldb-cli": Context.get(yield* Layer.build(LldbCliBackend.layer), Backend.Backend)
    }
    return Backend.Backend.of({
      editorTypes: EditorTypes.all,
      runsSource: (program, settings) => built.dap.runsSource?.(program, settings) ?? false,
      launch: (request, listener) =>
        choose(request).pipe(
          Effect.flatMap((name) => built[name].launch(request, listener).pipe(offering(request, name))),
          Effect.provide(Context.omit(Scope.Scope)(services))
        )
    })
  })
)
