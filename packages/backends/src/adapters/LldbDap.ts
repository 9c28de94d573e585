/**
 * lldb-dap, LLDB's own debug adapter: where it is, how it is started, its launch arguments and quirks.
 *
 * Searched in this order: the adapter that the caller named, `SIGTRAP_LLDB_DAP`, `xcrun --find lldb-dap` if there is an
 * xcrun, then PATH: `lldb-dap`, `lldb-dap-NN`, `lldb-vscode`, `lldb-vscode-NN`, the newest first.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import { Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import type { Adapter, Arguments, Found, LanguageSupport, Located, Machine, Search } from "./Adapter.ts"
import { failures, isTypeName, notVariable } from "../console/lldb/Failures.ts"
import * as LldbDialect from "../console/lldb/Dialect.ts"
import * as Characters from "../console/lldb/Characters.ts"
import * as PythonLoader from "../console/lldb/python/Loader.ts"
import * as ValueText from "../console/lldb/values/ValueText.ts"
import * as LldbDebugFile from "./LldbDebugFile.ts"
import * as LldbRust from "./LldbRust.ts"
import * as LldbSettings from "../console/lldb/Settings.ts"
import * as LldbAttach from "./LldbAttach.ts"
import * as Discovery from "./Discovery.ts"
import type { Streams } from "../process/Streams.ts"
import * as StopMark from "../console/lldb/StopMark.ts"
import * as StopText from "../console/lldb/StopText.ts"
import type { Quirks } from "./Quirks.ts"
import { lldbTrials } from "./NativeTrials.ts"

const names = /^(lldb-dap|lldb-vscode)(?:-(\d+))?$/

const remedies = [Hint.local("setup", ["lldb-dap"])]

const rank = (name: string): number => {
  const [, kind, version] = names.exec(name) ?? []
  // The system's default has a name without a version.
  return (kind === "lldb-dap" ? 1000 : 0) + (version === undefined ? 999 : Number(version))
}

const majorOf = (file: string): { readonly major?: number } => {
  const version = /-(\d+)$/.exec(file)?.[1]
  return version === undefined ? {} : { major: Number(version) }
}

/** Finds the adapter. Fails with every place that was searched. */
export const find = Effect.fnUntraced(function* (launch: Search) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const searched: Array<string> = []

  const isProgram = (file: string) =>
    fs.stat(file).pipe(
      Effect.map((info) => info.type === "File" && (info.mode & 0o111) !== 0),
      Effect.orElseSucceed(() => false)
    )

  const missing = (adapter: string) => new Errors.AdapterNotFound({ adapter, looked: searched, remedies })

  /** The real path, so that a link changed later does not change the file that runs. */
  const resolved = (file: string): Effect.Effect<Found> =>
    fs.realPath(file).pipe(
      Effect.orElseSucceed(() => file),
      Effect.map((real) => ({ path: real, ...majorOf(path.basename(file)), ...majorOf(path.basename(real)) }))
    )

  const directories = (launch.env["PATH"] ?? "").split(":").filter((directory) => path.isAbsolute(directory))

  const named = Effect.fnUntraced(function* (name: string, from: string) {
    const candidates = name.includes("/")
      ? [path.resolve(launch.cwd, name)]
      : directories.map((directory) => path.join(directory, name))
    for (const candidate of candidates) {
      if (!(yield* isProgram(candidate))) continue
      const problem = yield* Discovery.trustProblem(candidate)
      if (problem === undefined) return yield* resolved(candidate)
      searched.push(Discovery.skippedText({ path: candidate, problem }))
    }
    searched.push(`${from} (${name})`)
    return yield* missing(name)
  })

  const listed = Effect.fnUntraced(function* (directory: string) {
    const entries = yield* fs.readDirectory(directory).pipe(Effect.orElseSucceed(() => []))
    return entries.filter((entry) => names.test(entry)).map((entry) => path.join(directory, entry))
  })

  if (launch.adapter !== undefined && launch.adapter !== "lldb-dap")
    return yield* named(launch.adapter, "the adapter asked for")
  const configured = launch.env["SIGTRAP_LLDB_DAP"]
  if (configured !== undefined && configured !== "") return yield* named(configured, "SIGTRAP_LLDB_DAP")
  searched.push("SIGTRAP_LLDB_DAP (not set)")

  if (yield* isProgram("/usr/bin/xcrun")) {
    const found = yield* spawner.string(ChildProcess.make("/usr/bin/xcrun", ["--find", "lldb-dap"])).pipe(
      Effect.map((text) => text.trim()),
      Effect.timeout("10 seconds"),
      Effect.orElseSucceed(() => "")
    )
    if (yield* isProgram(found)) return yield* resolved(found)
    searched.push("xcrun --find lldb-dap")
  }

  const candidates = yield* Effect.filter((yield* Effect.forEach(directories, listed)).flat(), isProgram)
  const sorted = candidates.toSorted((a, b) => rank(path.basename(b)) - rank(path.basename(a)))
  const files = new Set(yield* Effect.forEach(sorted, (file) => Effect.map(resolved(file), (one) => one.path)))
  const skipped: Array<string> = []
  for (const candidate of sorted) {
    const problem =
      (yield* Discovery.trustProblem(candidate)) ??
      // With one file there is nothing to choose; its start says what is wrong with it.
      (files.size === 1 ? undefined : yield* Discovery.startProblem(candidate, ["--help"], environment(launch, "/")))
    if (problem === undefined) return { ...(yield* resolved(candidate)), ...(skipped.length === 0 ? {} : { skipped }) }
    skipped.push(Discovery.skippedText({ path: candidate, problem }))
  }
  searched.push(...skipped)
  searched.push(...directories.map((directory) => `${directory}/lldb-dap*`))
  return yield* missing("lldb-dap")
})

