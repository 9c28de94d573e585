/**
 * CodeLLDB, the debug adapter of the editor extension of that name: LLDB with its own language for expressions.
 *
 * Its file is the one that `SIGTRAP_CODELLDB` names, or `codelldb` on PATH. The program's output arrives as `output` events.
 * This adapter is untested.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Adapter } from "./Adapter.ts"
import { failures } from "../console/lldb/Failures.ts"
import * as Attach from "./Attach.ts"
import * as Discovery from "./Discovery.ts"
import * as StopText from "../console/lldb/StopText.ts"
import type { Quirks } from "./Quirks.ts"
import { lldbTrials } from "./NativeTrials.ts"

const kind: Discovery.Kind = {
  name: "codelldb",
  aliases: [],
  variable: "SIGTRAP_CODELLDB",
  names: ["codelldb"],
  remedy: Hint.again("start", { adapter: "lldb-dap" }),
  // CodeLLDB reports its version only in DAP.
  examine: () => Effect.succeed({})
}

const inheritedVariables = /^(?:PATH|LANG|LC_[A-Z]+)$/

/** The deviations of CodeLLDB from DAP. */
const quirks = (): Quirks => ({
  insertsTraps: true,
  failures: {
    ...failures,
    // Its own expressions are Python.
    "unknown-name": /(?:undeclared identifier|no variable named|name(?= '.*' is not defined))(?: '(?<name>[^']+)')?/
  },
  launchStop: /exec\b|SIGSTOP/,
  numberDescriptions: StopText.numbers,
  outputInEvents: true,
  osThreadIds: true
})

/** The description of CodeLLDB. */
export const adapter: Adapter = {
  name: kind.name,
  aliases: kind.aliases,
  id: "lldb",
  file: /^codelldb$/,
  languages: ["C", "C++", "Rust", "Swift"],
  extensions: [],
  installation: {
    packages: {},
    instruction:
      "unpack the CodeLLDB extension (a .vsix is a zip) and set SIGTRAP_CODELLDB to extension/adapter/codelldb",
    for: /^$/
  },
  trials: lldbTrials,
  editorTypes: [
    { types: ["codelldb"], adapter: kind.name, options: ["sourceLanguages", "expressions", "postRunCommands"] }
  ],
  transport: "stdio",
  streams: "events",
  supports: [],
  lacks: ["arguments", "attach-core-remote"],
  find: (search) => Discovery.find(kind, search),
  all: (search) => Discovery.all(kind, search),
  start: (_, launch, directory) => ({
    args: [],
    env: { ...Discovery.selected(launch.env, inheritedVariables), HOME: directory, TMPDIR: directory, TERM: "dumb" }
  }),
  quirks,
  attach: (_, existing) => Attach.unsupported(existing, kind.name),
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
