/**
 * Handlers that debug simulator apps: from a device and a bundle id to a process that a debugger attaches to.
 *
 * A launched app waits for its debugger. If anything fails before the debugger is attached, the app is terminated,
 * because a suspended app blocks the next installation. Afterwards the app belongs to the session and ends with it.
 */
import { BackendName, Errors, Field, Hint, type Operations, Session as Model, type Simulator } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as OutputFiles from "../../session/OutputFiles.ts"
import * as Ownership from "../../session/consent/Ownership.ts"
import { FileReader, purposes } from "../../ports/FileReader.ts"
import type { LaunchRequest } from "../../ports/Backend.ts"
import * as StartReport from "../start/StartReport.ts"
import { Manager, type Started } from "../../session/Manager.ts"
import { Processes } from "../../ports/Processes.ts"
import type { Session } from "../../session/Session.ts"
import * as Status from "../sessions/Status.ts"
import * as AppProcess from "../../simulator/AppProcess.ts"
import * as Targets from "../../simulator/Target.ts"
import type { Services } from "../../simulator/Target.ts"
import { AttachTargets as ProcessTargets } from "../../launch/AttachTargets.ts"
import * as AppEntry from "./AppEntry.ts"

/** A started session with its app. */
export interface StartedApp extends Started {
  readonly subject: Simulator.Subject
  readonly bundle: string
  readonly launched: boolean
}

type Debug = Operations.Payload<"sim.debug">
type Attach = Operations.Payload<"sim.attach">

/** Fields of `sim.debug` and `sim.attach`. */
interface Common extends Targets.Payload {
  readonly break: ReadonlyArray<string>
  readonly pending: boolean
  readonly pause: boolean
  readonly replace: boolean
  readonly backend?: BackendName.BackendName
  readonly adapter?: string
  readonly session?: string
  readonly timeout: string
  readonly context: Attach["context"]
  readonly lines: number
  readonly stop_at_main?: boolean
}

/** Returns the device, app and applied session defaults for the answer. */
const subjectOf = (payload: Common, { subject, used }: Targets.AppTarget): Simulator.Subject => {
  const backend = payload.backend === undefined ? used.find(({ key }) => key === "backend") : undefined
  return backend === undefined ? subject : { ...subject, defaults: [...subject.defaults, backend] }
}

const usage = (problem: string, hint: Hint.Hint) => new Errors.Usage({ problem, near: [], remedies: [hint] })

/** Returns the named backend, else the backend of the session defaults. */
const backendOf = (payload: Common, used: ReadonlyArray<Simulator.AppliedDefault>) => {
  const named = payload.backend ?? used.find(({ key }) => key === "backend")?.value
  if (named === undefined || named === "") return Effect.succeed(undefined)
  const name = BackendName.parse(named)
  if (name !== undefined) return Effect.succeed(name)
  const known = BackendName.names.join(", ")
  return Effect.fail(usage(`there is no backend '${named}'; there are: ${known}`, Hint.call("defaults.show", {})))
}

/** Returns the launch request that attaches to the app. */
const launchOf = Effect.fnUntraced(function* (
  payload: Common,
  target: Targets.AppTarget,
  pid: number,
  release: Effect.Effect<void> | undefined
) {
  const processes = yield* ProcessTargets
  const { break: _, ...rest } = payload
  const found = yield* processes.attach({
    pid,
    wait: false,
    include_existing: false,
    pause: payload.pause,
    break: [],
    pending: payload.pending,
    replace: payload.replace,
    timeout: payload.timeout,
    context: payload.context,
    lines: payload.lines,
    ...(rest.adapter === undefined ? {} : { adapter: rest.adapter }),
    ...(rest.directory === undefined ? {} : { directory: rest.directory }),
    ...(rest.environment === undefined ? {} : { environment: rest.environment })
  })
  const backend = yield* backendOf(payload, target.used)
  const { name, udid } = target.device
  const launch: LaunchRequest = {
    ...found,
    ...(backend === undefined ? {} : { backend }),
    ...(found.existing?.kind === "process" && release !== undefined
      ? { existing: { ...found.existing, release } }
      : {}),
    simulator: { udid, name, bundle: target.bundle }
  }
  return launch
})

const begin = Effect.fnUntraced(function* (payload: Common, launch: LaunchRequest) {
  const manager = yield* Manager
  return yield* manager.begin(launch, {
    break: payload.break,
    pending: payload.pending,
    replace: payload.replace,
    stop_at_main: payload.stop_at_main ?? false,
    ...(payload.session === undefined ? {} : { session: payload.session }),
    ...(payload.directory === undefined ? {} : { directory: payload.directory })
  })
})

