/**
 * `bisect`: makes the input of a failing program smaller, with `run` as the test of each candidate.
 *
 * A candidate counts only if the program fails with the same signature: another failure is another bug. The whole input must fail
 * three times, and the smallest one once more at the end. The runs have no debugger if the backend can do that; a debugger reads the
 * frames of a failure whose stack no earlier run had.
 */
import { Errors, Field, Hint, MonotonicTime, type Operations, RunReport } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileWriter from "../../model/FileWriter.ts"
import * as FailureRule from "../../model/runs/FailureRule.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import * as Reduction from "../../model/runs/Reduction.ts"
import type { Run } from "../../ports/ProgramRuns.ts"
import { type Calls, withoutSession } from "../Calls.ts"
import * as Hunt from "./Hunt.ts"
import { RunCount } from "./RunCount.ts"
import * as RunProgram from "./RunProgram.ts"

type Payload = Operations.Payload<"bisect">
type Data = Operations.Data<"bisect">

/** How often the whole input must fail. */
const proofs = 3

/** The largest input, in bytes. */
const largest = 16 * 1024 * 1024

/** The word in the arguments that the path of the input replaces. */
const placeholder = "{}"

const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("bisect")] })

/** The name of the sessions that examine failures; they end with their run. */
const sessionName = "bisect"

/** Returns the payload of one run with an input in a file. */
const runOf = (payload: Payload, file: string, millis: number): Operations.Payload<"run"> => {
  const { input: _, out: __, runs: ___, args, ...rest } = payload
  const isArgument = args.some((one) => one.includes(placeholder))
  return {
    ...rest,
    args: args.map((one) => one.replaceAll(placeholder, file)),
    ...(isArgument ? {} : { stdin: file }),
    fail_if: payload.fail_if ?? ["crash", "assert", "exit"],
    until_failure: 1,
    keep: false,
    session: sessionName,
    break: [],
    pending: false,
    eval: [],
    locals: false,
    max_stops: 0,
    failing: false,
    all: false,
    parallel: 1,
    native_first: false,
    replace: false,
    wait: true,
    context: "none",
    lines: 0,
    timeout: `${Math.max(1, Math.round(millis))}ms`
  }
}

/** Reads the input and checks where the result goes. */
const opened = Effect.fnUntraced(function* (calls: Calls, payload: Payload) {
  const { fs, path } = calls
  const whole = (file: string) => path.resolve(payload.directory ?? ".", file)
  if (payload.input === undefined)
    return yield* usage("--input FILE is missing: the input with which the program fails")
  if (payload.out === undefined) return yield* usage("--out FILE is missing: where the smallest input is written")
  const [input, out] = [whole(payload.input), whole(payload.out)]
  if (input === out) return yield* usage("--out names the input itself, which would be lost")
  yield* Policy.checkFiles(Policy.of(payload), [input, out], calls)
  const bytes = yield* fs
    .readFile(input)
    .pipe(Effect.mapError(({ message }) => new Errors.ProgramNotFound({ path: input, problem: message })))
  if (bytes.length > largest) return yield* usage(`${input} has more than 16 MiB`)
  const options: FileWriter.Options = {
    force: payload.force,
    retry: Hint.again("bisect", { force: true }, "to replace it")
  }
  yield* FileWriter.check(out, options, calls)
  return { bytes, write: (smallest: Uint8Array) => FileWriter.write(out, smallest, options, calls), out }
})

/** Writes the input of the next run. */
const write = ({ fs }: Calls, file: string, bytes: Uint8Array) =>
  fs.writeFile(file, bytes).pipe(Effect.mapError(({ message }) => usage(`cannot write ${file}: ${message}`)))

/** The runs of one call. */
interface Runs {
  count: number
  /** Why no further run is possible. */
  over: "runs" | "time" | undefined
}

/** How one run ended: its record, and its failure. */
interface Tested {
  readonly record: RunReport.RunRecord
  readonly failure?: RunReport.Signature
}

