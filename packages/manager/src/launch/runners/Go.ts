/** Go tests: `go test`. */
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
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

/** Returns the run of a test, or of one in it. */
const named = (test: Omit<Test, "name" | "args">, name: string): Test => ({
  ...test,
  name,
  args: ["-test.run", name.split("/").map(anchored).join("/"), "-test.v"]
})

/** Builds the tests of one package as a program. */
const testOf = Effect.fnUntraced(function* (context: Context, pkg: string, name: string) {
  const { path } = context
  const directory = (yield* runOrFail(context, "go", "list", "-f", "{{.Dir}}", pkg)).trim()
  const file = directory
    .replaceAll(/[^\w.-]+/g, "-")
    .replace(/^-/, "")
    .slice(-180)
  const program = path.join(yield* cache(context), `${file}.test`)
  // Optimization removes lines and variables.
  yield* runOrFail(context, "go", "test", "-c", "-gcflags=all=-N -l", "-o", program, pkg)
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
  const words = ["go", "test", "-json", "./..."] as const
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
  const test = yield* testOf(context, first.pkg, first.name)
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
