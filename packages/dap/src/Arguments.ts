/**
 * The arguments of the requests that the client sends, as the specification of the Debug Adapter Protocol declares them.
 *
 * They are declared here and not imported from `@vscode/debugprotocol`, because its declarations do not compile under TypeScript 6 and
 * later (`declare module` with a plain name). A test compares each of them with that package.
 */

/** The size of a step. */
export type SteppingGranularity = "statement" | "line" | "instruction"

/** When an exception stops the program. */
export type ExceptionBreakMode = "never" | "always" | "unhandled" | "userUnhandled"

/** The accesses at which a data breakpoint stops. */
export type DataBreakpointAccess = "read" | "write" | "readWrite"

/** A checksum of a source. */
export interface Checksum {
  readonly algorithm: "MD5" | "SHA1" | "SHA256" | "timestamp"
  readonly checksum: string
}

/** A source: a file by its path, or a text of the adapter by its reference. */
export interface Source {
  readonly name?: string
  readonly path?: string
  readonly sourceReference?: number
  readonly presentationHint?: "normal" | "emphasize" | "deemphasize"
  readonly origin?: string
  readonly sources?: ReadonlyArray<Source>
  readonly adapterData?: unknown
  readonly checksums?: ReadonlyArray<Checksum>
}

/** How values are shown. */
export interface ValueFormat {
  readonly hex?: boolean
}

/** How frames are shown. */
export interface StackFrameFormat extends ValueFormat {
  readonly parameters?: boolean
  readonly parameterTypes?: boolean
  readonly parameterNames?: boolean
  readonly parameterValues?: boolean
  readonly line?: boolean
  readonly module?: boolean
  readonly includeAll?: boolean
}

/** The arguments of initialize. */
export interface Initialize {
  readonly adapterID: string
  readonly clientID?: string
  readonly clientName?: string
  readonly locale?: string
  readonly linesStartAt1?: boolean
  readonly columnsStartAt1?: boolean
  readonly pathFormat?: string
  readonly supportsVariableType?: boolean
  readonly supportsVariablePaging?: boolean
  readonly supportsRunInTerminalRequest?: boolean
  readonly supportsMemoryReferences?: boolean
  readonly supportsProgressReporting?: boolean
  readonly supportsInvalidatedEvent?: boolean
  readonly supportsMemoryEvent?: boolean
  readonly supportsArgsCanBeInterpretedByShell?: boolean
  readonly supportsStartDebuggingRequest?: boolean
  readonly supportsANSIStyling?: boolean
}

/** The arguments of launch: those of the specification, and more of each adapter. */
export interface Launch {
  readonly noDebug?: boolean
  readonly __restart?: unknown
  readonly [key: string]: unknown
}

/** The arguments of attach: those of the specification, and more of each adapter. */
export interface Attach {
  readonly __restart?: unknown
  readonly [key: string]: unknown
}

/** The arguments of continue. */
export interface Continue {
  readonly threadId: number
  readonly singleThread?: boolean
}

/** The arguments of next and stepOut. */
export interface Step extends Continue {
  readonly granularity?: SteppingGranularity
}

/** The arguments of stepIn. */
export interface StepIn extends Step {
  readonly targetId?: number
}

/** The arguments of requests about one thread: pause, exceptionInfo. */
export interface Thread {
  readonly threadId: number
}

/** The arguments of requests about one frame: scopes, stepInTargets, restartFrame. */
export interface Frame {
  readonly frameId: number
}

/** The arguments of stackTrace with a required page, since a whole deep stack takes seconds. */
export interface StackTrace extends Thread {
  readonly startFrame: number
  readonly levels: number
  readonly format?: StackFrameFormat
}

/** The arguments of variables. */
export interface Variables {
  readonly variablesReference: number
  readonly filter?: "indexed" | "named"
  readonly start?: number
  readonly count?: number
  readonly format?: ValueFormat
}

/** The arguments of setVariable. */
export interface SetVariable {
  readonly variablesReference: number
  readonly name: string
  readonly value: string
  readonly format?: ValueFormat
}

/** The arguments of setExpression. */
export interface SetExpression {
  readonly expression: string
  readonly value: string
  readonly frameId?: number
  readonly format?: ValueFormat
}

/** The arguments of evaluate. */
export interface Evaluate {
  readonly expression: string
  readonly frameId?: number
  readonly line?: number
  readonly column?: number
  readonly source?: Source
  /** `watch`, `repl`, `hover`, `clipboard`, `variables`, or one of the adapter. */
  readonly context?: string
  readonly format?: ValueFormat
}

