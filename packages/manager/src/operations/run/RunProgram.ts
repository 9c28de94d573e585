/**
 * The handler of `run`: one run of a program under its debugger, or runs until it fails.
 */
import { type Answer, Errors, Field, Hint, MonotonicTime, type Operations, RunReport } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Catchpoints from "../breakpoints/Catchpoints.ts"
import { withoutSession, type Calls } from "../Calls.ts"
import * as TestRunners from "../../launch/TestRunners.ts"
import * as FailureRule from "../../model/runs/FailureRule.ts"
import * as Permission from "../../model/permissions/Permission.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import * as Ownership from "../../session/consent/Ownership.ts"
import type { Session } from "../../session/Session.ts"
import * as Hunt from "./Hunt.ts"
import * as RestartHunt from "./RestartHunt.ts"
import { RunCount, counted } from "./RunCount.ts"
import * as RunFiles from "./RunFiles.ts"
import * as Resume from "../resume/Resume.ts"
import * as TimeLimit from "../resume/TimeLimit.ts"
import * as RunTrace from "./RunTrace.ts"
import * as SingleRun from "./SingleRun.ts"
import * as Start from "../start/Start.ts"
import type { Report } from "../stops/StopReport.ts"
import * as TracedHunt from "./TracedHunt.ts"

type Payload = Operations.Payload<"run">

/** Name of the session that keeps a failure. */
const failedName = "failed"

/** Default times. */
const defaults = { once: "60s", hunt: "10m" }

const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("run")] })

/** Returns the payload of the start of each run, without the fields of `run` alone: `start` would need the owner for them. */
const startPayload = (payload: Payload, session: string): Operations.Payload<"start"> => {
  const {
    all: _all,
    at_stop: _at,
    failing: _failing,
    eval: _eval,
    fail_if: _fail,
    junit: _junit,
    keep: _keep,
    locals: _locals,
    max_stops: _stops,
    native_first: _native,
    parallel: _parallel,
    report: _report,
    same_signature: _same,
    trace: _trace,
    until_failure: _until,
    ...rest
  } = payload
  // No client writes to the program meanwhile, so it reads the end of its input at once.
  const stdin = payload.stdin ?? "/dev/null"
  return { ...rest, stdin, session, stop_on_entry: false, stop_at_main: false, run: true, wait: true, timeout: "30s" }
}

/** The longest name of a session of one run: it ends with the call. */
const temporaryName = (sessions: ReadonlyArray<Session>): string => {
  const names = new Set(sessions.map(({ name }) => name))
  for (let turn = 1; ; turn++) {
    const name = turn === 1 ? "run" : `run-${turn}`
    if (!names.has(name)) return name
  }
}

/** Most failed tests that are listed. */
const mostTests = 20

const listOf = (tests: TestRunners.Failed["tests"]) => (tests.length === 0 ? {} : { list: tests.slice(0, mostTests) })

const testsOf = (found: TestRunners.Failed | undefined) =>
  found === undefined ? undefined : { failed: found.failed, first: found.name, ...listOf(found.tests) }

/** The answer if tests have failed and none can be debugged: their places, and what is missing. */
const undebugged = (
  { failed, kind, tests }: Pick<TestRunners.Failed, "failed" | "kind" | "tests">,
  error: Errors.SigtrapError
) => {
  const run: RunReport.RunSummary = {
    ...counted(1, 1),
    outcome: "failed",
    signatures: [],
    median_ms: 0,
    by: kind,
    tests: { failed, ...listOf(tests) },
    handover: `no debugger for its tests (${Errors.meta(error).code})`
  }
  const data: RunReport.RunReport = { event: "exited", run }
  const { hints, message } = error
  const warnings = [{ code: Errors.meta(error).code, message, ...(hints.length === 0 ? {} : { hints }) }]
  return { data, run, answer: { ...withoutSession(data), warnings } }
}

/** Errors of a start that mean that there is no debugger. */
const noDebugger = ["AdapterNotFound", "AdapterStartFailed", "ToolMissing", "Unsupported", "VersionTooOld"] as const

/** The answer if no test has failed. */
const allPassed = ({ kind }: TestRunners.NoFailure) => {
  const run: RunReport.RunSummary = {
    ...counted(1, 0),
    outcome: "passed",
    signatures: [],
    median_ms: 0,
    by: kind,
    tests: { failed: 0 }
  }
  const data: RunReport.RunReport = { event: "exited", exit_code: 0, run }
  return Effect.succeed({ data, run, answer: withoutSession(data) })
}

/** Fails if a file that the call writes cannot be written. */
const checkFiles = (calls: Calls, payload: Payload) => RunFiles.check(payload, Policy.of(payload), calls)

