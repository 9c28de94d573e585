/**
 * What `recover` will do with a lost session: the launch request made again, and everything that differs from before.
 */
import { Errors, Hint, type Breakpoint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as IntentRequest from "../../launch/IntentRequest.ts"
import * as RecordedLaunch from "../../launch/RecordedLaunch.ts"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"
import * as TextAnchor from "../../model/sources/TextAnchor.ts"
import type { FileReader } from "../../ports/FileReader.ts"
import type { LaunchRequest } from "../../ports/Backend.ts"
import type { RecordedBreakpoint } from "../../ports/Intent.ts"
import type { IntentStore } from "../../ports/IntentStore.ts"
import type { Processes } from "../../ports/Processes.ts"
import type { Session } from "../../session/Session.ts"

type Plan = NonNullable<Operations.Data<"recover">["plan"]>[number]

/** Something that does not come back as it was. */
export type Loss = Plan["lost"][number]

/** Services of planning. */
export interface Services {
  readonly store: IntentStore["Service"]
  readonly processes: Processes["Service"]
  readonly fs: FileSystem.FileSystem
  readonly reader: FileReader["Service"]
}

/** A plan with the launch request and the breakpoints to set. */
export interface Prepared {
  readonly plan: Plan
  readonly launch: LaunchRequest
  readonly breakpoints: ReadonlyArray<RecordedBreakpoint>
}

/** Returns the launch request of a session. A session of an earlier daemon has only a recorded one. */
const launchOf = (session: Session, payload: Operations.Payload<"recover">, store: IntentStore["Service"]) => {
  const { adapter, log, request } = session
  const { loadOnly, ...made } =
    adapter() === undefined && request !== undefined
      ? RecordedLaunch.restore(request.launch, payload.environment ?? {}, store).launch
      : session.launch
  const isLoaded = !payload.run || (loadOnly === true && log.snapshot.stop === 0)
  return isLoaded && made.existing === undefined ? { ...made, loadOnly: true } : made
}

/** Describes variables that have no value or another one than before. */
const variables = (
  session: Session,
  payload: Operations.Payload<"recover">,
  store: IntentStore["Service"]
): ReadonlyArray<Loss> => {
  if (session.adapter() !== undefined || session.request === undefined || session.launch.existing !== undefined) {
    return []
  }
  const { changed, missing } = RecordedLaunch.restore(session.request.launch, payload.environment ?? {}, store)
  const losses = (names: ReadonlyArray<string>, why: string) =>
    names.map((name) => ({ what: `environment variable ${name}`, why }))
  return [
    ...losses(missing, "its value is not stored and the caller has none"),
    ...losses(changed, "the caller has another value")
  ]
}

/** True if nothing is known of a session but its processes. */
const isUnknown = (session: Session) => session.adapter() === undefined && session.request === undefined

/** Returns why nothing is known of a session. */
const whyUnknown = ({ intent, launch }: Session) =>
  intent.isUnusable
    ? "its record cannot be used; start the program again"
    : IntentRequest.isOff(launch.settings)
      ? "intent.store is false, so the session was not stored; start the program again"
      : "its start was not answered, so the session was not stored; start the program again"

/** Returns why a session cannot be recovered, if so. */
const problemOf = Effect.fnUntraced(function* (session: Session, launch: LaunchRequest, services: Services) {
  const { existing, program } = launch
  if (isUnknown(session)) return whyUnknown(session)
  if (existing === undefined) {
    const exists = yield* services.fs.exists(program).pipe(Effect.orElseSucceed(() => false))
    return exists ? undefined : `${program} does not exist`
  }
  if (existing.kind === "core") {
    const exists = yield* services.fs.exists(existing.file).pipe(Effect.orElseSucceed(() => false))
    return exists ? undefined : `${existing.file} does not exist`
  }
  if (existing.kind === "remote") return undefined
  if (existing.release !== undefined) return "an app of a simulator is started by sim debug only"
  const found = yield* services.processes.identify(existing.pid)
  const isSame = Option.isSome(found) && found.value.started === existing.started
  return isSame ? undefined : `process ${existing.pid} has ended`
})

/** Returns the line that has the text of a breakpoint now, if that is another one. */
const movedLine = Effect.fnUntraced(function* ({ model: { requested } }: RecordedBreakpoint) {
  const { file, line, line_text: text } = requested
  if (file === undefined || line === undefined || text === undefined) return undefined
  const sources = yield* SourceFiles
  const lines = yield* sources
    .range(file, 1, Number.MAX_SAFE_INTEGER)
    .pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  if (lines[line - 1]?.trim() === text) return undefined
  const [found, second] = TextAnchor.matches(lines, text)
  return found === undefined || second !== undefined || found === line ? undefined : { from: line, to: found }
})

/** Returns a breakpoint at another line. */
const moved = ({ model, place }: RecordedBreakpoint, line: number): RecordedBreakpoint => {
  const { requested } = model
  const text = requested.text.replace(/:\d+(?=$|:\d+$)/, `:${line}`)
  const at =
    place.kind === "line"
      ? { ...place, line }
      : place.kind === "special" && place.at.kind === "line"
        ? { ...place, at: { ...place.at, line } }
        : place
  return { place: at, model: { ...model, requested: { ...requested, text, line } } }
}

/** Returns what the debugger attaches to. */
const targetOf = ({ existing }: LaunchRequest): Pick<Plan, "pid" | "core" | "address"> => {
  switch (existing?.kind) {
    case "process":
      return { pid: existing.pid }
    case "core":
      return { core: existing.file }
    case "remote":
      return { address: `${existing.host}:${existing.port}` }
    default:
      return {}
  }
}

/** Plans the recovery of a lost session. */
export const make = Effect.fn("RecoverPlan.make")(function* (
  session: Session,
  payload: Operations.Payload<"recover">,
  services: Services
) {
  const { breakpoints: registry, log, name, request } = session
  const launch = launchOf(session, payload, services.store)
  const { args, cwd, existing, program } = launch
  const all = registry.recorded()
  const file = yield* IntentRequest.fileOf(program, services)
  const rebuilt = request?.file !== undefined && IntentRequest.isRebuilt(request.file, file)
  const moves = rebuilt
    ? (yield* Effect.forEach(all, (one) =>
        Effect.map(movedLine(one), (move) => (move === undefined ? [] : [{ id: one.model.id, ...move }]))
      )).flat()
    : []
  const lines = new Map(moves.map(({ id, to }) => [id, to]))
  const breakpoints = all.map((one) => {
    const line = lines.get(one.model.id)
    return line === undefined ? one : moved(one, line)
  })
  const problem = yield* problemOf(session, launch, services)
  const ended = session.intent.endedBy
  const plan: Plan = {
    session: name,
    how: existing === undefined ? "start" : "attach",
    reason: log.snapshot.reason ?? "the debugger is gone",
    program,
    args,
    cwd,
    ...targetOf(launch),
    ...(ended === undefined ? {} : { ended }),
    stop: log.snapshot.stop,
    breakpoints: breakpoints.map(({ model }) => model),
    ...(session.displays.items.length === 0 ? {} : { displays: session.displays.items }),
    rebuilt,
    moves,
    lost: variables(session, payload, services.store),
    ...(problem === undefined ? {} : { problem })
  }
  return { plan, launch, breakpoints } satisfies Prepared
})

/** Returns the hint to start a program that is known by its path only. */
const again = (program: string): Hint.Hints => [program === "" ? Hint.help("start") : Hint.call("start", { program })]

/** Returns the error of a plan that cannot be carried out. */
export const failure = (session: Session, { args, core, how, pid, problem, program }: Plan) =>
  problem === undefined
    ? undefined
    : isUnknown(session)
      ? new Errors.LaunchFailed({
          program: program === "" ? session.name : program,
          detail: problem,
          remedies: again(program)
        })
      : how === "attach"
        ? new Errors.AttachFailed({ target: pid === undefined ? (core ?? program) : `process ${pid}`, detail: problem })
        : new Errors.LaunchFailed({ program: [program, ...args].join(" "), detail: problem })

/** Breakpoints that `connect` takes as texts. */
const isSetByText = ({ enabled, kind }: Breakpoint.Breakpoint) => enabled && (kind === "line" || kind === "function")

/**
 * Adds to the error of a debug server that cannot be connected to the call that waits for one at its address. That call starts
 * a session of the same name, with the breakpoints that can be written as text.
 */
export const withWaitHint = <E extends { readonly _tag: string }>(
  error: E | Errors.AttachFailed,
  { name }: Session,
  { adapter, existing, program }: LaunchRequest,
  breakpoints: ReadonlyArray<RecordedBreakpoint>
): E | Errors.AttachFailed => {
  if (!(error instanceof Errors.AttachFailed) || existing?.kind !== "remote") return error
  const { detail, reason, target } = error
  const wanted = breakpoints.filter(({ model }) => isSetByText(model))
  const connect = Hint.call("connect", {
    address: `${existing.host}:${existing.port}`,
    program: program === "" ? undefined : program,
    adapter,
    break:
      wanted.length === 0
        ? undefined
        : wanted.map(({ model: { condition, requested } }) =>
            condition === undefined ? requested.text : `${requested.text} if ${condition}`
          ),
    wait: "1m",
    session: name
  })
  return new Errors.AttachFailed({ target, detail, ...(reason === undefined ? {} : { reason }), remedies: [connect] })
}

/**
 * Returns what did not come back: breakpoints without a location that had one before. Patterns and functions of libraries
 * are compared at a stop only, because some debuggers report their locations only when asked.
 */
export const unresolved = (
  before: ReadonlyArray<RecordedBreakpoint>,
  after: ReadonlyArray<Breakpoint.Breakpoint>,
  isStopped: boolean
): ReadonlyArray<Loss> =>
  before.flatMap(({ model, place }) => {
    const now = after.find(({ id }) => id === model.id)
    if (!model.resolved || !model.enabled || now === undefined || now.resolved) return []
    if (place.kind === "special" && !isStopped) return []
    return [{ what: `breakpoint ${model.id} ${model.requested.text}`, why: now.reason ?? "it has no location" }]
  })
