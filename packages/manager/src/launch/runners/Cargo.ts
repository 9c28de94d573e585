/** Rust tests: `cargo test`. */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
import * as CallerArguments from "./CallerArguments.ts"
import {
  choose,
  type Context,
  type FailedTest,
  type Failures,
  field,
  json,
  lines,
  type Runner,
  runOrFail,
  type Test,
  text
} from "./Runner.ts"

interface Program {
  readonly executable: string
  readonly directory: string
}

/** Options of Rust's test programs (`--help`): no option may be given twice. */
const options: CallerArguments.Options = {
  flags: ["--ignored", "--include-ignored", "--exact", "--nocapture", "--no-capture", "--show-output", "--quiet", "-q"],
  choosing: ["--ignored", "--include-ignored", "--exact", "--nocapture", "--no-capture", "--test-threads", "--skip"]
}

/** Returns the caller's arguments for the run of one test. */
export const forOne = (args: ReadonlyArray<string>): ReadonlyArray<string> => CallerArguments.forChosen(args, options)

/** Returns the caller's arguments without some options that the runner sets itself. */
const without = (args: ReadonlyArray<string>, ...choosing: ReadonlyArray<string>) =>
  CallerArguments.forChosen(args, { ...options, choosing, keepsWords: true })

/** Builds the test programs. Cargo reports each, with its package. */
const programs = Effect.fnUntraced(function* (context: Context) {
  const output = yield* runOrFail(context, "cargo", "test", "--no-run", "--message-format=json")
  return lines(output).flatMap((line): ReadonlyArray<Program> => {
    const artifact = line.startsWith("{") ? json(line) : undefined
    const executable = text(artifact, "executable")
    const manifest = text(artifact, "manifest_path")
    return executable === undefined || manifest === undefined || field(field(artifact, "profile"), "test") !== true
      ? []
      : [{ executable, directory: context.path.dirname(manifest) }]
  })
})

const testOf = ({ directory, executable }: Program, name: string): Test => ({
  name,
  program: executable,
  // A test with `#[ignore]` runs if it is named.
  args: [name, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"],
  cwd: directory,
  env: [`CARGO_MANIFEST_DIR=${directory}`]
})

/**
 * Returns the test, with what its attribute `should_panic` says. The test program lists the tests without this attribute by an option that
 * only nightly versions of the library have, unless `RUSTC_BOOTSTRAP` is set (library/test/src/cli.rs of Rust).
 */
export const withAttribute = Effect.fnUntraced(function* (
  { runIn }: Pick<Context, "runIn">,
  test: Test
): Effect.fn.Return<Test, Errors.LaunchFailed> {
  const words = ["--list", "--format", "terse", "-Zunstable-options", "--exclude-should-panic"] as const
  const listed = yield* runIn(test.cwd, { RUSTC_BOOTSTRAP: "1" }, test.program, ...words)
  const isKnown = listed.problem === undefined
  return isKnown && !lines(listed.stdout).includes(`${test.name}: test`) ? { ...test, expectsFailure: true } : test
})

const find = Effect.fnUntraced(function* (context: Context, name: string) {
  const all = yield* Effect.forEach(
    yield* programs(context),
    Effect.fnUntraced(function* (program) {
      // A program without the test harness lists no tests.
      const listed = yield* context.run(program.executable, "--list", "--format", "terse")
      return lines(listed.stdout).flatMap((line) => {
        const [, test] = /^(.+): test$/.exec(line) ?? []
        return test === undefined ? [] : [testOf(program, test)]
      })
    })
  )
  const same = (full: string) => full === name || full.endsWith(`::${name}`)
  return yield* withAttribute(context, yield* choose(context, name, all.flat(), (test) => test.name, same))
})

/** Returns the failed tests of a program's output; `begun` is one that has begun and not ended. */
const resultsOf = (output: string) => {
  const failed: Array<string> = []
  let begun: string | undefined
  for (const line of lines(output)) {
    const [, name, rest = ""] = /^test (.+?)(?: - should panic)? \.\.\. ?(.*)$/.exec(line) ?? []
    if (name !== undefined) begun = name
    if (/^(?:ok|ignored|FAILED)\b/.test(rest) || /^(?:ok|FAILED)$/.test(line)) {
      if (begun !== undefined && (rest === "FAILED" || line === "FAILED")) failed.push(begun)
      begun = undefined
    }
  }
  return { failed, begun }
}

/** Runs the examples of the documentation. rustdoc compiles each into a program that it removes, so none can be debugged. */
const failedExamples = Effect.fnUntraced(function* (context: Context): Effect.fn.Return<Failures, Errors.LaunchFailed> {
  // Without a library the command fails, and has no examples.
  const { stdout } = yield* context.run(
    ...(["cargo", "test", "--doc", "--no-fail-fast", "--color=never", "--"] as const),
    ...context.args
  )
  const tests = lines(stdout).flatMap((line): ReadonlyArray<FailedTest> => {
    const [, name, file, at] = /^test ((.+?) - .*\(line (\d+)\).*?) \.\.\. FAILED$/.exec(line) ?? []
    return name === undefined || file === undefined ? [] : [{ name, file, line: Number(at) }]
  })
  if (tests.length === 0) return { failed: 0 }
  const what = "debugging examples of the documentation"
  const problem = new Errors.Unsupported({ what, by: "sigtrap", remedies: [Hint.remedy("cargo test --doc")] })
  return { failed: tests.length, tests, problem }
})

/** Runs each test program, as cargo does, and reads the line of each failed test. */
const failures = Effect.fnUntraced(function* (context: Context): Effect.fn.Return<Failures, Errors.LaunchFailed> {
  const failed: Array<Test> = []
  const failedOf = (program: Program, name: string): Test => ({
    ...testOf(program, name),
    given: forOne(context.args)
  })
  for (const program of yield* programs(context)) {
    const { directory, executable } = program
    const run = (...args: ReadonlyArray<string>) =>
      context.runIn(directory, { CARGO_MANIFEST_DIR: directory }, executable, "--color=never", ...args)
    const ended = yield* run(...without(context.args, "--color"))
    const found = resultsOf(ended.stdout).failed
    failed.push(...found.map((name) => failedOf(program, name)))
    if (ended.problem === undefined || found.length > 0) continue
    // A test that ends the whole program has no line of its end. Without threads it is the last one.
    const { begun } = resultsOf(
      (yield* run(...without(context.args, "--color", "--test-threads"), "--test-threads=1")).stdout
    )
    if (begun === undefined) return yield* Build.failed([executable], ended)
    failed.push(failedOf(program, begun))
  }
  const [first] = failed
  return first === undefined ? yield* failedExamples(context) : { failed: failed.length, first }
})

/** The runner `cargo test`. */
export const cargo: Runner = { failure: { catches: ["panic", "returned-error"] }, find, failures }
