/**
 * Controls simulators for the manager by `xcrun simctl`.
 *
 * `SIGTRAP_XCRUN` of the caller names the xcrun. Without it, `/usr/bin/xcrun` is used on macOS; elsewhere every call fails.
 * Calls of the same xcrun run one after another. Failures keep simctl's message and get a remedy.
 */
import { FileReader, Simulators as Interface } from "@sigtrap/manager"
import { Errors, Hint, Nearest, type Simulator as Model } from "@sigtrap/protocol"
import { Apps, type Failure, type Listing, Queue, type Runner, Selection, Simctl, Toolchain } from "@sigtrap/simctl"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { refused, unchosen } from "./Errors.ts"

const modelOf = (device: Listing.Device): Model.Device => ({
  udid: device.udid,
  name: device.name,
  state: device.state,
  runtime: `${device.platform} ${device.version}`.trim(),
  available: device.available,
  ...(device.unavailable === undefined ? {} : { unavailable: device.unavailable }),
  ...(device.type === undefined ? {} : { type: device.type }),
  ...(device.dataPath === undefined ? {} : { data_path: device.dataPath }),
  ...(device.lastBootedAt === undefined ? {} : { last_booted_at: device.lastBootedAt })
})

const runtimeOf = ({ available, build, identifier, name, unavailable, version }: Listing.Runtime): Model.Runtime => ({
  identifier,
  name,
  version,
  build,
  available,
  ...(unavailable === undefined ? {} : { unavailable })
})

/** The tools in the directory of an xcrun given by path; otherwise those on PATH. */
const toolsOf = (path: Path.Path, xcrun: string, exists: (file: string) => boolean): Toolchain.Tools => {
  const beside = (name: string) => {
    const file = path.join(path.dirname(xcrun), name)
    return xcrun.includes("/") && exists(file) ? file : name
  }
  return {
    xcodeSelect: beside("xcode-select"),
    xcodebuild: beside("xcodebuild"),
    devToolsSecurity: beside("DevToolsSecurity")
  }
}

/** A quoted text in a predicate of the system log. */
const literal = (text: string) => `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`

const logQuery = (query: Interface.LogQuery, executable: string | undefined): Simctl.LogQuery => {
  const parts = [
    ...(query.bundle === undefined
      ? []
      : [
          executable === undefined
            ? `subsystem == ${literal(query.bundle)}`
            : `(process == ${literal(executable)} OR subsystem == ${literal(query.bundle)})`
        ]),
    ...(query.predicate === undefined ? [] : [query.bundle === undefined ? query.predicate : `(${query.predicate})`])
  ]
  return { level: query.level, ...(parts.length === 0 ? {} : { predicate: parts.join(" AND ") }) }
}

/** The bundle id in an XML Info.plist; undefined for a binary one. */
const bundleIdIn = (plist: string): string | undefined =>
  /<key>\s*CFBundleIdentifier\s*<\/key>\s*<string>\s*([^<\s]+)\s*<\/string>/.exec(plist)?.[1]

