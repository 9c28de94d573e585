/** Failed tests of Python: the debugger stops at an exception only if the runner takes the test as failed by it. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import { recorded } from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "240 seconds" })

const tests = `import contextlib, subprocess, sys, unittest
try:
    import pytest
except ImportError:
    pytest = None
class Expected(unittest.TestCase):
    def test_raises(self):
        with self.assertRaises(ValueError):
            int("x")
    def test_suppressed(self):
        with contextlib.suppress(KeyError):
            {}["key"]
    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(1, 2)
class Failing(unittest.TestCase):
    def test_after_raises(self):
        with self.assertRaises(ValueError):
            int("x")
        got = 1
        self.assertEqual(got, 2)  # test_after_raises
    def test_parts(self):
        for part in range(4):
            with self.subTest(part=part):
                limit = 2
                self.assertLess(part, limit)  # test_parts
    @unittest.expectedFailure  # test_unexpected
    def test_unexpected(self):
        self.assertEqual(1, 1)
    def test_child(self):
        child = subprocess.run([sys.executable, "-c", "raise SystemExit(3)"])
        self.assertEqual(child.returncode, 4)  # test_child
    def test_exit(self):
        sys.exit(0)  # test_exit
class Prepared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        {}["class"]  # setUpClass
    def test_never(self):
        pass
class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_async(self):
        self.assertEqual(2, 3)  # test_async
if pytest:
    @pytest.mark.parametrize("name", ["ok", "a::b", "x - y"])
    def test_names(name):
        assert name == "ok"  # test_names
    @pytest.fixture
    def value():
        yield 1
        raise RuntimeError("teardown")  # value
    def test_teardown(value):
        assert value == 1
    @pytest.mark.xfail(strict=True, reason="later")  # test_strict
    def test_strict():
        assert 1 == 1
    def test_pytest_raises():
        with pytest.raises(ValueError):
            int("x")
`

/**
 * A plugin with the options of pytest-xdist and pytest-cov, which may not be installed. It ends a run under the debugger that uses one of
 * them.
 */
const plugin = `import pytest, sys
def pytest_addoption(parser):
    for name in ["--numprocesses", "--dist", "--tx"]:
        parser.addoption(name)
    parser.addoption("--no-cov", action="store_true")
def pytest_load_initial_conftests(early_config):
    early_config.traces = not early_config.known_args_namespace.no_cov
def pytest_runtestloop(session):
    if "pydevd" in sys.modules and (session.config.option.dist != "no" or session.config.traces):
        pytest.exit("the debugger does not see the test", 7)
`

/** Tests, and the functions in which they fail. */
const rows: ReadonlyArray<readonly ["pytest" | "unittest", string, string | undefined]> = [
  ["unittest", "Expected.test_raises", undefined],
  ["unittest", "Expected.test_suppressed", undefined],
  ["unittest", "Expected.test_expected", undefined],
  ["unittest", "Failing.test_after_raises", "test_after_raises"],
  ["unittest", "Failing.test_parts", "test_parts"],
  ["unittest", "Failing.test_child", "test_child"],
  ["unittest", "Failing.test_unexpected", "test_unexpected"],
  ["unittest", "Failing.test_exit", "test_exit"],
  ["unittest", "Prepared.test_never", "setUpClass"],
  ["unittest", "Asynchronous.test_async", "test_async"],
  ["pytest", "Expected::test_suppressed", undefined],
  ["pytest", "test_pytest_raises", undefined],
  ["pytest", "Failing::test_parts", "test_parts"],
  ["pytest", "test_names[a::b]", "test_names"],
  ["pytest", "test_many.py::test_names[x - y]", "test_names"],
  ["pytest", "test_teardown", "value"],
  ["pytest", "Failing::test_exit", "test_exit"],
  ["pytest", "Failing::test_unexpected", "test_unexpected"],
  ["pytest", "test_strict", "test_strict"]
]

suite("a test of Python", (it) => {
  for (const runner of ["unittest", "pytest"] as const) {
    it.effect(`of ${runner} stops where it fails, and not at an exception that it expects`, () =>
      debugging((own) =>
        Effect.gen(function* () {
          const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
          const script = `import debugpy${runner === "pytest" ? ", pytest" : ""}`
          const command = ChildProcess.make("python3", ["-c", script], { env: environment })
          if (!recorded(runner, Number(yield* Effect.orElseSucceed(spawner.exitCode(command), () => 1)) === 0)) return
          const fs = yield* FileSystem.FileSystem
          const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
          yield* fs.writeFileString(`${directory}/test_many.py`, tests)
          const input = {
            runner,
            directory,
            environment: { ...environment, XDG_CACHE_HOME: `${own.temporary}/cache`, LC_MARK: own.temporary }
          }
          for (const [kind, test, fails] of rows) {
            if (kind !== runner) continue
            const { data } = yield* own.call("start", { ...input, test })
            assert.strictEqual(data.event, fails === undefined ? "exited" : "stopped", test)
            if (fails !== undefined) {
              const line = tests.split("\n").findIndex((one) => one.endsWith(`  # ${fails}`)) + 1
              assert.deepInclude(data.location, { function: fails, line }, test)
              // The runner exits with the verdict, at which nothing stops. The parts of a test fail one after the other.
              let ended = yield* own.call("continue", {})
              if (test.endsWith("test_parts") && ended.data.event === "stopped") ended = yield* own.call("continue", {})
              assert.deepInclude(ended.data, { event: "exited", exit_code: 1 }, test)
            }
            yield* own.call("stop", {})
          }
          if (runner === "pytest") {
            yield* fs.writeFileString(`${directory}/workers.py`, plugin)
            yield* fs.writeFileString(`${directory}/pytest.ini`, "[pytest]\naddopts = -p workers --dist load\n")
            const { data } = yield* own.call("run", { ...input, failing: true })
            assert.deepInclude(data, { event: "stopped", reason: "exception" })
            const failed = data.run?.tests?.list?.find(({ name }) => name.endsWith("test_names[a::b]"))
            assert.match(failed?.message ?? "", /^AssertionError: assert 'a::b' == 'ok'/)
            yield* own.call("stop", {})
            return
          }
          const { data } = yield* own.call("run", { ...input, failing: true })
          assert.strictEqual(data.run?.tests?.failed, 7)
          yield* own.call("stop", {})
        })
      ).pipe(Effect.scoped)
    )
  }
})
