/**
 * Rust tests as `cargo nextest` runs them: each in a process of its own.
 *
 * The list of tests is documented output (https://nexte.st/docs/machine-readable/list). The results are those of `libtest-json`, which is
 * experimental and turned on by a variable: a line for each test, with the name `PACKAGE::BINARY$TEST`, and `#N` after N attempts.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Build from "../Build.ts"
import { forOne, withAttribute } from "./Cargo.ts"
import { choose, type Context, type Failures, field, json, lines, type Runner, type Test, text } from "./Runner.ts"

/** What this runner needs of a context. */
type Needed = Pick<Context, "args" | "directory" | "runIn" | "runner">

/** Turns on the lines of results. */
const experimental = { NEXTEST_EXPERIMENTAL_LIBTEST_JSON: "1" }

/** A test with the name that results have. */
interface Listed {
  readonly test: Test
  readonly fullName: string
}

/** Runs `cargo nextest`; fails if the subcommand is not installed. */
const run = Effect.fnUntraced(function* (context: Needed, ...words: ReadonlyArray<string>) {
  const ended = yield* context.runIn(context.directory, experimental, "cargo", "nextest", ...words)
  if (ended.problem !== undefined && /no such (?:sub)?command: `nextest`/.test(ended.tail)) {
    return yield* new Errors.ToolMissing({
      tool: "cargo nextest",
      detail: "cargo has no subcommand nextest",
      remedies: [Hint.remedy("cargo install cargo-nextest --locked")]
    })
  }
  return ended
})

/** Builds the test programs and lists their tests. */
const listed = Effect.fnUntraced(function* (context: Needed) {
  const words = ["list", "--message-format", "json"] as const
  const ended = yield* run(context, ...words)
  if (ended.problem !== undefined) return yield* Build.failed(["cargo", "nextest", ...words], ended)
  const document = lines(ended.stdout).find((line) => line.startsWith("{"))
  const suites = field(document === undefined ? undefined : json(document), "rust-suites")
  return Object.values(Predicate.isReadonlyObject(suites) ? suites : {}).flatMap((suite): ReadonlyArray<Listed> => {
    const [program, cwd] = [text(suite, "binary-path"), text(suite, "cwd")]
    const cases = field(suite, "testcases")
    if (program === undefined || cwd === undefined || !Predicate.isReadonlyObject(cases)) return []
    const owner = `${text(suite, "package-name") ?? ""}::${text(suite, "binary-name") ?? ""}`
    return Object.keys(cases).map((name) => ({
      fullName: `${owner}$${name}`,
      test: {
        name,
        program,
        args: [name, "--exact", "--nocapture"],
        cwd,
        env: [`CARGO_MANIFEST_DIR=${cwd}`, "NEXTEST=1", "NEXTEST_EXECUTION_MODE=process-per-test"]
      }
    }))
  })
})

const find = Effect.fnUntraced(function* (context: Needed, name: string) {
  const found = yield* choose(
    context,
    name,
    yield* listed(context),
    ({ fullName }) => fullName,
    (full) => full === name || full.endsWith(`$${name}`)
  )
  return yield* withAttribute(context, found.test)
})

/** Returns the names of failed tests in the lines of a run. */
const failedIn = (output: string): ReadonlyArray<string> =>
  lines(output).flatMap((line) => {
    const event = line.startsWith("{") ? json(line) : undefined
    const name = text(event, "name")
    const isFailed = text(event, "type") === "test" && text(event, "event") === "failed"
    return isFailed && name !== undefined ? [name.replace(/#\d+$/, "")] : []
  })

const failures = Effect.fnUntraced(function* (context: Needed) {
  const given = context.args.length === 0 ? [] : ["--", ...context.args]
  const words = ["run", "--no-fail-fast", "--message-format", "libtest-json", ...given]
  const all = yield* listed(context)
  const ended = yield* run(context, ...words)
  const failed = failedIn(ended.stdout)
  if (failed.length === 0 && ended.problem !== undefined && all.length > 0) {
    return yield* Build.failed(["cargo", "nextest", ...words], ended)
  }
  const first = all.find(({ fullName }) => failed.includes(fullName))
  const found: Failures = {
    failed: failed.length,
    ...(first === undefined ? {} : { first: { ...first.test, given: forOne(context.args) } })
  }
  return found
})

/** The runner `cargo nextest`. */
export const nextest = { failure: { catches: ["panic", "returned-error"] }, find, failures } satisfies Runner
