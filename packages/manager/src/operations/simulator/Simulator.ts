/**
 * Handlers of simulators and their apps. `SimulatorSessions` starts sessions on apps.
 */
import { Errors, Field, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Ref from "effect/Ref"
import * as FileWriter from "../../model/FileWriter.ts"
import { Processes } from "../../ports/Processes.ts"
import * as Targets from "../../simulator/Target.ts"
import type { Services } from "../../simulator/Target.ts"

type Payload<T extends Operations.Tag> = Operations.Payload<T>

const usage = (problem: string, hint: Hint.Hint) => new Errors.Usage({ problem, near: [], remedies: [hint] })

const has = (name: string, part: string | undefined) =>
  part === undefined || name.toLowerCase().includes(part.toLowerCase())

/** Time for which a launched app is watched for an early exit, in milliseconds. */
const earlyExitTimeout = 1000

/** Handles `sim.list`. */
export const list = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.list">) {
  const simulators = yield* Targets.simulatorsOf(services, payload)
  const all = yield* payload.runtime === undefined ? simulators.devices : simulators.ofRuntime(payload.runtime)
  return {
    devices: all.filter(
      ({ available, name, state }) =>
        (!payload.booted || state === "Booted") && (!payload.available || available) && has(name, payload.name)
    )
  }
})

/** Handles `sim.runtimes`. */
export const runtimes = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.runtimes">) {
  const simulators = yield* Targets.simulatorsOf(services, payload)
  return { runtimes: yield* simulators.runtimes }
})

/** Handles `sim.types`. */
export const types = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.types">) {
  const simulators = yield* Targets.simulatorsOf(services, payload)
  return { types: (yield* simulators.types).filter(({ name }) => has(name, payload.name)) }
})

/** Handles `sim.create`. */
export const create = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.create">) {
  const simulators = yield* Targets.simulatorsOf(services, payload)
  return { udid: yield* simulators.create(payload.name, payload.type, payload.runtime), name: payload.name }
})

/** Handles `sim.clone`. */
export const clone = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.clone">) {
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  return { udid: yield* simulators.clone(device.udid, payload.name), name: payload.name, simulator: subject }
})

const consent = (yes: boolean, what: string) =>
  yes
    ? Effect.void
    : Effect.fail(usage(`${what} needs --yes: it deletes the data of the device`, Hint.call("sim.list", {})))

/** Handles `sim.delete` and `sim.erase`. */
export const destroy = (how: "delete" | "erase") =>
  Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.delete">) {
    // A default does not select a device to destroy.
    if (payload.simulator === undefined) return yield* usage("name the simulator", Hint.help(`sim.${how}`))
    yield* consent(payload.yes, `sim ${how}`)
    const { device, simulators, subject } = yield* Targets.device(services, payload, how === "delete")
    yield* simulators[how](device.udid)
    return { simulator: subject, already: false }
  })

/** Handles `sim.boot`. */
export const boot = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.boot">) {
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  return { simulator: subject, ...(yield* simulators.boot(device.udid, payload.wait)) }
})

/** Handles `sim.shutdown`. */
export const shutdown = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.shutdown">) {
  if (payload.all || payload.simulator === "all") {
    const simulators = yield* Targets.simulatorsOf(services, payload)
    return yield* simulators.shutdown("all")
  }
  const { device, simulators, subject } = yield* Targets.device(services, payload, true)
  return { simulator: subject, ...(yield* simulators.shutdown(device.udid)) }
})

/** Handles `sim.doctor`. */
export const doctor = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.doctor">) {
  const simulators = yield* Targets.simulatorsOf(services, payload)
  const checks = yield* simulators.check
  return { ok: checks.every(({ ok }) => ok), checks }
})

const absolute = ({ path }: Services, payload: Targets.Payload, file: string) =>
  path.resolve(payload.directory ?? ".", file)