/** The warning that a run without a failure does not show that its test passed. */
const unknownVerdict = (verdict: FailureRule.Verdict | undefined) => {
  if (verdict?.isUnknown !== true) return []
  const message = `whether the test passed is unknown: ${verdict.by} decides it, not the exit code`
  return [{ code: "TEST_VERDICT", message, hints: [] }]
}

/** What a single run needs. */
interface Single {
  readonly rules: FailureRule.Rules
  /** The end of the time, as `MonotonicTime`. */
  readonly deadline: number
  /** The whole time, in milliseconds. */
  readonly limit: number
  readonly keep: boolean
}

/** True if a call asks for what a debugger alone can do. */
const needsDebugger = ({ break: places, catch: caught = [], eval: expressions = [], trace = [] }: Payload) =>
  [places, caught, expressions, trace].some((one) => one.length > 0)

/** Bounds what a runner does without a debugger: it builds, lists and runs tests. */
const testing = <A, E, R>(
  preparing: Effect.Effect<A, E, R>,
  { runner }: Payload,
  deadline: number,
  limit: number
): Effect.Effect<A, E | Errors.RequestTimeout, R> =>
  Effect.flatMap(MonotonicTime.now, (now) =>
    TimeLimit.bounded(preparing, Math.max(0, deadline - now), {
      command: "run",
      millis: limit,
      by: runner === undefined || runner === "auto" ? "the tests" : `the tests of ${runner}`,
      remedies: [Hint.again("run", { timeout: "1h" }, "if the tests need longer")]
    })
  )

/** Runs a program once; with `failing`, the first test that fails without a debugger, or the one of `known`. */
const attempt = Effect.fnUntraced(function* (
  calls: Calls,
  payload: Payload,
  { deadline, keep, limit, rules }: Single,
  known?: TestRunners.Failed
) {
  const { manager, preparation, withDefaultBackend, within } = calls
  const sessions = yield* manager.sessions
  const name = payload.session ?? (keep ? failedName : temporaryName(sessions))
  const asked = yield* withDefaultBackend(startPayload(payload, name))
  let failed: TestRunners.Failed | undefined
  const search = (start: Operations.Payload<"start">) =>
    Effect.map(known === undefined ? TestRunners.failing(start, preparation) : Effect.succeed(known), (found) => {
      failed = found
      return found.payload
    })
  const starting = Effect.gen(function* () {
    const check = checkFiles(calls, payload)
    const { test } = payload
    const alone = (start: Operations.Payload<"start">) => TestRunners.findOrRun(test ?? "", start, preparation)
    const preparing = payload.failing
      ? Start.prepare(asked, preparation, { check, search })
      : test === undefined || needsDebugger(payload)
        ? Start.prepare(asked, preparation, { check })
        : Start.prepare(asked, preparation, { check, search: alone })
    const prepared = yield* payload.runner === undefined ? preparing : testing(preparing, payload, deadline, limit)
    const { payload: start } = prepared
    const configure = RunTrace.configure(calls, payload, Catchpoints.fromStart(start.catch))
    const left = Math.max(0, deadline - (yield* MonotonicTime.now))
    const told = { command: "run", millis: limit }
    return { prepared, begun: yield* TimeLimit.bounded(manager.start(start, configure), left, told) }
  })
  const started = yield* starting.pipe(
    Effect.catchTag(noDebugger, (error) =>
      failed === undefined ? Effect.fail(error) : Effect.succeed(undebugged(failed, error))
    )
  )
  if ("answer" in started) return started
  const { begun, prepared } = started
  const { session } = begun
  const { verdict } = prepared.payload
  const decided = verdict === undefined ? rules : { ...rules, verdict }
  const end = Effect.asVoid(manager.end(session))
  let ended: SingleRun.Ended | undefined
  const left = Math.max(0, deadline - (yield* MonotonicTime.now))
  const answer = yield* within(session, () =>
    Effect.map(
      TimeLimit.bounded(SingleRun.follow(begun, payload, decided, deadline, calls), left, {
        command: "run",
        millis: limit
      }),
      (found) => {
        ended = found
        return found.last
      }
    )
  ).pipe(Effect.onError(() => end))
  const count = new RunCount()
  count.note({ by: session.adapter()?.name ?? "debugger" })
  const last: Report = ended?.last ?? { data: answer.data, truncated: [] }
  const outcome = ended?.timedOut === true ? "time-out" : ended?.failure === undefined ? "passed" : "failed"
  if (ended !== undefined) count.add(SingleRun.recordOf(1, ended), ended.failure)
  const isKept = keep && outcome === "failed" && (last.data.event === "stopped" || last.data.event === "running")
  const tests = testsOf(failed)
  const isUnseen = tests !== undefined && outcome === "passed"
  const { pid } = session.log.snapshot
  if (!isKept) yield* end
  const run = count.summary({
    outcome: isUnseen ? "failed" : outcome,
    ...(tests === undefined ? {} : { tests }),
    ...(isUnseen ? { handover: "the test passed under the debugger" } : {}),
    ...(isKept ? { session: session.name, ...(pid === undefined ? {} : { pid }) } : {})
  })
  const { records: _, ...summary } = run
  const stops = ended?.stops ?? []
  const data: RunReport.RunReport = {
    ...last.data,
    run: summary,
    ...(stops.length === 0 ? {} : { stops }),
    ...(ended?.trace === undefined ? {} : { trace: ended.trace.records })
  }
  const warnings = [
    ...prepared.warnings,
    ...(ended?.warnings ?? []),
    ...answer.warnings,
    ...(outcome === "passed" ? unknownVerdict(verdict) : [])
  ]
  const unseen = isUnseen ? failed : undefined
  return { data, run, unseen, answer: isKept ? { ...answer, data, warnings } : { ...withoutSession(data), warnings } }
})