/** What tells runs apart without a debugger; undefined if their stack is not known. Where output is noticed, the stack says nothing. */
const keyOf = ({ code, fingerprint, outcome, reported, signal }: Run): string | undefined => {
  if (outcome === "output") return outcome
  return fingerprint === undefined ? undefined : [outcome, code, signal, reported, fingerprint].join(" ")
}

const silent: RunReport.OnRun = () => undefined

/**
 * Prepares the runs of the program with the input in a file. Each is of a debug server without a debugger if that is possible. A
 * failure with the stack of an earlier one has its signature; a debugger takes over the others.
 */
const tester = Effect.fnUntraced(function* (calls: Calls, payload: Payload, file: string, deadline: number) {
  const asked = runOf(payload, file, Math.max(1, deadline - (yield* MonotonicTime.now)))
  const rules = yield* FailureRule.parse(asked.fail_if ?? [], true).pipe(Effect.mapError(usage))
  const { launch, panics, runs, start } = yield* RunProgram.prepareRuns(calls, asked, sessionName)
  if (runs === undefined) {
    return Effect.fnUntraced(function* (n: number, left: number) {
      const { data }: { readonly data: RunReport.RunReport } = yield* RunProgram.run(
        calls,
        runOf(payload, file, left)
      ).pipe(Effect.provideService(RunReport.Progress, silent))
      const [record] = data.run?.records ?? []
      const [failure] = data.run?.signatures ?? []
      const tested: Tested = {
        record: record === undefined ? Hunt.recordOf(n, undefined, left) : { ...record, n },
        ...(failure === undefined ? {} : { failure })
      }
      return tested
    })
  }
  const known = new Map<string, RunReport.Signature>()
  return Effect.fnUntraced(function* (n: number, left: number) {
    const count = new RunCount()
    const common = { payload: asked, rules, runs: 1, name: sessionName, keep: false, deadline, panics, count }
    const run = yield* runs.run({ ...Hunt.optionsOf(common, left), fingerprint: true })
    const record = Hunt.recordOf(n, run, left)
    if (run === undefined) return { record } satisfies Tested
    const release = run.held?.release("kill") ?? Effect.void
    const key = keyOf(run)
    const before = key === undefined ? undefined : known.get(key)
    if (!Hunt.mayHaveFailed(run, rules) || before !== undefined) {
      yield* release
      return { record, ...(before === undefined ? {} : { failure: before }) } satisfies Tested
    }
    const options = { ...start, session: sessionName }
    yield* Hunt.search(common, { ...runs, run: () => Effect.succeed(run) }, launch, calls, options).pipe(
      Effect.onError(() => release)
    )
    const [failure] = count.summary({ outcome: "failed" }).signatures
    if (failure === undefined) return { record } satisfies Tested
    // Without frames the process was gone, and nothing is known of its stack.
    if (key !== undefined && (failure.frames.length > 0 || key === "output")) known.set(key, failure)
    return { record, failure } satisfies Tested
  })
})

/** Makes the test of inputs: runs the program with one, and returns its failure. Undefined: it did not fail. */
const oracle = (
  calls: Calls,
  payload: Payload,
  file: string,
  deadline: number,
  runs: Runs,
  attempt: Effect.Success<ReturnType<typeof tester>>,
  count: RunCount
) =>
  Effect.fnUntraced(function* (input: Uint8Array) {
    const left = deadline - (yield* MonotonicTime.now)
    if (left <= 0) runs.over = "time"
    else if (runs.count >= payload.runs) runs.over = "runs"
    if (runs.over !== undefined) return "over" as const
    runs.count += 1
    yield* write(calls, file, input)
    const { failure, record } = yield* attempt(runs.count, left)
    count.add(record, failure)
    if (record.outcome === "time-out") {
      runs.over = "time"
      return "over" as const
    }
    return failure
  })

