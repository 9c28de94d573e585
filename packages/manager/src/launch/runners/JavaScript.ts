/**
 * JavaScript tests: vitest, jest and mocha, whose tests js-debug debugs; bun, whose runtime has no debugger here.
 *
 * Each of these runners catches the exceptions of its tests. A file that is loaded into the test's process lets the debugger
 * see which of them make a test fail.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { purposes } from "../../ports/FileReader.ts"
import * as Build from "../Build.ts"
import * as CallerArguments from "./CallerArguments.ts"
import * as JavaScriptFailures from "./JavaScriptFailures.ts"
import * as JUnit from "./JUnit.ts"
import { failedTest, lineIn } from "./NodeTest.ts"
import {
  anchored,
  cache,
  choose,
  type Context,
  type FailedTest,
  field,
  type Failures,
  items,
  json,
  type Runner,
  type Test,
  text
} from "./Runner.ts"

/** Finds a file of a package in the nearest node_modules. */
const packageFile = Effect.fnUntraced(function* ({ directory, fs, path }: Context, tool: string, file: string) {
  for (let folder = directory; ; folder = path.dirname(folder)) {
    const found = path.join(folder, "node_modules", tool, file)
    if (yield* fs.exists(found).pipe(Effect.orElseSucceed(() => false))) return found
    if (path.dirname(folder) === folder) break
  }
  return yield* new Errors.ToolMissing({
    tool,
    detail: `no node_modules of ${directory} or above has ${tool}/${file}`,
    remedies: [Hint.remedy(`npm install --save-dev ${tool}`)]
  })
})

interface Tool {
  /** The package, and the file that runs it. */
  readonly name: string
  readonly file: string
  /** Arguments that run all tests and write their results as JSON: to the file, or to the standard output. */
  readonly report: (file: string) => ReadonlyArray<string>
  /** Arguments that run one test without child processes. */
  readonly one: (name: string, file: string | undefined) => ReadonlyArray<string>
  /** Its options that choose tests or their report. */
  readonly options: CallerArguments.Options
  /** What loads a file into the process of the test, besides these arguments. */
  readonly loading: (context: Context, file: string, args: ReadonlyArray<string>) => NonNullable<Test["stopping"]>
  /** Arguments that write all tests as JSON to a file, without running one. */
  readonly list: (report: string, file: string | undefined) => ReadonlyArray<string>
  /** Arguments with which the list has the tests of a table, instead of their template; older versions do not know them. */
  readonly listsAll?: ReadonlyArray<string>
  /** Returns the full names of the listed tests. */
  readonly names: (document: unknown) => ReadonlyArray<string>
  /** Returns the failed tests of the report. */
  readonly failed: (document: unknown) => ReadonlyArray<FailedTest>
}

const named = (file: string | undefined) => (file === undefined ? [] : [file])

/** Returns the path of a file for a report, which is removed with the scope. */
const reportFile = Effect.fnUntraced(function* (context: Context, name: string) {
  const directory = yield* cache(context)
  const folder = yield* context.fs
    .makeTempDirectoryScoped({ directory, prefix: "report-" })
    .pipe(Effect.mapError(({ message }) => new Errors.LaunchFailed({ program: directory, detail: message })))
  return context.path.join(folder, name)
})

/** Reads the report of jest, which vitest writes too. */
const jestFailures: Tool["failed"] = (document) =>
  items(document, "testResults").flatMap((result) =>
    items(result, "assertionResults").flatMap((test) => {
      const name = text(test, "fullName")
      if (text(test, "status") !== "failed" || name === undefined) return []
      const file = text(result, "name")
      const stack = items(test, "failureMessages").filter(Predicate.isString).join("\n")
      const begins = field(field(test, "location"), "line")
      return [failedTest(name, file, lineIn(stack, file) ?? (Predicate.isNumber(begins) ? begins : undefined))]
    })
  )

/** Returns the files that fail without a failed test, such as one that cannot be imported, with the first line of the error. */
const fileFailures = (document: unknown): ReadonlyArray<FailedTest> =>
  items(document, "testResults").flatMap((result) => {
    const file = text(result, "name")
    const failed = items(result, "assertionResults").some((test) => text(test, "status") === "failed")
    if (text(result, "status") !== "failed" || failed || file === undefined) return []
    const message = text(result, "message") ?? ""
    const [first = ""] = message.split("\n")
    return [{ ...failedTest(file, file, lineIn(message, file)), ...(first === "" ? {} : { message: first }) }]
  })

/** Returns a full name of vitest with spaces between the names in it, as its reports have it. */
const spaced = (name: string) => name.replaceAll(" > ", " ")

