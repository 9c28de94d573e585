/** Test programs of C++ that have their runner in themselves: GoogleTest and Catch2. */
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
import * as CallerArguments from "./CallerArguments.ts"
import { choose, type Context, type Failures, lines, type Runner, runOrFail, type Test, usage } from "./Runner.ts"

const programOf = Effect.fnUntraced(function* ({ program, runner }: Context) {
  return program ?? (yield* usage(`${runner} needs the test program`))
})

const googleTestOf = (context: Context, program: string, name: string): Test => ({
  name,
  program,
  args: [`--gtest_filter=${name}`],
  cwd: context.directory
})

/** Reads the list of tests: a suite's name ends in a dot, its tests are below it. */
const googleTests = (output: string): ReadonlyArray<string> => {
  let suite = ""
  return lines(output).flatMap((line) => {
    const word = line.replace(/ +#.*$/, "").trimEnd()
    if (/^\S+\.$/.test(word)) suite = word
    return /^ {2}\S+$/.test(word) && suite !== "" ? [suite + word.trim()] : []
  })
}

/** The runner GoogleTest. */
export const gtest: Runner = {
  failure: { args: ["--gtest_break_on_failure", "--gtest_catch_exceptions=0"] },
  find: Effect.fnUntraced(function* (context: Context, name: string) {
    const program = yield* programOf(context)
    const all = googleTests(yield* runOrFail(context, program, "--gtest_list_tests"))
    return googleTestOf(context, program, yield* choose(context, name, all, (test) => test))
  }),
  failures: Effect.fnUntraced(function* (context: Context) {
    const program = yield* programOf(context)
    // The last of equal options counts.
    const words = [program, ...context.args, "--gtest_color=no", "--gtest_brief=0"] as const
    const ended = yield* context.run(...words)
    const failed: Array<string> = []
    let begun: string | undefined
    for (const line of lines(ended.stdout)) {
      const [, word, name] = /^\[ +(RUN|OK|FAILED|SKIPPED) +\] ([^\s,]+)/.exec(line) ?? []
      // The summary repeats the failed tests without their times.
      if (word === "FAILED" && name !== undefined && name === begun) failed.push(name)
      if (word !== undefined) begun = word === "RUN" ? name : undefined
    }
    // A test that ends the program has no line of its end.
    if (begun !== undefined && ended.problem !== undefined) failed.push(begun)
    const [first] = failed
    if (first === undefined)
      return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended, "run tests")
    const test = googleTestOf(context, program, first)
    const given = CallerArguments.forChosen(context.args, { choosing: ["--gtest_filter"] })
    const found: Failures = { failed: failed.length, first: { ...test, given } }
    return found
  })
}

/** Returns the pattern of one name, in which commas and brackets have a meaning. */
const catch2Pattern = (name: string) => name.replaceAll(/[\\,[\]*"]/g, "\\$&")

const catch2Of = (context: Context, program: string, name: string): Test => ({
  name,
  program,
  args: [catch2Pattern(name)],
  cwd: context.directory
})

/** Lists the names of tests by a pattern, one a line. Version 2 exits with the number of tests. */
const catch2Names = Effect.fnUntraced(function* (context: Context, program: string, pattern: string) {
  const second = yield* context.run(program, "--list-test-names-only", pattern)
  if (second.stdout.trim() !== "") return lines(second.stdout).filter((line) => line.trim() !== "")
  const third = yield* runOrFail(context, program, "--list-tests", "--verbosity", "quiet", pattern)
  return lines(third).filter((line) => line.trim() !== "")
})

/** Tags of tests that pass although an assertion fails. */
const catch2Tolerant = ["[!mayfail]", "[!shouldfail]"]

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const unescaped = (value: string) => value.replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)

/** Options of Catch2 (docs/command-line.md). */
const catch2Options: CallerArguments.Options = {
  flags: [
    "-a",
    "--abort",
    "-b",
    "--break",
    "-e",
    "--nothrow",
    "-i",
    "--invisibles",
    "-s",
    "--success",
    "-#",
    "--filenames-as-tags"
  ],
  choosing: ["-f", "--input-file", "--shard-count", "--shard-index"]
}

/** Catch2, versions 2 and 3 */
export const catch2: Runner = {
  // Catch2 itself catches an exception that leaves a test.
  failure: { args: ["--break"], catches: ["uncaught-by-test"] },
  find: Effect.fnUntraced(function* (context: Context, name: string) {
    const program = yield* programOf(context)
    // The pattern names hidden tests too.
    const all = yield* catch2Names(context, program, "*")
    const found = (yield* choose(context, name.trim(), all, (test) => test.trim())).trim()
    const pattern = catch2Tolerant.map((tag) => `${catch2Pattern(found)}${tag}`).join(",")
    const tolerant = yield* catch2Names(context, program, pattern).pipe(Effect.orElseSucceed(() => []))
    const test = catch2Of(context, program, found)
    return tolerant.some((one) => one.trim() === found) ? { ...test, expectsFailure: true } : test
  }),
  failures: Effect.fnUntraced(function* (context: Context) {
    const program = yield* programOf(context)
    const words = [program, "--reporter", "xml", ...context.args] as const
    const ended = yield* context.run(...words)
    const failed = [...ended.stdout.matchAll(/<TestCase name="([^"]*)"([\s\S]*?)(?=<TestCase |$)/g)].flatMap(
      ([, name = "", rest = ""]) => (/<OverallResult success="true"/.test(rest) ? [] : [unescaped(name)])
    )
    const [first] = failed
    if (first === undefined)
      return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended, "run tests")
    const found: Failures = {
      failed: failed.length,
      first: {
        ...catch2Of(context, program, first.trim()),
        given: CallerArguments.forChosen(context.args, catch2Options)
      }
    }
    return found
  })
}
