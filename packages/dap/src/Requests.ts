/**
 * The requests that the client sends, one value each: command, required capability, type of the arguments and schema of
 * the response body.
 *
 * `Arguments` has the types of the arguments. Bodies are decoded leniently; a body without useful fields is
 * `unknown`. A request without a capability is always allowed.
 */
import * as Schema from "effect/Schema"
import type * as Arguments from "./Arguments.ts"
import { isInteger, list, optional, optionalInteger } from "./internal/Lenient.ts"
import * as Breakpoints from "./internal/BreakpointRequests.ts"
import * as ListedBody from "./internal/ListedBody.ts"
import { limited, make, type Request, takes } from "./internal/RequestKind.ts"
import * as Message from "./Message.ts"
import * as Models from "./Models.ts"

export type { Request } from "./internal/RequestKind.ts"
export {
  BreakpointLocations,
  DataBreakpointInfo,
  SetBreakpoints,
  SetDataBreakpoints,
  SetExceptionBreakpoints,
  SetFunctionBreakpoints,
  SetInstructionBreakpoints
} from "./internal/BreakpointRequests.ts"

/** A request that is not listed here, or one with an undecoded body. It requires no capability. */
export const raw = (command: string): Request<unknown, unknown> => make(command, Schema.Unknown)

const targets = Schema.Struct({ targets: list(Models.Target) })

const listedTargets = {
  field: "targets",
  range: ListedBody.whole,
  join: (parts: ReadonlyArray<typeof targets.Type>) => ({ targets: parts.flatMap((part) => part.targets) })
}

/** Sends the client's features; the body is the adapter's capabilities. */
export const Initialize = takes<Arguments.Initialize>()("initialize", Schema.Record(Schema.String, Schema.Unknown))

/** Starts a program. The response may come only after configurationDone: never wait for it first. */
export const Launch = takes<Arguments.Launch>()("launch", Schema.Unknown)

/** Attaches to a process, a core file or a stub. The response may come only after configurationDone. */
export const Attach = takes<Arguments.Attach>()("attach", Schema.Unknown)

/** Ends the configuration; then the program runs. */
export const ConfigurationDone = takes<undefined>()(
  "configurationDone",
  Schema.Unknown,
  "supportsConfigurationDoneRequest"
)

/** Resumes. If the body lacks `allThreadsContinued`, all threads run. */
export const Continue = takes<Arguments.Continue>()(
  "continue",
  Schema.Struct({ allThreadsContinued: optional(Schema.Boolean) })
)

/** Steps over. */
export const Next = takes<Arguments.Step>()("next", Schema.Unknown)

/** Steps in. */
export const StepIn = takes<Arguments.StepIn>()("stepIn", Schema.Unknown)

/** Steps out. */
export const StepOut = takes<Arguments.Step>()("stepOut", Schema.Unknown)

/** Pauses the program; a `stopped` event follows. */
export const Pause = takes<Arguments.Thread>()("pause", Schema.Unknown)

/** Lists the threads. One whose id is not an integer cannot be named in a request and is left out. */
export const Threads = limited(takes<undefined>()("threads", Schema.Struct({ threads: list(Models.Thread) })), {
  field: "threads",
  keep: (thread) => Message.isRecord(thread) && isInteger(thread["id"]),
  range: ListedBody.whole,
  join: (parts) => ({ threads: parts.flatMap((part) => part.threads) })
})

/** The body of a stackTrace response. */
export interface StackTraceBody {
  readonly stackFrames: ReadonlyArray<Models.StackFrame>
  readonly totalFrames?: number
  /** Number of frames after the page that the adapter sent although they were not asked for. */
  readonly after?: number
}

/** Returns a page of the stack. `totalFrames` may be an estimate that grows. */
export const StackTrace = limited(
  make<Arguments.StackTrace, StackTraceBody>(
    "stackTrace",
    Schema.Struct({ stackFrames: list(Models.StackFrame), totalFrames: optional(Schema.Finite) })
  ),
  {
    field: "stackFrames",
    range: (length, args, body) => {
      const { levels = 0, startFrame = 0 } = args ?? {}
      return levels === 0
        ? ListedBody.whole(length)
        : ListedBody.page(length, startFrame, levels, body["totalFrames"] === startFrame + length)
    },
    join: (parts, after) => ({
      ...parts[0],
      stackFrames: parts.flatMap((part) => part.stackFrames),
      ...(after === 0 ? {} : { after })
    })
  }
)

