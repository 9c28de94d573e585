/**
 * Prepares `start`: reads an editor's configuration, builds the program, finds one test of a test runner. Fields of the
 * payload override the configuration.
 */
import {
  type Answer,
  Effects,
  Errors,
  Hint,
  Operation,
  Operations,
  Session as Model,
  type Settings
} from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Backend, type EditorType } from "../../ports/Backend.ts"
import { type FileReader, purposes, searched } from "../../ports/FileReader.ts"
import type { Build } from "../../launch/Build.ts"
import * as LaunchJson from "../../launch/LaunchJson.ts"
import * as LaunchJsonKeys from "../../launch/LaunchJsonKeys.ts"
import { defaultName, type Manager } from "../../session/Manager.ts"
import * as Permission from "../../model/permissions/Permission.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import * as Ownership from "../../session/consent/Ownership.ts"
import { mapTargets } from "../../launch/LaunchOptions.ts"
import type { StartPayload } from "../../launch/Launch.ts"
import * as ProjectDebuggerConsent from "../../launch/ProjectDebuggerConsent.ts"
import * as TestRunners from "../../launch/TestRunners.ts"

type Payload = Operations.Payload<"start">

/** Services of the preparation. */
export interface Services {
  readonly backend: Backend["Service"]
  readonly building: Build["Service"]
  readonly manager: Manager["Service"]
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly reader: FileReader["Service"]
}

/** A payload with the effects of the values that come from a file. */
interface Configured {
  readonly payload: Payload
  readonly warnings: ReadonlyArray<Answer.Warning>
  readonly uses: ReadonlyArray<Effects.Use>
}

/** A prepared payload, with warnings. */
interface Prepared {
  readonly payload: StartPayload
  readonly warnings: ReadonlyArray<Answer.Warning>
}

const usage = (problem: string, hint: Hint.Hint) => new Errors.Usage({ problem, near: [], remedies: [hint] })

/** Returns the named configuration file, or the nearest one in the directory or above. */
const fileOf = Effect.fnUntraced(function* (request: Payload, { path, reader }: Services) {
  const directory = path.resolve(request.directory ?? ".")
  if (request.launch_json !== undefined) return path.resolve(directory, request.launch_json)
  for (const folder of yield* searched(reader, directory, path.dirname)) {
    const file = path.join(folder.path, ...LaunchJson.usualPath)
    if ((yield* reader.owner(file)) !== "absent") return file
  }
  return yield* usage(`there is no ${LaunchJson.usualPath.join("/")} in ${directory} or above`, Hint.help("start"))
})

/** Merges the part of a configuration for this operating system. */
const forThisSystem = Effect.fnUntraced(function* (configuration: LaunchJson.Json, fs: FileSystem.FileSystem) {
  const isMac = yield* fs.exists("/System/Library").pipe(Effect.orElseSucceed(() => false))
  const special = configuration[isMac ? "osx" : "linux"]
  return typeof special === "object" && special !== null && !Array.isArray(special)
    ? { ...configuration, ...special }
    : configuration
})

const typeOf = Effect.fnUntraced(function* (
  type: string,
  file: string,
  { backend, settings }: { readonly backend: Backend["Service"]; readonly settings: Settings.Values | undefined }
) {
  const known = yield* backend.editorTypes?.(settings) ?? Effect.succeed([])
  const found: EditorType | undefined = known.find(({ types }) => types.includes(type))
  if (found !== undefined) return found
  const all = known.flatMap(({ types }) => types).join(", ")
  return yield* usage(`${file}: no debugger for the type '${type}'; known types: ${all}`, Hint.local("adapters"))
})

