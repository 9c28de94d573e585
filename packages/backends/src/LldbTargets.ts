/**
 * What lldb-dap is told to take hold of something that is there already: a process, a core file, a debug server.
 *
 * Up to 18 it takes no address of a server as an argument, so the LLDB command `gdb-remote` is given as attach command,
 * which all versions know. A process is never waited for here: the adapter is deaf while it waits.
 */
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Result from "effect/Result"
import * as LldbSettings from "./LldbSettings.ts"
import type { Quirks } from "./Quirks.ts"

/** The name of what is taken hold of, for messages. */
export const describe = (existing: Backend.Existing): string =>
  existing.kind === "process"
    ? `process ${existing.pid}`
    : existing.kind === "core"
      ? existing.file
      : `${existing.host}:${existing.port}`

/** A host as `gdb-remote` takes it: a name, or an IPv4 address, or an IPv6 address in brackets. */
export const host = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9a-fA-F:.]+\])$/

/** The DAP `attach` arguments of lldb-dap. */
export const attachArguments = (
  launch: Backend.Launch,
  existing: Backend.Existing,
  quirks: Quirks
): Result.Result<{ readonly [key: string]: unknown }, Errors.AttachFailed> => {
  const commands = Result.getOrElse(LldbSettings.attaching, () => []).map((setting) =>
    quirks.knowsCommandMarks ? `!${setting}` : setting
  )
  const common = {
    initCommands: commands,
    stopOnEntry: launch.stopOnEntry,
    enableAutoVariableSummaries: true
  }
  const program = launch.program === "" ? {} : { program: launch.program }
  switch (existing.kind) {
    case "process":
      return Result.succeed({ ...common, pid: existing.pid })
    case "core":
      return Result.succeed({ ...common, ...program, coreFile: existing.file })
    case "remote":
      return host.test(existing.host)
        ? Result.succeed({
            ...common,
            ...program,
            attachCommands: [`gdb-remote ${existing.host}:${existing.port}`]
          })
        : Result.fail(new Errors.AttachFailed({ target: describe(existing), detail: "that is no name of a host" }))
  }
}

const forbidden = /not permitted|EPERM|ptrace_scope|permission denied/i

/** What lldb-dap says when the connection to a server came to nothing. */
const unreachable = /process unloaded during launch or attach|connection refused|failed to connect/i

/** What the adapter's refusal to attach means. */
export const refused = (existing: Backend.Existing, detail: string): Errors.AttachFailed | Errors.Permission =>
  existing.kind === "process" && forbidden.test(detail)
    ? new Errors.Permission({ detail, remedy: "sudo sysctl kernel.yama.ptrace_scope=0" })
    : new Errors.AttachFailed({
        target: describe(existing),
        detail:
          existing.kind === "remote" && unreachable.test(detail)
            ? "connection refused, or what listens there speaks no gdb-remote"
            : detail
      })
