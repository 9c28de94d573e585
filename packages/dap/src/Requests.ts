/**
 * Every request of the protocol that we send, one value each: its command, the capability that gates it, the type of
 * its arguments and the schema of the response body we rely on.
 *
 * Arguments have the types of the published specification. Bodies are read leniently; a request whose response says
 * nothing of use has an `unknown` body. A request without a capability may always be sent.
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
  /** The capability without which the request must not be sent; absent when any adapter takes it. */
  readonly capability?: Capability
  /** The schema of the response body. */
  readonly body: Schema.Decoder<Body>
  /** Reads a response body; an absent one is read as an empty object. */
  readonly decode: (body: unknown) => Result.Result<Body, Schema.SchemaError>
  /** Only carries the type of the arguments. */
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

/** A request outside this list, or one whose body is wanted as it is. Nothing gates it. */
export const raw = (command: string): Request<unknown, unknown> => make(command, Schema.Unknown)

const breakpoints = Schema.Struct({ breakpoints: list(Models.Breakpoint) })
const targets = Schema.Struct({ targets: list(Models.Target) })

/** The arguments of initialize, with the field that the published types do not have yet. */
export type InitializeArguments = DebugProtocol.InitializeRequestArguments & { readonly supportsANSIStyling?: boolean }

/** The arguments of launch: the specification has three, each adapter many more. */
export type LaunchArguments = DebugProtocol.LaunchRequestArguments & Readonly<Record<string, unknown>>

/** The arguments of attach: the specification has one, each adapter many more. */
export type AttachArguments = DebugProtocol.AttachRequestArguments & Readonly<Record<string, unknown>>

/** Introduces us; the body is the adapter's capabilities. */
export const Initialize = takes<InitializeArguments>()("initialize", Schema.Record(Schema.String, Schema.Unknown))

/** Starts a program. The response may come only after configurationDone: never wait for it first. */
export const Launch = takes<LaunchArguments>()("launch", Schema.Unknown)

/** Attaches to a process, a core file or a stub. The response may come only after configurationDone. */
export const Attach = takes<AttachArguments>()("attach", Schema.Unknown)

/** Ends the configuration; the program runs from here. */
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

/** Replaces the exception filters in force. Up to lldb-dap 19 the response has no body. */
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

/** Asks whether a data breakpoint is possible; without a `dataId` it is not. */
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

/** Asks where in a range of lines breakpoints can be set. */
export const BreakpointLocations = takes<DebugProtocol.BreakpointLocationsArguments>()(
  "breakpointLocations",
  Schema.Struct({ breakpoints: list(Models.BreakpointLocation) }),
  "supportsBreakpointLocationsRequest"
)

/** Resumes. Without `allThreadsContinued` in the body, all threads run. */
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

/** Asks the program to stop; the `stopped` event says when it has. */
export const Pause = takes<DebugProtocol.PauseArguments>()("pause", Schema.Unknown)

/** Lists the threads. */
export const Threads = takes<undefined>()("threads", Schema.Struct({ threads: list(Models.Thread) }))

/** The arguments of stackTrace; a page is demanded, since a whole deep stack takes seconds. */
export type StackTraceArguments = DebugProtocol.StackTraceArguments & {
  readonly startFrame: number
  readonly levels: number
}

/** Gives a page of the stack. `totalFrames` may be an estimate that grows. */
export const StackTrace = takes<StackTraceArguments>()(
  "stackTrace",
  Schema.Struct({ stackFrames: list(Models.StackFrame), totalFrames: optional(Schema.Finite) })
)

/** Lists the scopes of a frame. */
export const Scopes = takes<DebugProtocol.ScopesArguments>()("scopes", Schema.Struct({ scopes: list(Models.Scope) }))

/** Gives a page of children. */
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

/** Evaluates an expression or runs a debugger command; a command that fails is a success here. */
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

/** Gives the text of a source. */
export const Source = takes<DebugProtocol.SourceArguments>()(
  "source",
  Schema.Struct({ content: Schema.String, mimeType: optional(Schema.String) })
)

/** Lists the sources that are loaded. */
export const LoadedSources = takes<DebugProtocol.LoadedSourcesArguments | undefined>()(
  "loadedSources",
  Schema.Struct({ sources: list(Models.Source) }),
  "supportsLoadedSourcesRequest"
)

/** Lists the modules that are loaded. */
export const Modules = takes<DebugProtocol.ModulesArguments>()(
  "modules",
  Schema.Struct({ modules: list(Models.Module), totalModules: optional(Schema.Finite) }),
  "supportsModulesRequest"
)

/** Describes the exception or signal that stopped a thread. */
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

/** Completes what was typed. */
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

/** The arguments of writeMemory without `allowPartial`, with which LLDB writes read-only data and code. */
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

/** Lists the places that execution can be moved to. */
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

/** Starts the program again in the same adapter. */
export const Restart = takes<DebugProtocol.RestartArguments | undefined>()(
  "restart",
  Schema.Unknown,
  "supportsRestartRequest"
)

/** Runs a frame again from its start. */
export const RestartFrame = takes<DebugProtocol.RestartFrameArguments>()(
  "restartFrame",
  Schema.Unknown,
  "supportsRestartFrame"
)

/** Asks the program to end by itself. */
export const Terminate = takes<DebugProtocol.TerminateArguments | undefined>()(
  "terminate",
  Schema.Unknown,
  "supportsTerminateRequest"
)

/** Ends the debugging, with or without the program: say which. */
export const Disconnect = takes<DebugProtocol.DisconnectArguments | undefined>()("disconnect", Schema.Unknown)

/** Asks for a request or a progress to be given up. The client sends it by itself when a caller is interrupted. */
export const Cancel = takes<DebugProtocol.CancelArguments>()("cancel", Schema.Unknown, "supportsCancelRequest")

/** All of them, with their types forgotten. */
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
