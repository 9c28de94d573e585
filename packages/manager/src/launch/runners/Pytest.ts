/** Python tests of pytest. */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Build from "../Build.ts"
import * as CallerArguments from "./CallerArguments.ts"
import { failures, importing, interpreter, pythonPath, told, written } from "./Python.ts"
import {
  choose,
  type Context,
  type FailedTest,
  type Failures,
  json,
  lines,
  type Runner,
  type Test,
  text
} from "./Runner.ts"

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
    if is_unexpected(call.excinfo):
        return
    # The error of a file that cannot be imported has the one of the import as its cause.
    error = call.excinfo.value
    cause = error.__cause__ if isinstance(node, pytest.Collector) and error.__cause__ else error
    stop_at((type(cause), cause, cause.__traceback__))

@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed and is_unexpected(call.excinfo):
        stop_at_beginning(getattr(item, "function", None), str(report.longrepr).strip())

def pytest_sessionfinish(session, exitstatus):
    exit_without_stop(int(exitstatus))
`

/** The module with which pytest names its tests, the failed ones, and the files that it cannot import. */
const reporter = "sigtrap_reports"

// What a project adds to pytest's options changes what pytest itself prints of them.
const reporterText = `import json, os

# pytest captures the standard output later than it loads this module.
output = os.fdopen(os.dup(1), "w")
failed = set()
configs = []

def pytest_configure(config):
    configs.append(config)

def name_of(node):
    # Names begin with the path below pytest's root; its arguments begin with one below the working directory.
    file, colons, rest = node.partition("::")
    return configs[0].cwd_relative_nodeid(file) + colons + rest

def say(**members):
    output.write("\\n" + json.dumps(members) + "\\n")
    output.flush()

def pytest_collection_finish(session):
    for item in session.items:
        say(test=name_of(item.nodeid))

def pytest_runtest_logreport(report):
    if not report.failed or report.nodeid in failed:
        return
    failed.add(report.nodeid)
    crash = getattr(report.longrepr, "reprcrash", None)
    words = crash.message if crash else report.longrepr if isinstance(report.longrepr, str) else ""
    say(failed=name_of(report.nodeid), message=words.strip().partition("\\n")[0])

pytest_collectreport = pytest_runtest_logreport
`

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

/** Exit codes of pytest: errors in files stopped it before the tests, and no tests. */
const interrupted = 2
const noTests = 5

/** Returns the failed tests that the reporter told. */
const failedTests = (output: string): ReadonlyArray<FailedTest> =>
  lines(output).flatMap((line) => {
    const report = line.startsWith("{") ? json(line) : undefined
    const name = text(report, "failed")
    const message = text(report, "message")
    return name === undefined ? [] : [{ name, ...(message === undefined || message === "" ? {} : { message }) }]
  })

/** Runs pytest with the reporter. `error` is that of a failed run. */
const run = Effect.fnUntraced(function* (context: Context, python: string, ...args: ReadonlyArray<string>) {
  const { directory } = yield* written(context, `${reporter}.py`, reporterText)
  const words = [python, "-m", "pytest", "-q", "--color=no", ...args] as const
  const ended = yield* context.runIn(
    context.directory,
    { ...context.env, PYTHONPATH: pythonPath(context, directory) },
    ...words,
    "-p",
    reporter
  )
  const tail = lines(ended.tail).filter((line) => !line.startsWith("{"))
  const does = args.includes("--collect-only") ? ("list tests" as const) : ("run tests" as const)
  return { ...ended, error: Build.failed(words, { ...ended, tail: tail.join("\n").trim() }, does) }
})

/** Returns the error for a project without tests. */
const withoutTests = ({ runner }: Pick<Context, "runner">, name: string) =>
  new Errors.TestNotFound({ runner, name, known: [], others: 0, found: 0 })

/** Options of pytest. `-k` and `-m` stay: they leave the failed test and its file as they were run. */
const options: CallerArguments.Options = {
  flags: [
    "-x",
    "--exitfirst",
    "-v",
    "-vv",
    "-q",
    "-s",
    "-l",
    "--lf",
    "--ff",
    "--sw",
    "--no-header",
    "--no-cov",
    "--strict-markers"
  ],
  choosing: ["--lf", "--last-failed", "--pyargs"]
}

/** The runner pytest. */
export const pytest: Runner = {
  failure: { args: ["-p", plugin], catches: ["uncaught"] },
  find: Effect.fnUntraced(function* (context: Context, name: string) {
    const { program, python } = yield* script(context)
    const [file = ""] = name.split("::")
    // A name may also begin with a class, and a parameter may contain the colons.
    const isFile =
      file.endsWith(".py") &&
      (yield* Effect.orElseSucceed(context.fs.exists(context.path.resolve(context.directory, file)), () => false))
    const collected = yield* run(context, python, "--collect-only", ...(isFile ? [file] : []))
    const all = told(collected.stdout, "test")
    if (collected.code === noTests) return yield* withoutTests(context, name)
    const same = (id: string) => id === name || id.endsWith(`::${name}`)
    const isRead =
      collected.problem === undefined || (collected.code === interrupted && all.some((id) => id.includes(name)))
    if (!isRead) return yield* collected.error
    return yield* pytestOf(context, program, yield* choose(context, name, all, (id) => id, same))
  }),
  failures: Effect.fnUntraced(function* (context: Context) {
    const { program, python } = yield* script(context)
    const ended = yield* run(context, python, "--tb=no", ...context.args)
    if (ended.code === noTests) return yield* withoutTests(context, "")
    const tests = failedTests(ended.stdout)
    const [first] = tests
    if (first === undefined) return ended.problem === undefined ? { failed: 0 } : yield* ended.error
    // A test may fail only after others of its file have run.
    const [file = first.name] = first.name.split("::")
    const given = CallerArguments.forChosen(context.args, options)
    const found: Failures = {
      failed: tests.length,
      first: { ...(yield* pytestOf(context, program, first.name)), given },
      around: { ...(yield* pytestOf(context, program, file)), given },
      tests
    }
    return found
  })
}
