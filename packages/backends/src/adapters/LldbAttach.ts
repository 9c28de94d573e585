/**
 * What lldb-dap is told to take hold of something that is there already: a process, a core file, a debug server.
 *
 * Up to 18 it takes no address of a server as an argument, so the LLDB command `gdb-remote` is given as attach command,
 * which all versions know. A process is never waited for here: the adapter is deaf while it waits.
 */
import type { Backend } from "@sigtrap/manager"
import type { Errors } from "@sigtrap/protocol"
import * as Result from "effect/Result"
import type { Hold } from "./Adapter.ts"
import * as Attach from "./Attach.ts"
import * as LldbSettings from "../console/lldb/Settings.ts"
import type { Quirks } from "./Quirks.ts"

const attach = (args: Hold["arguments"]) => Result.succeed<Hold>({ request: "attach", arguments: args })

/** The DAP `attach` of lldb-dap. */
export const hold = (
  launch: Backend.LaunchRequest,
  existing: Backend.Existing,
  quirks: Quirks
): Result.Result<Hold, Errors.AttachFailed | Errors.Unsupported> => {
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
      return attach({ ...common, pid: existing.pid })
    case "core":
      return attach({ ...common, ...program, coreFile: existing.file })
    case "remote":
      return Attach.host.test(existing.host)
        ? attach({ ...common, ...program, attachCommands: [`gdb-remote ${existing.host}:${existing.port}`] })
        : Attach.noHost(existing)
  }
}