/** Fills the payload from an editor's configuration. */
const configured = Effect.fnUntraced(function* (request: Payload, services: Services) {
  const { backend, fs, path, reader } = services
  const file = yield* fileOf(request, services)
  const text = yield* reader.text(file, request.launch_json === undefined ? purposes.launchJson : purposes.named).pipe(
    Effect.mapError(
      ({ detail, rule }) =>
        new Errors.Usage({
          problem: `cannot read ${file}: ${detail}`,
          near: [],
          remedies: [
            rule === "owner" ? Hint.again("start", { launch_json: file }, "if you trust it") : Hint.help("start")
          ]
        })
    )
  )
  const document = LaunchJson.parse(text)
  if (Result.isFailure(document))
    return yield* new Errors.InvalidConfig({ file, problems: [document.failure], remedies: [Hint.help("start")] })
  const chosen = LaunchJson.choose(document.success, request.launch_config)
  if (Result.isFailure(chosen)) return yield* usage(`${file}: ${chosen.failure}`, Hint.help("start"))
  const whole = yield* forThisSystem(chosen.success, fs)

  const directory = path.resolve(request.directory ?? ".")
  const folder = path.dirname(file)
  const workspace = path.basename(folder) === LaunchJson.usualPath[0] ? path.dirname(folder) : folder
  // If the configuration is for the open file, the named program is that file.
  const openFile = LaunchJson.usesOpenFile(whole["program"]) ? request.program : undefined
  const variables: LaunchJson.VariableContext = {
    workspace,
    directory,
    file: request.program === undefined ? undefined : path.resolve(directory, request.program),
    environment: request.environment ?? {},
    inputs: document.success.inputs,
    path
  }
  const resolved = LaunchJson.resolve(whole, variables)
  if (Result.isFailure(resolved)) {
    return yield* new Errors.InvalidConfig({ file, problems: [resolved.failure], remedies: [Hint.help("start")] })
  }
  const { missing, value: found } = resolved.success
  const configuration = typeof found === "object" && found !== null ? { ...found } : {}
  const starts: Readonly<Record<string, unknown>> = configuration
  if (starts["request"] === "attach" || starts["coreFile"] !== undefined || starts["coreDumpPath"] !== undefined) {
    return yield* usage(
      `${file}: this configuration attaches to an existing target and starts no program`,
      LaunchJsonKeys.callWithoutStart(starts)
    )
  }
  if (missing.size > 0) {
    const open = [...missing].some((name) => LaunchJson.usesOpenFile(name))
    return yield* usage(
      `${file}: variables without a value: ${[...missing].join(", ")}`,
      Hint.help("start", open ? "name the program: the configuration debugs the open file" : undefined)
    )
  }
  const type = yield* typeOf(String(starts["type"] ?? ""), file, { backend, settings: request.settings })
  const { envFiles, fields, unused } = LaunchJsonKeys.read(starts, type)
  const filed = yield* Effect.forEach(envFiles, (name) => {
    const whole = path.resolve(workspace, name)
    return reader.text(whole, purposes.named).pipe(
      Effect.map(LaunchJsonKeys.variables),
      Effect.mapError(({ detail }) => usage(`cannot read ${whole}: ${detail}`, Hint.help("start")))
    )
  })
  const inWorkspace = (name: string | undefined) => (name === undefined ? undefined : path.resolve(workspace, name))
  const own = (name: "stdin" | "stdout" | "stderr") =>
    request[name] !== undefined || fields[name] === undefined ? {} : { [name]: path.resolve(workspace, fields[name]) }
  const joined = (name: "init_cmd" | "pre_run_cmd" | "stop_cmd" | "adapter_opt") => {
    const both = [...(fields[name] ?? []), ...(request[name] ?? [])]
    return both.length === 0 ? {} : { [name]: both }
  }
  // Source maps are relative to the workspace.
  const maps = (fields.source_map ?? []).map((pair) => {
    const end = pair.indexOf("=")
    return `${pair.slice(0, end)}=${path.resolve(workspace, pair.slice(end + 1))}`
  })
  const adapter = request.adapter ?? (request.backend === undefined ? fields.adapter : undefined)
  const named = (openFile === undefined ? request.program : undefined) ?? inWorkspace(fields.program)
  const program =
    named === undefined ? undefined : yield* sourceIn(path.resolve(directory, named), request.settings, services)
  const payload: Payload = {
    ...request,
    ...(program === undefined ? {} : { program }),
    args: request.args.length > 0 ? request.args : (fields.args ?? []),
    cwd: request.cwd ?? inWorkspace(fields.cwd) ?? workspace,
    env: [...filed.flat(), ...(fields.env ?? []), ...request.env],
    stop_on_entry: request.stop_on_entry || fields.stop_on_entry === true,
    stop_at_main: request.stop_at_main || fields.stop_at_main === true,
    ...(adapter === undefined ? {} : { adapter }),
    ...own("stdin"),
    ...own("stdout"),
    ...own("stderr"),
    ...joined("init_cmd"),
    ...joined("pre_run_cmd"),
    ...joined("stop_cmd"),
    ...joined("adapter_opt"),
    ...(maps.length === 0 && request.source_map === undefined
      ? {}
      : { source_map: [...maps, ...(request.source_map ?? [])] })
  }
  const task = starts["preLaunchTask"]
  const warnings: ReadonlyArray<Answer.Warning> = [
    ...(task === undefined || request.build !== undefined
      ? []
      : [{ code: "TASK_NOT_RUN", message: `preLaunchTask '${String(task)}' was not run; use --build COMMAND` }]),
    ...unused
      .filter((name) => name !== "preLaunchTask")
      .map((name) => ({ code: "KEY_NOT_USED", message: `${name} of the launch configuration is not used` }))
  ]
  const allEnv = [...filed.flat(), ...(fields.env ?? [])]
  const used: Configured = { payload, warnings, uses: usesOf({ ...fields, env: allEnv }, file) }
  return used
})

const meta = () => Operation.meta(Operations.byTag("start"))

/** True for an option of an adapter that cannot hold a command: a truth value or a number. */
const isInert = (option: string): boolean => /^[^=]*=(?:true|false|-?\d+)$/.test(option)

