/**
 * What operations that begin a session have in common: breakpoints to set first, what the debugger is told, and what the
 * session is called.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"

const flag = (description: string) => Operation.withDefault(Schema.Boolean.annotate({ description }), false)
const text = (description: string) => Operation.optional(Schema.NonEmptyString.annotate({ description }))
const texts = (description: string) => Operation.optional(Schema.Array(Schema.String).annotate({ description }))

/** What shall stop the program or write something; an error when it binds nowhere, unless `pending`. */
export const breakpoints = {
  break: Operation.withDefault(
    Schema.Array(Schema.String).annotate({ description: "Breakpoints to set first: LOCATION [if EXPR]" }),
    []
  ),
  logpoint: texts("Logpoints to set first: LOCATION [if EXPR] :: MESSAGE with {expr}"),
  catch: texts("Exceptions to stop at, e.g. throw, uncaught, panic"),
  pending: flag("Let breakpoints wait for a library that has their place")
}

/** Which debugger it shall be and what it is told beside what is needed. */
export const debuggers = {
  adapter: text(
    "Debug adapter: lldb-dap, debugpy, delve, gdb, codelldb, lldb, or a path; chosen by the program when left out"
  ),
  backend: Field.backend,
  adapter_opt: texts("Passed to the adapter as it is: KEY=JSON"),
  init_cmd: texts("Debugger commands before the program is loaded"),
  stop_cmd: texts("Debugger commands at each stop"),
  source_map: texts("Where sources are that were compiled elsewhere: FROM=TO")
}

/** What the session is. */
export const session = {
  replace: flag("End a live session of the same name first"),
  label: text("A note that the list of sessions shows"),
  ttl: Operation.optional(
    Field.Duration.annotate({ description: "End the session when it is unused for so long, e.g. 30m; inf never does" })
  ),
  session: Field.session,
  settings: Field.settings,
  environment: Operation.optional(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "The caller's environment, for the program and to look for the debugger"
    })
  )
}

/** What can go wrong. */
export const errors = [
  Errors.AdapterNotFound,
  Errors.VersionTooOld,
  Errors.AdapterStartFailed,
  Errors.LaunchFailed,
  Errors.AttachFailed,
  Errors.Permission,
  Errors.SessionExists,
  Errors.ProgramNotFound,
  Errors.SourceNotFound,
  Errors.InvalidLocation,
  Errors.BreakpointUnresolved,
  Errors.Usage,
  Errors.WaitTimeout
] as const

/** What a short list of tools leaves out. */
export const rare = ["catch", "adapter_opt", "init_cmd", "stop_cmd", "source_map", "label", "ttl"] as const