const runnerOf = (tool: Tool): Runner => {
  const testOf = Effect.fnUntraced(function* (context: Context, name: string, file: string | undefined) {
    const args = tool.one(name, file)
    const test: Test = {
      name,
      program: yield* packageFile(context, tool.name, tool.file),
      args,
      cwd: context.directory,
      stopping: tool.loading(context, yield* JavaScriptFailures.write(context), args)
    }
    return test
  })
  /** Returns the full name of a test; the name as it is if the tests cannot be listed. */
  const listed = Effect.fnUntraced(function* (context: Context, name: string) {
    const program = yield* packageFile(context, tool.name, tool.file)
    const report = yield* reportFile(context, "tests.json")
    const words = ["node", program, ...tool.list(report, context.program)] as const
    let ended = yield* context.run(...words, ...(tool.listsAll ?? []))
    if (ended.problem !== undefined && tool.listsAll !== undefined) ended = yield* context.run(...words)
    const written = yield* context.reader.text(report, purposes.script).pipe(Effect.orElseSucceed(() => ""))
    // A file that cannot be loaded fails when the test runs, with its error.
    if (ended.problem !== undefined || written === "") return name
    const names = [...new Set(tool.names(json(written)))]
    const asked = names.some((one) => one.includes(name)) ? name : spaced(name)
    return yield* choose(context, asked, names, (one) => one)
  }, Effect.scoped)
  return {
    failure: { catches: ["uncaught"] },
    find: (context, name) => Effect.flatMap(listed(context, name), (found) => testOf(context, found, context.program)),
    failures: Effect.fnUntraced(function* (context) {
      const program = yield* packageFile(context, tool.name, tool.file)
      const file = yield* reportFile(context, "report.json")
      const words = ["node", program, ...tool.report(file), ...context.args, ...named(context.program)] as const
      const ended = yield* context.run(...words)
      const written = yield* context.reader.text(file, purposes.script).pipe(Effect.orElseSucceed(() => ended.stdout))
      const document = json(written.slice(written.indexOf("{")))
      if (document === undefined) return yield* Build.failed(words, ended, "run tests")
      const failed = tool.failed(document)
      const [first] = failed
      const files = first === undefined ? fileFailures(document) : []
      if (files.length > 0) {
        const found: Failures = { failed: files.length, tests: files, problem: outsideProblem }
        return found
      }
      if (first === undefined)
        return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended, "run tests")
      const test = yield* testOf(context, first.name, first.file)
      const given = CallerArguments.forChosen(context.args, tool.options)
      const found: Failures = { failed: failed.length, first: { ...test, given }, tests: failed }
      return found
    }, Effect.scoped)
  }
}

/** What failed is not a test. */
const outsideProblem = new Errors.Unsupported({
  what: "debugging what fails outside of a test",
  by: "sigtrap",
  remedies: [Hint.remedy("the runner itself prints the whole error")]
})

const bunProblem = new Errors.Unsupported({
  what: "debugging tests of Bun, whose inspector speaks WebKit's protocol; no debug adapter for it can be installed",
  by: "sigtrap",
  remedies: [
    Hint.again("run", { runner: "bun", failing: true }),
    Hint.remedy("run the test with --runner node or vitest, if it does not need Bun")
  ]
})

const bunMissing = new Errors.ToolMissing({
  tool: "bun",
  detail: "bun cannot be started",
  remedies: [Hint.remedy("npm install -g bun")]
})

/** Returns the pattern of a full name of vitest. Version 5 puts ` > ` between the names in it, its report and older versions a space. */
const vitestName = (name: string) => anchored(name).replaceAll(" ", " (?:> )?")

/** The runner vitest. */
export const vitest = runnerOf({
  name: "vitest",
  file: "vitest.mjs",
  report: (file) => ["run", "--reporter=json", `--outputFile.json=${file}`, "--includeTaskLocation"],
  list: (report, file) => ["list", ...named(file), `--json=${report}`],
  listsAll: ["--staticParse=false"],
  names: (tests) => items({ tests }, "tests").flatMap((test) => spaced(text(test, "name") ?? "")),
  one: (name, file) => [
    "run",
    ...named(file),
    "-t",
    vitestName(name),
    "--no-file-parallelism",
    "--testTimeout=0",
    "--hookTimeout=0"
  ],
  options: {
    flags: [
      "--run",
      "--no-coverage",
      "--coverage",
      "--silent",
      "--globals",
      "--passWithNoTests",
      "--allowOnly",
      "--no-isolate"
    ],
    choosing: [
      "--run",
      "--changed",
      "--exclude",
      "--hookTimeout",
      "--outputFile",
      "--outputFile.json",
      "--reporter",
      "--shard",
      "-t",
      "--testNamePattern",
      "--testTimeout"
    ]
  },
  // The test runs in a child process.
  loading: (context, file) => ({ env: [JavaScriptFailures.variable(context, file)] }),
  failed: jestFailures
})