/** Runs a program once. A failed test that passes alone may need those that ran before it, so the test around it is run then. */
const once = Effect.fnUntraced(function* (calls: Calls, payload: Payload, single: Single) {
  const first = yield* attempt(calls, payload, single)
  const unseen = "unseen" in first ? first.unseen : undefined
  if (unseen?.around === undefined) return first
  const { around, ...alone } = unseen
  return yield* attempt(calls, payload, single, { ...alone, ...around })
})

/** Prepares repeated runs: the start of each under a debugger, and the runs without one if they are possible. */
export const prepareRuns = Effect.fnUntraced(function* (calls: Calls, payload: Payload, name: string) {
  const { launch: launching, manager, preparation, withDefaultBackend } = calls
  const known = (yield* manager.sessions).find((session) => session.name === name)
  if (known !== undefined && payload.replace !== true && Hunt.isLive(known)) return yield* Ownership.nameInUse(name)
  const prepared = yield* Start.prepare(
    yield* withDefaultBackend({ ...startPayload(payload, name), replace: true }),
    preparation,
    { check: checkFiles(calls, payload) }
  )
  const { catch: caught = [], verdict } = prepared.payload
  if (verdict !== undefined)
    return yield* usage(
      `repeated runs are judged by the exit code, but ${verdict.by} decides whether this test has passed`
    )
  const panics = caught.includes("panic")
    ? ("any" as const)
    : caught.includes("none")
      ? ("none" as const)
      : ("main" as const)
  const launch = yield* launching.launch(prepared.payload)
  const runs = RestartHunt.isNeeded(payload, prepared.payload)
    ? undefined
    : yield* preparation.backend.runs?.(launch) ?? Effect.undefined
  return { launch, panics, start: prepared.payload, warnings: prepared.warnings, runs }
})

/** Says why a program with LeakSanitizer was also run without a debugger, and what that run found. */
const leakCheck = ({ count, summary }: Effect.Success<ReturnType<typeof Hunt.native>>): Answer.Warning => {
  const line = summary?.replace(/^SUMMARY: /, "").replace(/\.$/, "")
  const found = count.failures === 0 ? "no leak was found" : (line ?? "that run failed")
  return {
    code: "LEAKS_WITHOUT_DEBUGGER",
    message: `LeakSanitizer works under no debugger, so the program ran once more without one: ${found}`
  }
}

