/**
 * Chooses the backend for a program: `dap` or `lldb-cli`. Provides the `Backend` that passes each launch to the chosen one.
 *
 * The first of these decides: `backend` of the request, `adapter` of the request (an `lldb` means `lldb-cli`),
 * `SIGTRAP_BACKEND` of the caller's environment, the setting `defaults.backend`, `dap`. Environment and settings apply to
 * native programs only, since only these have two backends.
 */
import { Lldb } from "@sigtrap/lldb"
import { Backend, type FileReader } from "@sigtrap/manager"
import { BackendName, Errors, Hint, Settings } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { Machine } from "./adapters/Adapter.ts"
import type { BackendServices } from "./process/BackendServices.ts"
import * as DapBackend from "./dap/Backend.ts"
import * as LldbProgram from "./lldb-cli/Lldb.ts"
import * as LldbCliBackend from "./lldb-cli/Backend.ts"
import * as Configuration from "./adapters/Configuration.ts"
import * as ProjectDebugger from "./adapters/ProjectDebugger.ts"
import * as Registry from "./adapters/Registry.ts"
import * as Runs from "./runs/Runs.ts"
import * as WriteRuns from "./runs/WriteRuns.ts"

/** The environment variable that names a backend. */
export const variable = "SIGTRAP_BACKEND"

const unknown = (value: string, from: string) =>
  new Errors.Usage({
    problem: `${from} is '${value}', which is not a backend; write dap or lldb-cli`,
    near: [],
    remedies: [Hint.again("start", { backend: "lldb-cli" })]
  })

const named = (value: string, from: string): Effect.Effect<BackendName.BackendName, Errors.Usage> => {
  const name = BackendName.parse(value)
  return name === undefined ? Effect.fail(unknown(value, from)) : Effect.succeed(name)
}

const isLldbProgram = (adapter: string) => LldbProgram.file.test(adapter.slice(adapter.lastIndexOf("/") + 1))

/** The backend for a request. Fails if the named one does not exist. */
export const choose = Effect.fnUntraced(function* (
  request: Backend.DebuggerChoice
): Effect.fn.Return<BackendName.BackendName, Errors.Usage, FileReader.FileReader> {
  const { adapter, backend } = request
  if (backend !== undefined) {
    const name = yield* named(backend, "--backend")
    if (adapter === undefined || isLldbProgram(adapter) === (name === "lldb-cli")) return name
    return yield* new Errors.Usage({
      problem: `the adapter ${adapter} is not driven by the backend ${name}`,
      near: [],
      remedies: [Hint.local("adapters")]
    })
  }
  if (adapter !== undefined)
    return isLldbProgram(adapter) || BackendName.parse(adapter) === "lldb-cli" ? "lldb-cli" : "dap"
  const environment = (request.callerEnv ?? request.env)[variable]
  const configured =
    environment === undefined || environment === "" ? Settings.text(request.settings, "defaults.backend") : environment
  if (configured === undefined || configured === "") return "dap"
  const name = yield* named(configured, variable)
  const native = request.existing !== undefined || (yield* Registry.choose(request)) === Registry.native
  return native ? name : "dap"
})

