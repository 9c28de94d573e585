/**
 * js-debug, the debugger for JavaScript and TypeScript on Node: a server, `dapDebugServer.js`, that Node runs.
 *
 * Its file is the one that `SIGTRAP_JS_DEBUG` names, otherwise `js-debug-adapter` or `js-debug` on PATH, otherwise in a
 * directory where releases are usually unpacked. It listens on a socket in a directory that only this user can enter, since
 * every client may run programs. Each process and worker thread of a program is a child session. sigtrap starts the program
 * at the adapter's request (DAP `runInTerminal`), on named pipes.
 */
import { FileReader } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Adapter, Located, Search } from "./Adapter.ts"
import * as Attach from "./Attach.ts"
import * as Deno from "./Deno.ts"
import * as Discovery from "./Discovery.ts"
import * as ProgramKind from "./ProgramKind.ts"
import * as NodeExceptions from "./NodeExceptions.ts"
import type { Failures } from "../console/Failures.ts"
import type { Quirks } from "./Quirks.ts"
import { launchSteps, type Trials } from "./Trials.ts"

/** Variables of the user's environment that the adapter inherits; it finds the program's Node by `PATH`. */
const inheritedVariables = /^(?:PATH|HOME|LANG|LC_[A-Z]+|NVM_[A-Z]+|VOLTA_HOME|FNM_[A-Z_]+)$/

const server = "src/dapDebugServer.js"

/** The version in the server file, which is one line. */
const versionIn = /"js-debug",[\w$]+="(\d+(?:\.\d+)+)"/

const examine = Effect.fnUntraced(function* (
  file: string,
  search: Search
): Effect.fn.Return<Located, never, FileReader.FileReader | FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (!/\.c?js$/.test(file)) return {}
  const complete = yield* fs
    .exists(path.join(path.dirname(file), "bootloader.js"))
    .pipe(Effect.orElseSucceed(() => false))
  if (!complete) return { problem: "bootloader.js is not beside it: unpack the whole release" }
  if ((yield* Discovery.onPath(search, ["node"])).length === 0) return { problem: "no node on PATH to run it" }
  const reader = yield* FileReader.FileReader
  const text = yield* reader.text(file, FileReader.purposes.script).pipe(Effect.orElseSucceed(() => ""))
  const version = versionIn.exec(text)?.[1]
  return version === undefined ? {} : { version }
})