/** The arguments of source. */
export interface SourceText {
  readonly source?: Source
  readonly sourceReference: number
}

/** The arguments of modules. */
export interface Modules {
  readonly startModule?: number
  readonly moduleCount?: number
}

/** The arguments of completions. */
export interface Completions {
  readonly frameId?: number
  readonly text: string
  readonly column: number
  readonly line?: number
}

/** The arguments of readMemory. */
export interface ReadMemory {
  readonly memoryReference: string
  readonly offset?: number
  readonly count: number
}

/** The arguments of writeMemory without `allowPartial`, with which LLDB would write read-only data and code. */
export interface WriteMemory {
  readonly memoryReference: string
  readonly offset?: number
  readonly data: string
}

/** The arguments of disassemble. */
export interface Disassemble {
  readonly memoryReference: string
  readonly offset?: number
  readonly instructionOffset?: number
  readonly instructionCount: number
  readonly resolveSymbols?: boolean
}

/** The arguments of goto. */
export interface Goto extends Thread {
  readonly targetId: number
}

/** The arguments of gotoTargets. */
export interface GotoTargets {
  readonly source: Source
  readonly line: number
  readonly column?: number
}

/** The arguments of restart. */
export interface Restart {
  readonly arguments?: Launch | Attach
}

/** The arguments of terminate. */
export interface Terminate {
  readonly restart?: boolean
}

/** The arguments of disconnect. */
export interface Disconnect extends Terminate {
  readonly terminateDebuggee?: boolean
  readonly suspendDebuggee?: boolean
}

/** The arguments of cancel. */
export interface Cancel {
  readonly requestId?: number
  readonly progressId?: string
}

/** The condition and the count of a breakpoint. */
interface Conditions {
  readonly condition?: string
  readonly hitCondition?: string
}

/** A breakpoint at a line of a source. */
export interface SourceBreakpoint extends Conditions {
  readonly line: number
  readonly column?: number
  readonly logMessage?: string
  readonly mode?: string
}

/** The arguments of setBreakpoints. */
export interface SetBreakpoints {
  readonly source: Source
  readonly breakpoints?: ReadonlyArray<SourceBreakpoint>
  readonly lines?: ReadonlyArray<number>
  readonly sourceModified?: boolean
}

/** A breakpoint at a function. */
export interface FunctionBreakpoint extends Conditions {
  readonly name: string
}

/** The arguments of setFunctionBreakpoints. */
export interface SetFunctionBreakpoints {
  readonly breakpoints: ReadonlyArray<FunctionBreakpoint>
}

/** A breakpoint at an instruction. */
export interface InstructionBreakpoint extends Conditions {
  readonly instructionReference: string
  readonly offset?: number
  readonly mode?: string
}

/** The arguments of setInstructionBreakpoints. */
export interface SetInstructionBreakpoints {
  readonly breakpoints: ReadonlyArray<InstructionBreakpoint>
}

/** A breakpoint at accesses to data. */
export interface DataBreakpoint extends Conditions {
  readonly dataId: string
  readonly accessType?: DataBreakpointAccess
}

/** The arguments of setDataBreakpoints. */
export interface SetDataBreakpoints {
  readonly breakpoints: ReadonlyArray<DataBreakpoint>
}

/** The arguments of dataBreakpointInfo. */
export interface DataBreakpointInfo {
  readonly variablesReference?: number
  readonly name: string
  readonly frameId?: number
  readonly bytes?: number
  readonly asAddress?: boolean
  readonly mode?: string
}

/** An exception filter with a condition. */
export interface ExceptionFilter {
  readonly filterId: string
  readonly condition?: string
  readonly mode?: string
}

/** A part of the path to an exception in the tree of exceptions. */
export interface ExceptionPathSegment {
  readonly negate?: boolean
  readonly names: ReadonlyArray<string>
}

/** When exceptions of a path stop the program. */
export interface ExceptionOptions {
  readonly path?: ReadonlyArray<ExceptionPathSegment>
  readonly breakMode: ExceptionBreakMode
}

/** The arguments of setExceptionBreakpoints. */
export interface SetExceptionBreakpoints {
  readonly filters: ReadonlyArray<string>
  readonly filterOptions?: ReadonlyArray<ExceptionFilter>
  readonly exceptionOptions?: ReadonlyArray<ExceptionOptions>
}

/** The arguments of breakpointLocations. */
export interface BreakpointLocations {
  readonly source: Source
  readonly line: number
  readonly column?: number
  readonly endLine?: number
  readonly endColumn?: number
}
