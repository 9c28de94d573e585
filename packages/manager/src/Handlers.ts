/**
 * Operation by operation: who answers it. Around each stands the same envelope, the same choice of session, and the
 * same naming of session and state in its errors.
 */
import { Errors, Field, Settings, type Answer, type Operations } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { Defaults } from "./simulator/Defaults.ts"
import * as DefaultsOperations from "./operations/Defaults.ts"
import { Backend } from "./ports/Backend.ts"
import * as StartReport from "./operations/StartReport.ts"
import { Build } from "./launch/Build.ts"
import * as Detach from "./operations/Detach.ts"
import * as BreakpointFile from "./operations/BreakpointFile.ts"
import * as Breakpoints from "./operations/Breakpoints.ts"
import * as Catchpoints from "./operations/Catchpoints.ts"
import * as Changed from "./operations/Changed.ts"
import * as CoreFile from "./model/CoreFile.ts"
import * as Names from "./operations/Names.ts"
import * as Warnings from "./operations/Warnings.ts"
import * as Policy from "./model/Policy.ts"
import * as Start from "./operations/Start.ts"
import * as Watchpoints from "./operations/Watchpoints.ts"
import * as Capabilities from "./operations/Capabilities.ts"
import * as ResumeOptions from "./operations/ResumeOptions.ts"
import * as History from "./operations/History.ts"
import * as IdleTimeout from "./session/IdleTimeout.ts"
import * as Input from "./operations/Input.ts"
import * as Inspect from "./operations/Inspect.ts"
import { type Asking, Manager, type SelectionFailure, type Started } from "./session/Manager.ts"
import { Processes } from "./ports/Processes.ts"
import { Launch } from "./launch/Launch.ts"
import * as ConnectRetry from "./launch/ConnectRetry.ts"
import type * as StopReport from "./operations/StopReport.ts"
import * as Run from "./operations/Run.ts"
import * as Secrets from "./model/Secrets.ts"
import type { Session } from "./session/Session.ts"
import * as Sessions from "./operations/Sessions.ts"
import { SourceFiles } from "./model/SourceFiles.ts"
import * as Machine from "./operations/Machine.ts"
import * as Selection from "./operations/Selection.ts"
import * as Simulated from "./operations/Simulator.ts"
import * as SimulatorSessions from "./operations/SimulatorSessions.ts"
import { SimulatorAccess } from "./ports/Simulators.ts"
import type { Services } from "./simulator/Target.ts"
import * as Source from "./operations/Source.ts"
import * as Status from "./operations/Status.ts"
import * as Types from "./operations/Types.ts"
import * as Values from "./operations/Values.ts"
import * as Variables from "./operations/Variables.ts"
import { AttachTargets } from "./launch/AttachTargets.ts"
import * as Until from "./operations/Until.ts"

const envelope = <Data>(session: Session, reply: Inspect.Reply<Data>): Answer.Answer<Data> => {
  const { state, stop } = session.log.snapshot
  return {
    session: session.name,
    state,
    ...(stop === 0 ? {} : { stop }),
    data: reply.data,
    warnings: Warnings.of(session, reply.data),
    truncated: reply.truncated ?? []
  }
}

const bare = <Data>(data: Data): Answer.Answer<Data> => ({ state: "none", data, warnings: [], truncated: [] })