/** Directories in which releases are usually unpacked. */
const places = ({ env }: Search): ReadonlyArray<string> => {
  const home = env["HOME"] ?? ""
  const data = env["XDG_DATA_HOME"] ?? (home === "" ? undefined : `${home}/.local/share`)
  return [
    ...(data === undefined ? [] : [`${data}/js-debug`, `${data}/nvim/mason/packages/js-debug-adapter/js-debug`]),
    ...(env["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share")
      .split(":")
      .filter((directory) => directory.startsWith("/"))
      .map((directory) => `${directory}/js-debug`)
  ].map((directory) => `${directory}/${server}`)
}

const kind: Discovery.Kind = {
  name: "js-debug",
  aliases: ["node", "javascript", "typescript", "pwa-node"],
  variable: "SIGTRAP_JS_DEBUG",
  names: ["js-debug-adapter", "js-debug"],
  remedy: Hint.local("setup", ["js-debug"]),
  places,
  examine
}

/** Timeout of the connection to a Node that listens for debuggers, in milliseconds. */
const connectTimeout = 5000

/** The arguments about files: those that steps skip, and where compiled files are searched. */
const fileArguments = (root: string) => ({
  skipFiles: ["<node_internals>/**"],
  __workspaceFolder: root,
  rootPath: root,
  outFiles: [`${root}/**/*.(m|c|)js`, "!**/node_modules/**"],
  // Test runners and loaders compile files of any name while the program runs. By default js-debug reads only maps of the files above.
  resolveSourceMapLocations: ["**", "!**/node_modules/**"]
})

/** The directory whose compiled files may belong to a program: that of its package, or its own. */
const rootOf = Effect.fnUntraced(function* (program: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const own = path.dirname(program)
  for (let directory = own; directory !== path.dirname(directory); directory = path.dirname(directory)) {
    for (const name of ["package.json", "tsconfig.json"]) {
      const here = yield* fs.exists(path.join(directory, name)).pipe(Effect.orElseSucceed(() => false))
      if (here) return directory
    }
  }
  return own
})

/**
 * A script that runs the server and exits when standard input closes, so that the server does not outlive a killed daemon.
 * It exits by SIGKILL, so that the server has no time to kill a detached program.
 */
const exitWithStdin =
  'process.stdin.on("close", () => process.kill(process.pid, "SIGKILL")).resume(); require(process.argv[1])'

const isNode = (runtime: unknown) =>
  runtime === undefined || (Predicate.isString(runtime) && /(?:^|\/)node$/.test(runtime))

/**
 * Writes the file that Node loads before the program, and returns the arguments for it; none if it cannot be written. It is in the cache of
 * the user, since a program that is detached starts its children and threads with the same arguments.
 */
const loadedArguments = Effect.fnUntraced(
  function* ({ HOME: home, XDG_CACHE_HOME: cache }: { readonly [name: string]: string }, own: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const base = [cache ?? "", path.join(home ?? "", ".cache")].find((one) => path.isAbsolute(one))
    const directory = base === undefined ? own : path.join(base, "sigtrap")
    if (base !== undefined) yield* fs.makeDirectory(directory, { recursive: true, mode: 0o700 })
    const file = path.join(directory, "exceptions.cjs")
    const written = `${file}.${path.basename(own)}`
    yield* fs.writeFileString(written, NodeExceptions.content)
    yield* fs.rename(written, file)
    return [`--require=${file}`]
  },
  Effect.orElseSucceed((): ReadonlyArray<string> => [])
)

/** The error messages by what they mean. */
const failures: Failures = {
  "unknown-name": /ReferenceError: (?<name>\S+) is not defined/,
  unreachable: /connection refused|could not connect|failed to connect|went away/i
}

/** The quirks; measured with 1.117. */
export const quirks = (): Quirks => ({
  failures,
  verifiesAtRun: true,
  onePerPlace: true,
  absolutePathsOnly: true,
  // Numbers given before the program is loaded collide with numbers given later, so stops are matched by place.
  stopsWithoutIds: true,
  stopsWithoutText: true,
  emptyDescriptions: /^Paused\b(?! on (?:promise rejection|debugger statement)$)/,
  rejection: {
    description: "Paused on promise rejection",
    isFailure: `${NodeExceptions.noteRejection}, ${NodeExceptions.isReporting} || globalThis["sigtrap.failure"]?.()`
  },
  predictsUncaught: { isCertain: NodeExceptions.isCertain, stopAgain: NodeExceptions.stopAgain },
  exceptionInId: /^([A-Za-z_$][\w$.]*)(?:: ([^]*))?$/,
  defaultFilters: ["uncaught"],
  inspectorProxy: "requestCDPProxy",
  runtimeCatches: {
    uncaught: "uncaught",
    caught: "all",
    endsProgram: Deno.withListener(NodeExceptions.endsProgram),
    noteStop: NodeExceptions.noteStop
  },
  silentProcess: true,
  detachesWhenKilled: true,
  silentRefusal: true,
  runtimeNotices: { lines: ["Debugger attached.\n"], last: "Waiting for the debugger to disconnect...\n" },
  // js-debug cuts its description of the receiver at the first blank: `Timeout {.work`.
  functionNote: /^(?:global|[\w$]+ \{)\./,
  entryFrame: /^(?:global\.|Object\.)?<anonymous>$/,
  // A pause inside a skipped part of Node is reported when that part ends.
  pauseLooksLikeStep: true,
  stopStatement: /^Paused on debugger statement$/,
  idleExpression: "0 // the event loop waits: nothing of the program runs",
  idleFile: "repl",
  scopes: {
    own: /^(?:Local|Block|Catch|With|Eval)\b/,
    whole: /^Local\b/,
    top: /^(?:Module|Script)\b/,
    around: /^(?:Closure|Module|Script)\b/
  },
  hiddenMembers: /^\[\[(?:Prototype|FunctionLocation|Scopes)\]\]$/,
  // The getter of the prototype of typed arrays, which js-debug calls with the prototype.
  noVariables: /^Symbol\(Symbol\.toStringTag\) undefined$/,
  pagesElementsOnly: true,
  propertiesRunCode: true,
  // Writes a number without `0x` and a text as its bytes, and calls the program's `toString`.
  formatsNoNumbers: true,
  copiesScopes: true,
  lazyText: "[Getter]",
  setterText: "write-only"
})

/** What `sigtrap doctor` tries with js-debug. */
const trials: Trials = {
  without: { attach: "js-debug attaches to a port, as in remote", core: "Node has no core files" },
  scenarios: {
    launch: () => `
name: doctor
setup:
  - shell: printf '%s\\n' 'const answer = 42' 'console.log(answer)' > "\${work}/probe.js"
target: { program: probe.js, break: ["probe.js:2"] }
${launchSteps(2)}  - name: read the program's output
    check_output:
    expect: { contains: "42" }
`,
    remote: ({ port }) => `
name: doctor
setup:
  - shell: printf '%s\\n' 'const fs = require("fs")' 'fs.writeFileSync("pid", String(process.pid))' 'setInterval(() => fs.existsSync("over") && process.exit(), 10)' > "\${work}/probe.js"
  - shell: { line: "exec node --inspect=127.0.0.1:${port} probe.js", background: true }
  - shell: for i in $(seq 100); do test -e "\${work}/pid" && break; sleep 0.1; done
target: { mode: connect, address: "127.0.0.1:${port}", adapter: js-debug }
steps:
  - name: stop a program that listens for debuggers
    check_state: stopped
  - name: detach from it
    command: detach
  - shell: touch "\${work}/over"; for i in $(seq 50); do kill -0 $(cat "\${work}/pid") 2>/dev/null || break; sleep 0.1; done; sleep 0.5
`
  }
}

/** The description of js-debug. */
export const adapter: Adapter = {
  name: kind.name,
  aliases: kind.aliases,
  id: "pwa-node",
  interpreter: /^node(?:js)?$/,
  file: /^(?:dapDebugServer\.c?js|js-debug(?:-adapter)?)$/,
  languages: ["JavaScript", "TypeScript"],
  extensions: [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"],
  recognizes: (contents) => ProgramKind.isScriptOf(contents, "node(?:js)?"),
  installation: {
    packages: {},
    instruction:
      "download js-debug-dap-vVERSION.tar.gz from https://github.com/microsoft/vscode-js-debug/releases, then: mkdir -p ~/.local/share && tar -xzf js-debug-dap-vVERSION.tar.gz -C ~/.local/share (or unpack it anywhere and set SIGTRAP_JS_DEBUG to js-debug/src/dapDebugServer.js)",
    for: /\.[cm]?[jt]sx?$|^(?:package\.json|tsconfig\.json)$/
  },
  trials,
  editorTypes: [
    {
      types: ["node", "pwa-node", "node2"],
      adapter: kind.name,
      options: [
        "runtimeExecutable",
        "runtimeArgs",
        "runtimeVersion",
        "skipFiles",
        "outFiles",
        "smartStep",
        "sourceMaps",
        "attachSimplePort"
      ]
    }
  ],
  transport: { announcement: /^Debug server listening at (\S+)$/ },
  streams: "terminal",
  supports: ["sourceMap"],
  lacks: ["arguments"],
  children: true,
  find: (search) =>
    Effect.gen(function* () {
      const found = yield* Discovery.find(kind, search)
      const [node] = yield* Discovery.onPath(search, ["node"])
      return node === undefined || !/\.c?js$/.test(found.path) ? found : { ...found, runner: node }
    }),
  all: (search) => Discovery.all(kind, search),
  start: (_, launch, directory) => ({
    args: [`${directory}/adapter`],
    runnerArgs: ["-e", exitWithStdin],
    env: {
      ...Discovery.selected(launch.env, inheritedVariables),
      // Its sockets and files are removed with the connection.
      TMPDIR: directory
    }
  }),
  quirks,
  optionArguments: ({ sourceMap }) =>
    sourceMap === undefined
      ? {}
      : { sourceMapPathOverrides: Object.fromEntries(sourceMap.map(([from, to]) => [`${from}/*`, `${to}/*`])) },
  completeArguments: Deno.withInspector,
  attach: (launch, existing) => {
    if (existing.kind !== "remote") return Attach.unsupported(existing, kind.name)
    if (!Attach.host.test(existing.host)) return Attach.noHost(existing)
    return Result.succeed({
      request: "attach",
      arguments: {
        type: "pwa-node",
        request: "attach",
        name: "sigtrap",
        address: existing.host,
        port: existing.port,
        // The caller retries if nothing listens.
        timeout: connectTimeout,
        ...fileArguments(launch.cwd)
      },
      keepsRunning: true
    })
  },
  launchArguments: Effect.fnUntraced(function* (launch, { directory }) {
    const root = yield* rootOf(launch.program)
    const { NODE_OPTIONS: options } = launch.env
    if (/--inspect/.test(options ?? "")) {
      return yield* new Errors.LaunchFailed({
        program: launch.program,
        detail: "NODE_OPTIONS contains --inspect, which keeps the debugger from attaching"
      })
    }
    return {
      type: "pwa-node",
      request: "launch",
      name: "sigtrap",
      program: launch.program,
      args: launch.args,
      cwd: launch.cwd,
      env: launch.env,
      stopOnEntry: launch.stopOnEntry,
      console: "integratedTerminal",
      // Output comes through the program's streams, not also as events.
      outputCapture: "std",
      // By default js-debug kills a program whose debugger is gone, which it may be before the program has exited. sigtrap ends what remains.
      killBehavior: "none",
      ...(isNode(launch.options?.["runtimeExecutable"])
        ? { runtimeArgs: yield* loadedArguments(launch.env, directory) }
        : {}),
      ...fileArguments(root)
    }
  })
}
