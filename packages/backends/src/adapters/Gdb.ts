/**
 * GDB from version 14 on, which is its own debug adapter: `gdb --interpreter=dap`.
 *
 * The program's streams are named pipes; `output` events carry GDB's own messages.
 */
import { Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Adapter, AttachRequest } from "./Adapter.ts"
import { redirected } from "../process/Streams.ts"
import * as GdbCommand from "../console/gdb/Command.ts"
import * as GdbConsole from "../console/gdb/Console.ts"
import { failures } from "../console/gdb/Failures.ts"
import * as GdbDialect from "../console/gdb/Dialect.ts"
import * as GdbValues from "../console/gdb/Values.ts"
import * as Scripts from "../console/gdb/Scripts.ts"
import * as Attach from "./Attach.ts"
import * as Discovery from "./Discovery.ts"
import type { Quirks } from "./Quirks.ts"
import { nativeTrials } from "./NativeTrials.ts"

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

const inheritedVariables = /^(?:PATH|LANG|LC_[A-Z]+)$/

/**
 * Returns the commands before launch or attach: a wrapper that opens the named pipes for the program, the program's file (so
 * that breakpoints are verified before it runs), and the caller's options.
 */
const prepare: Adapter["prepare"] = (launch, { quirks, streams }) =>
  Result.gen(function* () {
    const { aslr, commands = {}, cwd, existing, program, sourceMap = [] } = launch
    // GDB's own code puts these into commands.
    yield* Result.all([cwd, ...(existing?.kind === "core" ? [existing.file] : [])].map(GdbCommand.plain))
    const wrapper = redirected({ ...streams, input: launch.stdin ?? streams.input })
    const maps = yield* Result.all(sourceMap.map((map) => GdbCommand.command("set substitute-path", map)))
    return [
      GdbConsole.line(Scripts.calls, {}),
      ...(existing === undefined
        ? [
            yield* GdbCommand.execWrapper(wrapper),
            ...(aslr === undefined ? [] : [`set disable-randomization ${aslr ? "off" : "on"}`])
          ]
        : []),
      ...maps,
      ...(program === "" || existing?.kind === "process" ? [] : [yield* GdbCommand.command("file", [program])]),
      ...(commands.init ?? []),
      ...(existing?.kind === "core" && quirks.opensCoreByCommand === true
        ? [GdbConsole.line(Scripts.openCore, { command: yield* GdbCommand.command("core-file", [existing.file]) })]
        : []),
      ...(commands.preRun ?? []),
      ...(commands.stop ?? []).map((command) => GdbConsole.line(Scripts.atStop, { command }))
    ]
  })

/** The quirks by major version; measured with 16 and 18. */
export const quirks = (major = 18): Quirks => ({
  failures,
  insertsTraps: true,
  hidesSignals: true,
  firstStopIsEntry: true,
  exceptionsLookLikeBreakpoints: true,
  detachCommand: "detach",
  callStopReason: "function call",
  target: { of: "pointers", isTarget: ({ name }) => name === "value" },
  namesNoValues: true,
  valueText: GdbValues.text,
  moduleIdIsPath: true,
  hoverRunsNoCode: major >= 16,
  omitsEmptyScopes: true,
  stopsAtAttach: true,
  ...(major < 18
    ? {
        scopeFailsForOneVariable: true,
        // The adapter takes the threads of a core file for running ones.
        opensCoreByCommand: true
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
  trials: nativeTrials({ server: "gdbserver", save: "generate-core-file ${work}/core" }),
  editorTypes: [{ types: ["gdb"], adapter: kind.name, options: [] }],
  transport: "stdio",
  streams: "setting",
  // GDB's adapter reports the end of the program when it follows a child, so it cannot follow one.
  supports: ["commands", "aslr", "sourceMap"],
  // The adapter has neither hit counts nor log messages; the manager evaluates them at each stop.
  // Its command line is not asked for the variables of a file.
  features: {
    "hit-counts": "manager",
    logpoints: "manager",
    "return-values": "adapter",
    "source-files": "adapter",
    "file-variables": "none"
  },
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
      // Shows the callers of main, since `finish` in main returns to them.
      "-iex",
      "set backtrace past-main on"
    ],
    env: {
      ...Discovery.selected(launch.env, inheritedVariables),
      HOME: directory,
      TMPDIR: directory,
      // The wrapper needs this shell, not the user's.
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
        return quirks.opensCoreByCommand !== true
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
