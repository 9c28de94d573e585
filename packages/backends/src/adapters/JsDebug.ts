/**
 * js-debug, the debugger for JavaScript and TypeScript on Node: a server, `dapDebugServer.js`, that Node runs.
 *
 * Looked for in `SIGTRAP_JS_DEBUG`, as `js-debug-adapter` or `js-debug` on PATH, then where its release is usually
 * unpacked. It listens on a socket in a directory of ours, which nobody else can enter: whoever reaches it may run
 * programs. Each process and worker thread of a program is a child session of its own. The program is started by us at
 * the adapter's request (`runInTerminal`), on our named pipes: byte-exact, with a standard input.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { Adapter, Located, Search } from "./Adapter.ts"
import * as Attach from "./Attach.ts"
import * as Discovery from "./Discovery.ts"
import * as Quirks from "./Quirks.ts"

/** Variables of the user's environment that the adapter may see; `PATH` leads it to the Node that runs the program. */
const allowed = /^(?:PATH|HOME|LANG|LC_[A-Z]+|NVM_[A-Z]+|VOLTA_HOME|FNM_[A-Z_]+)$/

const server = "src/dapDebugServer.js"

/** The release says its version beside its name, in a file of one line. */
const versionIn = /"js-debug",[\w$]+="(\d+(?:\.\d+)+)"/

/** Largest server file that is read for its version, in bytes. */
const largest = 16 * 1024 * 1024

const examine = Effect.fnUntraced(function* (
  file: string,
  search: Search
): Effect.fn.Return<Located, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (!/\.c?js$/.test(file)) return {}
  const complete = yield* fs
    .exists(path.join(path.dirname(file), "bootloader.js"))
    .pipe(Effect.orElseSucceed(() => false))
  if (!complete) return { problem: "bootloader.js is not beside it: unpack the whole release" }
  if ((yield* Discovery.onPath(search, ["node"])).length === 0) return { problem: "no node on PATH to run it" }
  const size = yield* fs.stat(file).pipe(
    Effect.map((info) => Number(info.size)),
    Effect.orElseSucceed(() => largest + 1)
  )
  const text = size > largest ? "" : yield* fs.readFileString(file).pipe(Effect.orElseSucceed(() => ""))
  const version = versionIn.exec(text)?.[1]
  return version === undefined ? {} : { version }
})

/** Where releases are unpacked, without their top directory's name in some places. */
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

/** How long it may take to reach a Node that listens for debuggers, in milliseconds. */
const connectsWithin = 5000

/** What is stepped through, and where compiled files are looked for. */
const searched = (root: string) => ({
  skipFiles: ["<node_internals>/**"],
  __workspaceFolder: root,
  rootPath: root,
  outFiles: [`${root}/**/*.(m|c|)js`, "!**/node_modules/**"]
})

/** The directory whose compiled files may belong to a program: that of its package, else its own. */
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
 * Runs the server and ends with whoever started it: by itself it serves on when its standard input has closed, and an
 * end of ours that comes without warning would leave it behind. At once, so that a program that was let go stays.
 */
const guarded =
  'process.stdin.on("close", () => process.kill(process.pid, "SIGKILL")).resume(); require(process.argv[1])'

/** The description of js-debug. */
export const adapter: Adapter = {
  name: kind.name,
  aliases: kind.aliases,
  id: "pwa-node",
  file: /^(?:dapDebugServer\.c?js|js-debug(?:-adapter)?)$/,
  languages: ["JavaScript", "TypeScript"],
  extensions: [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"],
  transport: { announcement: /^Debug server listening at (\S+)$/ },
  streams: "terminal",
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
    runnerArgs: ["-e", guarded],
    env: {
      ...Object.fromEntries(Object.entries(launch.env).filter(([name]) => allowed.test(name))),
      // Its sockets and notes go with the connection.
      TMPDIR: directory
    }
  }),
  quirks: Quirks.jsDebug,
  mapped: (map) => ({
    sourceMapPathOverrides: Object.fromEntries(map.map(([from, to]) => [`${from}/*`, `${to}/*`]))
  }),
  hold: (launch, existing) => {
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
        // Whoever is told that nothing listens can try again.
        timeout: connectsWithin,
        ...searched(launch.cwd)
      },
      runsOn: true
    })
  },
  launchArguments: Effect.fnUntraced(function* (launch) {
    const root = yield* rootOf(launch.program)
    const { NODE_OPTIONS: options } = launch.env
    if (/--inspect/.test(options ?? "")) {
      return yield* new Errors.LaunchFailed({
        program: launch.program,
        detail: "NODE_OPTIONS has an --inspect of its own, which excludes the debugger"
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
      // The program's output comes through its streams, not once more as events.
      outputCapture: "std",
      ...searched(root)
    }
  })
}
