/**
 * The attach arguments of lldb-dap for a process, a core file or a debug server.
 *
 * Up to 18 there is no argument for a server's address. So the LLDB command `gdb-remote` is sent as `attachCommands`, which
 * all versions support. `waitFor` is never used: the adapter answers no request while it waits.
 */
import type { Backend, ProgramRuns } from "@sigtrap/manager"
import type { Errors } from "@sigtrap/protocol"
import * as Result from "effect/Result"
import type { AttachRequest } from "./Adapter.ts"
import * as Attach from "./Attach.ts"
import * as PythonLoader from "../console/lldb/python/Loader.ts"
import * as LldbSettings from "../console/lldb/Settings.ts"
import type { Quirks } from "./Quirks.ts"

const request = (args: AttachRequest["arguments"]) =>
  Result.succeed<AttachRequest>({ request: "attach", arguments: args })

/**
 * Returns the request to connect to a debug server. On a busy machine lldb-dap may look at the state of the connected process
 * before LLDB has set it, and refuse. A second connection would find the server gone, because it serves one client; so the
 * second request takes the target of the first.
 */
const connect = (args: AttachRequest["arguments"], { host, port }: { readonly host: string; readonly port: number }) =>
  Result.succeed<AttachRequest>({
    request: "attach",
    arguments: { ...args, attachCommands: [`gdb-remote ${host}:${port}`] },
    again: {
      after: /process unloaded during launch or attach/,
      arguments: { ...args, attachCommands: ["target select 0"] }
    }
  })

/** The arguments of every attach request. */
const commonOf = (launch: Backend.LaunchRequest, quirks: Quirks) => {
  const commands = Result.getOrElse(LldbSettings.attaching, () => []).map((setting) =>
    quirks.supportsCommandMarks === true ? `!${setting}` : setting
  )
  return {
    initCommands: [...commands, ...PythonLoader.loading(quirks)],
    stopOnEntry: launch.stopOnEntry,
    enableAutoVariableSummaries: true,
    ...(launch.program === "" ? {} : { program: launch.program })
  }
}

/** The request that takes over a held program through the socket of its debug server. */
export const takeOver = (
  launch: Backend.LaunchRequest,
  held: ProgramRuns.Held,
  quirks: Quirks
): Result.Result<AttachRequest> => {
  const command = `process connect --plugin gdb-remote unix-connect://${held.socket}`
  return Result.succeed({
    request: "attach",
    arguments: { ...commonOf(launch, quirks), stopOnEntry: true, attachCommands: [command] },
    again: {
      after: /process unloaded during launch or attach/,
      arguments: { ...commonOf(launch, quirks), stopOnEntry: true, attachCommands: ["target select 0"] }
    }
  })
}

/** The attach request. */
export const attach = (
  launch: Backend.LaunchRequest,
  existing: Backend.AttachTarget,
  quirks: Quirks
): Result.Result<AttachRequest, Errors.AttachFailed | Errors.Unsupported> => {
  const { program, ...common } = { program: undefined, ...commonOf(launch, quirks) }
  const named = program === undefined ? {} : { program }
  switch (existing.kind) {
    case "process":
      return request({ ...common, pid: existing.pid })
    case "core":
      return request({ ...common, ...named, coreFile: existing.file })
    case "remote":
      return Attach.host.test(existing.host) ? connect({ ...common, ...named }, existing) : Attach.noHost(existing)
  }
}