/** Variables of the user's environment that the adapter inherits; the program gets its own by the launch arguments. */
const inheritedVariables =
  /^(?:PATH|LANG|LC_[A-Z]+|DEVELOPER_DIR|SDKROOT|TOOLCHAINS|LLDB_DEBUGSERVER_PATH|LLVM_DISABLE_SYMBOLIZATION|PYTHONHOME|PYTHONPATH)$/

/** The environment of the adapter: an allow-list, and a private home without init files. A crash leaves its files there. */
export const environment = (
  launch: Pick<Backend.LaunchRequest, "env">,
  home: string
): Readonly<Record<string, string>> => ({
  ...Discovery.selected(launch.env, inheritedVariables),
  HOME: home,
  TMPDIR: home,
  TERM: "dumb"
})

/** The launch arguments for a program with these streams. */
export const launchArguments = (
  launch: Backend.LaunchRequest,
  streams: Streams,
  quirks: Quirks
): Result.Result<{ readonly [key: string]: unknown }, Errors.LaunchFailed> => {
  // LLDB creates a terminal for a program without streams.
  const settings = LldbSettings.launching(
    launch.terminal === "pty" ? undefined : { ...streams, input: launch.stdin ?? streams.input }
  )
  if (Result.isFailure(settings)) {
    const text = JSON.stringify(settings.failure.text)
    return Result.fail(
      new Errors.LaunchFailed({ program: launch.program, detail: `control characters in the path ${text}` })
    )
  }
  // With the mark a failing command fails the launch.
  const commands = settings.success.map((command) => (quirks.supportsCommandMarks === true ? `!${command}` : command))
  return Result.succeed({
    program: launch.program,
    args: launch.args,
    cwd: launch.cwd,
    env: Object.entries(launch.env).map(([name, value]) => `${name}=${value}`),
    stopOnEntry: launch.stopOnEntry,
    initCommands: [...commands, ...PythonLoader.loading(quirks)],
    ...(launch.terminal === "pty" && quirks.supportsCommandMarks === true
      ? { postRunCommands: [`?${LldbSettings.terminalSize}`] }
      : {}),
    // One-line previews of structures and pointers; older versions ignore the key.
    enableAutoVariableSummaries: true
  })
}

