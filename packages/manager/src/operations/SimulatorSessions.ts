/**
 * Sessions on apps of simulated devices: from a device and a bundle id to a process that a debugger can take hold of.
 *
 * An app that is launched here waits for its debugger; until one holds it, every way out ends it again, since an app
 * that is left suspended blocks the next installation. Afterwards it belongs to the session and ends with it.
 */
import { Errors, Field, Hint, type Operations, Session as Model, type Simulator } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as OutputFiles from "../session/OutputFiles.ts"
import type { LaunchRequest } from "../ports/Backend.ts"
import * as StartReport from "./StartReport.ts"
import { Manager, type Started } from "../session/Manager.ts"
import { Processes } from "../ports/Processes.ts"
import type { Session } from "../session/Session.ts"
import * as Status from "./Status.ts"
import * as Targets from "../simulator/Target.ts"
import type { Services } from "../simulator/Target.ts"
import { AttachTargets as ProcessTargets } from "../launch/AttachTargets.ts"
import type { Simulators } from "../ports/Simulators.ts"

/** Between two looks for an app that is waited for, in milliseconds. */
const lookEvery = 250

/** How long an app that is held by a signal may take to show it, in milliseconds. */
const entryWithin = 500

/** How long a launched app may take to load the code that its breakpoints are in. */
const placedWithin = "5 seconds"

/** Stops that are passed over at an app's entry: of the signal that held it, of an exec. */
const entries = 3

/** A session that was begun, with what its answer tells of the app. */
export interface Begun extends Started {
  readonly subject: Simulator.Subject
  readonly bundle: string
  readonly launched: boolean
}

type Debug = Operations.Payload<"sim.debug">
type Attach = Operations.Payload<"sim.attach">

/** What both kinds of beginning are made from. */
interface Common extends Targets.Payload {
  readonly break: ReadonlyArray<string>
  readonly pending: boolean
  readonly pause: boolean
  readonly replace: boolean
  readonly backend?: "dap" | "lldb-cli"
  readonly adapter?: string
  readonly session?: string
  readonly timeout: string
  readonly context: Attach["context"]
  readonly lines: number
  readonly stop_at_main?: boolean
}

/** What the answer tells of the defaults, with the backend that came from one. */
const subjectOf = (payload: Common, { subject, used }: Targets.AppTarget): Simulator.Subject => {
  const backend = payload.backend === undefined ? used.find(({ key }) => key === "backend") : undefined
  return backend === undefined ? subject : { ...subject, defaults: [...subject.defaults, backend] }
}

const usage = (problem: string, hint: Hint.Hint) => new Errors.Usage({ problem, near: [], remedies: [hint] })

/** The driver of a call: what it says, else the default. */
const backendOf = (payload: Common, used: ReadonlyArray<Simulator.Used>) => {
  const named = payload.backend ?? used.find(({ key }) => key === "backend")?.value
  if (named === undefined || named === "") return Effect.succeed(undefined)
  if (named === "dap") return Effect.succeed("dap" as const)
  if (named === "lldb-cli" || named === "lldb") return Effect.succeed("lldb-cli" as const)
  return Effect.fail(usage(`there is no backend '${named}'; there are: dap, lldb-cli`, Hint.call("defaults.show", {})))
}

/** The process as a backend takes hold of it. */
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

/** A live session of the same name is in the way before anything is installed or launched. */
const nameIsFree = Effect.fnUntraced(function* (payload: Common) {
  const manager = yield* Manager
  if (payload.replace) return
  const name = payload.session ?? "default"
  const taken = (yield* manager.sessions).some(
    (session) => session.name === name && Model.isLive(session.log.snapshot.state)
  )
  if (taken) return yield* new Errors.SessionExists({ name })
})

