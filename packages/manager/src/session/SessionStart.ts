/**
 * Starts sessions: checks what a start may do, reads its breakpoints, makes the session and runs its program.
 */
import { Caller, Errors, Field, Hint, type Operations } from "@sigtrap/protocol"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as Scope from "effect/Scope"
import * as LogpointText from "../breakpoints/LogpointText.ts"
import * as StartBreakpoints from "../breakpoints/StartBreakpoints.ts"
import type { Request } from "../breakpoints/Registry.ts"
import * as IntentRequest from "../launch/IntentRequest.ts"
import type { Launch, LaunchProblem, LocationProblem } from "../launch/Launch.ts"
import * as ProjectDebuggerConsent from "../launch/ProjectDebuggerConsent.ts"
import * as SessionRoots from "../launch/SessionRoots.ts"
import * as AllowedSession from "../model/permissions/AllowedSession.ts"
import * as Permission from "../model/permissions/Permission.ts"
import * as Policy from "../model/permissions/Policy.ts"
import * as ProgramFile from "../model/ProgramFile.ts"
import { SourceFiles } from "../model/sources/SourceFiles.ts"
import type { SourceRoots } from "../model/sources/SourceRoots.ts"
import type { Backend, LaunchFailure, LaunchRequest } from "../ports/Backend.ts"
import type { FileReader } from "../ports/FileReader.ts"
import type { IntentStore } from "../ports/IntentStore.ts"
import type { Ledger } from "../ports/Ledger.ts"
import type { Processes } from "../ports/Processes.ts"
import * as Ownership from "./consent/Ownership.ts"
import * as Session from "./Session.ts"
import * as SessionSelection from "./SessionSelection.ts"
import type { SessionNames } from "./SessionNames.ts"

/** Failures of starting a session. */
export type StartFailure =
  | LaunchFailure
  | LaunchProblem
  | LocationProblem
  | Errors.SessionExists
  | Errors.BreakpointUnresolved
  | Errors.Policy
  | Errors.TierRequired
  | Errors.LeaseHeld

/** A started session. `token` is passed to `Session.outcome` to wait for the first stop. */
export interface Started {
  readonly session: Session.Session
  readonly token: number
}

/** Options shared by all operations that start a session. */
export type SessionOptions = Partial<
  Pick<
    Operations.Payload<"start">,
    | "session"
    | "break"
    | "logpoint"
    | "pending"
    | "directory"
    | "replace"
    | "stop_at_main"
    | "label"
    | "ttl"
    | "read_only"
    | "deny"
    | "sources"
    | "environment"
  >
> & {
  /** Directories of the caller's source maps. */
  readonly mapped?: ReadonlyArray<string>
}

/** Configures a session before its program runs. */
export type Configure = (session: Session.Session) => Effect.Effect<void, StartFailure>

/** Name of a session that is started without a name. */
export const defaultName = "default"

const placementOptions = ({ directory, pending }: SessionOptions) => ({
  pending: pending ?? false,
  ...(directory === undefined ? {} : { directory })
})

/** The breakpoint of `stop_at_main`. */
export const atMain: Request = {
  text: "main",
  place: { kind: "function", name: "main" },
  pending: false,
  temporary: true
}

/** Reads the breakpoints and logpoints of a start. */
const requestsOf = Effect.fnUntraced(function* (program: Launch["Service"], payload: SessionOptions) {
  const breakpoints = yield* Effect.forEach(payload.break ?? [], (text) =>
    program.breakpoint({ text, ...placementOptions(payload) })
  )
  const logpoints = yield* Effect.forEach(payload.logpoint ?? [], (text) => {
    const found = LogpointText.split(text)
    return found === undefined
      ? Effect.fail(
          new Errors.Usage({
            problem: `${text} is not a logpoint; write LOCATION :: MESSAGE`,
            near: [],
            remedies: [Hint.again("start", { logpoint: ["FILE:LINE :: n={n}"] })]
          })
        )
      : program.breakpoint({ ...found, ...placementOptions(payload) })
  })
  return [...breakpoints, ...logpoints]
})

/** Returns the places that decide the roots of a session's source text. */
const placesOf = (
  launch: LaunchRequest,
  { directory, environment, mapped, sources }: SessionOptions,
  policy: Policy.Policy,
  home: string | undefined,
  path: Path.Path
): SessionRoots.Places => {
  const absolute = (one: string) => path.resolve(directory ?? ".", one)
  const homes = [home, environment?.["HOME"]].flatMap((one) => (one === undefined || one === "" ? [] : [one]))
  return {
    directory,
    program: launch.program,
    named: (sources ?? []).map(absolute),
    mapped: (mapped ?? []).map(absolute),
    settings: launch.settings,
    policy: policy.roots,
    homes: [...new Set(homes)],
    temporary: environment?.["TMPDIR"]
  }
}

