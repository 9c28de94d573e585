/**
 * Tests of Deno, which js-debug debugs through the inspector. The file that is started imports the file of the test, after the
 * file that lets the debugger stop where a test fails.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
import * as CallerArguments from "./CallerArguments.ts"
import * as DenoFailures from "./DenoFailures.ts"
import * as JUnit from "./JUnit.ts"
import { anchored, choose, type Context, type Failures, type Runner, type Test } from "./Runner.ts"

const missing = new Errors.ToolMissing({
  tool: "deno",
  detail: "deno cannot be started",
  remedies: [Hint.remedy("npm install -g deno")]
})

/** What failed is not one of the listed tests: the file itself, for example. */
const unlisted = new Errors.Unsupported({
  what: "debugging a failure that is in no test of Deno",
  by: "sigtrap",
  remedies: [Hint.again("start", { adapter_opt: ['runtimeExecutable="deno"'] })]
})

const quiet = { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" }

/** Options of `deno test` that choose tests, or are set here. */
const options: CallerArguments.Options = {
  flags: ["-A", "-q", "--allow-all", "--no-check", "--parallel", "--fail-fast", "--clean", "--no-lock"],
  choosing: ["-A", "--allow-all", "--filter", "--ignore", "--no-check", "--parallel", "--reporter", "--shuffle"]
}

/** Runs tests. The report is on the standard output. The tests have the permissions of the user, as with other runners. */
const reported = Effect.fnUntraced(function* (context: Context, ...options: ReadonlyArray<string>) {
  const file = context.program === undefined ? [] : [context.program]
  const words = ["deno", "test", "-A", "--reporter=junit", ...options, ...file] as const
  const ended = yield* context.runIn(context.directory, quiet, ...words).pipe(Effect.mapError(() => missing))
  return { words, ended, tests: JUnit.tests(ended.stdout, context) }
})

/** Returns the test that has a step. A step runs with its test. */
const around = <A extends { readonly name: string }>(
  name: string,
  all: ReadonlyArray<A>,
  between: string
): A | undefined => all.find((one) => name.startsWith(`${one.name}${between}`))

const testOf = Effect.fnUntraced(function* (
  context: Context,
  { file, name }: Listed,
  given: ReadonlyArray<string> = []
) {
  const optionsOf = (program: string) => [
    'runtimeExecutable="deno"',
    `runtimeArgs=${JSON.stringify(["test", "-A", "--no-check", ...given, "--filter", `/${anchored(name)}/`])}`,
    `program=${JSON.stringify(program)}`
  ]
  const test: Test = {
    name,
    program: file,
    args: [],
    cwd: context.directory,
    env: Object.entries(quiet).map(([variable, value]) => `${variable}=${value}`),
    options: optionsOf(file),
    stopping: { options: optionsOf(yield* DenoFailures.write(context, file)) }
  }
  return test
})

/** A test, and the path of the file that Deno loads for it. It may be in a file that this one imports. */
interface Listed {
  readonly name: string
  readonly file: string
}

/** Returns the tests that are in no other test. Their functions are not called. */
const listed = Effect.fnUntraced(function* (context: Context) {
  const { ended, tests, words } = yield* reported(context, `--preload=${yield* DenoFailures.writeListing(context)}`)
  const known = yield* Effect.forEach(tests, ({ name }) => {
    const [, address = "", title = ""] = /^(file:\S+) ([^]*)$/.exec(name) ?? []
    if (!URL.canParse(address)) return Effect.succeed([])
    return context.path.fromFileUrl(new URL(address)).pipe(
      Effect.map((file): ReadonlyArray<Listed> => [{ name: title, file }]),
      Effect.orElseSucceed(() => [])
    )
  })
  if (known.length === 0 && ended.problem !== undefined) return yield* Build.failed(words, ended, "list tests")
  return known.flat()
})

/** The runner deno test. */
export const deno: Runner = {
  failure: { catches: ["uncaught"] },
  find: Effect.fnUntraced(function* (context, name) {
    const known = yield* listed(context)
    const found = yield* choose(context, name, known, (one) => one.name).pipe(
      Effect.catchTag("TestNotFound", (error) => {
        const outer = around(name, known, " > ") ?? around(name, known, " ")
        return outer === undefined ? Effect.fail(error) : Effect.succeed(outer)
      })
    )
    return yield* testOf(context, found)
  }),
  failures: Effect.fnUntraced(function* (context) {
    const { ended, tests, words } = yield* reported(context, ...context.args)
    const all = tests.filter(({ failed }) => failed)
    // A test fails with its steps, which are tests themselves.
    const failed = all.filter(({ name }) => !all.some((other) => other.name.startsWith(`${name} > `)))
    const [first] = failed
    if (first === undefined)
      return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended, "run tests")
    const known = yield* listed(context)
    const same = known.filter(({ name }) => name === first.name)
    const outer = same.find(({ file }) => file === first.file) ?? same[0] ?? around(first.name, known, " > ")
    const given = CallerArguments.forChosen(context.args, options)
    const found: Failures = {
      failed: failed.length,
      tests: failed.map(JUnit.placeOf),
      ...(outer === undefined
        ? { problem: unlisted }
        : { first: { ...(yield* testOf(context, outer, given)), given: [] } })
    }
    return found
  })
}
