/**
 * JavaScript tests: node, vitest, jest and mocha, whose tests js-debug debugs; bun and deno, whose runtimes have no debugger
 * here.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
import {
  anchored,
  type Context,
  field,
  type Failures,
  items,
  json,
  lines,
  type Runner,
  type Test,
  text,
  usage
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
  /** Arguments that run all tests and print their results as JSON. */
  readonly report: ReadonlyArray<string>
  /** Arguments that run one test without child processes. */
  readonly one: (name: string, file: string | undefined) => ReadonlyArray<string>
  /** Returns the failed tests of the report. */
  readonly failed: (document: unknown) => ReadonlyArray<{ readonly name: string; readonly file: string | undefined }>
}

const named = (file: string | undefined) => (file === undefined ? [] : [file])

/** Reads the report of jest, which vitest writes too. */
const jestFailures: Tool["failed"] = (document) =>
  items(document, "testResults").flatMap((result) =>
    items(result, "assertionResults").flatMap((test) => {
      const name = text(test, "fullName")
      return text(test, "status") === "failed" && name !== undefined ? [{ name, file: text(result, "name") }] : []
    })
  )

const runnerOf = (tool: Tool): Runner => {
  const testOf = Effect.fnUntraced(function* (context: Context, name: string, file: string | undefined) {
    const test: Test = {
      name,
      program: yield* packageFile(context, tool.name, tool.file),
      args: tool.one(name, file),
      cwd: context.directory
    }
    return test
  })
  return {
    failure: { catches: ["all"] },
    find: (context, name) => testOf(context, name, context.program),
    failures: Effect.fnUntraced(function* (context) {
      const program = yield* packageFile(context, tool.name, tool.file)
      const words = ["node", program, ...tool.report] as const
      const ended = yield* context.run("node", program, ...tool.report)
      const document = json(ended.stdout.slice(ended.stdout.indexOf("{")))
      if (document === undefined) return yield* Build.failed(words, ended)
      const failed = tool.failed(document)
      const [first] = failed
      if (first === undefined) return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended)
      const found: Failures = { failed: failed.length, first: yield* testOf(context, first.name, first.file) }
      return found
    })
  }
}

/** vitest */
export const vitest = runnerOf({
  name: "vitest",
  file: "vitest.mjs",
  report: ["run", "--reporter=json"],
  one: (name, file) => ["run", ...named(file), "-t", anchored(name), "--no-file-parallelism", "--testTimeout=0"],
  failed: jestFailures
})

/** jest */
export const jest = runnerOf({
  name: "jest",
  file: "bin/jest.js",
  report: ["--json"],
  one: (name, file) => ["--runInBand", "-t", anchored(name), "--testTimeout=3600000", ...named(file)],
  failed: jestFailures
})

/** mocha */
export const mocha = runnerOf({
  name: "mocha",
  file: "bin/mocha.js",
  report: ["--reporter", "json"],
  one: (name, file) => ["--no-timeout", "--grep", anchored(name), ...named(file)],
  failed: (document) =>
    items(document, "failures").flatMap((test) => {
      const name = text(test, "fullTitle")
      return name === undefined ? [] : [{ name, file: text(test, "file") }]
    })
})

const nodeTest = (context: Context, program: string, name: string): Test => ({
  name,
  program,
  args: [],
  cwd: context.directory,
  options: [`runtimeArgs=${JSON.stringify([`--test-name-pattern=${anchored(name).slice(1, -1)}`])}`]
})

/** node --test. The file is the program; a pattern selects the test. */
export const node: Runner = {
  failure: { catches: ["all"] },
  find: (context, name) =>
    context.program === undefined
      ? Effect.fail(usage("node needs the file of the test"))
      : Effect.succeed(nodeTest(context, context.program, name)),
  failures: Effect.fnUntraced(function* (context) {
    const { program } = context
    if (program === undefined) return yield* usage("node needs the file of the test")
    const words = ["node", "--test", "--test-reporter=tap", program] as const
    const ended = yield* context.run(...words)
    // The innermost test has the deepest line, and comes first.
    const failed = lines(ended.stdout).flatMap((line) => {
      const [, name] = /^ *not ok \d+ - (.+?)(?: # .*)?$/.exec(line) ?? []
      return name === undefined || name === program ? [] : [name]
    })
    const [first] = failed
    if (first === undefined) return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended)
    const found: Failures = { failed: failed.length, first: nodeTest(context, program, first) }
    return found
  })
}

/** A runner whose runtime has no debugger here. */
const without = (runtime: string, remedy: string): Runner => {
  const refused = Effect.fail(
    new Errors.Unsupported({ what: `debugging tests of ${runtime}`, by: "sigtrap", remedies: [Hint.remedy(remedy)] })
  )
  return { failure: {}, find: () => refused, failures: () => refused }
}

/** bun test */
export const bun = without("Bun", "bun test --inspect-brk")

/** deno test */
export const deno = without("Deno", "deno test --inspect-brk")

/** The members of package.json that name a test tool. */
export const toolOf = (manifest: string): "vitest" | "jest" | "mocha" | "node" => {
  const document = json(manifest)
  const has = (name: string) =>
    field(field(document, "devDependencies"), name) !== undefined ||
    field(field(document, "dependencies"), name) !== undefined
  return has("vitest") ? "vitest" : has("jest") ? "jest" : has("mocha") ? "mocha" : "node"
}
