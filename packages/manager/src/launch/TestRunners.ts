/**
 * Finds one test of a test runner as a program to debug. The runner builds and locates the test program, which is then
 * started with a filter, so that no runner process is between the debugger and the test.
 *
 * The table has a runner for each name. Where its failures stop is part of the runner.
 */
import type { Errors, Operations } from "@sigtrap/protocol"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { purposes } from "../ports/FileReader.ts"
import type { StartPayload } from "./Launch.ts"
import { cargo } from "./runners/Cargo.ts"
import { catch2, gtest } from "./runners/CppPrograms.ts"
import { ctest } from "./runners/CTest.ts"
import { deno } from "./runners/Deno.ts"
import { go } from "./runners/Go.ts"
import * as JavaScript from "./runners/JavaScript.ts"
import { nextest } from "./runners/Nextest.ts"
import { node } from "./runners/NodeTest.ts"
import * as Pytest from "./runners/Pytest.ts"
import * as Python from "./runners/Python.ts"
import {
  type Context,
  type FailedTest,
  type Kind,
  type Runner,
  type Services,
  type Test,
  usage
} from "./runners/Runner.ts"
import { xctest } from "./runners/Swift.ts"

type Payload = Operations.Payload<"start">

/** The runners; `cargo-test`, `go-test` and `node-test` are older names. */
const kinds: { readonly [kind in Kind]: Runner } = {
  cargo,
  "cargo-test": cargo,
  nextest,
  go,
  "go-test": go,
  ctest,
  gtest,
  catch2,
  pytest: Pytest.pytest,
  unittest: Python.unittest,
  node,
  "node-test": node,
  vitest: JavaScript.vitest,
  jest: JavaScript.jest,
  mocha: JavaScript.mocha,
  bun: JavaScript.bun,
  deno,
  swift: xctest,
  xctest
}

/** Files that tell the runner of a project, in the order in which they are looked for. */
const projectFiles: ReadonlyArray<readonly [string, Kind]> = [
  ["Cargo.toml", "cargo"],
  ["go.mod", "go"],
  ["Package.swift", "swift"],
  ["CTestTestfile.cmake", "ctest"],
  ["build/CTestTestfile.cmake", "ctest"],
  ["deno.json", "deno"],
  ["bun.lock", "bun"],
  ["pytest.ini", "pytest"],
  ["conftest.py", "pytest"]
]

/** Returns the runner that a program has in itself, from what it says about its options. */
const ownRunner = Effect.fnUntraced(function* (context: Context, program: string) {
  if (/\.[cm]?[jt]sx?$/.test(program)) return "node" as const
  const { stdout } = yield* context.run(program, "--help")
  return stdout.includes("--gtest_filter") ? "gtest" : /\bCatch2? v\d/.test(stdout) ? "catch2" : undefined
})

/** Returns the runner of a project. */
const detected = Effect.fnUntraced(function* (context: Context) {
  const { directory, fs, path, program, reader } = context
  if (program !== undefined) {
    const own = yield* ownRunner(context, program)
    return own ?? (yield* usage(`${program} does not say which test runner it has; name the runner`))
  }
  const has = (file: string) => fs.exists(path.join(directory, file)).pipe(Effect.orElseSucceed(() => false))
  for (const [file, kind] of projectFiles) if (yield* has(file)) return kind
  if (yield* has("package.json")) {
    const text = yield* reader
      .text(path.join(directory, "package.json"), purposes.named)
      .pipe(Effect.orElseSucceed(() => ""))
    return JavaScript.toolOf(text)
  }
  const entries = yield* fs.readDirectory(directory).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  const isPython = [...entries, ...((yield* has("tests")) ? ["pyproject.toml"] : [])].some((name) =>
    /^(?:test_.*\.py|.*_test\.py|pyproject\.toml|setup\.py)$/.test(name)
  )
  if (!isPython) return yield* usage(`no file of ${directory} shows which test runner to use; name the runner`)
  const { problem } = yield* context.run(Python.interpreter(context), "-c", "import pytest")
  return problem === undefined ? "pytest" : "unittest"
})

const contextOf = (kind: string, asked: Payload, services: Services): Context => {
  const directory = services.path.resolve(asked.directory ?? ".")
  const env = asked.environment ?? {}
  const { program } = asked
  return {
    ...services,
    runner: kind,
    directory,
    env,
    program: program === undefined ? undefined : services.path.resolve(directory, program),
    args: asked.args,
    run: (...words) => services.building.run(words, { cwd: directory, env }),
    runIn: (cwd, more, ...words) => services.building.run(words, { cwd, env: { ...env, ...more } })
  }
}