/** The runner jest. */
export const jest = runnerOf({
  name: "jest",
  file: "bin/jest.js",
  report: () => ["--json", "--testLocationInResults"],
  // jest reports the tests that a pattern leaves out, and runs neither them nor their hooks.
  list: (report, file) => ["--json", `--outputFile=${report}`, "-t", "$lists, runs none", ...named(file)],
  names: (document) =>
    items(document, "testResults").flatMap((result) =>
      items(result, "assertionResults").flatMap((test) => text(test, "fullName") ?? [])
    ),
  one: (name, file) => ["--runInBand", "-t", anchored(name), "--testTimeout=3600000", ...named(file)],
  options: {
    flags: [
      "-b",
      "--bail",
      "-i",
      "--runInBand",
      "-o",
      "--onlyChanged",
      "--coverage",
      "--no-cache",
      "--ci",
      "--json",
      "--silent",
      "--verbose"
    ],
    choosing: [
      "-i",
      "--runInBand",
      "-o",
      "--onlyChanged",
      "--changedSince",
      "--findRelatedTests",
      "--json",
      "--maxWorkers",
      "--outputFile",
      "--shard",
      "-t",
      "--testNamePattern",
      "--testPathIgnorePatterns",
      "--testPathPattern",
      "--testPathPatterns",
      "--testTimeout",
      "-w"
    ]
  },
  loading: (_, file, args) => ({ args: [`--testRunner=${file}`, ...args] }),
  failed: jestFailures
})

/** The runner mocha. */
export const mocha = runnerOf({
  name: "mocha",
  file: "bin/mocha.js",
  report: () => ["--reporter", "json"],
  list: (report, file) => ["--dry-run", "--reporter", "json", "--reporter-option", `output=${report}`, ...named(file)],
  names: (document) => items(document, "tests").flatMap((test) => text(test, "fullTitle") ?? []),
  one: (name, file) => ["--no-timeout", "--grep", anchored(name), ...named(file)],
  options: {
    flags: [
      "-b",
      "--bail",
      "-p",
      "--parallel",
      "-c",
      "--color",
      "--recursive",
      "--exit",
      "--check-leaks",
      "-i",
      "--invert"
    ],
    choosing: [
      "-p",
      "--parallel",
      "-g",
      "--grep",
      "-f",
      "--fgrep",
      "-i",
      "--invert",
      "--ignore",
      "-R",
      "--reporter",
      "-t",
      "--timeout",
      "--timeouts",
      "--spec"
    ]
  },
  loading: (_, file, args) => ({ args: ["--require", file, ...args] }),
  failed: (document) =>
    items(document, "failures").flatMap((test) => {
      const name = text(test, "fullTitle")
      const file = text(test, "file")
      return name === undefined ? [] : [failedTest(name, file, lineIn(text(field(test, "err"), "stack"), file))]
    })
})

/** Runs tests of Bun. The report is a file, in which tests that a pattern leaves out are skipped ones. */
const bunReport = Effect.fnUntraced(function* (
  context: Context,
  choice: "all" | "one",
  ...more: ReadonlyArray<string>
) {
  const file = yield* reportFile(context, "report.xml")
  const options = ["--reporter=junit", `--reporter-outfile=${file}`, ...more]
  const words = ["bun", "test", ...options, ...named(context.program)] as const
  const ended = yield* context.run(...words).pipe(Effect.mapError(() => bunMissing))
  const xml = yield* context.reader.text(file, purposes.script).pipe(Effect.orElseSucceed(() => ""))
  const tests = JUnit.tests(xml, context)
  const failed = tests.filter(({ failed }) => failed).map(JUnit.placeOf)
  if (failed.length === 0 && (tests.length === 0 || choice === "all") && ended.problem !== undefined) {
    return yield* Build.failed(words, ended, "run tests")
  }
  const failures: Failures =
    failed.length === 0 ? { failed: 0 } : { failed: failed.length, tests: failed, problem: bunProblem }
  return { ended, failures, tests }
}, Effect.scoped)

/** bun test. Its inspector speaks the protocol of WebKit, which no debug adapter that can be installed speaks. */
export const bun: Runner = {
  failure: {},
  find: () => Effect.fail(bunProblem),
  alone: Effect.fnUntraced(function* (context, name) {
    const given = CallerArguments.forChosen(context.args, {
      choosing: ["-t", "--test-name-pattern"],
      keepsWords: true
    })
    const report = (full: string) => bunReport(context, "one", ...given, `--test-name-pattern=${anchored(full)}`)
    const first = yield* report(name)
    const names = [...new Set(first.tests.map((test) => test.name))]
    const full = yield* choose(context, name, names, (one) => one)
    return full === name ? first.failures : (yield* report(full)).failures
  }),
  failures: (context) => Effect.map(bunReport(context, "all", ...context.args), ({ failures }) => failures)
}

/** The members of package.json that name a test tool. */
export const toolOf = (manifest: string): "vitest" | "jest" | "mocha" | "node" => {
  const document = json(manifest)
  const has = (name: string) =>
    field(field(document, "devDependencies"), name) !== undefined ||
    field(field(document, "dependencies"), name) !== undefined
  return has("vitest") ? "vitest" : has("jest") ? "jest" : has("mocha") ? "mocha" : "node"
}
