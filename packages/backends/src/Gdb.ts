/**
 * GDB from version 14 on, which is its own debug adapter: `gdb --interpreter=dap`.
 *
 * The program's output comes as `output` events, mixed with GDB's own words; it has no standard input of ours.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Adapter } from "./Adapter.ts"
import * as Lookup from "./Lookup.ts"
import * as Quirks from "./Quirks.ts"

/** The first version that speaks the protocol. */
const first = 14

const kind: Lookup.Kind = {
  name: "gdb",
  aliases: [],
  variable: "SIGTRAP_GDB",
  names: ["gdb"],
  remedy: "sigtrap start PROGRAM --adapter lldb-dap",
  examine: (file, search) =>
    Lookup.ask(file, ["--version"], { PATH: search.env["PATH"] ?? "" }).pipe(
      Effect.map((text) => /^GNU gdb .*?(\d+(?:\.\d+)+)\s*$/m.exec(text ?? "")?.[1]),
      Effect.map((version) =>
        version === undefined
          ? { problem: "it does not say its version" }
          : Number.parseInt(version, 10) < first
            ? { version, problem: `version ${version}; the protocol needs ${first}` }
            : { version }
      )
    )
}

const allowed = /^(?:PATH|LANG|LC_[A-Z]+|TMPDIR)$/

/** The description of GDB. */
export const adapter: Adapter = {
  name: kind.name,
  aliases: kind.aliases,
  id: "gdb",
  file: /^gdb(?:-\d+)?$/,
  languages: ["C", "C++", "Rust", "Fortran", "Ada"],
  extensions: [],
  transport: "stdio",
  streams: "events",
  find: (search) => Lookup.find(kind, search),
  all: (search) => Lookup.all(kind, search),
  start: (_, launch, directory) => ({
    args: ["--nh", "--nx", "--interpreter=dap", "-iex", "set debuginfod enabled off"],
    env: {
      ...Object.fromEntries(Object.entries(launch.env).filter(([name]) => allowed.test(name))),
      HOME: directory,
      TERM: "dumb"
    }
  }),
  quirks: Quirks.gdb,
  launchArguments: (launch) =>
    launch.stdin === undefined
      ? Effect.succeed({
          program: launch.program,
          args: launch.args,
          cwd: launch.cwd,
          env: launch.env,
          stopAtBeginningOfMainSubprogram: launch.stopOnEntry
        })
      : Effect.fail(
          new Errors.Unsupported({
            what: "a file as standard input",
            by: kind.name,
            remedy: "sigtrap start PROGRAM --stdin FILE --adapter lldb-dap"
          })
        )
}