/** Fails if a live session has the name and may not be replaced, before anything is installed or launched. */
const requireFreeName = Effect.fnUntraced(function* (operation: string, payload: Common) {
  const manager = yield* Manager
  const name = payload.session ?? "default"
  const known = (yield* manager.sessions).find(
    (session) => session.name === name && Model.isLive(session.log.snapshot.state)
  )
  if (known === undefined) return
  if (!payload.replace) return yield* Ownership.nameInUse(name)
  yield* Ownership.permitEnd(operation, known, "replace")
})

/** Launches the app suspended, attaches, and follows its output. */
const launched = Effect.fnUntraced(function* (
  payload: Common,
  target: Targets.AppTarget,
  app: { readonly args: ReadonlyArray<string>; readonly env: { readonly [name: string]: string } }
) {
  const processes = yield* Processes
  const fs = yield* FileSystem.FileSystem
  const { bundle, device, simulators } = target
  const started = yield* Effect.acquireUseRelease(
    Scope.make(),
    Effect.fnUntraced(function* (scope) {
      const files = yield* OutputFiles.files.pipe(
        Scope.provide(scope),
        Effect.mapError((error) => new Errors.LaunchFailed({ program: bundle, detail: error.message }))
      )
      const terminateApp = Effect.ignore(simulators.terminate(device.udid, bundle))
      // A failed or interrupted call may have launched the app, too.
      const pid = yield* simulators
        .launch(device.udid, bundle, { ...app, waitForDebugger: true, terminateExisting: true, ...files })
        .pipe(Effect.onError(() => terminateApp))
      return yield* Effect.gen(function* () {
        const identity = yield* processes.identify(pid)
        // The bundle id may belong to a newer launch by then, which must not be terminated.
        const release = Effect.gen(function* () {
          const now = yield* processes.identify(pid)
          const same = Option.isSome(identity) && Option.isSome(now) && now.value.started === identity.value.started
          if (same) yield* terminateApp
        })
        if (Option.isNone(identity)) return yield* failExited(bundle, pid, files.stderr)
        const launch = yield* launchOf(payload, target, pid, release).pipe(
          Effect.catchTag("ProcessNotFound", () => failExited(bundle, pid, files.stderr))
        )
        // Only the loader is mapped yet, so breakpoints have no location. They are checked when the app runs.
        const attached = yield* begin({ ...payload, pending: true }, launch)
        yield* OutputFiles.follow(attached.session, files)
        yield* Scope.addFinalizer(attached.session.scope, Scope.close(scope, Exit.void))
        return attached
      }).pipe(Effect.onError(() => terminateApp))
    }),
    (scope, exit) => (Exit.isFailure(exit) ? Scope.close(scope, Exit.void) : Effect.void)
  ).pipe(Effect.provideService(FileSystem.FileSystem, fs))
  return { ...started, subject: subjectOf(payload, target), bundle, launched: true } satisfies StartedApp
})

/** Fails because the app exited before the debugger was attached, with the end of its output. */
const failExited = Effect.fnUntraced(function* (bundle: string, pid: number, stderr: string) {
  const reader = yield* FileReader
  const text = yield* reader.text(stderr, purposes.input).pipe(Effect.orElseSucceed(() => ""))
  const log = text.trimEnd().split("\n").slice(-20).join("\n")
  return yield* new Errors.LaunchFailed({
    program: bundle,
    detail: `it was launched (pid ${pid}) and exited before the debugger was attached`,
    ...(log === "" ? {} : { log })
  })
})

/** True if a word names an app's folder. A bundle id may also end in `.app`. */
const isFolder = Effect.fnUntraced(function* ({ path }: Services, directory: string | undefined, word: string) {
  if (word.includes("/")) return true
  if (!word.endsWith(".app")) return false
  const fs = yield* FileSystem.FileSystem
  return yield* fs.exists(path.resolve(directory ?? ".", word)).pipe(Effect.orElseSucceed(() => false))
})

/** Fails if another session debugs the app, because a launch would terminate it. */
const requireNotDebugged = Effect.fnUntraced(function* (payload: Common, { bundle, device }: Targets.AppTarget) {
  const manager = yield* Manager
  const name = payload.session ?? "default"
  const other = (yield* manager.sessions).find(
    ({ launch, log, ...session }) =>
      session.name !== name &&
      Model.isLive(log.snapshot.state) &&
      launch.simulator?.udid === device.udid &&
      launch.simulator.bundle === bundle
  )
  if (other === undefined) return
  return yield* new Errors.InvalidState({
    problem: `session ${other.name} debugs ${bundle} on ${device.name} already`,
    remedies: [Hint.call("stop", { names: [other.name] })]
  })
})

