/** Tests of CMake projects: `ctest`. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
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
    const property = (name: string) => items(test, "properties").find((one) => text(one, "name") === name)
    return {
      name: text(test, "name") ?? "",
      command: stringsOf(field(test, "command")),
      directory: text(property("WORKING_DIRECTORY"), "value") ?? build,
      env: stringsOf(field(property("ENVIRONMENT"), "value"))
    }
  })
  return { build, tests }
})

const testOf = Effect.fnUntraced(function* ({ command, directory, env, name }: Listed) {
  const [program, ...args] = command
  if (program === undefined) return yield* usage(`the program of the test ${name} is not built`)
  const test: Test = { name, program, args, cwd: directory, env }
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
  const words = ["ctest", "--test-dir", build] as const
  const ended = yield* context.run(...words)
  const failed = lines(ended.stdout).flatMap((line) => {
    const [, name] = /^\s*\d+\/\d+ +Test +#\d+: (.*?) \.{3,}.*\*\*\*(?!Skipped|Not Run \(Disabled\))/.exec(line) ?? []
    const test = tests.find((one) => one.name === name)
    return test === undefined ? [] : [test]
  })
  // A program that is not built, or has no test, has no command.
  const first = failed.find(({ command }) => command.length > 0) ?? failed[0]
  if (first === undefined) return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended)
  return { failed: failed.length, first: yield* testOf(first) }
})

/** `ctest`. Its tests are programs of any kind: a crash or a failed assertion stops them, an exit code does not. */
export const ctest: Runner = { failure: {}, find, failures }