/** Launches the app held, takes hold of it, and follows what it writes. */
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
      const held = Effect.ignore(simulators.terminate(device.udid, bundle))
      // A call that is given up may have launched it all the same.
      const pid = yield* simulators
        .launch(device.udid, bundle, { ...app, waitForDebugger: true, terminateExisting: true, ...files })
        .pipe(Effect.onError(() => held))
      return yield* Effect.gen(function* () {
        const identity = yield* processes.identify(pid)
        // A bundle id may belong to a newer launch by then; that one is not ours to end.
        const release = Effect.gen(function* () {
          const now = yield* processes.identify(pid)
          const same = Option.isSome(identity) && Option.isSome(now) && now.value.started === identity.value.started
          if (same) yield* held
        })
        if (Option.isNone(identity)) return yield* died(bundle, pid, files.stderr)
        const launch = yield* launchOf(payload, target, pid, release).pipe(
          Effect.catchTag("ProcessNotFound", () => died(bundle, pid, files.stderr))
        )
        // Where only the loader is mapped yet, no breakpoint has a place: that is looked at when the app runs.
        const begun = yield* begin({ ...payload, pending: true }, launch)
        yield* OutputFiles.follow(begun.session, files)
        yield* Scope.addFinalizer(begun.session.scope, Scope.close(scope, Exit.void))
        return begun
      }).pipe(Effect.onError(() => held))
    }),
    (scope, exit) => (Exit.isFailure(exit) ? Scope.close(scope, Exit.void) : Effect.void)
  ).pipe(Effect.provideService(FileSystem.FileSystem, fs))
  return { ...started, subject: subjectOf(payload, target), bundle, launched: true } satisfies Begun
})

/** The app has ended before a debugger could hold it; with the end of what it wrote. */
const died = Effect.fnUntraced(function* (bundle: string, pid: number, stderr: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs.readFileString(stderr).pipe(Effect.orElseSucceed(() => ""))
  const log = text.trimEnd().split("\n").slice(-20).join("\n")
  return yield* new Errors.LaunchFailed({
    program: bundle,
    detail: `it was launched (pid ${pid}) and ended before a debugger held it`,
    ...(log === "" ? {} : { log })
  })
})

/** Whether a word names the folder of an app: many a bundle id ends in `.app` as well. */
const isFolder = Effect.fnUntraced(function* ({ path }: Services, directory: string | undefined, word: string) {
  if (word.includes("/")) return true
  if (!word.endsWith(".app")) return false
  const fs = yield* FileSystem.FileSystem
  return yield* fs.exists(path.resolve(directory ?? ".", word)).pipe(Effect.orElseSucceed(() => false))
})

/** An app that another session of ours holds must not be ended by launching it anew. */
const heldElsewhere = Effect.fnUntraced(function* (payload: Common, { bundle, device }: Targets.AppTarget) {
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

/** `sim debug`, up to the session. */
export const debug = Effect.fnUntraced(function* (services: Services, payload: Debug) {
  yield* nameIsFree(payload)
  const env = yield* Targets.variables(payload.env)
  const { app: word, simulator, ...rest } = payload
  const isApp = (text: string | undefined) =>
    text === undefined ? Effect.succeed(false) : isFolder(services, payload.directory, text)
  // One word alone may be the app: a folder, or a bundle id.
  const only = word === undefined && (yield* isApp(simulator))
  const folder = only ? simulator : (yield* isApp(word)) ? word : undefined
  const place = only || simulator === undefined ? rest : { ...rest, simulator }
  const named =
    folder === undefined
      ? yield* Targets.app(services, word === undefined ? place : { ...place, bundle: word })
      : undefined
  const target = named ?? (yield* Targets.device(services, place))
  yield* target.simulators.boot(target.device.udid, true)
  const bundle = named?.bundle ?? (yield* installed(services, payload, target, folder ?? ""))
  yield* heldElsewhere(payload, { ...target, bundle })
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
      problem: "its bundle id cannot be told; name it: sim debug SIM BUNDLE"
    }))
  )
})

const appears = Effect.fnUntraced(function* (
  simulators: Simulators,
  device: Simulator.Device,
  bundle: string,
  millis: number
) {
  const since = yield* Clock.currentTimeMillis
  for (;;) {
    const pid = yield* simulators.pid(device.udid, bundle)
    if (pid !== undefined) return pid
    const left = since + millis - (yield* Clock.currentTimeMillis)
    if (left <= 0)
      return yield* new Errors.WaitTimeout({ waited_ms: Math.round(millis), output_bytes: 0, awaited: bundle })
    yield* Effect.sleep(Math.min(lookEvery, left))
  }
})