/** The version of a file. Old versions do not print it; the `lldb` beside the file does. */
const versionOf = Effect.fnUntraced(function* (file: string, env: Search["env"]) {
  const path = yield* Path.Path
  const beside = path
    .basename(file)
    .replace(names, (_, __, version?: string) => `lldb${version === undefined ? "" : `-${version}`}`)
  const asked = { PATH: env["PATH"] ?? "", HOME: "/", TERM: "dumb" }
  const text = yield* Discovery.askVersion(path.join(path.dirname(file), beside), ["--version"], asked)
  return Parse.version(text ?? "") ?? majorOf(path.basename(file)).major?.toString()
})

/** Every lldb-dap and lldb-vscode on this machine; the first is the one that `find` returns. */
const all = Effect.fnUntraced(function* (search: Search) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const first = yield* Effect.option(find(search))
  const directories = (search.env["PATH"] ?? "").split(":").filter((directory) => path.isAbsolute(directory))
  const lists = yield* Effect.forEach(directories, (directory) =>
    fs.readDirectory(directory).pipe(
      Effect.orElseSucceed((): ReadonlyArray<string> => []),
      Effect.map((entries) => entries.filter((entry) => names.test(entry)).map((entry) => path.join(directory, entry)))
    )
  )
  const onPath = yield* Discovery.onPath(search, [...new Set(lists.flat().map((file) => path.basename(file)))])
  const sorted = onPath.toSorted((a, b) => rank(path.basename(b)) - rank(path.basename(a)))
  const files: Array<{ readonly path: string; readonly real: string }> = []
  for (const file of first._tag === "Some" ? [first.value.path, ...sorted] : sorted) {
    const real = yield* fs.realPath(file).pipe(Effect.orElseSucceed(() => file))
    if (!files.some((one) => one.real === real)) files.push({ path: file, real })
  }
  return yield* Effect.forEach(
    files,
    Effect.fnUntraced(function* ({ path: file, real }) {
      // The name on PATH contains the version; the real file's name often does not.
      const called =
        sorted.find((name) => name === file) ?? sorted.find((name) => name.endsWith(path.basename(file))) ?? file
      const version = (yield* versionOf(called, search.env)) ?? (yield* versionOf(real, search.env))
      const located: Located = { path: file, ...(version === undefined ? {} : { version }) }
      return located
    }),
    { concurrency: 4 }
  )
})

/** The arguments for the caller's commands, source map and address randomisation. */
const optionArguments = (launch: Backend.LaunchRequest, quirks: Quirks): Arguments => {
  const { init: given = [], preRun, stop = [] } = launch.commands ?? {}
  const stops = launch.existing?.kind === "core" || quirks.stopMark === undefined ? stop : [...stop, StopMark.command]
  // The adapter's own argument has no effect up to 19.
  const init = [
    ...(launch.aslr === true ? ["settings set target.disable-aslr false"] : []),
    ...(launch.followFork === undefined ? [] : [LldbSettings.followFork(launch.followFork)]),
    ...given
  ]
  const marked = (line: string) => (quirks.supportsCommandMarks === true && !/^[!?]/.test(line) ? `!${line}` : line)
  return {
    ...(init.length === 0 ? {} : { initCommands: init.map(marked) }),
    ...(preRun === undefined ? {} : { preRunCommands: preRun.map(marked) }),
    ...(stops.length === 0 ? {} : { stopCommands: stops }),
    ...(launch.sourceMap === undefined ? {} : { sourceMap: launch.sourceMap }),
    ...(launch.aslr === true ? { disableASLR: false } : {})
  }
}

/**
 * Returns what depends on the program: its installed debug information, and the formatters of Rust's tool chain. Versions without
 * command marks would print the formatters into the session's console.
 */
const language = Effect.fnUntraced(function* (
  launch: Backend.LaunchRequest,
  { supportsCommandMarks }: Quirks
): Effect.fn.Return<LanguageSupport, never, Machine> {
  const silent = (command: string) => (supportsCommandMarks === true ? `?${command}` : command)
  const added = yield* LldbDebugFile.command(launch, 18)
  // An attached process has its modules only after the attach.
  const at = launch.existing === undefined ? "preRunCommands" : "postRunCommands"
  const debugFile = added === undefined ? {} : { [at]: [silent(added)] }
  if (!(yield* LldbRust.isProgram(launch.program))) return { arguments: debugFile, catches: [] }
  const commands = supportsCommandMarks === true ? yield* LldbRust.formatters(launch, 18) : []
  return { arguments: { ...debugFile, initCommands: commands.map(silent) }, catches: LldbRust.catches }
})