/** Returns the effects of what a launch.json adds: its commands and options, and what is launched. */
const usesOf = (fields: LaunchJsonKeys.Fields, file: string): ReadonlyArray<Effects.Use> => {
  const { adapter: _, adapter_opt = [], args, cwd, env, program, ...others } = fields
  const options = adapter_opt.filter((option) => !isInert(option))
  const started = { program, args, cwd, env }
  return [
    { effect: "launch", field: "launch_json", value: JSON.stringify(started), source: `program of ${file}` },
    ...Object.entries({ ...others, adapter_opt: options }).flatMap(([field, value]) =>
      Effects.ofValue(meta().effects[field] ?? "owner", field, value, `${LaunchJsonKeys.keyOf(field)} of ${file}`)
    )
  ]
}

/** Returns the source file of a directory to debug: its main file, else the first that a debugger runs. */
const sourceIn = Effect.fnUntraced(function* (
  program: string,
  settings: Settings.Values | undefined,
  { backend, fs, path }: Services
) {
  const isDirectory = yield* fs.stat(program).pipe(
    Effect.map(({ type }) => type === "Directory"),
    Effect.orElseSucceed(() => false)
  )
  if (!isDirectory) return program
  const names = yield* fs.readDirectory(program).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  const choice = settings === undefined ? {} : { settings }
  const sources = (yield* Effect.filter(
    names,
    (name) => backend.runsSource?.(name, choice) ?? Effect.succeed(false)
  )).toSorted()
  const chosen = sources.find((name) => name.startsWith("main.")) ?? sources[0]
  return chosen === undefined ? program : path.join(program, chosen)
})

/** What the operations do that start a program in their own way. */
interface Ways<E, F> {
  /** Checks the rest of the call, once its caller may have its effects and before anything happens. */
  readonly check?: Effect.Effect<void, F>
  /** Finds the program in another way than by `runner` and `test`. */
  readonly search?: (payload: Payload) => Effect.Effect<Payload & Pick<StartPayload, "sourceDirectory" | "verdict">, E>
}

/** Prepares a payload of `start`. Nothing is built if the session's name is taken. */
export const prepare = Effect.fn("Start.prepare")(function* <E = never, F = never>(
  request: Payload,
  services: Services,
  { check, search }: Ways<E, F> = {}
) {
  const { building, manager, path } = services
  const name = request.session ?? defaultName
  const policy = Policy.of(request)
  yield* Policy.checkStart(policy, request, services)
  const known = (yield* manager.sessions).find((session) => session.name === name)
  if (known !== undefined && request.replace !== true && Model.isLive(known.log.snapshot.state)) {
    return yield* Ownership.nameInUse(name)
  }
  if ((request.runner === undefined) !== (request.test === undefined) && search === undefined) {
    const problem = request.test === undefined ? "--runner needs --test" : "--test needs --runner"
    return yield* usage(problem, Hint.help("start"))
  }
  const read =
    request.launch_json === undefined && request.launch_config === undefined
      ? { payload: request, warnings: [], uses: [] }
      : yield* configured(request, services)
  // The last step before something happens: what was read is what runs.
  // The null device does not need the tier of files.
  const { stdin, ...others } = request
  const uses = [...Effects.ofCall(meta(), stdin === "/dev/null" ? others : request), ...read.uses]
  const ending = known === undefined ? [] : yield* Ownership.usesToEnd(known, "replace")
  yield* Permission.permitCall("start", [...uses, ...ending])
  yield* Policy.check(policy, uses)
  if (known !== undefined) yield* Ownership.permitControl(known)
  if (check !== undefined) yield* check
  const where = { cwd: path.resolve(request.directory ?? "."), env: request.environment ?? {} }
  if (request.build !== undefined) {
    const { adapter, backend, program = "", settings } = read.payload
    const launch = {
      program: path.resolve(where.cwd, program),
      env: where.env,
      ...(adapter === undefined ? {} : { adapter }),
      ...(backend === undefined ? {} : { backend }),
      ...(settings === undefined ? {} : { settings })
    }
    yield* Effect.provideService(ProjectDebuggerConsent.permit(launch, policy), Backend, services.backend)
    yield* building.build(request.build, where)
  }
  const payload =
    search !== undefined
      ? { ...(yield* search(read.payload)) }
      : request.runner === undefined || request.test === undefined
        ? { ...read.payload }
        : yield* TestRunners.find(request.test, read.payload, services)
  const { program } = payload
  if (program === undefined) return yield* usage("PROGRAM is missing", Hint.help("start"))
  // Source maps of a launch.json are not the caller's; their directories show nothing unless they are in the project.
  const mapped = mapTargets(request.source_map ?? [])
  const prepared: Prepared = { payload: { ...payload, program, mapped }, warnings: read.warnings }
  return prepared
})
