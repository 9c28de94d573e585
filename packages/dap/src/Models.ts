/**
 * The things that responses and events speak of: frames, variables, breakpoints, sources.
 *
 * Lenient forms of the types of the specification: what most adapters leave out is optional here, keys that nobody
 * reads are dropped, and what lldb-dap adds under `$__lldb_extensions` is kept. Every id may be 0.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { list, optional } from "./internal/Lenient.ts"

const flag = Schema.Boolean.pipe(Schema.withDecodingDefault(Effect.succeed(false)))
const text = Schema.String.pipe(Schema.withDecodingDefault(Effect.succeed("")))
const count = Schema.Finite.pipe(Schema.withDecodingDefault(Effect.succeed(0)))
const extensions = optional(Schema.Unknown)

/** Where code comes from: a path, or a reference that the `source` request turns into text. */
export const Source = Schema.Struct({
  name: optional(Schema.String),
  path: optional(Schema.String),
  sourceReference: optional(Schema.Finite),
  presentationHint: optional(Schema.String),
  origin: optional(Schema.String),
  adapterData: optional(Schema.Unknown)
})
/** Where code comes from. */
export type Source = typeof Source.Type

/** A breakpoint as the adapter holds it. The id may be 0, absent, or shared by two entries. */
export const Breakpoint = Schema.Struct({
  id: optional(Schema.Finite),
  verified: flag,
  message: optional(Schema.String),
  source: optional(Source),
  line: optional(Schema.Finite),
  column: optional(Schema.Finite),
  endLine: optional(Schema.Finite),
  endColumn: optional(Schema.Finite),
  instructionReference: optional(Schema.String),
  offset: optional(Schema.Finite),
  reason: optional(Schema.String),
  $__lldb_extensions: extensions
})
/** A breakpoint as the adapter holds it. */
export type Breakpoint = typeof Breakpoint.Type

/** A thread; what the number means is the adapter's own affair. */
export const Thread = Schema.Struct({ id: Schema.Finite, name: text })
/** A thread. */
export type Thread = typeof Thread.Type

/** A stack frame. Its id holds for the current stop only; line 0 means no source. */
export const StackFrame = Schema.Struct({
  id: Schema.Finite,
  name: text,
  source: optional(Source),
  line: count,
  column: count,
  endLine: optional(Schema.Finite),
  endColumn: optional(Schema.Finite),
  canRestart: optional(Schema.Boolean),
  instructionPointerReference: optional(Schema.String),
  moduleId: optional(Schema.Union([Schema.Finite, Schema.String])),
  presentationHint: optional(Schema.String),
  $__lldb_extensions: extensions
})
/** A stack frame. */
export type StackFrame = typeof StackFrame.Type

/** A group of variables of a frame. Its reference holds for the current stop only. */
export const Scope = Schema.Struct({
  name: text,
  presentationHint: optional(Schema.String),
  variablesReference: count,
  namedVariables: optional(Schema.Finite),
  indexedVariables: optional(Schema.Finite),
  expensive: flag,
  source: optional(Source),
  line: optional(Schema.Finite),
  endLine: optional(Schema.Finite),
  $__lldb_extensions: extensions
})
/** A group of variables of a frame. */
export type Scope = typeof Scope.Type

/** How a value wants to be shown. */
export const PresentationHint = Schema.Struct({
  kind: optional(Schema.String),
  attributes: optional(Schema.Array(Schema.String)),
  visibility: optional(Schema.String),
  lazy: optional(Schema.Boolean)
})
/** How a value wants to be shown. */
export type PresentationHint = typeof PresentationHint.Type

/** A variable; `variablesReference` above 0 means that it has children, and may be beyond 2^31. */
export const Variable = Schema.Struct({
  name: text,
  value: text,
  type: optional(Schema.String),
  presentationHint: optional(PresentationHint),
  evaluateName: optional(Schema.String),
  variablesReference: count,
  namedVariables: optional(Schema.Finite),
  indexedVariables: optional(Schema.Finite),
  memoryReference: optional(Schema.String),
  $__lldb_extensions: extensions
})
/** A variable. */
export type Variable = typeof Variable.Type

/** A loaded module. `addressRange` is decimal or hexadecimal text, by version of the adapter. */
export const Module = Schema.Struct({
  id: Schema.Union([Schema.Finite, Schema.String]),
  name: text,
  path: optional(Schema.String),
  isOptimized: optional(Schema.Boolean),
  isUserCode: optional(Schema.Boolean),
  version: optional(Schema.String),
  symbolStatus: optional(Schema.String),
  symbolFilePath: optional(Schema.String),
  dateTimeStamp: optional(Schema.String),
  addressRange: optional(Schema.String),
  $__lldb_extensions: extensions
})
/** A loaded module. */
export type Module = typeof Module.Type

/** One instruction of a disassembly. */
export const Instruction = Schema.Struct({
  address: Schema.String,
  instructionBytes: optional(Schema.String),
  instruction: text,
  symbol: optional(Schema.String),
  location: optional(Source),
  line: optional(Schema.Finite),
  column: optional(Schema.Finite),
  presentationHint: optional(Schema.String)
})
/** One instruction of a disassembly. */
export type Instruction = typeof Instruction.Type

/** A place that execution can be moved to, or a call that can be stepped into. */
export const Target = Schema.Struct({
  id: Schema.Finite,
  label: text,
  line: optional(Schema.Finite),
  column: optional(Schema.Finite),
  endLine: optional(Schema.Finite),
  endColumn: optional(Schema.Finite),
  instructionPointerReference: optional(Schema.String)
})
/** A place that execution can be moved to, or a call that can be stepped into. */
export type Target = typeof Target.Type

/** A completion; `text` replaces `length` characters from `start`. */
export const Completion = Schema.Struct({
  label: text,
  text: optional(Schema.String),
  sortText: optional(Schema.String),
  detail: optional(Schema.String),
  type: optional(Schema.String),
  start: optional(Schema.Finite),
  length: optional(Schema.Finite)
})
/** A completion. */
export type Completion = typeof Completion.Type

/** A position where a breakpoint can be set. */
export const BreakpointLocation = Schema.Struct({
  line: Schema.Finite,
  column: optional(Schema.Finite),
  endLine: optional(Schema.Finite),
  endColumn: optional(Schema.Finite)
})
/** A position where a breakpoint can be set. */
export type BreakpointLocation = typeof BreakpointLocation.Type

/** What is known of an exception; inner ones are left as the adapter wrote them. */
export const ExceptionDetails = Schema.Struct({
  message: optional(Schema.String),
  typeName: optional(Schema.String),
  fullTypeName: optional(Schema.String),
  evaluateName: optional(Schema.String),
  stackTrace: optional(Schema.String),
  innerException: list(Schema.Unknown)
})
/** What is known of an exception. */
export type ExceptionDetails = typeof ExceptionDetails.Type
