/**
 * Finds one test of a test runner as a program to debug. The runner builds and locates the test program, which is then
 * started with a filter, so that no runner process is between the debugger and the test.
 *
 * Runners list their tests. A name that matches none, or several, fails with the known names.
 */
import { Errors, Hint, Nearest, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Build from "./Build.ts"
import type { StartPayload } from "./Launch.ts"

type Payload = Operations.Payload<"start">

/** The supported test runners. */
type Kind = NonNullable<Payload["runner"]>

/** Services of a runner. */
export interface Services {
  readonly building: Build.Build["Service"]
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
}

/** How to start a test. */
interface Test {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env?: ReadonlyArray<string>
  readonly options?: ReadonlyArray<string>
}

interface Context extends Services {
  readonly name: string
  /** Working directory of the runner. */
  readonly directory: string
  readonly env: { readonly [name: string]: string }
  readonly program: string | undefined
  readonly run: (
    ...words: readonly [string, ...ReadonlyArray<string>]
  ) => Effect.Effect<Build.Ended, Errors.LaunchFailed>
}

const usage = (problem: string, hint: Hint.Hint = Hint.help("start")) =>
  new Errors.Usage({ problem, near: [], remedies: [hint] })

/** Maximum number of names in an error. */
const maxNames = 8

/** Returns the entry with a name, or else the only one whose name contains it. */
const choose = <A>(
  runner: Kind,
  name: string,
  all: ReadonlyArray<A>,
  nameOf: (one: A) => string,
  same: (full: string) => boolean = (full) => full === name
): Effect.Effect<A, Errors.Usage> => {
  const exact = all.filter((one) => same(nameOf(one)))
  const found = exact.length > 0 ? exact : all.filter((one) => nameOf(one).includes(name))
  const [first, second] = found
  if (first !== undefined && second === undefined) return Effect.succeed(first)
  const names = (first === undefined ? all : found).map(nameOf)
  const near = first === undefined ? Nearest.names(name, names) : []
  const list = (near.length > 0 ? near : names).slice(0, maxNames).join(", ")
  const more = near.length === 0 && names.length > maxNames ? `, and ${names.length - maxNames} more` : ""
  const problem =
    first === undefined
      ? names.length === 0
        ? `${runner} knows no tests here`
        : `${runner} knows no test '${name}', but ${list}${more}`
      : `'${name}' is part of ${names.length} tests: ${list}${more}`
  return Effect.fail(usage(problem))
}

/** Runs a program and returns its standard output. Fails unless its exit code is 0. */
const runOrFail = Effect.fnUntraced(function* (
  context: Context,
  ...words: readonly [string, ...ReadonlyArray<string>]
) {
  const ended = yield* context.run(...words)
  return ended.problem === undefined ? ended.stdout : yield* Build.failed(words, ended)
})

const json = (text: string): unknown =>
  Result.getOrElse(
    Result.try((): unknown => JSON.parse(text)),
    () => undefined
  )

const field = (value: unknown, name: string): unknown => (Predicate.isReadonlyObject(value) ? value[name] : undefined)

const text = (value: unknown, name: string): string | undefined => {
  const found = field(value, name)
  return Predicate.isString(found) ? found : undefined
}

const lines = (output: string) => output.split(/\r?\n/)

/** Finds a Rust test. Cargo reports the programs that it builds; each lists its tests. */
const cargo = Effect.fnUntraced(function* (context: Context) {
  const { name, path } = context
  const output = yield* runOrFail(context, "cargo", "test", "--no-run", "--message-format=json")
  const built = lines(output).flatMap((line) => {
    const artifact = line.startsWith("{") ? json(line) : undefined
    const executable = text(artifact, "executable")
    const manifest = text(artifact, "manifest_path")
    return executable === undefined || manifest === undefined || field(field(artifact, "profile"), "test") !== true
      ? []
      : [{ executable, directory: path.dirname(manifest) }]
  })
  const all = yield* Effect.forEach(
    built,
    Effect.fnUntraced(function* ({ directory, executable }) {
      // A program without the test harness lists no tests.
      const listed = yield* context.run(executable, "--list", "--format", "terse")
      return lines(listed.stdout).flatMap((line) => {
        const [, test] = /^(.+): test$/.exec(line) ?? []
        return test === undefined ? [] : [{ test, executable, directory }]
      })
    })
  )
  const chosen = yield* choose("cargo-test", name, all.flat(), ({ test }) => test)
  const test: Test = {
    program: chosen.executable,
    args: [chosen.test, "--exact", "--nocapture", "--test-threads=1"],
    cwd: chosen.directory,
    env: [`CARGO_MANIFEST_DIR=${chosen.directory}`]
  }
  return test
})

/** Returns the path of a package's test program in the cache. */
const cachedProgram = Effect.fnUntraced(function* ({ env, fs, path }: Context, directory: string) {
  const base = env["XDG_CACHE_HOME"] || (env["HOME"] ? path.join(env["HOME"], ".cache") : env["TMPDIR"] || "/tmp")
  const cache = path.join(base, "sigtrap", "tests")
  yield* fs
    .makeDirectory(cache, { recursive: true, mode: 0o700 })
    .pipe(
      Effect.mapError(
        ({ message }) => new Errors.LaunchFailed({ program: cache, detail: `it cannot be made: ${message}` })
      )
    )
  return path.join(
    cache,
    `${directory
      .replaceAll(/[^\w.-]+/g, "-")
      .replace(/^-/, "")
      .slice(-180)}.test`
  )
})

/** Finds a Go test. Go lists tests by package, and builds the tests of one package as a program. */
const go = Effect.fnUntraced(function* (context: Context) {
  const [first = "", ...below] = context.name.split("/")
  const anchored = (word: string) => `^${word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`
  const output = yield* runOrFail(context, "go", "test", "-list", ".", "./...")
  const found: Array<{ readonly test: string; readonly pkg: string }> = []
  let waiting: Array<string> = []
  for (const line of lines(output)) {
    const [, pkg] = /^ok\s+(\S+)/.exec(line) ?? []
    if (pkg !== undefined) {
      found.push(...waiting.map((test) => ({ test, pkg })))
      waiting = []
    } else if (/^(?:Test|Example|Fuzz)\w*$/.test(line)) waiting.push(line)
    else waiting = []
  }
  const { pkg, test } = yield* choose("go-test", first, found, (one) => one.test)
  const directory = (yield* runOrFail(context, "go", "list", "-f", "{{.Dir}}", pkg)).trim()
  const program = yield* cachedProgram(context, directory)
  // Optimization removes lines and variables.
  yield* runOrFail(context, "go", "test", "-c", "-gcflags=all=-N -l", "-o", program, pkg)
  const started: Test = {
    program,
    args: ["-test.run", [test, ...below].map(anchored).join("/"), "-test.v"],
    cwd: directory
  }
  return started
})

const stringsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter(Predicate.isString) : Predicate.isString(value) ? [value] : []

/** Finds a CTest test. CTest reports the command, directory and environment of each test. */
const ctest = Effect.fnUntraced(function* (context: Context) {
  const { directory, fs, path } = context
  const candidates = ["", "build", "out", "cmake-build-debug"].map((name) => path.join(directory, name))
  const configured = yield* Effect.filter(candidates, (candidate) =>
    fs.exists(path.join(candidate, "CTestTestfile.cmake")).pipe(Effect.orElseSucceed(() => false))
  )
  const [build] = configured
  if (build === undefined) {
    return yield* usage(`${directory} has no tests, and neither has its build directory`)
  }
  yield* runOrFail(context, "cmake", "--build", build)
  const document = json(yield* runOrFail(context, "ctest", "--test-dir", build, "--show-only=json-v1"))
  const tests = field(document, "tests")
  const all = (Array.isArray(tests) ? tests : []).map((test: unknown) => {
    const properties = field(test, "properties")
    const property = (name: string) =>
      (Array.isArray(properties) ? properties : []).find((one: unknown) => text(one, "name") === name)
    return {
      name: text(test, "name") ?? "",
      command: stringsOf(field(test, "command")),
      directory: text(property("WORKING_DIRECTORY"), "value") ?? build,
      env: stringsOf(field(property("ENVIRONMENT"), "value"))
    }
  })
  const chosen = yield* choose("ctest", context.name, all, ({ name }) => name)
  const [program, ...args] = chosen.command
  if (program === undefined) return yield* usage(`the program of the test ${chosen.name} is not built`)
  const test: Test = { program, args, cwd: chosen.directory, env: chosen.env }
  return test
})

/** Finds a pytest test. The program is pytest's script, which the interpreter locates. */
const pytest = Effect.fnUntraced(function* (context: Context) {
  const { directory, env, name, path } = context
  const active = env["VIRTUAL_ENV"]
  const python = active === undefined || active === "" ? "python3" : path.join(active, "bin", "python3")
  const locate = "import os, pytest; print(os.path.join(os.path.dirname(pytest.__file__), '__main__.py'))"
  const asked = yield* context.run(python, "-c", locate)
  if (asked.problem !== undefined) {
    return yield* usage(`${python} has no pytest`, Hint.remedy(`${python} -m pip install pytest`))
  }
  const program = asked.stdout.trim()
  const [file] = name.split("::")
  const places = file !== undefined && name.includes("::") ? [file] : []
  const output = yield* runOrFail(context, python, "-m", "pytest", "--collect-only", "-q", ...places)
  const all = lines(output).filter((line) => line.includes("::") && !line.startsWith(" "))
  const chosen = yield* choose(
    "pytest",
    name,
    all,
    (id) => id,
    (id) => id === name || id.endsWith(`::${name}`)
  )
  const before = env["PYTHONPATH"]
  const test: Test = {
    program,
    args: ["-s", chosen],
    cwd: directory,
    // Like `python -m pytest`: modules of the directory can be imported.
    env: [`PYTHONPATH=${[directory, ...(before === undefined || before === "" ? [] : [before])].join(":")}`]
  }
  return test
})

/** Finds a Node test. The file is the program; a pattern selects the test. */
const node = Effect.fnUntraced(function* (context: Context) {
  const { directory, name, program } = context
  if (program === undefined) {
    return yield* usage("node-test needs the file of the test")
  }
  const pattern = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
  const test: Test = {
    program,
    args: [],
    cwd: directory,
    options: [`runtimeArgs=${JSON.stringify([`--test-name-pattern=${pattern}`])}`]
  }
  return test
})

/** Finds a Swift test. On macOS `xctest` loads the test bundle; elsewhere the bundle is a program. */
const xctest = Effect.fnUntraced(function* (context: Context) {
  const { directory, fs, name, path } = context
  yield* runOrFail(context, "swift", "build", "--build-tests")
  const products = (yield* runOrFail(context, "swift", "build", "--show-bin-path")).trim()
  const entries = yield* fs.readDirectory(products).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  const [bundle] = entries.filter((entry) => entry.endsWith(".xctest"))
  if (bundle === undefined) return yield* usage(`no test bundle was built in ${products}`)
  const file = path.join(products, bundle)
  const isDirectory = yield* fs.stat(file).pipe(
    Effect.map(({ type }) => type === "Directory"),
    Effect.orElseSucceed(() => false)
  )
  const test: Test = isDirectory
    ? {
        program: (yield* runOrFail(context, "xcrun", "--find", "xctest")).trim(),
        args: ["-XCTest", name, file],
        cwd: directory
      }
    : { program: file, args: [name], cwd: directory }
  return test
})

const kinds = {
  "cargo-test": cargo,
  "go-test": go,
  ctest,
  pytest,
  "node-test": node,
  xctest
} as const satisfies {
  readonly [kind in Kind]: (context: Context) => Effect.Effect<Test, Errors.Usage | Errors.LaunchFailed>
}

/**
 * Returns the payload that starts a test. `cwd` of the caller is kept, and its `args` follow those of the runner. The
 * runner itself runs in the caller's directory. A runner that fails is `LaunchFailed`.
 */
export const find = Effect.fn("TestRunners.find")(function* (
  kind: Kind,
  name: string,
  asked: Payload,
  services: Services
) {
  const directory = services.path.resolve(asked.directory ?? ".")
  const env = asked.environment ?? {}
  const program = asked.program === undefined ? undefined : services.path.resolve(directory, asked.program)
  const test = yield* kinds[kind]({
    ...services,
    name,
    directory,
    env,
    program,
    run: (...words) => services.building.run(words, { cwd: directory, env })
  })
  return {
    ...asked,
    sourceDirectory: test.cwd,
    program: test.program,
    args: [...test.args, ...asked.args],
    cwd: asked.cwd ?? test.cwd,
    env: [...(test.env ?? []), ...asked.env],
    ...(test.options === undefined ? {} : { adapter_opt: [...test.options, ...(asked.adapter_opt ?? [])] })
  } satisfies Payload & Pick<StartPayload, "sourceDirectory">
})