/** `sim attach`, up to the session. */
export const attach = Effect.fnUntraced(function* (services: Services, payload: Attach) {
  if (payload.wait && payload.launch) {
    return yield* usage("wait leaves the launch to somebody else; give wait or launch", Hint.help("sim.attach"))
  }
  yield* nameIsFree(payload)
  const target = yield* Targets.app(services, payload)
  const { bundle, device, simulators } = target
  if (payload.launch) yield* simulators.boot(device.udid, true)
  const running = yield* simulators.pid(device.udid, bundle)
  if (running === undefined && payload.launch) return yield* launched(payload, target, { args: [], env: {} })
  if (running === undefined && !payload.wait) return yield* yield* simulators.absent(device, bundle)
  const wait = Field.millis(payload.attach_timeout)
  const pid = running ?? (yield* appears(simulators, device, bundle, wait))
  const launch = yield* launchOf(payload, target, pid, undefined)
  return {
    ...(yield* begin(payload, launch)),
    subject: subjectOf(payload, target),
    bundle,
    launched: false
  } satisfies Begun
})

/** Sets an app going that a signal held at its entry, which shows as a stop that nobody asked for. */
const passEntry = Effect.fnUntraced(function* (session: Session, first: number, millis: number) {
  let token = first
  for (let time = 0; time < entries; time++) {
    const seen = yield* session.outcome(token, millis)
    const stopped = Option.isSome(seen) && seen.value.state === "stopped" ? seen.value.stopped : undefined
    const held =
      stopped !== undefined &&
      stopped.breakpoints.length === 0 &&
      (stopped.reason === "pause" || stopped.reason === "entry" || /exec\b|SIGSTOP/.test(stopped.description ?? ""))
    if (!held) return token
    // Somebody else may have set it going meanwhile.
    token = yield* session
      .resume("continue", stopped.thread)
      .pipe(Effect.catchTag(["NotStopped", "ThreadNotFound", "InvalidState"], () => Effect.succeed(token)))
  }
  return token
})

const unplaced = (session: Session) => session.breakpoints.list().find(({ resolved }) => !resolved)

/** Waits until every breakpoint has a place, or the app stops or ends. */
const placed = Effect.fnUntraced(function* (session: Session) {
  while (unplaced(session) !== undefined && session.log.snapshot.state === "running") {
    yield* session.log.reaches(session.log.journal.next)
  }
})

/** Lets a launched app go to where its breakpoints can have a place; one that gets none there ends the session. */
const gone = Effect.fnUntraced(function* (session: Session, payload: Common, first: number, millis: number) {
  const token = yield* passEntry(session, first, unplaced(session) === undefined ? millis : entryWithin)
  if (unplaced(session) === undefined) return token
  yield* Effect.timeoutOption(placed(session), placedWithin)
  const missing = unplaced(session)
  if (missing !== undefined && !payload.pending && session.log.snapshot.state === "running") {
    const manager = yield* Manager
    yield* manager.end(session)
    return yield* new Errors.BreakpointUnresolved({
      location: missing.requested.text,
      reason: missing.reason ?? "no code of the app has it",
      near: []
    })
  }
  return yield* passEntry(session, token, millis)
})

/** The answer of both: the first stop where there is something to stop at, else that it runs. */
export const answer = Effect.fnUntraced(function* (session: Session, payload: Common, begun: Begun) {
  const stops = payload.pause || payload.stop_at_main === true || (begun.launched && payload.break.length > 0)
  const millis = stops ? Field.millis(payload.timeout) : entryWithin
  const token = begun.launched && !payload.pause ? yield* gone(session, payload, begun.token, millis) : begun.token
  const { data, truncated } = yield* stops
    ? StartReport.answer(session, { ...payload, wait: true }, token)
    : StartReport.standing(session, payload)
  return {
    data: { ...data, simulator: begun.subject, bundle_id: begun.bundle, launched: begun.launched },
    truncated
  }
})

/** `sim guard` */
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
