/**
 * Simulators for the manager, through `xcrun simctl`.
 *
 * Which xcrun it is, is said by the caller's `SIGTRAP_XCRUN` and else by the operating system: where that is not macOS
 * there is none, and asking fails at once. Calls of the same xcrun stand in one queue. Failures keep simctl's words; what
 * to do next is added here, in terms of our own commands.
 */
import { Simulators as Interface } from "@sigtrap/manager"
import { Errors, Hint, type Simulator as Model } from "@sigtrap/protocol"
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

/** The tools beside an xcrun that was named; without a name they are on PATH. */
const toolsOf = (path: Path.Path, xcrun: string, there: (file: string) => boolean): Toolchain.Tools => {
  const beside = (name: string) => {
    const file = path.join(path.dirname(xcrun), name)
    return xcrun.includes("/") && there(file) ? file : name
  }
  return {
    xcodeSelect: beside("xcode-select"),
    xcodebuild: beside("xcodebuild"),
    devToolsSecurity: beside("DevToolsSecurity")
  }
}

/** A text in a predicate of the system's log. */
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

/** Bundle id in an Info.plist that is XML; the binary form is left to the system. */
const bundleIdIn = (plist: string): string | undefined =>
  /<key>\s*CFBundleIdentifier\s*<\/key>\s*<string>\s*([^<\s]+)\s*<\/string>/.exec(plist)?.[1]

const make = (
  simctl: Simctl.Simctl,
  services: {
    readonly fs: FileSystem.FileSystem
    readonly path: Path.Path
    readonly tools: Toolchain.Tools
  }
): Interface.Simulators => {
  const { fs, path, tools } = services
  const told = <A>(effect: Effect.Effect<A, Failure.Failure>, about?: string): Effect.Effect<A, Interface.Failure> =>
    Effect.mapError(effect, (failure) => refused(failure, about))

  const running = Effect.fnUntraced(function* (udid: string, bundle: string) {
    const pids = yield* told(simctl.pids(udid, bundle), udid)
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
    const plist = yield* fs.readFileString(path.join(folder, "Info.plist")).pipe(Effect.orElseSucceed(() => ""))
    const written = bundleIdIn(plist)
    if (written !== undefined) return written
    const apps = yield* simctl.apps(udid).pipe(Effect.orElseSucceed((): ReadonlyArray<Apps.App> => []))
    const same = apps.filter((app) => app.kind === "User" && path.basename(app.path) === path.basename(folder))
    return same.length === 1 ? same[0]?.bundle : undefined
  })

  return {
    devices: told(Effect.map(simctl.devices, (devices) => devices.map(modelOf))),
    ofRuntime: (runtime) =>
      told(
        Effect.map(simctl.devices, (devices) =>
          devices.filter((device) => Selection.meansRuntime(runtime, device)).map(modelOf)
        )
      ),
    runtimes: told(Effect.map(simctl.list, ({ runtimes }) => runtimes.map(runtimeOf))),
    types: told(Effect.map(simctl.list, ({ types }) => types)),
    choose: (selector, unavailable = false) =>
      Effect.flatMap(told(simctl.devices), (devices) =>
        Effect.fromResult(Selection.choose(devices, selector, { unavailable })).pipe(
          Effect.map(({ device, why }) => ({ device: modelOf(device), why })),
          Effect.mapError(unchosen)
        )
      ),
    create: Effect.fnUntraced(function* (name, type, runtime) {
      const { runtimes } = yield* told(simctl.list)
      const known =
        runtime === undefined
          ? undefined
          : runtimes.find(
              (one) => one.available && Selection.meansRuntime(runtime, { ...one, runtime: one.identifier })
            )
      return yield* told(simctl.create(name, type, known?.identifier ?? runtime))
    }),
    clone: (udid, name) => told(simctl.clone(udid, name), udid),
    delete: (udid) => told(simctl.delete(udid), udid),
    erase: (udid) => told(simctl.erase(udid), udid),
    boot: (udid, ready) => told(ready ? simctl.bootReady(udid) : simctl.boot(udid), udid),
    shutdown: (udid) => told(simctl.shutdown(udid), udid),
    install: Effect.fnUntraced(function* (udid, folder) {
      const info = yield* fs.stat(folder).pipe(Effect.orElseSucceed(() => undefined))
      if (info?.type !== "Directory") {
        const problem = info === undefined ? "no such folder" : "an app is a folder whose name ends in .app"
        return yield* new Errors.ProgramNotFound({ path: folder, problem, remedies: [Hint.help("sim.install")] })
      }
      const bundle = yield* bundleOf(udid, folder)
      // An app that a debugger holds would block the installation.
      if (bundle !== undefined) yield* Effect.ignore(simctl.terminate(udid, bundle))
      yield* told(simctl.install(udid, folder), udid)
      return bundle ?? (yield* bundleOf(udid, folder))
    }),
    uninstall: (udid, bundle) => Effect.as(told(simctl.uninstall(udid, bundle), udid), { already: false }),
    apps: Effect.fnUntraced(function* (udid) {
      const apps = yield* told(simctl.apps(udid), udid)
      const rows = yield* told(simctl.rows(udid), udid)
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
    container: (udid, bundle, which) => told(simctl.container(udid, bundle, which), bundle),
    launch: (udid, bundle, how) => told(simctl.launch(udid, bundle, how), bundle),
    terminate: (udid, bundle) => told(simctl.terminate(udid, bundle), udid),
    pid: running,
    absent: Effect.fnUntraced(function* (device, bundle) {
      const apps = yield* told(simctl.apps(device.udid), device.udid)
      const rows = yield* told(simctl.rows(device.udid), device.udid)
      const there = apps.some((app) => app.bundle === bundle)
      const others = rows.flatMap((row) => (row.bundle === undefined || row.pid === undefined ? [] : [row.bundle]))
      const near = there ? [] : Selection.nearest(bundle, [...others, ...apps.map((app) => app.bundle)]).slice(0, 3)
      const words = there ? "is installed and does not run" : "is not installed"
      return new Errors.ProcessNotFound({
        target: bundle,
        detail: `${bundle} ${words} on ${device.name}${near.length === 0 ? "" : `; nearest: ${near.join(", ")}`}`,
        matches: [],
        remedies: [
          there
            ? Hint.call("sim.attach", { simulator: device.udid, bundle, launch: true })
            : Hint.call("sim.apps", { simulator: device.udid })
        ]
      })
    }),
    openUrl: (udid, url) => told(simctl.openUrl(udid, url), udid),
    push: (udid, bundle, file) => told(simctl.push(udid, bundle, file), udid),
    screenshot: (udid, file) => told(simctl.screenshot(udid, file), udid),
    privacy: (udid, action, service, bundle) => told(simctl.privacy(udid, action, service, bundle), udid),
    location: (udid, place) => told(simctl.location(udid, place), udid),
    appearance: (udid, value) => told(simctl.ui(udid, "appearance", value), udid),
    statusBar: (udid, overrides) => told(simctl.statusBar(udid, overrides), udid),
    logged: (udid, last, query) =>
      Effect.flatMap(executableOf(udid, query.bundle), (executable) =>
        told(
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

/** The layer; `platform` is the operating system as it calls itself. */
export const layer = (platform: string) =>
  Layer.effect(
    Interface.SimulatorAccess,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
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
        return make(simctl, { fs, path, tools })
      })

      return Interface.SimulatorAccess.of({ of })
    })
  )
