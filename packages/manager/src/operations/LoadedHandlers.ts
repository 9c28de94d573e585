/**
 * The table of handlers: which function runs which operation, except the few in `Handlers`. `Calls` selects the session and wraps the
 * answer. `Handlers` imports this module at the first call of one of these operations, so no other module may import it.
 */
import { Errors, Field, Hint, Location, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ConnectRetry from "../launch/ConnectRetry.ts"
import * as LaunchOptions from "../launch/LaunchOptions.ts"
import * as CoreFile from "../model/cores/CoreFile.ts"
import * as CutCore from "../model/cores/CutCore.ts"
import * as ProgramFile from "../model/ProgramFile.ts"
import * as Bisect from "./run/Bisect.ts"
import * as BreakpointFile from "./breakpoints/BreakpointFile.ts"
import * as Breakpoints from "./breakpoints/Breakpoints.ts"
import * as Calls from "./Calls.ts"
import * as Capabilities from "./sessions/Capabilities.ts"
import * as Catchpoints from "./breakpoints/Catchpoints.ts"
import * as ExceptionAtStop from "./breakpoints/ExceptionAtStop.ts"
import * as Changed from "./inspection/Changed.ts"
import * as Consent from "./Consent.ts"
import * as Control from "./sessions/Control.ts"
import * as DefaultsOperations from "./sessions/Defaults.ts"
import * as Detach from "./sessions/Detach.ts"
import * as Diff from "./inspection/Diff.ts"
import * as Diverge from "./diverge/Diverge.ts"
import * as Displays from "./values/Displays.ts"
import { expand } from "./values/Expand.ts"
import * as Explain from "./Explain.ts"
import * as Events from "./inspection/Events.ts"
import * as Output from "./inspection/Output.ts"
import * as Input from "./Input.ts"
import * as Backtrace from "./frames/Backtrace.ts"
import * as Context from "./inspection/Context.ts"
import * as Evaluate from "./values/Evaluate.ts"
import * as Raw from "./Raw.ts"
import * as Machine from "./inspection/Machine.ts"
import * as Find from "./inspection/Find.ts"
import * as RunProgram from "./run/RunProgram.ts"
import * as PastStops from "./inspection/PastStops.ts"
import * as Recover from "./recover/Recover.ts"
import * as RecoverAll from "./recover/RecoverAll.ts"
import * as Script from "./Script.ts"
import * as Back from "./reexecution/Back.ts"
import * as LastWrite from "./reexecution/LastWrite.ts"
import * as ReexecutionCall from "./reexecution/ReexecutionCall.ts"
import * as Restart from "./start/Restart.ts"
import * as Resume from "./resume/Resume.ts"
import * as TimeLimit from "./resume/TimeLimit.ts"
import * as ResumingCalls from "./resume/ResumingCalls.ts"
import * as Selection from "./frames/Selection.ts"
import * as Sessions from "./sessions/Sessions.ts"
import * as Simulated from "./simulator/Simulator.ts"
import * as SimulatorSessions from "./simulator/SimulatorSessions.ts"
import * as Source from "./inspection/Source.ts"
import * as Start from "./start/Start.ts"
import * as StartReport from "./start/StartReport.ts"
import * as Tasks from "./Tasks.ts"
import * as Trace from "./Trace.ts"
import * as StopDocument from "./inspection/StopDocument.ts"
import * as Interpreters from "../launch/Interpreters.ts"
import * as Completions from "./values/Completions.ts"
import * as Types from "./values/Types.ts"
import * as Until from "./resume/Until.ts"
import * as SetValue from "./values/SetValue.ts"
import * as Values from "./values/Values.ts"
import * as Variables from "./inspection/Variables.ts"
import * as Watchpoints from "./breakpoints/Watchpoints.ts"
import { Processes } from "../ports/Processes.ts"
import { Manager } from "../session/Manager.ts"

/** Time after the limit in which a debugger ends what an expression or a command of the caller runs, in milliseconds. */
const endOfCall = 4000

/** Adds the directories of the caller's source maps, whose text may be shown. */
const mapped = <P extends { readonly source_map?: ReadonlyArray<string>; readonly path_map?: ReadonlyArray<string> }>(
  payload: P
) => ({ ...payload, mapped: LaunchOptions.mapTargets([...(payload.source_map ?? []), ...(payload.path_map ?? [])]) })

/** Handlers that start a session, or start its program again. */
const starts = (calls: Calls.Calls) => {
  const { fs, reader, manager, preparation, started, targets, withDefaultBackend, within } = calls
  const withoutDebugInformation = (program: string) =>
    ProgramFile.withoutDebugInformation(program, reader, (file) => Effect.orElseSucceed(fs.exists(file), () => false))
  /** Returns the error for a line that was not found. Without debug information no line is. */
  const unresolved = (error: Errors.BreakpointUnresolved, { directory = ".", program }: Operations.Payload<"start">) =>
    Effect.gen(function* () {
      const parsed = Location.parse(error.location)
      const isLine = Result.isSuccess(parsed) && parsed.success.kind === "line"
      const file = program === undefined || !isLine ? "" : preparation.path.resolve(directory, program)
      const [noDebug] = yield* withoutDebugInformation(file)
      return noDebug === undefined
        ? error
        : new Errors.BreakpointUnresolved({
            location: error.location,
            reason: "the program has no debug information",
            near: error.near,
            remedies: [Hint.remedy("compile the program with -g")]
          })
    })
  /** Answers in the session of a new run. */
  const reexecuted = <E extends Errors.SigtrapError, R>(
    run: Effect.Effect<ReexecutionCall.Published, E, R>,
    payload: ReexecutionCall.Payload,
    command: string
  ) => {
    const answered = Effect.flatMap(run, (found) => within(found.session, () => ReexecutionCall.answer(found, payload)))
    return TimeLimit.within(answered, payload, command, endOfCall)
  }
  return {
    start: Effect.fnUntraced(function* (asked) {
      const { payload, warnings } = yield* Start.prepare(yield* withDefaultBackend(asked), preparation)
      const replaced = yield* LaunchOptions.replaced(payload, fs, preparation.path)
      const starting = TimeLimit.ofStart(manager.start(payload, Catchpoints.fromStart(payload.catch)), payload, "start")
      const answer = yield* started(starting, (session, token) =>
        TimeLimit.within(StartReport.answer(session, payload, token), payload, "start")
      ).pipe(
        Effect.catchTag("BreakpointUnresolved", (error) => Effect.flatMap(unresolved(error, payload), Effect.fail))
      )
      const noDebug = yield* withoutDebugInformation(answer.data.program)
      return { ...answer, warnings: [...warnings, ...replaced, ...noDebug, ...answer.warnings] }
    }),
    attach: Effect.fnUntraced(function* (payload) {
      // The process list is read first: with `wait`, a process that exists already is not the one.
      const [launch, { settings }] = yield* Effect.all([targets.attach(payload), withDefaultBackend(payload)])
      const answer = yield* started(
        TimeLimit.ofStart(
          manager.begin(settings === undefined ? launch : { ...launch, settings }, mapped(payload)),
          // `wait` is that for the process.
          { timeout: payload.timeout },
          "attach"
        ),
        (session, token) => TimeLimit.within(StartReport.attached(session, payload, token), payload, "attach")
      )
      const noDebug = yield* Interpreters.attached(launch, withoutDebugInformation(launch.program), preparation.backend)
      return { ...answer, warnings: [...ProgramFile.replaced(launch), ...noDebug, ...answer.warnings] }
    }),
    core: Effect.fnUntraced(function* (payload) {
      const launch = yield* Effect.flatMap(withDefaultBackend(payload), targets.core)
      const { existing } = launch
      if (existing?.kind === "core") yield* CoreFile.refuseProgram(existing.file, launch.program, reader)
      const cut = existing?.kind === "core" ? yield* CutCore.check(existing.file, reader) : []
      const answer = yield* started(
        TimeLimit.ofStart(manager.begin(launch, mapped(payload)), payload, "core"),
        (session, token) => StartReport.coreOpened(session, payload, token)
      )
      const warnings = yield* CoreFile.mismatch(answer.data.core, launch.program, reader)
      const noDebug = yield* withoutDebugInformation(launch.program)
      return { ...answer, warnings: [...cut, ...warnings, ...noDebug, ...answer.warnings] }
    }),
    connect: Effect.fnUntraced(function* (payload) {
      const launch = yield* Effect.flatMap(withDefaultBackend(payload), targets.connect)
      const answer = yield* started(
        ConnectRetry.retry(
          TimeLimit.ofStart(manager.begin(launch, mapped(payload)), { timeout: payload.timeout }, "connect"),
          Field.millis(payload.wait ?? "0")
        ),
        (session, token) => StartReport.answer(session, { ...payload, wait: true }, token)
      )
      // A path that only the server names is one of another machine.
      const noDebug = payload.program === undefined ? [] : yield* withoutDebugInformation(launch.program)
      return { ...answer, warnings: [...noDebug, ...answer.warnings] }
    }),
    restart: Effect.fnUntraced(function* (payload) {
      const answer = yield* started(Restart.restart(preparation, payload), (session, token) =>
        TimeLimit.within(StartReport.answer(session, payload, token), payload, "restart")
      )
      const noDebug = yield* withoutDebugInformation(answer.data.program)
      return { ...answer, warnings: [...noDebug, ...answer.warnings] }
    }),
    back: (payload) => reexecuted(Back.back(payload, preparation), payload, "back"),
    "last-write": (payload) => reexecuted(LastWrite.lastWrite(payload, preparation), payload, "last-write"),
    bisect: (payload) => Bisect.bisect(calls, payload),
    diverge: (payload) => Diverge.diverge(calls, payload),
    recover: (payload) =>
      payload.all
        ? RecoverAll.recover(calls, payload)
        : Effect.flatMap(Recover.select(calls.manager, payload), (session) => RecoverAll.one(calls, session, payload))
  } satisfies Partial<Operations.Handlers>
}

/** Handlers of sessions. */
const sessions = ({ debuggers, manager, on, processes }: Calls.Calls) =>
  ({
    detach: (payload) =>
      on(payload, (session) => Effect.provideService(Detach.detach(session, payload), Processes, processes)),
    stop: (payload) => Effect.map(Sessions.stop(manager, payload), Calls.withoutSession),
    "session.use": (payload) => Effect.map(Sessions.use(manager, payload), Calls.withoutSession),
    "session.rename": (payload) => Effect.map(Sessions.rename(manager, payload), Calls.withoutSession),
    "session.info": (payload) => on(payload, (session) => Sessions.info(manager, session, payload)),
    "session.prune": (payload) => Effect.map(Sessions.prune(manager, payload), Calls.withoutSession),
    "control.take": (payload) => on(payload, (session) => Control.take(session, payload)),
    "control.release": (payload) => on(payload, Control.release),
    "control.show": (payload) => on(payload, Control.show),
    "ask.list": () => Effect.map(Consent.list(manager), Calls.withoutSession),
    "ask.answer": (payload) => Effect.map(Consent.answer(manager, payload), Calls.withoutSession),
    capabilities: (payload) =>
      on(payload, (session) => Effect.map(Capabilities.of(session), (features) => ({ data: { features } }))),
    debuggers: () => Effect.map(debuggers, (found) => Calls.withoutSession({ debuggers: found })),
    wait: (payload) => on(payload, (session) => TimeLimit.within(Resume.wait(session, payload), payload, "wait"))
  }) satisfies Partial<Operations.Handlers>

/** Handlers of breakpoints, watchpoints and exceptions. */
const breakpoints = ({ fs, launch, on, path, processes, reading }: Calls.Calls) =>
  ({
    break: (payload) => on(payload, (session) => Breakpoints.set(session, payload, launch)),
    logpoint: (payload) => on(payload, (session) => Breakpoints.log(session, payload, launch)),
    watch: (payload) => on(payload, (session) => Watchpoints.set(session, payload)),
    trace: (payload) =>
      on(payload, (session) => Effect.provideService(Trace.trace(session, payload, launch), Processes, processes)),
    "hits.list": (payload) => on(payload, (session) => Trace.list(session, payload)),
    "hits.diff": (payload) => on(payload, (session) => Trace.diff(session, payload)),
    "hits.trend": (payload) => on(payload, (session) => Trace.trend(session, payload)),
    "hits.export": (payload) => on(payload, (session) => Trace.save(session, payload, { fs, path })),
    catch: (payload) => on(payload, (session) => Catchpoints.set(session, payload)),
    "catch.list": (payload) => on(payload, (session) => Catchpoints.list(session)),
    "catch.remove": (payload) => on(payload, (session) => Catchpoints.remove(session, payload)),
    exception: (payload) => reading(payload, (session) => ExceptionAtStop.exception(session)),
    exceptions: (payload) => on(payload, (session) => Events.exceptions(session, payload)),
    "breakpoint.info": (payload) => on(payload, (session) => Breakpoints.info(session, payload, launch)),
    "breakpoint.enable": (payload) => on(payload, (session) => Breakpoints.enable(session, payload, launch)),
    "breakpoint.disable": (payload) => on(payload, (session) => Breakpoints.disable(session, payload, launch)),
    "breakpoint.toggle": (payload) => on(payload, (session) => Breakpoints.toggle(session, payload, launch)),
    "breakpoint.find": (payload) => on(payload, (session) => Breakpoints.find(session, payload, path)),
    "breakpoint.edit": (payload) => on(payload, (session) => Breakpoints.edit(session, payload, launch)),
    "breakpoint.lines": (payload) => on(payload, (session) => Breakpoints.lines(session, payload)),
    "breakpoint.save": (payload) => on(payload, (session) => BreakpointFile.save(session, payload, fs, path)),
    "breakpoint.load": (payload) => on(payload, (session) => BreakpointFile.load(session, payload, launch, fs, path)),
    "breakpoint.list": (payload) => on(payload, (session) => Breakpoints.list(session, payload)),
    "breakpoint.remove": (payload) => on(payload, (session) => Breakpoints.remove(session, payload, launch))
  }) satisfies Partial<Operations.Handlers>

/** Handlers that resume or pause the program. */
const resumes = (calls: Calls.Calls) => {
  const { launch, on } = calls
  const resuming = ResumingCalls.make(calls)
  return {
    run: (payload) => RunProgram.run(calls, payload),
    continue: (payload) =>
      resuming(
        payload,
        "continue",
        Effect.fnUntraced(function* (session) {
          if (payload.to !== undefined) {
            return yield* Until.until(session, { ...payload, at: payload.to, same_frame: false }, launch)
          }
          return yield* session.isLoaded() ? Resume.start(session, payload) : Resume.resume(session, payload)
        })
      ),
    next: (payload) => resuming(payload, "next", (session) => Resume.next(session, payload), true),
    step: (payload) => resuming(payload, "step", (session) => Resume.step(session, payload), true),
    finish: (payload) => resuming(payload, "finish", (session) => Resume.finish(session, payload), true),
    until: (payload) => resuming(payload, "until", (session) => Until.until(session, payload, launch)),
    stepi: (payload) =>
      resuming(payload, "stepi", (session) => Resume.stepInstruction(session, "stepi", payload), true),
    nexti: (payload) =>
      resuming(payload, "nexti", (session) => Resume.stepInstruction(session, "nexti", payload), true),
    pause: (payload) => on(payload, (session) => TimeLimit.within(Resume.pause(session, payload), payload, "pause"))
  } satisfies Partial<Operations.Handlers>
}

/** Handlers of source, frames and threads. */
const stack = ({ fs, manager, on, path, processes, reading }: Calls.Calls) =>
  ({
    context: (payload) =>
      on(
        payload,
        Effect.fnUntraced(function* (session) {
          const past = PastStops.requestedStop(session, payload)
          return past === undefined
            ? yield* Context.context(session, payload)
            : yield* PastStops.context(session, payload, past)
        })
      ),
    stops: (payload) => on(payload, (session) => PastStops.stops(session, payload)),
    diff: (payload) => reading(Diff.selecting(payload), (session) => Diff.diff(manager, session, payload)),
    history: (payload) => on(payload, (session) => PastStops.history(session, payload)),
    report: (payload) => on(payload, (session) => StopDocument.report(session, payload, { fs, path })),
    backtrace: (payload) => reading(payload, (session) => Backtrace.backtrace(session, payload)),
    source: (payload) => reading(payload, (session) => Source.source(session, payload, { fs, path })),
    files: (payload) => on(payload, (session) => Source.list(session, payload)),
    explain: (payload) =>
      reading(payload, (session) => Effect.provideService(Explain.explain(session, payload), Processes, processes)),
    changed: (payload) => reading(payload, (session) => Changed.changed(session, payload)),
    frame: (payload) => reading(payload, (session) => Selection.frame(session, payload)),
    up: (payload) => reading(payload, (session) => Selection.move(session, payload.count)),
    down: (payload) => reading(payload, (session) => Selection.move(session, -payload.count)),
    tasks: (payload) =>
      on(payload, (session) => Effect.provideService(Tasks.tasks(session, payload), Processes, processes)),
    threads: (payload) => on(payload, (session) => Selection.threads(session, payload)),
    thread: (payload) => reading(payload, (session) => Selection.thread(session, payload))
  }) satisfies Partial<Operations.Handlers>

/** Handlers of values, types and memory. */
const values = ({ fs, on, path, reading }: Calls.Calls) =>
  ({
    locals: (payload) => reading(payload, (session) => Variables.locals(session, payload)),
    args: (payload) => reading(payload, (session) => Variables.args(session, payload)),
    globals: (payload) => on(payload, (session) => Variables.globals(session, payload)),
    vars: (payload) => reading(payload, (session) => Variables.vars(session, payload)),
    find: (payload) => reading(payload, (session) => Find.find(session, payload)),
    refs: (payload) => reading(payload, (session) => Find.refs(session, payload)),
    print: (payload) => reading(payload, (session) => Values.print(session, payload)),
    display: (payload) => reading(payload, (session) => Displays.add(session, payload)),
    "display.list": (payload) => on(payload, (session) => Displays.list(session)),
    "display.remove": (payload) => on(payload, (session) => Displays.remove(session, payload)),
    expand: (payload) => reading(payload, (session) => expand(session, payload)),
    set: (payload) => on(payload, (session) => SetValue.set(session, payload)),
    type: (payload) => reading(payload, (session) => Types.type(session, payload)),
    complete: (payload) => on(payload, (session) => Completions.complete(session, payload)),
    "memory.read": (payload) => reading(payload, (session) => Machine.read(session, payload)),
    "memory.write": (payload) => on(payload, (session) => Machine.write(session, payload, fs, path)),
    registers: (payload) => reading(payload, (session) => Machine.registers(session, payload)),
    disassemble: (payload) => reading(payload, (session) => Machine.disassemble(session, payload)),
    modules: (payload) => on(payload, (session) => Machine.modules(session, payload)),
    eval: (payload) =>
      on(payload, (session) => TimeLimit.within(Evaluate.evaluate(session, payload), payload, "eval", endOfCall))
  }) satisfies Partial<Operations.Handlers>

/** Handlers of output, input and events. */
const events = ({ fs, on, path, reader }: Calls.Calls) =>
  ({
    output: (payload) => on(payload, (session) => Output.output(session, payload)),
    input: (payload) => on(payload, (session) => Input.input(session, payload, fs, path)),
    events: (payload) => on(payload, (session) => Events.events(session, payload)),
    raw: (payload) => on(payload, (session) => TimeLimit.within(Raw.raw(session, payload), payload, "raw", endOfCall)),
    script: (payload) => Script.run(payload, reader, { fs, path })
  }) satisfies Partial<Operations.Handlers>

/** Handlers of simulators and session defaults. */
const devices = ({ machine, manager, simulators, within, without }: Calls.Calls) =>
  ({
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
      Effect.flatMap(Effect.provideContext(SimulatorSessions.debug(simulators, payload), machine), (begun) =>
        within(begun.session, (session) =>
          Effect.provideService(SimulatorSessions.answer(session, payload, begun), Manager, manager)
        )
      ),
    "sim.attach": (payload) =>
      Effect.flatMap(Effect.provideContext(SimulatorSessions.attach(simulators, payload), machine), (begun) =>
        within(begun.session, (session) =>
          Effect.provideService(SimulatorSessions.answer(session, payload, begun), Manager, manager)
        )
      ),
    "defaults.show": (payload) => without(DefaultsOperations.show, payload),
    "defaults.set": (payload) => without(DefaultsOperations.set, payload),
    "defaults.clear": (payload) => without(DefaultsOperations.clear, payload),
    "defaults.use": (payload) => without(DefaultsOperations.use, payload)
  }) satisfies Partial<Operations.Handlers>

/** The handlers that this module has. */
export type LoadedHandlers = Omit<Operations.Handlers, "status" | "sessions">

/** Returns the handlers. */
export const make = (calls: Calls.Calls): LoadedHandlers => ({
  ...starts(calls),
  ...sessions(calls),
  ...breakpoints(calls),
  ...resumes(calls),
  ...stack(calls),
  ...values(calls),
  ...events(calls),
  ...devices(calls)
})
