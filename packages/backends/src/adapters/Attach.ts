/**
 * What takes hold of something that is there already has in common over adapters: how it is named, what is refused.
 */
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Result from "effect/Result"
import type { Hold } from "./Adapter.ts"

/** The name of what is taken hold of, for messages. */
export const describe = (existing: Backend.Existing): string =>
  existing.kind === "process"
    ? `process ${existing.pid}`
    : existing.kind === "core"
      ? existing.file
      : `${existing.host}:${existing.port}`

/** A host as debuggers take it: a name, or an IPv4 address, or an IPv6 address in brackets. */
export const host = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9a-fA-F:.]+\])$/

const words: Readonly<Record<Backend.Existing["kind"], readonly [string, Hint.Hint]>> = {
  process: ["attaching to a process", Hint.again("attach", { adapter: "lldb-dap" })],
  core: ["opening core files", Hint.again("core", { adapter: "lldb-dap" })],
  remote: ["connecting to a debug server", Hint.again("connect", { adapter: "lldb-dap" })]
}

/** That an adapter does not take hold of such a thing. */
export const unsupported = (existing: Backend.Existing, by: string): Result.Result<Hold, Errors.Unsupported> => {
  const [what, remedy] = words[existing.kind]
  return Result.fail(new Errors.Unsupported({ what, by, remedies: [remedy] }))
}

/** That what was given is no name of a host. */
export const noHost = (existing: Backend.Existing): Result.Result<Hold, Errors.AttachFailed> =>
  Result.fail(new Errors.AttachFailed({ target: describe(existing), detail: "that is no name of a host" }))

const forbidden = /not permitted|EPERM|ptrace_scope|permission denied/i

/** What debuggers say when the connection to a server came to nothing. */
const unreachable =
  /process unloaded during launch or attach|connection refused|could not connect|failed to connect|went away/i

/** What the adapter's refusal to take hold means. */
export const refused = (existing: Backend.Existing, detail: string): Errors.AttachFailed | Errors.Permission =>
  existing.kind === "process" && forbidden.test(detail)
    ? new Errors.Permission({ detail, remedies: [Hint.remedy("sudo sysctl kernel.yama.ptrace_scope=0")] })
    : new Errors.AttachFailed({
        target: describe(existing),
        detail:
          existing.kind === "remote" && unreachable.test(detail)
            ? "connection refused, or what listens there speaks another protocol"
            : detail
      })