/** Lists the scopes of a frame. */
export const Scopes = limited(takes<Arguments.Frame>()("scopes", Schema.Struct({ scopes: list(Models.Scope) })), {
  field: "scopes",
  range: ListedBody.whole,
  join: (parts) => ({ scopes: parts.flatMap((part) => part.scopes) })
})

/** Returns a page of children, or all of them if `count` is 0 or absent. */
export const Variables = limited(
  takes<Arguments.Variables>()("variables", Schema.Struct({ variables: list(Models.Variable) })),
  {
    field: "variables",
    range: (length, args) => {
      const { count = 0, start = 0 } = args ?? {}
      return count === 0 ? ListedBody.whole(length) : ListedBody.page(length, start, count, false)
    },
    join: (parts) => ({ variables: parts.flatMap((part) => part.variables) })
  }
)

/** Sets a variable. lldb-dap 18 and 19 answer in `result` instead of `value`. */
export const SetVariable = takes<Arguments.SetVariable>()(
  "setVariable",
  Schema.Struct({
    value: optional(Schema.String),
    result: optional(Schema.String),
    type: optional(Schema.String),
    variablesReference: optional(Schema.Finite),
    namedVariables: optionalInteger,
    indexedVariables: optionalInteger,
    memoryReference: optional(Schema.String)
  }),
  "supportsSetVariable"
)

/** Assigns to an expression. */
export const SetExpression = takes<Arguments.SetExpression>()(
  "setExpression",
  Schema.Struct({
    value: optional(Schema.String),
    type: optional(Schema.String),
    presentationHint: optional(Models.PresentationHint),
    variablesReference: optional(Schema.Finite),
    namedVariables: optionalInteger,
    indexedVariables: optionalInteger,
    memoryReference: optional(Schema.String)
  }),
  "supportsSetExpression"
)

/** Evaluates an expression or runs a debugger command; the response to a failed command is a success. */
export const Evaluate = takes<Arguments.Evaluate>()(
  "evaluate",
  Schema.Struct({
    result: Schema.String,
    type: optional(Schema.String),
    presentationHint: optional(Models.PresentationHint),
    variablesReference: optional(Schema.Finite),
    namedVariables: optionalInteger,
    indexedVariables: optionalInteger,
    memoryReference: optional(Schema.String),
    $__lldb_extensions: optional(Schema.Unknown)
  })
)

/** Returns the text of a source. */
export const Source = takes<Arguments.SourceText>()(
  "source",
  Schema.Struct({ content: Schema.String, mimeType: optional(Schema.String) })
)

/** Lists the loaded sources. */
export const LoadedSources = limited(
  takes<Readonly<Record<string, never>> | undefined>()(
    "loadedSources",
    Schema.Struct({ sources: list(Models.Source) }),
    "supportsLoadedSourcesRequest"
  ),
  {
    field: "sources",
    range: ListedBody.whole,
    join: (parts) => ({ sources: parts.flatMap((part) => part.sources) })
  }
)

/** Lists the loaded modules. */
export const Modules = limited(
  takes<Arguments.Modules>()(
    "modules",
    Schema.Struct({ modules: list(Models.Module), totalModules: optional(Schema.Finite) }),
    "supportsModulesRequest"
  ),
  {
    field: "modules",
    range: ListedBody.whole,
    join: (parts) => ({ ...parts[0], modules: parts.flatMap((part) => part.modules) })
  }
)

/** Returns the exception or signal that stopped a thread. */
export const ExceptionInfo = takes<Arguments.Thread>()(
  "exceptionInfo",
  Schema.Struct({
    exceptionId: optional(Schema.String),
    description: optional(Schema.String),
    breakMode: optional(Schema.String),
    details: optional(Models.ExceptionDetails)
  }),
  "supportsExceptionInfoRequest"
)

