/**
 * Failures of a debug server, as the manager knows them.
 */
import { Errors } from "@sigtrap/protocol"
import type { Errors as RspErrors } from "@sigtrap/rsp"

/** The name of the debug server in reports. */
export const by = "lldb-server"

/** Turns a failure of the debug server into one of the manager. */
export const of = (error: { readonly message?: string; readonly detail?: string }) =>
  new Errors.AdapterError({ command: by, detail: error.message ?? error.detail ?? "it failed" })

/** Turns a refused launch into a failure of the program. */
export const ofLaunch = (program: string) => (error: RspErrors.RequestError) =>
  error._tag === "RequestFailed" ? new Errors.LaunchFailed({ program, detail: error.message }) : of(error)