const resolved = Effect.fnUntraced(function* (asked: Payload, services: Services) {
  const context = contextOf(asked.runner ?? "auto", asked, services)
  const kind = asked.runner === undefined || asked.runner === "auto" ? yield* detected(context) : asked.runner
  return { kind, runner: kinds[kind], context: { ...context, runner: kind } }
})

/**
 * Returns the payload that starts a test. The caller's `cwd` is kept, and its `args` follow those of the runner, unless the test has some
 * of them.
 */
const payloadOf = (asked: Payload, found: Test, { failure }: Runner) => {
  const isAsked = asked.at_failure !== false
  const stops = isAsked && found.expectsFailure !== true
  const test = stops ? { ...found, ...found.stopping } : found
  const catches = stops ? (failure.catches ?? []) : isAsked ? ["none"] : []
  return {
    ...asked,
    sourceDirectory: test.cwd,
    ...(test.verdict === undefined ? {} : { verdict: test.verdict }),
    program: test.program,
    args: [...test.args, ...((stops && failure.args) || []), ...(test.given ?? asked.args)],
    break: [...asked.break, ...((stops && failure.functions) || [])],
    ...(catches.length > 0 ? { catch: [...catches, ...(asked.catch ?? [])] } : {}),
    cwd: asked.cwd ?? test.cwd,
    env: [...(test.env ?? []), ...asked.env],
    ...(test.options === undefined ? {} : { adapter_opt: [...test.options, ...(asked.adapter_opt ?? [])] })
  } satisfies Payload & Pick<StartPayload, "sourceDirectory" | "verdict">
}

/** Returns the payload that starts a test with a name. The runner itself runs in the caller's directory. */
export const find = Effect.fn("TestRunners.find")(function* (name: string, asked: Payload, services: Services) {
  const { context, runner } = yield* resolved(asked, services)
  return payloadOf(asked, yield* runner.find(context, name), runner)
})

/** No test has failed. */
export class NoFailure extends Data.TaggedError("NoFailure")<{ readonly kind: Kind }> {}

/** Tests have failed, and no debugger here debugs them. */
class Undebugged extends Data.TaggedError("Undebugged")<{
  readonly kind: Kind
  readonly failed: number
  readonly tests: ReadonlyArray<FailedTest>
  readonly problem: Errors.Unsupported
}> {}

/** Returns the payload that starts a test, as `find`. If no debugger debugs its runner, the test is run without one. */
export const findOrRun = Effect.fn("TestRunners.findOrRun")(function* (
  name: string,
  asked: Payload,
  services: Services
) {
  const { context, kind, runner } = yield* resolved(asked, services)
  const { failed, problem, tests = [] } = (yield* runner.alone?.(context, name) ?? Effect.undefined) ?? {}
  if (failed === undefined) return payloadOf(asked, yield* runner.find(context, name), runner)
  return yield* problem === undefined ? new NoFailure({ kind }) : new Undebugged({ kind, failed, tests, problem })
})

/** A failed test of a project: how many failed, the first of them, and the payload that starts it. */
export interface Failed {
  readonly kind: Kind
  readonly failed: number
  readonly name: string
  readonly tests: ReadonlyArray<FailedTest>
  readonly payload: ReturnType<typeof payloadOf>
  /** The test around it, if it may need others that ran before it. */
  readonly around?: Pick<Failed, "name" | "payload">
}

/** Runs all tests without a debugger and returns the first failed one. */
export const failing = Effect.fn("TestRunners.failing")(function* (asked: Payload, services: Services) {
  const { context, kind, runner } = yield* resolved(asked, services)
  const { around, failed, first, problem, tests = [] } = yield* runner.failures(context)
  if (problem !== undefined) return yield* new Undebugged({ kind, failed, tests, problem })
  if (first === undefined) return yield* new NoFailure({ kind })
  const debugged = (test: typeof first) => ({ name: test.name, payload: payloadOf(asked, test, runner) })
  const found: Failed = {
    kind,
    failed,
    tests,
    ...debugged(first),
    ...(around === undefined ? {} : { around: debugged(around) })
  }
  return found
})