/** The quirks by major version of LLDB; measured with 13 to 23. */
export const quirks = (major: number): Quirks => ({
  failures,
  typeNameProblem: (expression, detail) =>
    detail === "unknown error" && isTypeName(expression) ? notVariable(expression) : undefined,
  insertsTraps: true,
  correctsExpressions: true,
  launchStop: /exec\b|SIGSTOP/,
  numberDescriptions: StopText.numbers,
  valueText: (text, type) => Characters.withNumber(ValueText.shown(text, type), type),
  noVariables: /^<error> no variable information is available\b/,
  staleThreads: major >= 21,
  stopsWithoutText: major < 16,
  entryLooksLikeSignal: major < 22,
  pauseLooksLikeSignal: true,
  losesPauses: true,
  stopMark: StopMark.mark,
  pauseLooksLikeStep: true,
  echoesCommands: major < 21,
  symfileDumpIsSafe: major < 17,
  exactTotals: major < 21,
  supportsCommandMarks: major >= 18,
  silentEntry: major < 15,
  hoverAnswersDeclaration: major === 17 || major === 18,
  ignoresDefaultFilters: true,
  countsHits: true,
  onePerPlace: true,
  writesLogMessages: true,
  unorderedFunctions: true,
  disassemblyAsSource: true,
  osThreadIds: true,
  scopeReferences: { locals: 1, globals: 2, registers: 3 },
  recurringFrameIds: true,
  moduleIdIsUuid: true,
  // A call through an entry of a table of functions; 22 only.
  ...(major === 22 ? { neverAnswered: /^\(\(.*\(\*\)\(.*\)\)\(\*\(void\*\*\*\).*\)\[\d+\]\)\(/s } : {})
})

/** The description of lldb-dap, which was called lldb-vscode up to 17. */
export const adapter: Adapter = {
  name: "lldb-dap",
  aliases: ["lldb-vscode"],
  namedByFile: true,
  id: "lldb-dap",
  prestarts: true,
  file: names,
  languages: ["C", "C++", "Objective-C", "Swift", "Rust"],
  extensions: [],
  installation: {
    packages: { "apt-get": "lldb", dnf: "lldb", pacman: "lldb", apk: "lldb", zypper: "lldb" },
    // Of Debian's packages only those with a version have lldb-dap.
    versioned: { managers: ["apt-get"], tested: 19 },
    instruction: "install LLDB 15 or newer with its lldb-dap, and put it on PATH or its path in SIGTRAP_LLDB_DAP",
    for: /\.(?:c|cc|cpp|cxx|h|hpp|m|mm|rs|swift)$|^(?:Makefile|CMakeLists\.txt|Cargo\.toml|meson\.build)$/
  },
  trials: lldbTrials,
  editorTypes: [
    {
      types: ["lldb-dap", "lldb-vscode"],
      adapter: "lldb-dap",
      options: ["exitCommands", "terminateCommands", "sourcePath", "detachOnError", "timeout"]
    },
    // The types of CodeLLDB and of the C++ extension. They do not name an adapter, so the program decides.
    { types: ["lldb", "cppdbg"], options: [] }
  ],
  transport: "stdio",
  streams: "setting",
  supports: ["commands", "terminal", "aslr", "followFork", "sourceMap"],
  features: { "re-execution": "command" },
  find,
  all,
  start: (_, launch, directory) => ({ args: [], env: environment(launch, directory) }),
  quirks,
  dialect: ({ exactTotals = false, symfileDumpIsSafe = false }) =>
    LldbDialect.make({ slowStacks: exactTotals, symfileDumpIsSafe }),
  optionArguments,
  language,
  attach: LldbAttach.attach,
  takeOver: LldbAttach.takeOver,
  launchArguments: (launch, { quirks, streams }) => Effect.fromResult(launchArguments(launch, streams, quirks))
}
