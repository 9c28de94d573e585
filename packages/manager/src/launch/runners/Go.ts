/** Go tests: `go test`. */
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
import * as CallerArguments from "./CallerArguments.ts"
import {
  anchored,
  cache,
  choose,
  type Context,
  type Failures,
  json,
  lines,
  type Runner,
  runOrFail,
  type Test,
  text
} from "./Runner.ts"

/** Flags of `go test` that build the program, with those that take no value. */
const buildFlags = ["-tags", "-mod", "-modfile", "-overlay", "-ldflags", "-race", "-msan", "-asan", "-trimpath"]

/** Flags of `go test` that the test program has with the prefix `-test.` (go help testflag). */
const testFlags = new Set(
  "bench benchmem benchtime count cpu failfast fullpath list parallel run short shuffle skip timeout v".split(" ")
)

/** Flags that take no value. */
const flags = ["-race", "-msan", "-asan", "-trimpath", "-v", "-short", "-failfast", "-benchmem", "-fullpath", "-json"]

/** Flags that choose tests or the form of the report, and the time limit, which the debugger would exceed. */
const choosing = ["-run", "-skip", "-bench", "-list", "-json", "-v", "-timeout", "-failfast"]

/** The caller's arguments, by what they are for. Those after `-args` and unknown flags are the test program's. */
interface Given {
  readonly packages: ReadonlyArray<string>
  readonly build: ReadonlyArray<string>
  /** Flags of `go test`, with one dash. */
  readonly test: ReadonlyArray<CallerArguments.Item>
  readonly own: ReadonlyArray<string>
}

const givenOf = (args: ReadonlyArray<string>): Given => {
  const end = args.findIndex((word) => /^--?args$/.test(word))
  const known = (end < 0 ? args : args.slice(0, end)).map((word) => word.replace(/^--?(?:test\.)?(?=\w)/, "-"))
  const items = CallerArguments.split(known, flags)
  const isOf = ({ name = "" }: CallerArguments.Item, kind: "build" | "test") =>
    kind === "build" ? buildFlags.includes(name) : testFlags.has(name.slice(1))
  const words = (all: ReadonlyArray<CallerArguments.Item>) => all.flatMap((item) => item.words)
  return {
    packages: words(items.filter(({ name }) => name === undefined)),
    build: words(items.filter((item) => isOf(item, "build"))),
    test: items.filter((item) => isOf(item, "test")),
    own: [
      ...words(items.filter((item) => item.name !== undefined && !isOf(item, "build") && !isOf(item, "test"))),
      ...(end < 0 ? [] : args.slice(end + 1))
    ].filter((word) => word !== "-json")
  }
}

/** Returns the arguments of a chosen test's program. */
const forOne = ({ own, test }: Given): ReadonlyArray<string> => [
  ...test
    .filter(({ name = "" }) => !choosing.includes(name))
    .flatMap(({ words: [flag = "", ...value] }) => [`-test.${flag.slice(1)}`, ...value]),
  ...own
]

/** Returns the run of a test, or of one in it. */
const named = (test: Omit<Test, "name" | "args">, name: string): Test => ({
  ...test,
  name,
  args: ["-test.run", name.split("/").map(anchored).join("/"), "-test.v"]
})

/** Builds the tests of one package as a program. */
const testOf = Effect.fnUntraced(function* (
  context: Context,
  pkg: string,
  name: string,
  build: ReadonlyArray<string> = []
) {
  const { path } = context
  const directory = (yield* runOrFail(context, "go", "list", ...build, "-f", "{{.Dir}}", pkg)).trim()
  const file = directory
    .replaceAll(/[^\w.-]+/g, "-")
    .replace(/^-/, "")
    .slice(-180)
  const program = path.join(yield* cache(context), `${file}.test`)
  // Optimization removes lines and variables.
  yield* runOrFail(context, "go", "test", "-c", ...build, "-gcflags=all=-N -l", "-o", program, pkg)
  return named({ program, cwd: directory }, name)
})

/** Finds a test. Go lists tests by package. */
const find = Effect.fnUntraced(function* (context: Context, name: string) {
  const [first = "", ...below] = name.split("/")
  const output = yield* runOrFail(context, "go", "test", "-list", ".", "./...")
  const found: Array<{ readonly test: string; readonly pkg: string }> = []
  let waiting: Array<string> = []
  for (const line of lines(output)) {
    const [, pkg] = /^ok\s+(\S+)/.exec(line) ?? []
    if (pkg !== undefined) {
      found.push(...waiting.map((test) => ({ test, pkg })))
      waiting = []
    } else if (/^(?:Test|Example|Fuzz)[\p{L}\p{N}_]*$/u.test(line)) waiting.push(line)
    // Benchmarks, and what the package prints, are between the names.
    else if (/^(?:FAIL|\?)\s/.test(line)) waiting = []
  }
  const { pkg, test } = yield* choose(context, first, found, (one) => one.test)
  return yield* testOf(context, pkg, [test, ...below].join("/"))
})

/** Reads the events of `go test -json`. The event of a subtest comes before the one of its test. */
const failures = Effect.fnUntraced(function* (context: Context) {
  const given = givenOf(context.args)
  const { build, own, packages, test: chosen } = given
  const words = [
    ...(["go", "test", "-json"] as const),
    ...build,
    ...chosen.flatMap((item) => item.words),
    ...(packages.length === 0 ? ["./..."] : packages),
    ...(own.length === 0 ? [] : ["-args", ...own])
  ] as const
  const ended = yield* context.run(...words)
  const failed = lines(ended.stdout).flatMap((line) => {
    const event = line.startsWith("{") ? json(line) : undefined
    const [name, pkg] = [text(event, "Test"), text(event, "Package")]
    return text(event, "Action") === "fail" && name !== undefined && pkg !== undefined ? [{ name, pkg }] : []
  })
  const innermost = failed.filter(
    ({ name, pkg }) => !failed.some((other) => other.pkg === pkg && other.name.startsWith(`${name}/`))
  )
  const [first] = innermost
  if (first === undefined) {
    return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended)
  }
  const test = { ...(yield* testOf(context, first.pkg, first.name, build)), given: forOne(given) }
  const [outer = ""] = first.name.split("/")
  const found: Failures = {
    failed: innermost.length,
    first: test,
    ...(outer === first.name ? {} : { around: named(test, outer) })
  }
  return found
})

/** `go test`. A test that panics is stopped by Delve itself. */
export const go: Runner = { failure: { catches: ["failed-test"] }, find, failures }
