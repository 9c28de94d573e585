/** Python tests: those of unittest, and what pytest needs too. */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as CallerArguments from "./CallerArguments.ts"
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

/** Returns the interpreter: that of the active environment, else the one on PATH. */
export const interpreter = ({ env, path }: Pick<Context, "env" | "path">): string => {
  const active = env["VIRTUAL_ENV"]
  return active === undefined || active === "" ? "python3" : path.join(active, "bin", "python3")
}

/** Like `python -m`: modules of the directory can be imported, and those of further directories. */
export const pythonPath = ({ directory, env }: Context, ...further: ReadonlyArray<string>): string => {
  const before = env["PYTHONPATH"]
  const given = before === undefined || before === "" ? [] : [before]
  return [directory, ...further, ...given].join(":")
}

/** Returns the variable that is the path of modules. */
export const importing = (context: Context, ...further: ReadonlyArray<string>): ReadonlyArray<string> => [
  `PYTHONPATH=${pythonPath(context, ...further)}`
]

/**
 * A runner catches the exceptions of its tests, and a test may expect some. So the runner itself tells the debugger at which exception
 * it takes a test as failed: debugpy stops there as at an exception that nothing caught, with the frames of the exception. pydevd
 * has functions for this.
 */
export const failures = `import inspect, sys, threading

def without_managers(trace):
    # While a context manager handles an exception, the function of the with statement is below it on the stack, and in the trace.
    below, frame = set(), trace.tb_frame.f_back
    while frame:
        below.add(frame)
        frame = frame.f_back
    part = trace
    while trace:
        if trace.tb_frame in below:
            part = trace
        trace = trace.tb_next
    return part

def stop_at(info):
    pydevd = sys.modules.get("pydevd")
    debugger = pydevd and pydevd.get_global_debugger()
    if not debugger or info[2] is None:
        return
    thread = threading.current_thread()
    state = debugger.set_additional_thread_info(thread)
    state.is_tracing += 1
    # A test that exits fails, whatever its code is.
    ignored = debugger._ignore_system_exit_codes
    debugger.set_ignore_system_exit_codes([])
    try:
        debugger.stop_on_unhandled_exception(debugger, thread, state, (*info[:2], without_managers(info[2])))
    finally:
        state.is_tracing -= 1
        debugger.set_ignore_system_exit_codes(ignored)

class UnexpectedSuccess(Exception):
    pass

def stop_at_beginning(function, text):
    # A test that passes unexpectedly has no exception, and its frames have ended. The stop is at its first line.
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return
    raised = compile("\\n" * (code.co_firstlineno - 1) + "raise error", code.co_filename, "exec")
    try:
        exec(raised.replace(co_name=code.co_name), {"error": UnexpectedSuccess(text)}, {})
    except UnexpectedSuccess as error:
        stop_at((UnexpectedSuccess, error, error.__traceback__.tb_next))

def exit_without_stop(code):
    # The tests have failed before.
    pydevd = sys.modules.get("pydevd")
    debugger = pydevd and pydevd.get_global_debugger()
    if debugger:
        debugger.set_ignore_system_exit_codes([0, None, code])
`

/** Writes a module of Python into the cache, and returns its directory. */
export const written = Effect.fnUntraced(function* (context: Context, name: string, content: string) {
  const directory = yield* cache(context)
  const file = context.path.join(directory, name)
  yield* context.fs
    .writeFileString(file, content)
    .pipe(Effect.mapError(({ message }) => new Errors.LaunchFailed({ program: file, detail: message })))
  return { directory, file }
})

/**
 * Lists tests, runs all, or those that further words choose as for `python -m unittest`, and tells each failed one, or runs those that
 * are named. With --stop the debugger stops at failures.
 */