/** `sim.install`. A single word that is an app's folder is the app. */
export const install = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.install">) {
  const { simulator, ...rest } = payload
  const isSingleWord = payload.app === undefined && simulator?.replace(/\/+$/, "").endsWith(".app") === true
  const folder = isSingleWord ? simulator : payload.app
  if (folder === undefined) {
    return yield* new Errors.Usage({ problem: "no app is named", near: [], remedies: [Hint.help("sim.install")] })
  }
  const { device, simulators, subject } = yield* Targets.device(services, isSingleWord ? rest : payload)
  const app = absolute(services, payload, folder)
  const bundle = yield* simulators.install(device.udid, app)
  return { simulator: subject, app, ...(bundle === undefined ? {} : { bundle_id: bundle }) }
})

/** Handles `sim.uninstall`. */
export const uninstall = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.uninstall">) {
  const { bundle, device, simulators, subject } = yield* Targets.app(services, payload)
  return { simulator: subject, bundle_id: bundle, ...(yield* simulators.uninstall(device.udid, bundle)) }
})

/** Handles `sim.apps`. */
export const apps = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.apps">) {
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  const all = yield* simulators.apps(device.udid)
  return { simulator: subject, apps: all.filter(({ kind }) => payload.all || kind !== "System") }
})

/** Handles `sim.container`. */
export const container = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.container">) {
  const { bundle, device, simulators, subject } = yield* Targets.app(services, payload)
  return {
    simulator: subject,
    bundle_id: bundle,
    path: yield* simulators.container(device.udid, bundle, payload.which)
  }
})

/** Creates a file if needed, because simctl requires an existing writable file. */
const written = (fs: FileSystem.FileSystem, file: string) =>
  Effect.scoped(fs.open(file, { flag: "a" })).pipe(
    Effect.as(file),
    Effect.mapError(
      ({ message }) =>
        new Errors.Permission({ detail: `${file} cannot be written: ${message}`, remedies: [Hint.help("sim.launch")] })
    )
  )

/** Handles `sim.launch`. */
export const launch = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.launch">) {
  const { bundle, device, simulators, subject } = yield* Targets.app(services, payload)
  const env = yield* Targets.variables(payload.env)
  const fs = yield* FileSystem.FileSystem
  const file = (name: string | undefined) =>
    name === undefined ? Effect.succeed(undefined) : written(fs, absolute(services, payload, name))
  const stdout = yield* file(payload.stdout)
  const stderr = yield* file(payload.stderr)
  const before = payload.terminate_existing ? undefined : yield* simulators.pid(device.udid, bundle)
  const pid = yield* simulators.launch(device.udid, bundle, {
    args: payload.args,
    env,
    waitForDebugger: payload.wait_for_debugger,
    terminateExisting: payload.terminate_existing,
    ...(stdout === undefined ? {} : { stdout }),
    ...(stderr === undefined ? {} : { stderr })
  })
  const processes = yield* Processes
  const found = yield* processes.identify(pid)
  // The launch succeeds also for an app that exits at once.
  const ended = Option.isNone(found) || (yield* processes.awaitExit(found.value, earlyExitTimeout))
  if (ended) {
    return yield* new Errors.LaunchFailed({
      program: bundle,
      detail: `it was launched (pid ${pid}) and exited at once`
    })
  }
  return { simulator: subject, bundle_id: bundle, pid, already: before === pid }
})

/** Handles `sim.terminate`. */
export const terminate = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.terminate">) {
  const { bundle, device, simulators, subject } = yield* Targets.app(services, payload)
  return { simulator: subject, bundle_id: bundle, ...(yield* simulators.terminate(device.udid, bundle)) }
})

/** Handles `sim.log`. */
export const log = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.log">) {
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  const query = {
    level: payload.level,
    ...(payload.bundle === undefined ? {} : { bundle: payload.bundle }),
    ...(payload.predicate === undefined ? {} : { predicate: payload.predicate })
  }
  if (!payload.follow) {
    const lines = yield* simulators.logged(device.udid, payload.last, query)
    return { simulator: subject, lines: lines.slice(-payload.limit) }
  }
  const collected = yield* Ref.make<ReadonlyArray<string>>([])
  yield* simulators.log(device.udid, query).pipe(
    Stream.take(payload.limit),
    Stream.runForEach((line) => Ref.update(collected, (lines) => [...lines, line])),
    Effect.timeoutOption(Field.millis(payload.timeout))
  )
  return { simulator: subject, lines: yield* Ref.get(collected) }
})

