/**
 * CodeLLDB, the debug adapter of the editor extension of that name: LLDB with its own language for expressions.
 *
 * Only files that are named are found: `SIGTRAP_CODELLDB`, or `codelldb` on PATH. The program's output comes as
 * `output` events.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Adapter } from "./Adapter.ts"
import * as Attach from "./Attach.ts"
import * as Discovery from "./Discovery.ts"
import * as Quirks from "./Quirks.ts"

const kind: Discovery.Kind = {
  name: "codelldb",
  aliases: [],
  variable: "SIGTRAP_CODELLDB",
  names: ["codelldb"],
  remedy: Hint.again("start", { adapter: "lldb-dap" }),
  // It says no version without being asked in the protocol.
  examine: () => Effect.succeed({})
}

const allowed = /^(?:PATH|LANG|LC_[A-Z]+|TMPDIR)$/

/** The description of CodeLLDB. */
export const adapter: Adapter = {
  name: kind.name,
  aliases: kind.aliases,
  id: "lldb",
  file: /^codelldb$/,
  languages: ["C", "C++", "Rust", "Swift"],
  extensions: [],
  transport: "stdio",
  streams: "events",
  find: (search) => Discovery.find(kind, search),
  all: (search) => Discovery.all(kind, search),
  start: (_, launch, directory) => ({
    args: [],
    env: {
      ...Object.fromEntries(Object.entries(launch.env).filter(([name]) => allowed.test(name))),
      HOME: directory,
      TERM: "dumb"
    }
  }),
  quirks: Quirks.codelldb,
  hold: (_, existing) => Attach.unsupported(existing, kind.name),
  launchArguments: (launch) =>
    Effect.suspend(() =>
      launch.stdin !== undefined && /[\r\n\0]/.test(launch.stdin)
        ? Effect.fail(new Errors.LaunchFailed({ program: launch.program, detail: "control characters in a path" }))
        : Effect.succeed({
            type: "lldb",
            request: "launch",
            program: launch.program,
            args: launch.args,
            cwd: launch.cwd,
            env: launch.env,
            stopOnEntry: launch.stopOnEntry,
            terminal: "console",
            consoleMode: "commands",
            ...(launch.stdin === undefined ? {} : { stdio: [launch.stdin, null, null] })
          })
    )
}