/** Runs a program until it fails. */
const until = Effect.fnUntraced(function* (calls: Calls, payload: Payload, asked: Omit<Hunt.Hunt, "panics">) {
  const { count } = asked
  const { launch, panics, runs, start, warnings: prepared } = yield* prepareRuns(calls, payload, asked.name)
  const hunt: Hunt.Hunt = { ...asked, panics }
  const impossible = payload.native_first ? "--native-first" : payload.parallel > 1 ? "--parallel" : undefined
  if (runs === undefined && impossible !== undefined) {
    return yield* usage(`${impossible} needs runs without a debugger; here each run is under one`)
  }
  if (runs !== undefined) count.note({ by: runs.by })
  const first = payload.native_first && runs !== undefined ? yield* Hunt.native(hunt, runs) : undefined
  if (first !== undefined) count.note({ native: first.count })
  const found: Hunt.Found =
    runs === undefined
      ? yield* RestartHunt.search(hunt, start, calls)
      : (payload.trace ?? []).length > 0
        ? yield* TracedHunt.search(hunt, { start, launch, runs }, calls)
        : yield* Hunt.search(hunt, runs, launch, calls, { ...start, session: hunt.name })
  const { handover, kept, late } = found
  const looksForLeaks = first === undefined && runs?.looksForLeaks === true && found.outcome === "passed"
  const leaks = looksForLeaks ? yield* Hunt.native({ ...hunt, runs: 1 }, runs) : undefined
  if (leaks !== undefined) count.note({ native: leaks.count })
  const native = first ?? leaks
  const warnings = [...prepared, ...(leaks === undefined ? [] : [leakCheck(leaks)])]
  const pid = kept?.session.log.snapshot.pid
  // A failure that occurs without a debugger only is a failure.
  const isNativeOnly = found.outcome === "passed" && (native?.count.failures ?? 0) > 0
  const { same_signature: wanted } = payload
  const signature = kept?.signature ?? (wanted === undefined ? undefined : count.idOf(wanted))
  const run = count.summary({
    ...(signature === undefined ? {} : { signature }),
    outcome: isNativeOnly && wanted === undefined ? "failed" : found.outcome,
    ...(handover === undefined ? {} : { handover }),
    ...(kept === undefined ? {} : { session: kept.session.name, ...(pid === undefined ? {} : { pid }) })
  })
  const last = run.records?.at(-1)
  const end: RunReport.RunReport = {
    event: "exited",
    ...(last?.exit_code === undefined ? {} : { exit_code: last.exit_code }),
    ...(last?.signal === undefined ? {} : { signal: last.signal })
  }
  const { trace } = found
  const data: RunReport.RunReport = {
    ...(kept?.report.data ?? late?.data ?? end),
    run,
    ...(trace === undefined ? {} : { trace })
  }
  if (kept === undefined) return { data, run, answer: { ...withoutSession(data), warnings } }
  const answer = yield* calls.within(kept.session, () => Effect.succeed({ data, truncated: kept.report.truncated }))
  return { data, run, answer: { ...answer, warnings: [...warnings, ...answer.warnings] } }
}, Effect.scoped)

/** Returns why options exclude each other. */
const conflictOf = ({ failing, runner, test, until_failure }: Payload): string | undefined => {
  if (test !== undefined && runner === undefined) return "--test needs --runner"
  if (!failing) return runner === undefined || test !== undefined ? undefined : "--runner needs --test or --failing"
  if (runner === undefined) return "--failing needs --runner"
  if (test !== undefined) return "--failing finds the test itself; leave out --test"
  return until_failure === undefined ? undefined : "--failing and --until-failure cannot be combined"
}

/** `run`. A call that starts a program is permitted with its start, together with the files that it reads. */
export const run = Effect.fnUntraced(function* (calls: Calls, payload: Payload) {
  const conflict = conflictOf(payload)
  if (conflict !== undefined) return yield* usage(conflict)
  const { launch_config, launch_json, program, runner } = payload
  if ([program, runner, launch_config, launch_json].every((one) => one === undefined)) {
    yield* Permission.permitCall("run", [])
    const waiting = { ...payload, timeout: payload.timeout ?? "30s" }
    return yield* calls.on(payload, (session) => Resume.start(session, waiting))
  }
  const hunts = payload.until_failure !== undefined
  const rules = yield* FailureRule.parse(payload.fail_if ?? [], hunts || payload.runner !== undefined).pipe(
    Effect.mapError(usage)
  )
  const limit = Field.millis(payload.timeout ?? (hunts || payload.failing ? defaults.hunt : defaults.once))
  const deadline = (yield* MonotonicTime.now) + limit
  const keep = payload.keep ?? (hunts || payload.failing)
  const name = payload.session ?? failedName
  const secrets = Secrets.make(payload.settings)
  const write = (data: RunReport.RunReport) =>
    RunFiles.write(data, payload.test ?? payload.program ?? "", payload, secrets, calls)
  const count = new RunCount(yield* RunReport.Progress)
  const partial = Effect.suspend(() => write({ event: "running", run: count.summary({ outcome: "interrupted" }) }))
  const found = yield* payload.until_failure === undefined
    ? once(calls, payload, { rules, deadline, limit, keep }).pipe(
        Effect.catchTag("NoFailure", allPassed),
        Effect.catchTag("Undebugged", (found) => Effect.succeed(undebugged(found, found.problem)))
      )
    : Effect.onInterrupt(
        until(calls, payload, { payload, rules, runs: payload.until_failure, name, keep, deadline, count }),
        () => partial
      )
  const unwritten = yield* write({ ...found.data, run: found.run })
  return { ...found.answer, warnings: [...found.answer.warnings, ...unwritten] }
})