/** Handles `sim.openurl`. */
export const openUrl = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.openurl">) {
  if (Result.isFailure(Result.try(() => new URL(payload.url)))) {
    return yield* usage(`'${payload.url}' is not a URL`, Hint.help("sim.openurl"))
  }
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  yield* simulators.openUrl(device.udid, payload.url)
  return { simulator: subject, url: payload.url }
})

/** Handles `sim.push`. */
export const push = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.push">) {
  const { bundle, device, simulators, subject } = yield* Targets.app(services, payload)
  const file = absolute(services, payload, payload.file)
  yield* simulators.push(device.udid, bundle, file)
  return { simulator: subject, bundle_id: bundle, file }
})

/** Handles `sim.screenshot`. */
export const screenshot = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.screenshot">) {
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  if (device.state !== "Booted") {
    // simctl would wait a minute for the screen.
    return yield* new Errors.InvalidState({
      problem: `${device.name} is not booted (${device.state}), so it has no screen`,
      remedies: [Hint.call("sim.boot", { simulator: device.udid })]
    })
  }
  const file = absolute(services, payload, payload.file)
  const retry = Hint.again("sim.screenshot", { force: true }, "to replace it")
  yield* FileWriter.check(
    file,
    { force: payload.force, retry },
    { fs: yield* FileSystem.FileSystem, path: services.path }
  )
  yield* simulators.screenshot(device.udid, file)
  return { simulator: subject, file }
})

/** Handles `sim.privacy`. */
export const privacy = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.privacy">) {
  if (payload.bundle === undefined && payload.action !== "reset") {
    return yield* usage(`${payload.action} needs a bundle id`, Hint.help("sim.privacy"))
  }
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  yield* simulators.privacy(device.udid, payload.action, payload.service, payload.bundle)
  return { simulator: subject, action: payload.action, service: payload.service }
})

/** Handles `sim.location`. */
export const location = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.location">) {
  const [latitude = Number.NaN, longitude = Number.NaN] = payload.place?.split(",").map(Number) ?? []
  if (payload.clear === (payload.place !== undefined)) {
    return yield* usage("give LATITUDE,LONGITUDE or --clear", Hint.help("sim.location"))
  }
  if (!payload.clear && !(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
    return yield* usage("latitude is from -90 to 90, longitude from -180 to 180", Hint.help("sim.location"))
  }
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  yield* simulators.location(device.udid, payload.clear ? undefined : { latitude, longitude })
  return { simulator: subject, ...(payload.place === undefined ? {} : { place: payload.place }) }
})

/** Handles `sim.appearance`. */
export const appearance = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.appearance">) {
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  return { simulator: subject, appearance: yield* simulators.appearance(device.udid, payload.value) }
})

const statusOptions = {
  time: "time",
  network: "dataNetwork",
  wifi_bars: "wifiBars",
  cellular_bars: "cellularBars",
  battery_level: "batteryLevel",
  battery_state: "batteryState"
} as const

const statusKeys = ["time", "network", "wifi_bars", "cellular_bars", "battery_level", "battery_state"] as const

/** Handles `sim.status-bar`. */
export const statusBar = Effect.fnUntraced(function* (services: Services, payload: Payload<"sim.status-bar">) {
  const overrides = Object.fromEntries(
    statusKeys.flatMap((key) => {
      const value = payload[key]
      return value === undefined ? [] : [[statusOptions[key], `${value}`] as const]
    })
  )
  if (payload.clear === Object.keys(overrides).length > 0) {
    return yield* usage("nothing to override was named; --clear removes all overrides", Hint.help("sim.status-bar"))
  }
  const { device, simulators, subject } = yield* Targets.device(services, payload)
  yield* simulators.statusBar(device.udid, overrides)
  return { simulator: subject, overrides }
})