const make = (
  simctl: Simctl.Simctl,
  services: {
    readonly fs: FileSystem.FileSystem
    readonly reader: FileReader.FileReader["Service"]
    readonly path: Path.Path
    readonly tools: Toolchain.Tools
  }
): Interface.Simulators => {
  const { fs, path, reader, tools } = services
  const translated = <A>(
    effect: Effect.Effect<A, Failure.Failure>,
    about?: string
  ): Effect.Effect<A, Interface.Failure> => Effect.mapError(effect, (failure) => refused(failure, about))

  const running = Effect.fnUntraced(function* (udid: string, bundle: string) {
    const pids = yield* translated(simctl.pids(udid, bundle), udid)
    const [first, second] = pids
    if (second === undefined) return first
    return yield* new Errors.ProcessNotFound({
      target: bundle,
      matches: pids.map((pid) => ({ pid, command: bundle }))
    })
  })

  const executableOf = (udid: string, bundle: string | undefined) =>
    bundle === undefined
      ? Effect.succeed(undefined)
      : simctl.apps(udid).pipe(
          Effect.map((apps) => apps.find((app) => app.bundle === bundle)?.executable),
          Effect.orElseSucceed(() => undefined)
        )

  const bundleOf = Effect.fnUntraced(function* (udid: string, folder: string) {
    const plist = yield* reader
      .text(path.join(folder, "Info.plist"), FileReader.purposes.propertyList)
      .pipe(Effect.orElseSucceed(() => ""))
    const bundle = bundleIdIn(plist)
    if (bundle !== undefined) return bundle
    const apps = yield* simctl.apps(udid).pipe(Effect.orElseSucceed((): ReadonlyArray<Apps.App> => []))
    const same = apps.filter((app) => app.kind === "User" && path.basename(app.path) === path.basename(folder))
    return same.length === 1 ? same[0]?.bundle : undefined
  })

  return {
    devices: translated(Effect.map(simctl.devices, (devices) => devices.map(modelOf))),
    ofRuntime: (runtime) =>
      translated(
        Effect.map(simctl.devices, (devices) =>
          devices.filter((device) => Selection.matchesRuntime(runtime, device)).map(modelOf)
        )
      ),
    runtimes: translated(Effect.map(simctl.list, ({ runtimes }) => runtimes.map(runtimeOf))),
    types: translated(Effect.map(simctl.list, ({ types }) => types)),
    choose: (selector, unavailable = false) =>
      Effect.flatMap(translated(simctl.devices), (devices) =>
        Effect.fromResult(Selection.choose(devices, selector, { unavailable })).pipe(
          Effect.map(({ device, why }) => ({ device: modelOf(device), why })),
          Effect.mapError(unchosen)
        )
      ),
    create: Effect.fnUntraced(function* (name, type, runtime) {
      const { runtimes } = yield* translated(simctl.list)
      const known =
        runtime === undefined
          ? undefined
          : runtimes.find(
              (one) => one.available && Selection.matchesRuntime(runtime, { ...one, runtime: one.identifier })
            )
      return yield* translated(simctl.create(name, type, known?.identifier ?? runtime))
    }),
    clone: (udid, name) => translated(simctl.clone(udid, name), udid),
    delete: (udid) => translated(simctl.delete(udid), udid),
    erase: (udid) => translated(simctl.erase(udid), udid),
    boot: (udid, ready) => translated(ready ? simctl.bootReady(udid) : simctl.boot(udid), udid),
    shutdown: (udid) => translated(simctl.shutdown(udid), udid),
    install: Effect.fnUntraced(function* (udid, folder) {
      const info = yield* fs.stat(folder).pipe(Effect.orElseSucceed(() => undefined))
      if (info?.type !== "Directory") {
        const problem = info === undefined ? "no such folder" : "an app is a folder whose name ends in .app"
        return yield* new Errors.ProgramNotFound({ path: folder, problem, remedies: [Hint.help("sim.install")] })
      }
      const bundle = yield* bundleOf(udid, folder)
      // An app under a debugger would block the installation.
      if (bundle !== undefined) yield* Effect.ignore(simctl.terminate(udid, bundle))
      yield* translated(simctl.install(udid, folder), udid)
      return bundle ?? (yield* bundleOf(udid, folder))
    }),
    uninstall: (udid, bundle) => Effect.as(translated(simctl.uninstall(udid, bundle), udid), { already: false }),
    apps: Effect.fnUntraced(function* (udid) {
      const apps = yield* translated(simctl.apps(udid), udid)
      const rows = yield* translated(simctl.rows(udid), udid)
      return apps.map(({ bundle, kind, name, path, version }): Model.App => {
        const [pid] = Apps.pidsOf(rows, bundle)
        return {
          bundle_id: bundle,
          name,
          kind,
          version,
          path,
          ...(pid === undefined ? {} : { pid })
        }
      })
    }),
    container: (udid, bundle, which) => translated(simctl.container(udid, bundle, which), bundle),
    launch: (udid, bundle, how) => translated(simctl.launch(udid, bundle, how), bundle),
    terminate: (udid, bundle) => translated(simctl.terminate(udid, bundle), udid),
    pid: running,
    absent: Effect.fnUntraced(function* (device, bundle) {
      const apps = yield* translated(simctl.apps(device.udid), device.udid)
      const rows = yield* translated(simctl.rows(device.udid), device.udid)
      const installed = apps.some((app) => app.bundle === bundle)
      const others = rows.flatMap((row) => (row.bundle === undefined || row.pid === undefined ? [] : [row.bundle]))
      const near = installed ? [] : Nearest.closest(bundle, [...others, ...apps.map((app) => app.bundle)], 3)
      const state = installed ? "is installed but does not run" : "is not installed"
      return new Errors.ProcessNotFound({
        target: bundle,
        detail: `${bundle} ${state} on ${device.name}${near.length === 0 ? "" : `; nearest: ${near.join(", ")}`}`,
        matches: [],
        remedies: [
          installed
            ? Hint.call("sim.attach", { simulator: device.udid, bundle, launch: true })
            : Hint.call("sim.apps", { simulator: device.udid })
        ]
      })
    }),
    openUrl: (udid, url) => translated(simctl.openUrl(udid, url), udid),
    push: (udid, bundle, file) => translated(simctl.push(udid, bundle, file), udid),
    screenshot: (udid, file) => translated(simctl.screenshot(udid, file), udid),
    privacy: (udid, action, service, bundle) => translated(simctl.privacy(udid, action, service, bundle), udid),
    location: (udid, place) => translated(simctl.location(udid, place), udid),
    appearance: (udid, value) => translated(simctl.ui(udid, "appearance", value), udid),
    statusBar: (udid, overrides) => translated(simctl.statusBar(udid, overrides), udid),
    logged: (udid, last, query) =>
      Effect.flatMap(executableOf(udid, query.bundle), (executable) =>
        translated(
          Effect.map(simctl.logShow(udid, last, logQuery(query, executable)), (text) => text.trimEnd().split("\n")),
          udid
        )
      ),
    log: (udid, query) =>
      Stream.unwrap(
        Effect.map(executableOf(udid, query.bundle), (executable) =>
          Stream.mapError(simctl.log(udid, logQuery(query, executable)), (failure) => refused(failure, udid))
        )
      ),
    check: Toolchain.check(simctl, tools)
  }
}

