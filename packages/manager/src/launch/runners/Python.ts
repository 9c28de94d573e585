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

/** Like `python -m`: modules of the directory can be imported, and those of further directories. */
const importing = ({ directory, env }: Context, ...further: ReadonlyArray<string>): ReadonlyArray<string> => {
  const before = env["PYTHONPATH"]
  const given = before === undefined || before === "" ? [] : [before]
  return [`PYTHONPATH=${[directory, ...further, ...given].join(":")}`]
}

/**
 * A runner catches the exceptions of its tests, and a test may expect some. So the runner itself tells the debugger at which exception
 * it takes a test as failed: debugpy stops there as at an exception that nothing caught, with the frames of the exception. pydevd
 * has functions for this.
 */
const failures = `import inspect, sys, threading

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
    try:
        debugger.stop_on_unhandled_exception(debugger, thread, state, (*info[:2], without_managers(info[2])))
    finally:
        state.is_tracing -= 1

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

/** The module with which pytest reports failures to the debugger. */
const plugin = "sigtrap_failures"

const pluginText = `${failures}
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests(early_config):
    # The tracing of pytest-cov takes the place of the debugger's.
    if hasattr(early_config.known_args_namespace, "no_cov"):
        early_config.known_args_namespace.no_cov = True
    yield

@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    # The processes of pytest-xdist would run the test without the debugger.
    if hasattr(config.option, "numprocesses"):
        config.option.numprocesses, config.option.dist, config.option.tx = None, "no", []

def is_unexpected(info):
    # pytest itself fails a test of unittest so.
    return info is None or (isinstance(info.value, pytest.fail.Exception) and info.value.msg == "Unexpected success")

def pytest_exception_interact(node, call, report):
    if not is_unexpected(call.excinfo):
        stop_at((call.excinfo.type, call.excinfo.value, call.excinfo.tb))

@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed and is_unexpected(call.excinfo):
        stop_at_beginning(getattr(item, "function", None), str(report.longrepr).strip())

def pytest_sessionfinish(session, exitstatus):
    exit_without_stop(int(exitstatus))
`

/** Writes a module of Python into the cache, and returns its directory. */
const written = Effect.fnUntraced(function* (context: Context, name: string, content: string) {
  const directory = yield* cache(context)
  const file = context.path.join(directory, name)
  yield* context.fs
    .writeFileString(file, content)
    .pipe(Effect.mapError(({ message }) => new Errors.LaunchFailed({ program: file, detail: message })))
  return { directory, file }
})

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

const pytestOf = Effect.fnUntraced(function* (context: Context, program: string, name: string) {
  const { directory } = yield* written(context, `${plugin}.py`, pluginText)
  const test: Test = {
    name,
    program,
    args: ["-s", name],
    cwd: context.directory,
    env: importing(context, directory)
  }
  return test
})

const collected = (output: string) => lines(output).filter((line) => line.includes("::") && !line.startsWith(" "))

/** pytest */
export const pytest: Runner = {
  failure: { args: ["-p", plugin], catches: ["uncaught"] },
  find: Effect.fnUntraced(function* (context: Context, name: string) {
    const { program, python } = yield* script(context)
    const [file] = name.split("::")
    // A name may also begin with a class, and a parameter may contain the colons.
    const places = file?.endsWith(".py") === true ? [file] : []
    const all = collected(yield* runOrFail(context, python, "-m", "pytest", "--collect-only", "-q", ...places))
    const same = (id: string) => id === name || id.endsWith(`::${name}`)
    return yield* pytestOf(context, program, yield* choose(context, name, all, (id) => id, same))
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
      const [name] = named.toSorted((one, other) => other.length - one.length)
      if (name === undefined) return []
      const message = rest?.slice(`${name} - `.length).trim()
      return [{ name, ...(message ? { message } : {}) }]
    })
    const [first] = failed
    if (first === undefined) return ended.problem === undefined ? { failed: 0 } : yield* Build.failed(words, ended)
    const found: Failures = {
      failed: failed.length,
      first: yield* pytestOf(context, program, first.name),
      tests: failed
    }
    return found
  })
}

/** Lists tests, runs all and tells each failed one, or runs those that are named. With --stop the debugger stops at failures. */
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
  failure: { args: ["--stop"], catches: ["uncaught"] },
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
      tests: failed.map((name) => ({ name })),
      ...(first === undefined ? {} : { first: unittestOf(context, file, first) })
    }
    return found
  })
}
