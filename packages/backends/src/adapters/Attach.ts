/**
 * Shared by attach, core files and remote targets: display names, refusals.
 */
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Result from "effect/Result"
import type { AttachRequest } from "./Adapter.ts"
import type { Quirks } from "./Quirks.ts"
import type { Failures } from "../console/Failures.ts"

/** The name of a target in messages. */
export const describe = (existing: Backend.AttachTarget): string =>
  existing.kind === "process"
    ? `process ${existing.pid}`
    : existing.kind === "core"
      ? existing.file
      : `${existing.host}:${existing.port}`

/** Matches a host as debuggers accept it: a name, an IPv4 address, or an IPv6 address in brackets. */
export const host = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9a-fA-F:.]+\])$/

const names: Readonly<Record<Backend.AttachTarget["kind"], readonly [string, Hint.Hint]>> = {
  process: ["attaching to a process", Hint.again("attach", { adapter: "lldb-dap" })],
  core: ["opening core files", Hint.again("core", { adapter: "lldb-dap" })],
  remote: ["connecting to a debug server", Hint.again("connect", { adapter: "lldb-dap" })]
}

/** Fails because the adapter does not support this kind of target. */
export const unsupported = (
  existing: Backend.AttachTarget,
  by: string
): Result.Result<AttachRequest, Errors.Unsupported> => {
  const [what, remedy] = names[existing.kind]
  return Result.fail(new Errors.Unsupported({ what, by, remedies: [remedy] }))
}

/** Fails because the given host is not valid. */
export const noHost = (existing: Backend.AttachTarget): Result.Result<AttachRequest, Errors.AttachFailed> =>
  Result.fail(new Errors.AttachFailed({ target: describe(existing), detail: "it is not a valid host name" }))

/** The fields of the commands that a debugger runs at a launch. */
const commandFields = new Map([
  ["init", "init_cmd"],
  ["preRun", "pre_run_cmd"]
])

/** Returns the error for a launch that a debugger with these messages refused with `detail`. */
export const launchRefused = (program: string, detail: string, failures: Failures | undefined): Errors.LaunchFailed => {
  const field = commandFields.get(failures?.launchCommand?.exec(detail)?.groups?.["name"] ?? "")
  if (field !== undefined) {
    return new Errors.LaunchFailed({
      program,
      detail: `a debugger command of ${field} failed`,
      remedies: [Hint.help("start")]
    })
  }
  return new Errors.LaunchFailed({
    program,
    detail,
    ...(failures?.forbidden?.test(detail) === true ? { reason: "forbidden" as const } : {})
  })
}

/** Returns the error for an attach request that an adapter with these messages refused with `detail`. */
export const refused = (
  existing: Backend.AttachTarget,
  detail: string,
  failures: Failures | undefined
): Errors.AttachFailed | Errors.Permission =>
  existing.kind === "process" && failures?.forbidden?.test(detail) === true
    ? new Errors.Permission({ detail, remedies: [Hint.remedy("sudo sysctl kernel.yama.ptrace_scope=0")] })
    : existing.kind === "remote" && failures?.unreachable?.test(detail) === true
      ? connectionRefused(existing, detail)
      : new Errors.AttachFailed({ target: describe(existing), detail: `${detail}${withoutMain(existing)}` })

/** Returns why the system refuses a debugger of a process whose main thread has ended (ptrace(2)), as the end of a sentence. */
const withoutMain = (existing: Backend.AttachTarget): string =>
  existing.kind === "process" && existing.mainEnded === true
    ? "; its main thread has ended, and a debugger attaches to the main thread first"
    : ""

/** Returns the error for a debug server that does not accept the connection, with what the debugger said of it. */
export const connectionRefused = (existing: Backend.AttachTarget, said?: string): Errors.AttachFailed =>
  new Errors.AttachFailed({
    target: describe(existing),
    detail: `connection refused, or the server speaks another protocol${said === undefined ? "" : ` (${said})`}`,
    reason: "connection-refused"
  })

/** Returns what the loss of the debugger means for a process that it was attached to, as the end of a sentence. */
export const trapNotice = (existing: Backend.AttachTarget | undefined, { insertsTraps }: Quirks): string =>
  existing?.kind === "process" && insertsTraps === true
    ? `; process ${existing.pid} may end by SIGTRAP at its next breakpoint`
    : ""

/** Returns the error for a text that cannot be part of a debugger command, since it has a control character. */
export const controlCharacters = (
  { existing, program }: Backend.LaunchRequest,
  text: string
): Errors.AttachFailed | Errors.LaunchFailed => {
  const detail = `a path has control characters: ${JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)}`
  return existing === undefined
    ? new Errors.LaunchFailed({ program, detail })
    : new Errors.AttachFailed({ target: describe(existing), detail })
}