const textOf = (signature: RunReport.Signature | undefined): string =>
  signature === undefined ? "no failure" : [signature.reason, ...signature.frames].join(" < ")

/** Returns the error of a program whose failures differ with one input. */
const flaky = (at: string, expected: RunReport.Signature, got: RunReport.Signature | undefined) =>
  new Errors.NotReproduced({
    at,
    expected: textOf(expected),
    got: textOf(got),
    remedies: [Hint.call("run", { until_failure: 200 }, "to see how often it fails")]
  })

/** Handles `bisect`. */
export const bisect = Effect.fn("Bisect.bisect")(function* (calls: Calls, payload: Payload) {
  const began = yield* MonotonicTime.now
  const limit = Field.millis(payload.timeout)
  const { bytes, out, write: writeResult } = yield* opened(calls, payload)
  const directory = yield* calls.fs
    .makeTempDirectoryScoped({ prefix: "sigtrap-bisect-" })
    .pipe(Effect.mapError(({ message }) => usage(`cannot make a directory for inputs: ${message}`)))
  const runs: Runs = { count: 0, over: undefined }
  const file = calls.path.join(directory, "input")
  const count = new RunCount(yield* RunReport.Progress)
  yield* write(calls, file, bytes)
  // A little more time, so that the proof of the result is a run too.
  const attempt = yield* tester(calls, payload, file, began + limit * 1.1)
  const failureOf = oracle(calls, payload, file, began + limit, runs, attempt, count)
  const timedOut = new Errors.WaitTimeout({ waited_ms: Math.round(limit), output_bytes: 0, new_run: {} })

  let signature: RunReport.Signature | undefined
  for (let turn = 1; turn <= proofs; turn++) {
    const found = yield* failureOf(bytes)
    if (found === "over") return yield* timedOut
    if (turn === 1 && found === undefined) {
      return yield* new Errors.InvalidState({ problem: "the program does not fail with this input" })
    }
    if (signature !== undefined && found?.id !== signature.id) {
      return yield* flaky(`run ${turn} with the whole input`, signature, found)
    }
    signature ??= found
  }
  if (signature === undefined) return yield* timedOut
  const expected = signature

  // An input that was tested is not tested again.
  const known = new Map<string, Reduction.Verdict>()
  const verdictOf = Effect.fnUntraced(function* (parts: ReadonlyArray<Uint8Array>) {
    const input = Reduction.joined(parts)
    const key = new TextDecoder("latin1").decode(input)
    const before = known.get(key)
    if (before !== undefined) return before
    const found = yield* failureOf(input)
    if (found === "over") return found
    const verdict: Reduction.Verdict = found?.id === expected.id ? "kept" : "lost"
    known.set(key, verdict)
    return verdict
  })

  const lines = yield* Reduction.minimize(Reduction.linesOf(bytes), verdictOf)
  const least = lines.complete
    ? yield* Reduction.minimize(Reduction.bytesOf(Reduction.joined(lines.parts)), verdictOf)
    : lines
  const smallest = Reduction.joined(least.parts)
  const end = runs.over ?? "minimal"
  // The proof of the result is one run more than the limit allows, if time is left.
  runs.over = undefined
  const last = yield* oracle(
    calls,
    { ...payload, runs: payload.runs + 1 },
    file,
    began + limit * 1.1,
    runs,
    attempt,
    count
  )(smallest)
  if (last === "over" || last?.id !== expected.id) {
    return yield* flaky("the last run with the smallest input", expected, last === "over" ? undefined : last)
  }
  yield* writeResult(smallest)
  const data: Data = {
    file: out,
    bytes: smallest.length,
    from_bytes: bytes.length,
    runs: runs.count,
    signature: expected,
    end,
    parts: lines.complete ? "bytes" : "lines",
    elapsed_ms: Math.round((yield* MonotonicTime.now) - began)
  }
  return withoutSession(data)
}, Effect.scoped)
