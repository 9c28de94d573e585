/**
 * The requests that the client sends, one value each: command, required capability, type of the arguments and schema of
 * the response body.
 *
 * Arguments have the types of the published specification. Bodies are decoded leniently; a body without useful fields is
 * `unknown`. A request without a capability is always allowed.
 */
import type { DebugProtocol } from "@vscode/debugprotocol"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Capability } from "./Capabilities.ts"
import { list, optional } from "./internal/Lenient.ts"
import * as Models from "./Models.ts"

/** A kind of request. */
export interface Request<in Args, out Body> {
  readonly command: string
  /** The required capability; absent if every adapter supports the request. */
  readonly capability?: Capability
  /** The schema of the response body. */
  readonly body: Schema.Decoder<Body>
  /** Decodes a response body; an absent one counts as an empty object. */
  readonly decode: (body: unknown) => Result.Result<Body, Schema.SchemaError>
  /** Carries the type of the arguments; never set. */
  readonly "~args"?: (args: Args) => void
}

const make = <Args, Body>(
  command: string,
  body: Schema.Decoder<Body>,
  capability?: Capability
): Request<Args, Body> => {
  const decode = Schema.decodeUnknownResult(body)
  return {
    command,
    body,
    decode: (value) => decode(value ?? {}),
    ...(capability === undefined ? {} : { capability })
  }
}

const takes =
  <Args>() =>
  <Body>(command: string, body: Schema.Decoder<Body>, capability?: Capability) =>
    make<Args, Body>(command, body, capability)

/** A request that is not listed here, or one with an undecoded body. It requires no capability. */
export const raw = (command: string): Request<unknown, unknown> => make(command, Schema.Unknown)

const breakpoints = Schema.Struct({ breakpoints: list(Models.Breakpoint) })
const targets = Schema.Struct({ targets: list(Models.Target) })

/** The arguments of initialize, with a field that the published types lack. */
export type InitializeArguments = DebugProtocol.InitializeRequestArguments & { readonly supportsANSIStyling?: boolean }

/** The arguments of launch: three of the specification, more of each adapter. */
export type LaunchArguments = DebugProtocol.LaunchRequestArguments & Readonly<Record<string, unknown>>

/** The arguments of attach: one of the specification, more of each adapter. */
export type AttachArguments = DebugProtocol.AttachRequestArguments & Readonly<Record<string, unknown>>

/** Sends the client's features; the body is the adapter's capabilities. */
export const Initialize = takes<InitializeArguments>()("initialize", Schema.Record(Schema.String, Schema.Unknown))

/** Starts a program. The response may come only after configurationDone: never wait for it first. */
export const Launch = takes<LaunchArguments>()("launch", Schema.Unknown)

/** Attaches to a process, a core file or a stub. The response may come only after configurationDone. */
export const Attach = takes<AttachArguments>()("attach", Schema.Unknown)

/** Ends the configuration; then the program runs. */
export const ConfigurationDone = takes<undefined>()(
  "configurationDone",
  Schema.Unknown,
  "supportsConfigurationDoneRequest"
)

/** Replaces all breakpoints of one source file. */
export const SetBreakpoints = takes<DebugProtocol.SetBreakpointsArguments>()("setBreakpoints", breakpoints)

/** Replaces all function breakpoints. */
export const SetFunctionBreakpoints = takes<DebugProtocol.SetFunctionBreakpointsArguments>()(
  "setFunctionBreakpoints",
  breakpoints,
  "supportsFunctionBreakpoints"
)

/** Replaces the exception filters. Up to lldb-dap 19 the response has no body. */
export const SetExceptionBreakpoints = takes<DebugProtocol.SetExceptionBreakpointsArguments>()(
  "setExceptionBreakpoints",
  breakpoints
)

/** Replaces all instruction breakpoints. */
export const SetInstructionBreakpoints = takes<DebugProtocol.SetInstructionBreakpointsArguments>()(
  "setInstructionBreakpoints",
  breakpoints,
  "supportsInstructionBreakpoints"
)

/** Replaces all data breakpoints. */
export const SetDataBreakpoints = takes<DebugProtocol.SetDataBreakpointsArguments>()(
  "setDataBreakpoints",
  breakpoints,
  "supportsDataBreakpoints"
)