/** Returns the hint to make the same call with the other backend. */
const callWithBackend = ({ existing, program }: Backend.LaunchRequest, backend: BackendName.BackendName): Hint.Hint => {
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

/** Adds a hint to `AdapterNotFound`: use the other native backend, if its debugger is installed. */
const withAlternative =
  (request: Backend.LaunchRequest, name: BackendName.BackendName) =>
  <A, E, R>(launch: Effect.Effect<A, E | Errors.AdapterNotFound, R>) =>
    Effect.catchIf(
      launch,
      (error): error is Errors.AdapterNotFound => error instanceof Errors.AdapterNotFound,
      (error) => {
        const native = error.adapter === Registry.native.name || error.adapter === LldbProgram.name
        const { adapter: _, ...rest } = request
        const search = { ...rest, env: request.callerEnv ?? request.env }
        const other = name === "dap" ? LldbProgram.find(search) : Registry.native.find(search)
        return Effect.flatMap(Effect.option(native ? other : Effect.fail(error)), (found) =>
          Effect.fail(
            found._tag === "None"
              ? error
              : new Errors.AdapterNotFound({
                  adapter: error.adapter,
                  looked: error.looked,
                  remedies: [callWithBackend(request, name === "dap" ? "lldb-cli" : "dap")]
                })
          )
        )
      }
    )

/**
 * Finds every debugger on this machine by PATH and the variables of `environment`; at least one entry for each kind. `settings`
 * can describe further ones.
 */
export const discover = (
  environment: Readonly<Record<string, string>>,
  settings?: Settings.Values
): Effect.Effect<ReadonlyArray<Registry.Discovered>, never, Machine> =>
  Effect.zipWith(
    Registry.discover(environment, settings),
    LldbProgram.all({ env: environment, cwd: "/" }),
    (adapters, found): ReadonlyArray<Registry.Discovered> => {
      const { languages, name, trials } = LldbProgram
      const about = { name, languages, trials, marker: Lldb.marker }
      return [
        ...adapters,
        ...(found.length === 0 ? [{ ...about, problem: "not found" }] : found.map((one) => ({ ...about, ...one })))
      ]
    }
  )

/** Returns the program that a project's configuration file chose for a launch; undefined if the launch itself will fail. */
const projectDebugger = (request: Backend.DebuggerChoice) =>
  Effect.gen(function* () {
    if (Settings.project(request.settings) === undefined) return undefined
    if ((yield* choose(request)) === "lldb-cli") {
      return ProjectDebugger.of(request, { name: LldbProgram.name, isFile: (file) => LldbProgram.file.test(file) })
    }
    const { file, name } = yield* Registry.choose(Configuration.caller(yield* Registry.Adapters, request))
    return ProjectDebugger.of(request, { name, isFile: (path) => file.test(path) })
  }).pipe(Effect.orElseSucceed(() => undefined))

/** Returns the lldb-server of the debugger of a program; undefined if it cannot run it. */
const serverFor = Effect.fnUntraced(function* (request: Backend.LaunchRequest) {
  const { callerEnv, env } = request
  const isConsole = (yield* choose(request)) === "lldb-cli"
  const lldb = isConsole ? (yield* LldbProgram.find({ ...request, env: callerEnv ?? env })).path : undefined
  return yield* Runs.serverFor(request, lldb)
})

/** Opens runs of a program; undefined if no lldb-server belongs to its debugger. */
const runs = Effect.fnUntraced(function* (request: Backend.LaunchRequest) {
  const executable = yield* serverFor(request)
  return executable === undefined ? undefined : yield* Runs.open(request, executable)
})

/** Opens runs that count writes; undefined if no lldb-server belongs to the debugger of the program. */
const writes = Effect.fnUntraced(function* (request: Backend.LaunchRequest) {
  const executable = yield* serverFor(request)
  return executable === undefined ? undefined : yield* WriteRuns.open(request, executable)
})

/** The layer of the backend that chooses one of them. */
export const layer: Layer.Layer<Backend.Backend, never, BackendServices> = Layer.effect(
  Backend.Backend,
  Effect.gen(function* () {
    // Without the span of the layer, so that a launch is part of the trace of its call.
    const services = Context.omit(Tracer.ParentSpan)(yield* Effect.context<BackendServices>())
    const adapters = yield* Registry.Adapters
    const built = {
      dap: Context.get(yield* Layer.build(DapBackend.layer), Backend.Backend),
      "lldb-cli": Context.get(yield* Layer.build(LldbCliBackend.layer), Backend.Backend)
    }
    return Backend.Backend.of({
      editorTypes: (settings) =>
        Effect.sync(() => Registry.configured(adapters, settings).flatMap(({ editorTypes }) => editorTypes)),
      interpreterAdapter: (file) => Effect.sync(() => Registry.interpreterAdapter(adapters, file)),
      runsSource: (program, choice) => Effect.sync(() => Registry.runsSource(adapters, program, choice)),
      projectDebugger: (request) => Effect.provide(projectDebugger(request), services),
      runs: (request) => Effect.provide(runs(request), Context.omit(Scope.Scope)(services)),
      writes: (request) => Effect.provide(writes(request), Context.omit(Scope.Scope)(services)),
      launch: (request, listener) =>
        choose(request).pipe(
          Effect.flatMap((name) => built[name].launch(request, listener).pipe(withAlternative(request, name))),
          Effect.provide(Context.omit(Scope.Scope)(services))
        )
    })
  })
)
