/** Test programs of C++ that have their runner in themselves: GoogleTest and Catch2. */
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
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

/** GoogleTest */
export const gtest: Runner = {
  failure: { args: ["--gtest_break_on_failure", "--gtest_catch_exceptions=0"] },
  find: Effect.fnUntraced(function* (context: Context, name: string) {
    const program = yield* programOf(context)
    const all = googleTests(yield* runOrFail(context, program, "--gtest_list_tests"))
    return googleTestOf(context, program, yield* choose(context, name, all, (test) => test))
  }),
  failures: Effect.fnUntraced(function* (context: Context) {
    const program = yield* programOf(context)
    const words = [program, "--gtest_color=no"] as const
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
    if (first === undefined) return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended)
    const found: Failures = { failed: failed.length, first: googleTestOf(context, program, first) }
    return found
  })
}

/** `throws` is true for a test that fails by an exception, which Catch2 itself catches. */
const catch2Of = (context: Context, program: string, name: string, throws = false): Test => ({
  name,
  program,
  // Commas and brackets have a meaning in the pattern of names.
  args: [name.replaceAll(/[\\,[\]*"]/g, "\\$&")],
  cwd: context.directory,
  ...(throws ? { catches: ["throw"] } : {})
})

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const unescaped = (value: string) => value.replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)

/** Catch2, versions 2 and 3 */
export const catch2: Runner = {
  failure: { args: ["--break"] },
  find: Effect.fnUntraced(function* (context: Context, name: string) {
    const program = yield* programOf(context)
    // Version 2 exits with the number of tests.
    // The pattern names hidden tests too.
    const second = yield* context.run(program, "--list-test-names-only", "*")
    const isThird = second.stdout.trim() === ""
    const output = isThird
      ? yield* runOrFail(context, program, "--list-tests", "--verbosity", "quiet", "*")
      : second.stdout
    const all = lines(output).filter((line) => line.trim() !== "")
    return catch2Of(context, program, (yield* choose(context, name.trim(), all, (test) => test.trim())).trim())
  }),
  failures: Effect.fnUntraced(function* (context: Context) {
    const program = yield* programOf(context)
    const words = [program, "--reporter", "xml"] as const
    const ended = yield* context.run(...words)
    const failed = [...ended.stdout.matchAll(/<TestCase name="([^"]*)"([\s\S]*?)(?=<TestCase |$)/g)].flatMap(
      ([, name = "", rest = ""]) =>
        /<OverallResult success="true"/.test(rest) ? [] : [{ name: unescaped(name), throws: /<Exception\b/.test(rest) }]
    )
    const [first] = failed
    if (first === undefined) return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended)
    const found: Failures = {
      failed: failed.length,
      first: catch2Of(context, program, first.name.trim(), first.throws)
    }
    return found
  })
}