/** Starts the session of `sim.debug`. */
export const debug = Effect.fnUntraced(function* (services: Services, payload: Debug) {
  const env = yield* Targets.variables(payload.env)
  const { app: word, simulator, ...rest } = payload
  const isApp = (text: string | undefined) =>
    text === undefined ? Effect.succeed(false) : isFolder(services, payload.directory, text)
  // If only one word is given, it may name the app instead of the simulator.
  const isOnlyApp = word === undefined && (yield* isApp(simulator))
  const folder = isOnlyApp ? simulator : (yield* isApp(word)) ? word : undefined
  const place = isOnlyApp || simulator === undefined ? rest : { ...rest, simulator }
  const named =
    folder === undefined
      ? yield* Targets.app(services, word === undefined ? place : { ...place, bundle: word })
      : undefined
  const target = named ?? (yield* Targets.device(services, place))
  yield* requireFreeName("sim.debug", payload)
  yield* target.simulators.boot(target.device.udid, true)
  const bundle = named?.bundle ?? (yield* installed(services, payload, target, folder ?? ""))
  yield* requireNotDebugged(payload, { ...target, bundle })
  return yield* launched(payload, { ...target, bundle }, { args: payload.args, env })
})

const installed = Effect.fnUntraced(function* (
  { path }: Services,
  payload: Debug,
  { device, simulators }: Targets.Target,
  folder: string
) {
  const whole = path.resolve(payload.directory ?? ".", folder)
  const bundle = yield* simulators.install(device.udid, whole)
  return (
    bundle ??
    (yield* new Errors.ProgramNotFound({
      path: whole,
      problem: "its bundle id is unknown; name it: sim debug SIM BUNDLE"
    }))
  )
})

/** Starts the session of `sim.attach`. */
export const attach = Effect.fnUntraced(function* (services: Services, payload: Attach) {
  if (payload.wait && payload.launch) {
    return yield* usage("wait and launch cannot be combined", Hint.help("sim.attach"))
  }
  const target = yield* Targets.app(services, payload)
  yield* requireFreeName("sim.attach", payload)
  const { bundle, device, simulators } = target
  if (payload.launch) yield* simulators.boot(device.udid, true)
  const running = yield* simulators.pid(device.udid, bundle)
  if (running === undefined && payload.launch) return yield* launched(payload, target, { args: [], env: {} })
  if (running === undefined && !payload.wait) return yield* yield* simulators.absent(device, bundle)
  const wait = Field.millis(payload.attach_timeout)
  const pid = running ?? (yield* AppProcess.wait(simulators, device, bundle, wait))
  const launch = yield* launchOf(payload, target, pid, undefined)
  return {
    ...(yield* begin(payload, launch)),
    subject: subjectOf(payload, target),
    bundle,
    launched: false
  } satisfies StartedApp
})

/** Answers both operations: with the first stop if one is expected, else with the running state. */
export const answer = Effect.fnUntraced(function* (session: Session, payload: Common, begun: StartedApp) {
  const stops = payload.pause || payload.stop_at_main === true || (begun.launched && payload.break.length > 0)
  const millis = stops ? Field.millis(payload.timeout) : AppEntry.timeout
  const token =
    begun.launched && !payload.pause
      ? yield* AppEntry.continueToBreakpoints(session, payload.pending, begun.token, millis)
      : begun.token
  const { data, truncated } = yield* stops
    ? StartReport.answer(session, { ...payload, wait: true }, token)
    : StartReport.current(session, payload)
  return {
    data: { ...data, simulator: begun.subject, bundle_id: begun.bundle, launched: begun.launched },
    truncated
  }
})

/** Handles `sim.guard`. */
export const guard = Effect.fnUntraced(function* (services: Services, payload: Operations.Payload<"sim.guard">) {
  const manager = yield* Manager
  const { device, subject } = yield* Targets.device(services, payload, true)
  const { udid } = device
  const here = (yield* manager.sessions).filter(({ launch, log }) => {
    const live = Model.isLive(log.snapshot.state)
    return live && (launch.simulator?.udid === udid || launch.program.includes(`/${udid}/`))
  })
  const sessions = yield* Effect.forEach(here, (session) =>
    Effect.map(Status.status(session), ({ location, pid, reason, state }) => {
      const bundle = session.launch.simulator?.bundle
      return {
        session: session.name,
        ...(bundle === undefined ? {} : { bundle_id: bundle }),
        ...(pid === undefined ? {} : { pid }),
        state,
        ...(reason === undefined ? {} : { reason }),
        ...(location === undefined ? {} : { location }),
        hints:
          state !== "stopped"
            ? []
            : [
                Hint.call("continue", { wait: false, session: session.name }),
                Hint.call("breakpoint.remove", { all: true, session: session.name }),
                Hint.call("detach", { session: session.name })
              ]
      }
    })
  )
  return { simulator: subject, paused: sessions.some(({ state }) => state === "stopped"), sessions }
})