/** What sessions are started with. */
export interface Options {
  readonly programs: Launch["Service"]
  readonly machine: { readonly fs: FileSystem.FileSystem; readonly path: Path.Path }
  readonly reader: FileReader["Service"]
  readonly processes: Processes["Service"]
  readonly sources: SourceFiles["Service"]
  /** Closed after all sessions have ended. */
  readonly lifetime: Scope.Scope
  readonly services: Context.Context<Backend | Ledger | Processes | IntentStore>
  readonly recording: Parameters<typeof IntentRequest.make>[3]
  readonly names: SessionNames
  readonly end: (session: Session.Session) => Effect.Effect<unknown>
  readonly endWhenIdle: (session: Session.Session) => Effect.Effect<unknown>
}

/** Returns the function that starts a session from a launch request. `configure` runs after its breakpoints are set. */
export const make = ({
  end,
  endWhenIdle,
  lifetime,
  machine,
  names,
  processes,
  programs,
  reader,
  recording,
  services,
  sources
}: Options) => {
  const freeName = SessionSelection.free(names, end)
  const create = Effect.fnUntraced(function* (
    launch: LaunchRequest,
    payload: SessionOptions,
    policy: Policy.Policy,
    sourceRoots: SourceRoots
  ) {
    const name = payload.session ?? (yield* AllowedSession.onlySession) ?? defaultName
    const { label, ttl } = payload
    const request = yield* IntentRequest.make(launch, payload, sourceRoots, recording)
    yield* freeName(name, payload.replace === true)
    const { actor: beganBy } = yield* Caller.Current
    const options = {
      name,
      launch,
      beganBy,
      stopAtMain: payload.stop_at_main ?? false,
      policy,
      sourceRoots,
      ...(request === undefined ? {} : { request }),
      ...(label === undefined ? {} : { label }),
      ...(ttl === undefined ? {} : { ttl: Field.millis(ttl) })
    }
    const session = yield* Session.make(options, lifetime).pipe(Effect.provide(services))
    // The name is checked and taken in one step, because another call may have taken it meanwhile.
    yield* names.take(session, Ownership.nameInUse)
    return session
  })

  return Effect.fn("Manager.begin")(function* (
    requested: LaunchRequest,
    payload: SessionOptions,
    configure?: Configure
  ): Effect.fn.Return<Started, StartFailure> {
    const { deny, read_only } = payload
    const policy = Policy.of({ deny, read_only, settings: requested.settings })
    yield* Policy.check(policy, yield* Permission.Uses)
    const launch = yield* Policy.checkLaunch(policy, requested, machine)
    yield* ProjectDebuggerConsent.permit(launch, policy).pipe(Effect.provide(services))
    yield* ProgramFile.checkRunnable(launch, reader, processes.machine, (file) =>
      Effect.orElseSucceed(machine.fs.exists(file), () => true)
    )
    const sourceRoots = yield* SessionRoots.find(placesOf(launch, payload, policy, reader.home, machine.path), machine)
    const within = sources.within(sourceRoots)
    const requests = yield* requestsOf(programs, payload).pipe(Effect.provideService(SourceFiles, within))
    const session = yield* create(launch, payload, policy, sourceRoots)
    const breakpoints = [...requests, ...(session.stopAtMain ? [atMain] : [])]
    const about = { requests, program: launch.program, payload, sources: within }
    const token = yield* session
      .start(
        Effect.andThen(
          StartBreakpoints.explained(session.breakpoints.addAll(breakpoints), about),
          configure === undefined ? Effect.void : configure(session)
        )
      )
      .pipe(
        Effect.catchTag("LaunchFailed", (error) => ProgramFile.explained(error, launch, reader)),
        Effect.provide(services),
        Effect.onExit((exit) =>
          Effect.suspend(() => {
            if (Exit.isSuccess(exit)) return Effect.void
            session.intent.remove()
            // The caller gets the error at once; a debugger that does not answer takes seconds to end.
            return Effect.forkIn(names.abandon(session), lifetime, { startImmediately: true })
          })
        )
      )
    names.makeCurrent(payload.directory, session.name)
    yield* endWhenIdle(session)
    return { session, token }
  })
}
