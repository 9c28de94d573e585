/** Tests of CMake projects: `ctest`. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Verdict } from "../../model/runs/FailureRule.ts"
import * as Build from "../Build.ts"
import {
  choose,
  type Context,
  field,
  items,
  json,
  lines,
  type Problem,
  type Runner,
  runOrFail,
  type Test,
  text,
  usage
} from "./Runner.ts"

const stringsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter(Predicate.isString) : Predicate.isString(value) ? [value] : []

interface Listed {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly directory: string
  readonly env: ReadonlyArray<string>
  readonly verdict?: Verdict
}

/**
 * Returns the variables that a property ENVIRONMENT_MODIFICATION changes. Each entry is `NAME=OPERATION:VALUE`, applied in order to the
 * variables of the test (cmake-properties(7)).
 */
const modified = (
  entries: ReadonlyArray<string>,
  before: ReadonlyArray<string>,
  outer: Readonly<Record<string, string>>
): ReadonlyArray<string> => {
  const given = new Map(before.map((entry) => [entry.replace(/=.*$/s, ""), entry.replace(/^[^=]*=/, "")]))
  const values = new Map(given)
  for (const entry of entries) {
    const [, name, operation, value = ""] = /^([^=]+)=(\w+):(.*)$/s.exec(entry) ?? []
    if (name === undefined) continue
    const old = values.get(name) ?? outer[name] ?? ""
    const joined = (separator: string, ...parts: ReadonlyArray<string>) =>
      parts.filter((part) => part !== "").join(separator)
    const results: Readonly<Record<string, string>> = {
      set: value,
      // A launch cannot remove a variable of the environment, so it becomes empty.
      unset: "",
      reset: given.get(name) ?? outer[name] ?? "",
      string_append: old + value,
      string_prepend: value + old,
      path_list_append: joined(":", old, value),
      path_list_prepend: joined(":", value, old),
      cmake_list_append: joined(";", old, value),
      cmake_list_prepend: joined(";", value, old)
    }
    const result = results[operation ?? ""]
    if (result !== undefined) values.set(name, result)
  }
  return [...values].map(([name, value]) => `${name}=${value}`)
}

/** The properties with which CTest decides instead of the exit code. */
const otherVerdicts = ["PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION", "SKIP_REGULAR_EXPRESSION"]

/** Returns how CTest decides a test, if not by the exit code 0. */
const verdictOf = (property: (name: string) => unknown): Verdict | undefined => {
  const other = otherVerdicts.find((name) => property(name) !== undefined)
  if (other !== undefined) return { by: other, isUnknown: true }
  const skip = property("SKIP_RETURN_CODE")
  const skipped = Predicate.isNumber(skip) ? { skip } : {}
  if (property("WILL_FAIL") === true) return { by: "WILL_FAIL", isInverted: true, ...skipped }
  return Predicate.isNumber(skip) ? { by: "SKIP_RETURN_CODE", skip } : undefined
}

/** Builds the project. CTest reports the command, directory and environment of each test. */
const listed = Effect.fnUntraced(function* (context: Context) {
  const { directory, fs, path } = context
  const candidates = ["", "build", "out", "cmake-build-debug"].map((name) => path.join(directory, name))
  const configured = yield* Effect.filter(candidates, (candidate) =>
    fs.exists(path.join(candidate, "CTestTestfile.cmake")).pipe(Effect.orElseSucceed(() => false))
  )
  const [build] = configured
  if (build === undefined) {
    return yield* usage(`${directory} has no tests, and neither has its build directory`)
  }
  yield* runOrFail(context, "cmake", "--build", build)
  const document = json(yield* runOrFail(context, "ctest", "--test-dir", build, "--show-only=json-v1"))
  const tests = items(document, "tests").map((test): Listed => {
    const property = (name: string) =>
      field(
        items(test, "properties").find((one) => text(one, "name") === name),
        "value"
      )
    const directory = property("WORKING_DIRECTORY")
    const verdict = verdictOf(property)
    return {
      name: text(test, "name") ?? "",
      command: stringsOf(field(test, "command")),
      directory: Predicate.isString(directory) ? directory : build,
      env: modified(stringsOf(property("ENVIRONMENT_MODIFICATION")), stringsOf(property("ENVIRONMENT")), context.env),
      ...(verdict === undefined ? {} : { verdict })
    }
  })
  return { build, tests }
})

const testOf = Effect.fnUntraced(function* ({ command, directory, env, name, verdict }: Listed) {
  const [program, ...args] = command
  if (program === undefined) return yield* usage(`the program of the test ${name} is not built`)
  const test: Test = { name, program, args, cwd: directory, env, ...(verdict === undefined ? {} : { verdict }) }
  return test
})

const find = Effect.fnUntraced(function* (context: Context, name: string) {
  const { tests } = yield* listed(context)
  return yield* testOf(yield* choose(context, name, tests, (test) => test.name))
})

/** Reads the line of each failed test, as `2/3 Test #2: sums ....***Failed  0.01 sec`. */
const failures = Effect.fnUntraced(function* (
  context: Context
): Effect.fn.Return<{ failed: number; first?: Test }, Problem> {
  const { build, tests } = yield* listed(context)
  const words = ["ctest", "--test-dir", build, ...context.args] as const
  const ended = yield* context.run(...words)
  const failed = lines(ended.stdout).flatMap((line) => {
    const [, name] = /^\s*\d+\/\d+ +Test +#\d+: (.*?) \.{3,}.*\*\*\*(?!Skipped|Not Run \(Disabled\))/.exec(line) ?? []
    const test = tests.find((one) => one.name === name)
    return test === undefined ? [] : [test]
  })
  // A program that is not built, or has no test, has no command.
  const first = failed.find(({ command }) => command.length > 0) ?? failed[0]
  if (first === undefined)
    return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended, "run tests")
  return { failed: failed.length, first: { ...(yield* testOf(first)), given: [] } }
})

/** `ctest`. Its tests are programs of any kind: a crash or a failed assertion stops them, an exit code does not. */
export const ctest: Runner = { failure: {}, find, failures }