/** The handlers of all operations. */
export const make = Effect.gen(function* () {
  const manager = yield* Manager
  const program = yield* Launch
  const sources = yield* SourceFiles
  const targets = yield* AttachTargets
  const processes = yield* Processes
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const preparing = { backend: yield* Backend, building: yield* Build, manager, fs, path }
  const simulated: Services = { access: yield* SimulatorAccess, defaults: yield* Defaults, path }
  const machine = Context.make(Processes, processes).pipe(
    Context.add(FileSystem.FileSystem, fs),
    Context.add(AttachTargets, targets),
    Context.add(Manager, manager)
  )

  /** Answers without a session. */
  const without = <P, Data, E, R>(
    handle: (services: Services, payload: P) => Effect.Effect<Data, E, R>,
    payload: P
  ): Effect.Effect<Answer.Answer<Data>, E, Exclude<R, Processes | FileSystem.FileSystem | AttachTargets | Manager>> =>
    Effect.map(Effect.provideContext(handle(simulated, payload), machine), bare)

  /** Runs a handler on a session. */
  const within = <Data, E extends Errors.SigtrapError>(
    session: Session,
    handle: (session: Session) => Effect.Effect<Inspect.Reply<Data>, E, SourceFiles>
  ): Effect.Effect<Answer.Answer<Data>, E> =>
    Effect.gen(function* () {
      session.lastUsed = yield* Clock.currentTimeMillis
      return yield* handle(session).pipe(
        Effect.provideService(SourceFiles, sources.below(Settings.list(session.launch.settings, "source.roots"))),
        Effect.map((reply) => envelope(session, reply)),
        Effect.mapError((error) => Errors.locate(error, { session: session.name, state: session.log.snapshot.state }))
      )
    }).pipe(IdleTimeout.using(session))

  /** Runs a handler on the session that was asked for. */
  const on = <Data, E extends Errors.SigtrapError>(
    asking: Asking,
    handle: (session: Session) => Effect.Effect<Inspect.Reply<Data>, E, SourceFiles>
  ): Effect.Effect<Answer.Answer<Data>, E | SelectionFailure> =>
    Effect.flatMap(manager.select(asking), (session) => within(session, handle)).pipe(
      Effect.provideService(Secrets.Reveal, "reveal" in asking && asking.reveal === true)
    )

  /** Sets the program going, with what stands around that. */
  const going = <R extends StopReport.Composed, E extends Errors.SigtrapError>(
    payload: Asking & ResumeOptions.Beside,
    resume: (session: Session) => Effect.Effect<R, E, SourceFiles>
  ) => on(payload, (session) => ResumeOptions.around(session, payload, program, resume(session)))

  /** Begins a session and answers from it. */
  const begun = <Data, E extends Errors.SigtrapError, F extends Errors.SigtrapError>(
    beginning: Effect.Effect<Started, E>,
    reply: (session: Session, token: number) => Effect.Effect<Inspect.Reply<Data>, F, SourceFiles>
  ) => Effect.flatMap(beginning, ({ session, token }) => within(session, (found) => reply(found, token)))

  /** The same call with the default backend as its wish. */
  const wishing = <P extends DefaultsOperations.Wishing>(payload: P) => DefaultsOperations.wishing(simulated, payload)

  const restarted = Effect.fnUntraced(function* (payload: Operations.Payload<"restart">) {
    const session = yield* manager.select(payload)
    const problem = StartReport.restartable(session)
    if (problem !== undefined) {
      const { state } = session.log.snapshot
      return yield* Errors.locate(new Errors.InvalidState({ problem }), { session: session.name, state })
    }
    yield* Policy.permit(session.policy, "restart", "starting the program again")
    yield* Policy.before(session.policy, payload.build === undefined ? {} : { build: payload.build }, preparing)
    if (payload.build !== undefined) {
      // What the session knows of its caller's environment is what its program was given.
      const env = { ...session.launch.env, ...payload.environment }
      yield* preparing.building.build(payload.build, { cwd: path.resolve(payload.directory ?? "."), env })
    }
    return yield* manager.restart(session, {
      ...(payload.args === undefined ? {} : { args: payload.args }),
      ...(payload.stop_on_entry === undefined ? {} : { stopOnEntry: payload.stop_on_entry })
    })
  })

  const handlers: Operations.Handlers = {
    start: Effect.fnUntraced(function* (asked) {
      const { payload, warnings } = yield* Start.prepare(yield* wishing(asked), preparing)
      const answer = yield* begun(manager.start(payload), (session, token) =>
        StartReport.answer(session, payload, token)
      )
      return { ...answer, warnings: [...warnings, ...answer.warnings] }
    }),
    attach: (payload) =>
      begun(
        // Which processes are there already is looked at first: a new one may come at any moment.
        Effect.flatMap(Effect.all([targets.attach(payload), wishing(payload)]), ([launch, { settings }]) =>
          manager.begin(settings === undefined ? launch : { ...launch, settings }, payload)
        ),
        (session, token) => StartReport.attached(session, payload, token)
      ),
    core: Effect.fnUntraced(function* (payload) {
      const launch = yield* Effect.flatMap(wishing(payload), targets.core)
      const answer = yield* begun(manager.begin(launch, payload), (session, token) =>
        StartReport.opened(session, payload, token)
      )
      const warnings = yield* CoreFile.mismatch(answer.data.core, launch.program, fs)
      return { ...answer, warnings: [...warnings, ...answer.warnings] }
    }),
    connect: (payload) =>
      begun(
        Effect.flatMap(Effect.flatMap(wishing(payload), targets.connect), (launch) =>
          ConnectRetry.reach(manager.begin(launch, payload), Field.millis(payload.wait ?? "0"))
        ),
        (session, token) => StartReport.answer(session, { ...payload, wait: true }, token)
      ),
    restart: (payload) => begun(restarted(payload), (session, token) => StartReport.answer(session, payload, token)),
    detach: (payload) =>
      on(payload, (session) => Effect.provideService(Detach.detach(session, payload), Processes, processes)),
    stop: (payload) => Effect.map(Sessions.stop(manager, payload), bare),
    status: (payload) =>
      on(payload, (found) => Effect.map(Status.status(found, payload.capabilities), (data) => ({ data }))).pipe(
        Effect.catchTag("NoSession", () => Effect.succeed(bare(Status.none)))
      ),
    sessions: (payload) => Effect.map(Sessions.list(manager, payload), bare),
    "session.use": (payload) => Effect.map(Sessions.use(manager, payload), bare),
    "session.rename": (payload) => Effect.map(Sessions.rename(manager, payload), bare),
    "session.info": (payload) => on(payload, (session) => Sessions.info(manager, session, payload)),
    "session.prune": (payload) => Effect.map(Sessions.prune(manager, payload), bare),
    capabilities: (payload) =>
      on(payload, (session) => Effect.map(Capabilities.of(session), (features) => ({ data: { features } }))),
    wait: (payload) => on(payload, (session) => Run.wait(session, payload)),
    break: (payload) => on(payload, (session) => Breakpoints.set(session, payload, program)),
    logpoint: (payload) => on(payload, (session) => Breakpoints.log(session, payload, program)),
    watch: (payload) => on(payload, (session) => Watchpoints.set(session, payload)),
    catch: (payload) => on(payload, (session) => Catchpoints.set(session, payload)),
    "catch.list": (payload) => on(payload, (session) => Catchpoints.list(session)),
    "catch.remove": (payload) => on(payload, (session) => Catchpoints.remove(session, payload)),
    exception: (payload) => on(payload, (session) => Catchpoints.exception(session)),
    exceptions: (payload) => on(payload, (session) => History.exceptions(session, payload)),
    "breakpoint.info": (payload) => on(payload, (session) => Breakpoints.info(session, payload, program)),
    "breakpoint.enable": (payload) => on(payload, (session) => Breakpoints.enable(session, payload, program)),
    "breakpoint.disable": (payload) => on(payload, (session) => Breakpoints.disable(session, payload, program)),
    "breakpoint.toggle": (payload) => on(payload, (session) => Breakpoints.toggle(session, payload, program)),
    "breakpoint.find": (payload) => on(payload, (session) => Breakpoints.find(session, payload, path)),
    "breakpoint.edit": (payload) => on(payload, (session) => Breakpoints.edit(session, payload, program)),
    "breakpoint.lines": (payload) => on(payload, (session) => Breakpoints.lines(session, payload)),
    "breakpoint.save": (payload) => on(payload, (session) => BreakpointFile.save(session, payload, fs, path)),
    "breakpoint.load": (payload) => on(payload, (session) => BreakpointFile.load(session, payload, program, fs, path)),
    "breakpoint.list": (payload) => on(payload, (session) => Breakpoints.list(session, payload)),
    "breakpoint.remove": (payload) => on(payload, (session) => Breakpoints.remove(session, payload, program)),
    run: (payload) => on(payload, (session) => Run.begin(session, payload)),
    continue: (payload) =>
      going(
        payload,
        Effect.fnUntraced(function* (session) {
          if (payload.to !== undefined) {
            return yield* Until.until(session, { ...payload, at: payload.to, same_frame: false }, program)
          }
          return yield* session.held() ? Run.begin(session, payload) : Run.resume(session, payload)
        })
      ),
    next: (payload) => going(payload, (session) => Run.next(session, payload)),
    step: (payload) => going(payload, (session) => Run.step(session, payload)),
    finish: (payload) => going(payload, (session) => Run.finish(session, payload)),
    until: (payload) => going(payload, (session) => Until.until(session, payload, program)),
    stepi: (payload) => going(payload, (session) => Run.stepInstruction(session, "stepi", payload)),
    nexti: (payload) => going(payload, (session) => Run.stepInstruction(session, "nexti", payload)),
    pause: (payload) => on(payload, (session) => Run.pause(session, payload)),
    context: (payload) => on(payload, (session) => Inspect.context(session, payload)),
    backtrace: (payload) => on(payload, (session) => Inspect.backtrace(session, payload)),
    source: (payload) => on(payload, (session) => Source.source(session, payload, { fs, path })),
    files: (payload) => on(payload, (session) => Source.list(session, payload)),
    changed: (payload) => on(payload, (session) => Changed.changed(session, payload)),
    frame: (payload) => on(payload, (session) => Selection.frame(session, payload)),
    up: (payload) => on(payload, (session) => Selection.move(session, payload.count)),
    down: (payload) => on(payload, (session) => Selection.move(session, -payload.count)),
    threads: (payload) => on(payload, (session) => Selection.threads(session, payload)),
    thread: (payload) => on(payload, (session) => Selection.thread(session, payload)),
    locals: (payload) => on(payload, (session) => Variables.locals(session, payload)),
    args: (payload) => on(payload, (session) => Variables.args(session, payload)),
    globals: (payload) => on(payload, (session) => Variables.globals(session, payload)),
    vars: (payload) => on(payload, (session) => Variables.vars(session, payload)),
    find: (payload) => on(payload, (session) => Names.find(session, payload)),
    refs: (payload) => on(payload, (session) => Names.refs(session, payload)),
    print: (payload) => on(payload, (session) => Values.print(session, payload)),
    expand: (payload) => on(payload, (session) => Values.expand(session, payload)),
    set: (payload) => on(payload, (session) => Values.set(session, payload)),
    type: (payload) => on(payload, (session) => Types.type(session, payload)),
    complete: (payload) => on(payload, (session) => Types.complete(session, payload)),
    "memory.read": (payload) => on(payload, (session) => Machine.read(session, payload)),
    "memory.write": (payload) => on(payload, (session) => Machine.write(session, payload, fs, path)),
    registers: (payload) => on(payload, (session) => Machine.registers(session, payload)),
    disassemble: (payload) => on(payload, (session) => Machine.disassemble(session, payload)),
    modules: (payload) => on(payload, (session) => Machine.modules(session, payload)),
    eval: (payload) => on(payload, (session) => Inspect.evaluateAny(session, payload)),
    output: (payload) => on(payload, (session) => History.output(session, payload)),
    input: (payload) => on(payload, (session) => Input.input(session, payload, fs, path)),
    events: (payload) => on(payload, (session) => History.events(session, payload)),
    raw: (payload) => on(payload, (session) => Inspect.raw(session, payload)),
    "sim.list": (payload) => without(Simulated.list, payload),
    "sim.runtimes": (payload) => without(Simulated.runtimes, payload),
    "sim.types": (payload) => without(Simulated.types, payload),
    "sim.create": (payload) => without(Simulated.create, payload),
    "sim.clone": (payload) => without(Simulated.clone, payload),
    "sim.boot": (payload) => without(Simulated.boot, payload),
    "sim.shutdown": (payload) => without(Simulated.shutdown, payload),
    "sim.doctor": (payload) => without(Simulated.doctor, payload),
    "sim.install": (payload) => without(Simulated.install, payload),
    "sim.uninstall": (payload) => without(Simulated.uninstall, payload),
    "sim.apps": (payload) => without(Simulated.apps, payload),
    "sim.container": (payload) => without(Simulated.container, payload),
    "sim.launch": (payload) => without(Simulated.launch, payload),
    "sim.terminate": (payload) => without(Simulated.terminate, payload),
    "sim.log": (payload) => without(Simulated.log, payload),
    "sim.push": (payload) => without(Simulated.push, payload),
    "sim.screenshot": (payload) => without(Simulated.screenshot, payload),
    "sim.privacy": (payload) => without(Simulated.privacy, payload),
    "sim.location": (payload) => without(Simulated.location, payload),
    "sim.appearance": (payload) => without(Simulated.appearance, payload),
    "sim.delete": (payload) => without(Simulated.destroy("delete"), payload),
    "sim.erase": (payload) => without(Simulated.destroy("erase"), payload),
    "sim.openurl": (payload) => without(Simulated.openUrl, payload),
    "sim.status-bar": (payload) => without(Simulated.statusBar, payload),
    "sim.guard": (payload) => without(SimulatorSessions.guard, payload),
    "sim.debug": (payload) =>
      Effect.flatMap(Effect.provideContext(SimulatorSessions.debug(simulated, payload), machine), (begun) =>
        within(begun.session, (session) =>
          Effect.provideService(SimulatorSessions.answer(session, payload, begun), Manager, manager)
        )
      ),
    "sim.attach": (payload) =>
      Effect.flatMap(Effect.provideContext(SimulatorSessions.attach(simulated, payload), machine), (begun) =>
        within(begun.session, (session) =>
          Effect.provideService(SimulatorSessions.answer(session, payload, begun), Manager, manager)
        )
      ),
    "defaults.show": (payload) => without(DefaultsOperations.show, payload),
    "defaults.set": (payload) => without(DefaultsOperations.set, payload),
    "defaults.clear": (payload) => without(DefaultsOperations.clear, payload),
    "defaults.use": (payload) => without(DefaultsOperations.use, payload)
  }
  return handlers
})