/** Returns completions of a text. */
export const Completions = limited(
  takes<Arguments.Completions>()(
    "completions",
    Schema.Struct({ targets: list(Models.Completion) }),
    "supportsCompletionsRequest"
  ),
  {
    field: "targets",
    range: ListedBody.whole,
    join: (parts) => ({ targets: parts.flatMap((part) => part.targets) })
  }
)

/** Reads memory, as base64; unreadable memory is a success without `data`. */
export const ReadMemory = takes<Arguments.ReadMemory>()(
  "readMemory",
  Schema.Struct({
    address: optional(Schema.String),
    unreadableBytes: optional(Schema.Finite),
    data: optional(Schema.String)
  }),
  "supportsReadMemoryRequest"
)

/** Writes memory, from base64. */
export const WriteMemory = takes<Arguments.WriteMemory>()(
  "writeMemory",
  Schema.Struct({ offset: optional(Schema.Finite), bytesWritten: optional(Schema.Finite) }),
  "supportsWriteMemoryRequest"
)

/** Disassembles. */
export const Disassemble = limited(
  takes<Arguments.Disassemble>()(
    "disassemble",
    Schema.Struct({ instructions: list(Models.Instruction) }),
    "supportsDisassembleRequest"
  ),
  {
    field: "instructions",
    range: (length, args) => ListedBody.first(length, args?.instructionCount ?? 0),
    join: (parts) => ({ instructions: parts.flatMap((part) => part.instructions) })
  }
)

/** Moves execution to a target of gotoTargets. */
export const Goto = takes<Arguments.Goto>()("goto", Schema.Unknown, "supportsGotoTargetsRequest")

/** Lists the targets of goto. */
export const GotoTargets = limited(
  takes<Arguments.GotoTargets>()("gotoTargets", targets, "supportsGotoTargetsRequest"),
  listedTargets
)

/** Lists the calls of a line that can be stepped into. */
export const StepInTargets = limited(
  takes<Arguments.Frame>()("stepInTargets", targets, "supportsStepInTargetsRequest"),
  listedTargets
)

/** Restarts the program in the same adapter. */
export const Restart = takes<Arguments.Restart | undefined>()("restart", Schema.Unknown, "supportsRestartRequest")

/** Restarts a frame. */
export const RestartFrame = takes<Arguments.Frame>()("restartFrame", Schema.Unknown, "supportsRestartFrame")

/** Asks the program to terminate. */
export const Terminate = takes<Arguments.Terminate | undefined>()(
  "terminate",
  Schema.Unknown,
  "supportsTerminateRequest"
)

/** Ends debugging; `terminateDebuggee` says whether the program is killed. */
export const Disconnect = takes<Arguments.Disconnect | undefined>()("disconnect", Schema.Unknown)

/** Cancels a request or a progress. The client sends it when a caller is interrupted. */
export const Cancel = takes<Arguments.Cancel>()("cancel", Schema.Unknown, "supportsCancelRequest")

/** All requests, without their types. */
export const all: ReadonlyArray<Request<never, unknown>> = [
  Initialize,
  Launch,
  Attach,
  ConfigurationDone,
  Breakpoints.SetBreakpoints,
  Breakpoints.SetFunctionBreakpoints,
  Breakpoints.SetExceptionBreakpoints,
  Breakpoints.SetInstructionBreakpoints,
  Breakpoints.SetDataBreakpoints,
  Breakpoints.DataBreakpointInfo,
  Breakpoints.BreakpointLocations,
  Continue,
  Next,
  StepIn,
  StepOut,
  Pause,
  Threads,
  StackTrace,
  Scopes,
  Variables,
  SetVariable,
  SetExpression,
  Evaluate,
  Source,
  LoadedSources,
  Modules,
  ExceptionInfo,
  Completions,
  ReadMemory,
  WriteMemory,
  Disassemble,
  Goto,
  GotoTargets,
  StepInTargets,
  Restart,
  RestartFrame,
  Terminate,
  Disconnect,
  Cancel
]