/** Returns whether a data breakpoint is possible; it is not if the body has no `dataId`. */
export const DataBreakpointInfo = takes<DebugProtocol.DataBreakpointInfoArguments>()(
  "dataBreakpointInfo",
  Schema.Struct({
    dataId: optional(Schema.String),
    description: optional(Schema.String),
    accessTypes: optional(Schema.Array(Schema.String)),
    canPersist: optional(Schema.Boolean)
  }),
  "supportsDataBreakpoints"
)

/** Returns the possible breakpoint locations in a range of lines. */
export const BreakpointLocations = takes<DebugProtocol.BreakpointLocationsArguments>()(
  "breakpointLocations",
  Schema.Struct({ breakpoints: list(Models.BreakpointLocation) }),
  "supportsBreakpointLocationsRequest"
)

/** Resumes. If the body lacks `allThreadsContinued`, all threads run. */
export const Continue = takes<DebugProtocol.ContinueArguments>()(
  "continue",
  Schema.Struct({ allThreadsContinued: optional(Schema.Boolean) })
)

/** Steps over. */
export const Next = takes<DebugProtocol.NextArguments>()("next", Schema.Unknown)

/** Steps in. */
export const StepIn = takes<DebugProtocol.StepInArguments>()("stepIn", Schema.Unknown)

/** Steps out. */
export const StepOut = takes<DebugProtocol.StepOutArguments>()("stepOut", Schema.Unknown)

/** Pauses the program; a `stopped` event follows. */
export const Pause = takes<DebugProtocol.PauseArguments>()("pause", Schema.Unknown)

/** Lists the threads. */
export const Threads = takes<undefined>()("threads", Schema.Struct({ threads: list(Models.Thread) }))

/** The arguments of stackTrace with a required page, since a whole deep stack takes seconds. */
export type StackTraceArguments = DebugProtocol.StackTraceArguments & {
  readonly startFrame: number
  readonly levels: number
}

/** Returns a page of the stack. `totalFrames` may be an estimate that grows. */
export const StackTrace = takes<StackTraceArguments>()(
  "stackTrace",
  Schema.Struct({ stackFrames: list(Models.StackFrame), totalFrames: optional(Schema.Finite) })
)

/** Lists the scopes of a frame. */
export const Scopes = takes<DebugProtocol.ScopesArguments>()("scopes", Schema.Struct({ scopes: list(Models.Scope) }))

/** Returns a page of children. */
export const Variables = takes<DebugProtocol.VariablesArguments>()(
  "variables",
  Schema.Struct({ variables: list(Models.Variable) })
)

/** Sets a variable. lldb-dap 18 and 19 answer in `result` instead of `value`. */
export const SetVariable = takes<DebugProtocol.SetVariableArguments>()(
  "setVariable",
  Schema.Struct({
    value: optional(Schema.String),
    result: optional(Schema.String),
    type: optional(Schema.String),
    variablesReference: optional(Schema.Finite),
    namedVariables: optional(Schema.Finite),
    indexedVariables: optional(Schema.Finite),
    memoryReference: optional(Schema.String)
  }),
  "supportsSetVariable"
)

/** Assigns to an expression. */
export const SetExpression = takes<DebugProtocol.SetExpressionArguments>()(
  "setExpression",
  Schema.Struct({
    value: optional(Schema.String),
    type: optional(Schema.String),
    presentationHint: optional(Models.PresentationHint),
    variablesReference: optional(Schema.Finite),
    namedVariables: optional(Schema.Finite),
    indexedVariables: optional(Schema.Finite),
    memoryReference: optional(Schema.String)
  }),
  "supportsSetExpression"
)

/** Evaluates an expression or runs a debugger command; the response to a failed command is a success. */
export const Evaluate = takes<DebugProtocol.EvaluateArguments>()(
  "evaluate",
  Schema.Struct({
    result: Schema.String,
    type: optional(Schema.String),
    presentationHint: optional(Models.PresentationHint),
    variablesReference: optional(Schema.Finite),
    namedVariables: optional(Schema.Finite),
    indexedVariables: optional(Schema.Finite),
    memoryReference: optional(Schema.String),
    $__lldb_extensions: optional(Schema.Unknown)
  })
)