/** The layer; `platform` is the operating system's name (`process.platform`). */
export const layer = (platform: string) =>
  Layer.effect(
    Interface.SimulatorAccess,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const reader = yield* FileReader.FileReader
      const path = yield* Path.Path
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const queues = new Map<string, Queue.Queue>()

      const queueOf = Effect.fnUntraced(function* (key: string) {
        const known = queues.get(key)
        if (known !== undefined) return known
        const made = yield* Queue.make
        queues.set(key, made)
        return made
      })

      const of = Effect.fnUntraced(function* ({ deadlineMillis, environment }: Interface.Caller) {
        const named = environment["SIGTRAP_XCRUN"] ?? ""
        if (named === "" && platform !== "darwin") {
          return yield* new Errors.Platform({
            what: "simulators",
            platform,
            remedies: [Hint.remedy("set SIGTRAP_XCRUN to the path of an xcrun")]
          })
        }
        const xcrun =
          named === "" ? "/usr/bin/xcrun" : named.includes("/") ? path.resolve(environment["PWD"] ?? "/", named) : named
        const deviceSet = environment["SIGTRAP_SIMCTL_SET"] ?? ""
        const options: Runner.Options = {
          xcrun,
          environment,
          queue: yield* queueOf([xcrun, environment["DEVELOPER_DIR"] ?? "", deviceSet].join("\0")),
          ...(deviceSet === "" ? {} : { deviceSet }),
          ...(deadlineMillis === undefined ? {} : { deadline: deadlineMillis })
        }
        const simctl = yield* Effect.provideService(
          Simctl.make(options),
          ChildProcessSpawner.ChildProcessSpawner,
          spawner
        )
        const siblings = xcrun.includes("/")
          ? yield* fs.readDirectory(path.dirname(xcrun)).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
          : []
        const tools = toolsOf(path, xcrun, (file) => siblings.includes(path.basename(file)))
        return make(simctl, { fs, path, reader, tools })
      })

      return Interface.SimulatorAccess.of({ of })
    })
  )