const program = `${failures}
import json, re, unittest

def cases(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from cases(test)
        else:
            yield test

def say(**members):
    sys.__stdout__.write("\\n" + json.dumps(members) + "\\n")

def name_of(test):
    # A failure of a class or a module belongs to no test.
    held = re.match(r"(?:setUp|tearDown)(?:Class|Module) [(](.+)[)]$", test.id())
    return held.group(1) if held else re.sub(r"^unittest[.]loader[.]_FailedTest[.]", "", test.id())

class Result(unittest.TestResult):
    told = set()
    def addFailure(self, test, error):
        name = name_of(test)
        if name not in self.told:
            self.told.add(name)
            say(failed=name)
    addError = addFailure
    def addUnexpectedSuccess(self, test):
        self.addFailure(test, None)
    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addFailure(test, error)

class Stopping(unittest.TextTestResult):
    def addFailure(self, test, error):
        stop_at(error)
        super().addFailure(test, error)
    def addError(self, test, error):
        stop_at(error)
        super().addError(test, error)
    def addSubTest(self, test, subtest, error):
        if error is not None:
            stop_at(error)
        super().addSubTest(test, subtest, error)
    def addUnexpectedSuccess(self, test):
        stop_at_beginning(getattr(test, test._testMethodName), "the test passes, but a failure is expected")
        super().addUnexpectedSuccess(test)

class Telling:
    def __init__(self, *words, **options):
        self.options = options
    def run(self, suite):
        result = Result()
        result.failfast = bool(self.options.get("failfast"))
        result.buffer = bool(self.options.get("buffer"))
        suite.run(result)
        say(done=True)
        return result

words = sys.argv[1:]
if words == ["list"]:
    for test in cases(unittest.defaultTestLoader.discover(".")):
        say(test=test.id())
elif words[:1] == ["run"]:
    unittest.main(module=None, argv=["unittest"] + words[1:], testRunner=Telling, exit=False)
else:
    stops = "--stop" in words
    sys.argv = ["unittest"] + [word for word in words if word != "--stop"]
    try:
        unittest.main(module=None, testRunner=unittest.TextTestRunner(resultclass=Stopping) if stops else None)
    except SystemExit as ended:
        exit_without_stop(ended.code)
        raise
`

const unittestProgram = Effect.fnUntraced(function* (context: Context) {
  const { file } = yield* written(context, "unittest_runner.py", program)
  return file
})

const unittestOf = (context: Context, file: string, name: string, directories: ReadonlyArray<string> = []): Test => ({
  name,
  program: file,
  args: [name],
  cwd: context.directory,
  env: importing(context, ...directories)
})

/** Options of unittest. `-k` stays: it leaves the failed test and its module as they were run. */
const options: CallerArguments.Options = {
  flags: ["-v", "-q", "-f", "-c", "-b", "--verbose", "--quiet", "--failfast", "--catch", "--buffer", "--locals"],
  choosing: ["-s", "--start-directory", "-p", "--pattern", "-t", "--top-level-directory"]
}

/** Returns the directories that the discovery of the caller's arguments adds to the path of modules. */
const discovered = ({ args, directory, path }: Context): ReadonlyArray<string> => {
  const items = CallerArguments.split(args, options.flags)
  const valueOf = (...names: ReadonlyArray<string>) =>
    items.flatMap(({ name, words }) =>
      name !== undefined && names.includes(name) ? [words[1] ?? words[0]?.slice(name.length + 1) ?? ""] : []
    )
  const [command, start, , top] = items.flatMap(({ name, words }) => (name === undefined ? words : []))
  const positional = command === "discover" ? [start, top].filter((one) => one !== undefined) : []
  const named = [...valueOf("-t", "--top-level-directory"), ...valueOf("-s", "--start-directory"), ...positional]
  return named.map((one) => path.resolve(directory, one))
}

/** Returns the texts of a member in the lines that are JSON. */
export const told = (output: string, member: string) =>
  lines(output).flatMap((line) => text(line.startsWith("{") ? json(line) : undefined, member) ?? [])

/** The runner unittest. */
export const unittest: Runner = {
  failure: { args: ["--stop"], catches: ["uncaught"] },
  find: Effect.fnUntraced(function* (context: Context, name: string) {
    const file = yield* unittestProgram(context)
    const all = told(yield* runOrFail(context, interpreter(context), file, "list"), "test")
    const same = (id: string) => id === name || id.endsWith(`.${name}`)
    return unittestOf(context, file, yield* choose(context, name, all, (id) => id, same))
  }),
  failures: Effect.fnUntraced(function* (context: Context) {
    const file = yield* unittestProgram(context)
    const failed = told(yield* runOrFail(context, interpreter(context), file, "run", ...context.args), "failed")
    const [first] = failed
    const given = CallerArguments.forChosen(context.args, options)
    const chosen = (name: string): Test => ({ ...unittestOf(context, file, name, discovered(context)), given })
    const found: Failures = {
      failed: failed.length,
      tests: failed.map((name) => ({ name })),
      // A test may fail only after others of its module have run; the names after it are those of a class and a method.
      ...(first === undefined
        ? {}
        : {
            first: chosen(first),
            around: chosen(first.split(".").slice(0, -2).join(".") || first)
          })
    }
    return found
  })
}
