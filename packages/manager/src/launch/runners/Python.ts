/** Python tests: pytest and unittest. */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
import {
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

/** The interpreter: that of the active environment, else the one on PATH. */
export const interpreter = ({ env, path }: Pick<Context, "env" | "path">): string => {
  const active = env["VIRTUAL_ENV"]
  return active === undefined || active === "" ? "python3" : path.join(active, "bin", "python3")
}

/** Like `python -m`: modules of the directory can be imported. */
const importing = ({ directory, env }: Context): ReadonlyArray<string> => {
  const before = env["PYTHONPATH"]
  return [`PYTHONPATH=${[directory, ...(before === undefined || before === "" ? [] : [before])].join(":")}`]
}

/** Returns pytest's script, which the interpreter locates. */
const script = Effect.fnUntraced(function* (context: Context) {
  const python = interpreter(context)
  const locate = "import os, pytest; print(os.path.join(os.path.dirname(pytest.__file__), '__main__.py'))"
  const asked = yield* context.run(python, "-c", locate)
  if (asked.problem === undefined) return { python, program: asked.stdout.trim() }
  return yield* new Errors.ToolMissing({
    tool: "pytest",
    detail: `${python} has no module pytest`,
    remedies: [Hint.remedy(`${python} -m pip install pytest`)]
  })
})

const pytestOf = (context: Context, program: string, name: string): Test => ({
  name,
  program,
  args: ["-s", name],
  cwd: context.directory,
  env: importing(context)
})

const collected = (output: string) => lines(output).filter((line) => line.includes("::") && !line.startsWith(" "))

/** pytest */
export const pytest: Runner = {
  // The runner catches exceptions of tests, so the debugger stops where they leave the user's code.
  failure: { catches: ["userUnhandled"] },
  find: Effect.fnUntraced(function* (context: Context, name: string) {
    const { program, python } = yield* script(context)
    const [file] = name.split("::")
    const places = file !== undefined && name.includes("::") ? [file] : []
    const all = collected(yield* runOrFail(context, python, "-m", "pytest", "--collect-only", "-q", ...places))
    const same = (id: string) => id === name || id.endsWith(`::${name}`)
    return pytestOf(context, program, yield* choose(context, name, all, (id) => id, same))
  }),
  failures: Effect.fnUntraced(function* (context: Context) {
    const { program, python } = yield* script(context)
    const all = collected(yield* runOrFail(context, python, "-m", "pytest", "--collect-only", "-q"))
    const words = [python, "-m", "pytest", "-q", "-rfE", "--tb=no", "--color=no"] as const
    const ended = yield* context.run(...words)
    const failed = lines(ended.stdout).flatMap((line) => {
      const [, rest] = /^(?:FAILED|ERROR) (.+)$/.exec(line) ?? []
      // Words may follow the name, and a parameter may contain the dash before them.
      const named = all.filter((id) => rest === id || rest?.startsWith(`${id} - `) === true)
      return named.toSorted((one, other) => other.length - one.length).slice(0, 1)
    })
    const [first] = failed
    if (first === undefined) return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended)
    const found: Failures = { failed: failed.length, first: pytestOf(context, program, first) }
    return found
  })
}

/** Lists tests, runs all and tells each failed one, or runs those that are named. */
const program = `import json, sys, unittest

def cases(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from cases(test)
        else:
            yield test

def say(**members):
    sys.__stdout__.write("\\n" + json.dumps(members) + "\\n")

class Result(unittest.TestResult):
    def addFailure(self, test, error):
        say(failed=test.id())
    addError = addFailure

words = sys.argv[1:]
if words in (["list"], ["run"]):
    suite = unittest.defaultTestLoader.discover(".")
    if words == ["list"]:
        for test in cases(suite):
            say(test=test.id())
    else:
        suite.run(Result())
        say(done=True)
else:
    sys.argv = ["unittest"] + words
    unittest.main(module=None)
`

const unittestProgram = Effect.fnUntraced(function* (context: Context) {
  const file = context.path.join(yield* cache(context), "unittest_runner.py")
  yield* context.fs
    .writeFileString(file, program)
    .pipe(Effect.mapError(({ message }) => new Errors.LaunchFailed({ program: file, detail: message })))
  return file
})

const unittestOf = (context: Context, file: string, name: string): Test => ({
  name,
  program: file,
  args: [name],
  cwd: context.directory,
  env: importing(context)
})

const told = (output: string, member: string) =>
  lines(output).flatMap((line) => text(line.startsWith("{") ? json(line) : undefined, member) ?? [])

/** unittest */
export const unittest: Runner = {
  failure: { catches: ["userUnhandled"] },
  find: Effect.fnUntraced(function* (context: Context, name: string) {
    const file = yield* unittestProgram(context)
    const all = told(yield* runOrFail(context, interpreter(context), file, "list"), "test")
    const same = (id: string) => id === name || id.endsWith(`.${name}`)
    return unittestOf(context, file, yield* choose(context, name, all, (id) => id, same))
  }),
  failures: Effect.fnUntraced(function* (context: Context) {
    const file = yield* unittestProgram(context)
    const failed = told(yield* runOrFail(context, interpreter(context), file, "run"), "failed")
    const [first] = failed
    const found: Failures = {
      failed: failed.length,
      ...(first === undefined ? {} : { first: unittestOf(context, file, first) })
    }
    return found
  })
}
