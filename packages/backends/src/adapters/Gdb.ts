/**
 * GDB from version 14 on, which is its own debug adapter: `gdb --interpreter=dap`.
 *
 * The program's streams are our named pipes; `output` events carry GDB's own messages.
 */
import { Hint, ShellWords } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Adapter, AttachRequest } from "./Adapter.ts"
import { redirected } from "../process/Streams.ts"
import * as GdbConsole from "../console/gdb/Console.ts"
import { failures } from "../console/gdb/Failures.ts"
import * as GdbDialect from "../console/gdb/Dialect.ts"
import * as Scripts from "../console/gdb/Scripts.ts"
import * as Attach from "./Attach.ts"
import * as Discovery from "./Discovery.ts"
import type { Quirks } from "./Quirks.ts"

/** The first version with a DAP server. */
const first = 14

const kind: Discovery.Kind = {
  name: "gdb",
  aliases: [],
  variable: "SIGTRAP_GDB",
  names: ["gdb"],
  remedy: Hint.again("start", { adapter: "lldb-dap" }),
  examine: (file, search) =>
    Discovery.askVersion(file, ["--version"], { PATH: search.env["PATH"] ?? "" }).pipe(
      Effect.map((text) => /^GNU gdb .*?(\d+(?:\.\d+)+)\s*$/m.exec(text ?? "")?.[1]),
      Effect.map((version) =>
        version === undefined
          ? { problem: "it does not print its version" }
          : Number.parseInt(version, 10) < first
            ? {
                version,
                problem: `GDB ${version} has no DAP server; GDB ${first} or newer is needed`,
                needed: `${first}`
              }
            : { version }
      )
    )
}

const inheritedVariables = /^(?:PATH|LANG|LC_[A-Z]+|TMPDIR)$/

/** A file name quoted for GDB's commands: whitespace, quotes and backslashes are escaped. */
const fileName = (file: string): string => file.replaceAll(/[ \t\n\r\f\v\\'"]/g, "\\$&")

/** A line of Python that runs a command at each stop. */
const atStop = (command: string): string =>
  `python exec("import gdb\\ngdb.events.stop.connect(lambda event: gdb.execute(given))", {"given": ${JSON.stringify(command)}})`

/**
 * The commands before launch or attach: the wrapper with which GDB starts the program on our pipes, the program's file, so
 * that breakpoints are verified before it runs, and the caller's options.
 */
const prepare: Adapter["prepare"] = (launch, { quirks, streams }) => {
  const { aslr, commands = {}, existing, program, sourceMap = [] } = launch
  const wrapper = redirected({ ...streams, input: launch.stdin ?? streams.input })
    .map(ShellWords.quoteAlways)
    .join(" ")
  return [
    GdbConsole.line(Scripts.calls, {}),
    ...(existing === undefined
      ? [
          `set exec-wrapper /bin/sh ${wrapper}`,
          ...(aslr === undefined ? [] : [`set disable-randomization ${aslr ? "off" : "on"}`])
        ]
      : []),
    ...sourceMap.map(([from, to]) => `set substitute-path ${fileName(from)} ${fileName(to)}`),
    ...(program === "" || existing?.kind === "process" ? [] : [`file ${fileName(program)}`]),
    ...(commands.init ?? []),
    ...(existing?.kind === "core" && quirks.coreCommands !== undefined ? quirks.coreCommands(existing.file) : []),
    ...(commands.preRun ?? []),
    ...(commands.stop ?? []).map(atStop)
  ]
}

/** The quirks by major version; measured with 16 and 18. */
export const quirks = (major = 18): Quirks => ({
  failures,
  hidesSignals: true,
  firstStopIsEntry: true,
  exceptionsLookLikeBreakpoints: true,
  detachCommand: "detach",
  callStopReason: "function call",
  pointeeName: "value",
  omitsEmptyScopes: true,
  stopsAtAttach: true,
  ...(major < 18
    ? {
        scopeFailsForOneVariable: true,
        // The adapter takes the threads of a core file for running ones.
        coreCommands: (file: string) => [
          `python exec("import gdb, gdb.dap.events\\ngdb.execute(given)\\ngdb.dap.events.inferior_running = False", {"given": ${JSON.stringify(`core-file ${fileName(file)}`)}})`
        ]
      }
    : {}),
  entryIsMain: major < 16
})

/** The description of GDB. */
export const adapter: Adapter = {
  name: kind.name,
  aliases: kind.aliases,
  id: "gdb",
  file: /^gdb(?:-?\d+)?$/,
  languages: ["C", "C++", "Rust", "Fortran", "Ada"],
  extensions: [],
  installation: {
    packages: { "apt-get": "gdb", dnf: "gdb", pacman: "gdb", apk: "gdb", zypper: "gdb" },
    instruction: "install GDB 14 or newer and put it on PATH",
    for: /\.(?:f90|f|adb)$/
  },
  editorTypes: [{ types: ["gdb"], adapter: kind.name, options: [] }],
  transport: "stdio",
  streams: "setting",
  supports: ["commands", "aslr", "sourceMap"],
  // The adapter has neither hit counts nor log messages; the manager evaluates them at each stop.
  features: { "hit-counts": "manager", logpoints: "manager", "return-values": "adapter", "source-files": "adapter" },
  find: (search) => Discovery.find(kind, search),
  all: (search) => Discovery.all(kind, search),
  start: (_, launch, directory) => ({
    args: [
      "-q",
      "--nh",
      "--nx",
      "--interpreter=dap",
      "-iex",
      "set debuginfod enabled off",
      "-iex",
      "set confirm off",
      "-iex",
      "set tcp connect-timeout 5",
      // Frames of callers of main, to which it returns.
      "-iex",
      "set backtrace past-main on"
    ],
    env: {
      ...Discovery.selected(launch.env, inheritedVariables),
      HOME: directory,
      // The wrapper is written for this shell, not for the user's.
      SHELL: "/bin/sh",
      TERM: "dumb"
    }
  }),
  quirks,
  dialect: () => GdbDialect.dialect,
  prepare,
  attach: (_, existing, quirks) => {
    const attach = (args: AttachRequest["arguments"]) =>
      Result.succeed<AttachRequest>({ request: "attach", arguments: args })
    switch (existing.kind) {
      case "process":
        return attach({ pid: existing.pid })
      case "core":
        return quirks.coreCommands === undefined
          ? attach({ coreFile: existing.file })
          : Result.succeed({ request: "none", arguments: {} })
      case "remote":
        return Attach.host.test(existing.host)
          ? attach({ target: `${existing.host}:${existing.port}` })
          : Attach.noHost(existing)
    }
  },
  launchArguments: (launch, { quirks }) =>
    Effect.succeed({
      args: launch.args,
      cwd: launch.cwd,
      env: launch.env,
      stopOnEntry: launch.stopOnEntry && quirks.entryIsMain !== true,
      stopAtBeginningOfMainSubprogram: launch.stopOnEntry && quirks.entryIsMain === true
    })
}
