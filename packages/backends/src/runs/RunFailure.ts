/**
 * Failures of a debug server, as the manager knows them.
 */
import type { ProgramRuns } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import type { Errors as RspErrors } from "@sigtrap/rsp"

/** The name of the debug server in reports. */
export const by = "lldb-server"

/** Turns a failure of the debug server into one of the manager. A program that cannot be started is not a failure of the server. */
export const of = (error: ProgramRuns.RunFailure | { readonly message?: string; readonly detail?: string }) =>
  error instanceof Errors.LaunchFailed || error instanceof Errors.AdapterError
    ? error
    : new Errors.AdapterError({ command: by, detail: error.message ?? error.detail ?? "it failed" })

/** Turns a refused launch into a failure of the program. */
export const ofLaunch = (program: string) => (error: RspErrors.RequestError) =>
  error._tag === "RequestFailed" ? new Errors.LaunchFailed({ program, detail: error.message }) : of(error)
