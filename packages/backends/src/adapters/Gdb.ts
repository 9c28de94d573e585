/**
 * GDB from version 14 on, which is its own debug adapter: `gdb --interpreter=dap`.
 *
 * The program's streams are named pipes of ours; what comes as `output` events is GDB's own talk.
 */
import { Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Adapter, Hold } from "./Adapter.ts"
import { redirected } from "../dap/AdapterProcess.ts"
import * as GdbConsole from "../console/gdb/Console.ts"
import * as Scripts from "../console/gdb/Scripts.ts"
import * as Attach from "./Attach.ts"
import * as Discovery from "./Discovery.ts"
import * as Quirks from "./Quirks.ts"

/** The first version that speaks the protocol. */
const first = 14

const kind: Discovery.Kind = {
  name: "gdb",
  aliases: [],
  variable: "SIGTRAP_GDB",
  names: ["gdb"],
  remedy: Hint.again("start", { adapter: "lldb-dap" }),
  examine: (file, search) =>
    Discovery.ask(file, ["--version"], { PATH: search.env["PATH"] ?? "" }).pipe(
      Effect.map((text) => /^GNU gdb .*?(\d+(?:\.\d+)+)\s*$/m.exec(text ?? "")?.[1]),
      Effect.map((version) =>
        version === undefined
          ? { problem: "it does not say its version" }
          : Number.parseInt(version, 10) < first
            ? { version, problem: `version ${version} speaks no protocol; ${first} does`, needed: `${first}` }
            : { version }
      )
    )
}

const allowed = /^(?:PATH|LANG|LC_[A-Z]+|TMPDIR)$/

/** A word for the shell by which GDB starts programs. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** A line of Python that runs a command at each stop. */
const atStop = (command: string): string =>
  `python exec("import gdb\\ngdb.events.stop.connect(lambda event: gdb.execute(given))", {"given": ${JSON.stringify(command)}})`

/**
 * The program's file, so that breakpoints can be told from what is not there before it runs; its streams; and what the
 * caller wishes. Programs are started by GDB through a wrapper, which opens our pipes.
 */
const prepare: Adapter["prepare"] = (launch, { quirks, streams }) => {
  const { aslr, commands = {}, existing, program, sourceMap = [] } = launch
  const wrapper = redirected({ ...streams, input: launch.stdin ?? streams.input })
    .map(quoted)
    .join(" ")
  return [
    GdbConsole.line(Scripts.calls, {}),
    ...(existing === undefined
      ? [
          `set exec-wrapper /bin/sh ${wrapper}`,
          ...(aslr === undefined ? [] : [`set disable-randomization ${aslr ? "off" : "on"}`])
        ]
      : []),
    ...sourceMap.map(([from, to]) => `set substitute-path ${Quirks.gdbFile(from)} ${Quirks.gdbFile(to)}`),
    ...(program === "" || existing?.kind === "process" ? [] : [`file ${Quirks.gdbFile(program)}`]),
    ...(commands.init ?? []),
    ...(existing?.kind === "core" && quirks.opensCore !== undefined ? quirks.opensCore(existing.file) : []),
    ...(commands.preRun ?? []),
    ...(commands.stop ?? []).map(atStop)
  ]
}

/** The description of GDB. */
export const adapter: Adapter = {
  name: kind.name,
  aliases: kind.aliases,
  id: "gdb",
  file: /^gdb(?:-?\d+)?$/,
  languages: ["C", "C++", "Rust", "Fortran", "Ada"],
  extensions: [],
  transport: "stdio",
  streams: "setting",
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
      // What called main is where it returns to.
      "-iex",
      "set backtrace past-main on"
    ],
    env: {
      ...Object.fromEntries(Object.entries(launch.env).filter(([name]) => allowed.test(name))),
      HOME: directory,
      // The wrapper is written for this shell, whichever the user's is.
      SHELL: "/bin/sh",
      TERM: "dumb"
    }
  }),
  quirks: Quirks.gdb,
  prepare,
  fulfils: true,
  hold: (_, existing, quirks) => {
    const attach = (args: Hold["arguments"]) => Result.succeed<Hold>({ request: "attach", arguments: args })
    switch (existing.kind) {
      case "process":
        return attach({ pid: existing.pid })
      case "core":
        return quirks.opensCore === undefined
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