/** Returns the text of a source. */
export const Source = takes<DebugProtocol.SourceArguments>()(
  "source",
  Schema.Struct({ content: Schema.String, mimeType: optional(Schema.String) })
)

/** Lists the loaded sources. */
export const LoadedSources = takes<DebugProtocol.LoadedSourcesArguments | undefined>()(
  "loadedSources",
  Schema.Struct({ sources: list(Models.Source) }),
  "supportsLoadedSourcesRequest"
)

/** Lists the loaded modules. */
export const Modules = takes<DebugProtocol.ModulesArguments>()(
  "modules",
  Schema.Struct({ modules: list(Models.Module), totalModules: optional(Schema.Finite) }),
  "supportsModulesRequest"
)

/** Returns the exception or signal that stopped a thread. */
export const ExceptionInfo = takes<DebugProtocol.ExceptionInfoArguments>()(
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
export const Completions = takes<DebugProtocol.CompletionsArguments>()(
  "completions",
  Schema.Struct({ targets: list(Models.Completion) }),
  "supportsCompletionsRequest"
)

/** Reads memory, as base64; unreadable memory is a success without `data`. */
export const ReadMemory = takes<DebugProtocol.ReadMemoryArguments>()(
  "readMemory",
  Schema.Struct({
    address: optional(Schema.String),
    unreadableBytes: optional(Schema.Finite),
    data: optional(Schema.String)
  }),
  "supportsReadMemoryRequest"
)

/** The arguments of writeMemory without `allowPartial`, with which LLDB would write read-only data and code. */
export type WriteMemoryArguments = Omit<DebugProtocol.WriteMemoryArguments, "allowPartial">

/** Writes memory, from base64. */
export const WriteMemory = takes<WriteMemoryArguments>()(
  "writeMemory",
  Schema.Struct({ offset: optional(Schema.Finite), bytesWritten: optional(Schema.Finite) }),
  "supportsWriteMemoryRequest"
)

/** Disassembles. */
export const Disassemble = takes<DebugProtocol.DisassembleArguments>()(
  "disassemble",
  Schema.Struct({ instructions: list(Models.Instruction) }),
  "supportsDisassembleRequest"
)

/** Moves execution to a target of gotoTargets. */
export const Goto = takes<DebugProtocol.GotoArguments>()("goto", Schema.Unknown, "supportsGotoTargetsRequest")

/** Lists the targets of goto. */
export const GotoTargets = takes<DebugProtocol.GotoTargetsArguments>()(
  "gotoTargets",
  targets,
  "supportsGotoTargetsRequest"
)

/** Lists the calls of a line that can be stepped into. */
export const StepInTargets = takes<DebugProtocol.StepInTargetsArguments>()(
  "stepInTargets",
  targets,
  "supportsStepInTargetsRequest"
)

/** Restarts the program in the same adapter. */
export const Restart = takes<DebugProtocol.RestartArguments | undefined>()(
  "restart",
  Schema.Unknown,
  "supportsRestartRequest"
)

/** Restarts a frame. */
export const RestartFrame = takes<DebugProtocol.RestartFrameArguments>()(
  "restartFrame",
  Schema.Unknown,
  "supportsRestartFrame"
)

/** Asks the program to terminate. */
export const Terminate = takes<DebugProtocol.TerminateArguments | undefined>()(
  "terminate",
  Schema.Unknown,
  "supportsTerminateRequest"
)

/** Ends debugging; `terminateDebuggee` says whether the program is killed. */
export const Disconnect = takes<DebugProtocol.DisconnectArguments | undefined>()("disconnect", Schema.Unknown)

/** Cancels a request or a progress. The client sends it when a caller is interrupted. */
export const Cancel = takes<DebugProtocol.CancelArguments>()("cancel", Schema.Unknown, "supportsCancelRequest")

/** All requests, without their types. */
export const all: ReadonlyArray<Request<never, unknown>> = [
  Initialize,
  Launch,
  Attach,
  ConfigurationDone,
  SetBreakpoints,
  SetFunctionBreakpoints,
  SetExceptionBreakpoints,
  SetInstructionBreakpoints,
  SetDataBreakpoints,
  DataBreakpointInfo,
  BreakpointLocations,
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
