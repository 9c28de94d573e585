/**
 * Tests of Node's own runner, which js-debug debugs. Their names are read from reports in TAP.
 *
 * The file is the program, and a pattern selects the test. Without a file all tests of the directory are run.
 */
import { Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
import * as CallerArguments from "./CallerArguments.ts"
import * as JavaScriptFailures from "./JavaScriptFailures.ts"
import {
  anchored,
  choose,
  type Context,
  type FailedTest,
  type Failures,
  type Runner,
  type Test,
  usage
} from "./Runner.ts"

/** Returns the line of the innermost frame of a stack that is in a file. */
export const lineIn = (stack: string | undefined, file: string | undefined): number | undefined => {
  if (stack === undefined || file === undefined) return undefined
  const name = file.slice(file.lastIndexOf("/") + 1)
  const frames = [...stack.matchAll(/([^\s()]+):(\d+):\d+/g)]
  const line = frames.find(([, path = ""]) => path === name || path.endsWith(`/${name}`))?.[2]
  return line === undefined ? undefined : Number(line)
}

/** Returns a failed test, with its place where it is known. */
export const failedTest = (name: string, file: string | undefined, line: number | undefined): FailedTest => ({
  name,
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line })
})

/** A test or a suite of a report. `path` has the names of those around it, the outermost first, then its own. */
interface Point {
  readonly path: ReadonlyArray<string>
  readonly isSuite: boolean
  /** True if it failed, and may not. */
  readonly failed: boolean
  /** The lines of the report about it. */
  readonly text: string
}

const reportedAs = /^( *)(not )?ok \d+ - (.*?)(?: # (.*))?$/

/** Reads a report in TAP. The line of a test is indented more than that of the suite or test around it, and comes before it. */
const points = (output: string): ReadonlyArray<Point> => {
  const parts = output.split(/^(?= *(?:not )?ok \d+ - )/m).flatMap((text) => {
    const [, indent, not, title = "", directive = ""] = reportedAs.exec(text.split("\n", 1)[0] ?? "") ?? []
    if (indent === undefined) return []
    const failed = not !== undefined && !/^T[O]DO\b/.test(directive)
    return [{ indent: indent.length, title: title.replaceAll(/\\(.)/g, "$1"), failed, text }]
  })
  return parts.map(({ failed, indent, text, title }, index) => {
    const path = [title]
    let inner = indent
    for (const around of parts.slice(index + 1)) {
      if (around.indent >= inner) continue
      path.unshift(around.title)
      inner = around.indent
    }
    return { path, isSuite: /^ *type: 'suite'$/m.test(text), failed, text }
  })
}

/** Returns the place of a failed test. A suite fails with its tests and is none itself, and a file neither. */
const failedOf = ({ failed, isSuite, path, text }: Point): FailedTest | undefined => {
  const kind = /^ *failureType: '(\w+)'$/m.exec(text)?.[1]
  const [, file, begins] = /^ *location: '(.+):(\d+):\d+'$/m.exec(text) ?? []
  if (!failed || kind === "subtestsFailed" || isSuite || file === undefined) return undefined
  const stack = /^ *stack: \|-\n([\s\S]*)$/m.exec(text)?.[1]
  const line = lineIn(stack, file) ?? (begins === undefined ? undefined : Number(begins))
  return failedTest(path.at(-1) ?? "", file, line)
}

const full = (path: ReadonlyArray<string>) => path.join(" ")

/**
 * Returns the tests of a file that are in no other test. A test inside of a test exists only while that runs. So the functions of the
 * tests are not called.
 */
const listed = Effect.fnUntraced(function* (context: Context, program: string) {
  const file = yield* JavaScriptFailures.writeListing(context)
  const words = ["node", "--test-reporter=tap", `--require=${file}`, program] as const
  const { stdout } = yield* context.run(...words)
  return points(stdout).filter(({ isSuite }) => !isSuite)
})

/** Options of Node for its tests, which choose tests or their report. */
const options: CallerArguments.Options = {
  flags: ["--test", "--test-only", "--enable-source-maps", "--experimental-strip-types"],
  choosing: [
    "--test",
    "--test-concurrency",
    "--test-isolation",
    "--test-name-pattern",
    "--test-only",
    "--test-reporter",
    "--test-reporter-destination",
    "--test-shard",
    "--test-skip-pattern",
    "--test-timeout"
  ]
}

/** Makes the start of a test. Older versions of Node compare a pattern with the last name only. */
const testOf = Effect.fnUntraced(function* (
  context: Context,
  program: string,
  path: ReadonlyArray<string>,
  all: ReadonlyArray<Point>,
  given: ReadonlyArray<string> = []
) {
  const file = yield* JavaScriptFailures.write(context)
  const last = path.at(-1) ?? ""
  const isAlone = all.filter((other) => other.path.includes(last)).length === 1
  const pattern = anchored(isAlone ? last : full(path))
  const optionsOf = (...more: ReadonlyArray<string>) => [
    `runtimeArgs=${JSON.stringify([...given, ...more, `--test-name-pattern=${pattern}`])}`
  ]
  const test: Test = {
    name: full(path),
    program,
    args: [],
    cwd: context.directory,
    options: optionsOf(),
    stopping: { options: optionsOf(`--require=${file}`) }
  }
  return test
})

/** The runner node --test. */
export const node: Runner = {
  failure: { catches: ["uncaught"] },
  find: Effect.fnUntraced(function* (context, name) {
    const { program } = context
    if (program === undefined)
      return yield* usage(
        "node needs the file of the test",
        Hint.call("run", { program: "FILE", runner: "node", test: name })
      )
    const all = yield* listed(context, program)
    const around = all.find(({ path }) => name.startsWith(`${full(path)} `))
    // A file that cannot be loaded has no tests: it fails when it is run.
    if (all.length === 0) return yield* testOf(context, program, [name], [])
    const same = (path: string) =>
      path === name || all.some((one) => full(one.path) === path && one.path.at(-1) === name)
    const found = yield* choose(context, name, all, ({ path }) => full(path), same).pipe(
      Effect.catchTag("TestNotFound", (error) => (around === undefined ? Effect.fail(error) : Effect.succeed(around)))
    )
    return yield* testOf(context, program, found.path, all)
  }),
  failures: Effect.fnUntraced(function* (context) {
    const { program } = context
    const files = program === undefined ? [] : [program]
    const words = ["node", "--test", "--test-reporter=tap", ...context.args, ...files] as const
    const ended = yield* context.run(...words)
    const all = points(ended.stdout)
    const failed = all.flatMap((point) => {
      const test = failedOf(point)
      return test === undefined ? [] : [{ point, test }]
    })
    const [first] = failed
    const file = first?.test.file ?? program
    if (first === undefined || file === undefined) {
      return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended, "run tests")
    }
    // A pattern selects a test that is in no other test; those in it run with it.
    const { path } = first.point
    const outer = path.findIndex((_, index) => {
      const around = path.slice(0, index + 1)
      return all.some((other) => !other.isSuite && full(other.path) === full(around))
    })
    const tests = all.filter(({ isSuite }) => !isSuite)
    const given = CallerArguments.forChosen(context.args, options)
    const found: Failures = {
      failed: failed.length,
      first: { ...(yield* testOf(context, file, path.slice(0, outer + 1), tests, given)), given: [] },
      tests: failed.map(({ test }) => test)
    }
    return found
  })
}
