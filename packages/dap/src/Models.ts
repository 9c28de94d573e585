/**
 * The types in responses and events: frames, variables, breakpoints, sources.
 *
 * The schemas are more lenient than the specification: fields that adapters omit are optional, unused keys are dropped,
 * lldb-dap's `$__lldb_extensions` are kept. Every id may be 0.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { integer, list, optional, optionalInteger } from "./internal/Lenient.ts"

const flag = Schema.Boolean.pipe(Schema.withDecodingDefault(Effect.succeed(false)))
const text = Schema.String.pipe(Schema.withDecodingDefault(Effect.succeed("")))
const count = Schema.Finite.pipe(Schema.withDecodingDefault(Effect.succeed(0)))
const extensions = optional(Schema.Unknown)

/** A source: a path, or a reference for the `source` request. */
export const Source = Schema.Struct({
  name: optional(Schema.String),
  path: optional(Schema.String),
  sourceReference: optional(Schema.Finite),
  presentationHint: optional(Schema.String),
  origin: optional(Schema.String),
  adapterData: optional(Schema.Unknown)
})
/** The value of the schema `Source`. */
export type Source = typeof Source.Type

/** A breakpoint of the adapter. The id may be 0, absent, or shared by two entries. */
export const Breakpoint = Schema.Struct({
  id: optional(Schema.Finite),
  verified: flag,
  message: optional(Schema.String),
  source: optional(Source),
  line: optionalInteger,
  column: optionalInteger,
  endLine: optionalInteger,
  endColumn: optionalInteger,
  instructionReference: optional(Schema.String),
  offset: optional(Schema.Finite),
  reason: optional(Schema.String),
  $__lldb_extensions: extensions
})
/** A breakpoint of the adapter. */
export type Breakpoint = typeof Breakpoint.Type

/** A thread; the adapter chooses the number. */
export const Thread = Schema.Struct({ id: Schema.Int, name: text })
/** The value of the schema `Thread`. */
export type Thread = typeof Thread.Type

/** A stack frame. Its id is valid during the current stop; line 0 means no source. */
export const StackFrame = Schema.Struct({
  id: Schema.Finite,
  name: text,
  source: optional(Source),
  line: integer,
  column: integer,
  endLine: optionalInteger,
  endColumn: optionalInteger,
  canRestart: optional(Schema.Boolean),
  instructionPointerReference: optional(Schema.String),
  moduleId: optional(Schema.Union([Schema.Finite, Schema.String])),
  presentationHint: optional(Schema.String),
  $__lldb_extensions: extensions
})
/** A stack frame. */
export type StackFrame = typeof StackFrame.Type

/** A scope: variables of a frame. Its reference is valid during the current stop. */
export const Scope = Schema.Struct({
  name: text,
  presentationHint: optional(Schema.String),
  variablesReference: count,
  namedVariables: optionalInteger,
  indexedVariables: optionalInteger,
  expensive: flag,
  source: optional(Source),
  line: optionalInteger,
  endLine: optionalInteger,
  $__lldb_extensions: extensions
})
/** A scope: variables of a frame. */
export type Scope = typeof Scope.Type

/** Presentation hints of a value. */
export const PresentationHint = Schema.Struct({
  kind: optional(Schema.String),
  attributes: optional(Schema.Array(Schema.String)),
  visibility: optional(Schema.String),
  lazy: optional(Schema.Boolean)
})
/** Presentation hints of a value. */
export type PresentationHint = typeof PresentationHint.Type

/** A variable. It has children if `variablesReference` is above 0; the reference may exceed 2^31. */
export const Variable = Schema.Struct({
  name: text,
  value: text,
  type: optional(Schema.String),
  presentationHint: optional(PresentationHint),
  evaluateName: optional(Schema.String),
  variablesReference: count,
  namedVariables: optionalInteger,
  indexedVariables: optionalInteger,
  memoryReference: optional(Schema.String),
  $__lldb_extensions: extensions
})
/** The value of the schema `Variable`. */
export type Variable = typeof Variable.Type

/** A loaded module. `addressRange` is decimal or hexadecimal, depending on the version of the adapter. */
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

/** An instruction of a disassembly. */
export const Instruction = Schema.Struct({
  address: Schema.String,
  instructionBytes: optional(Schema.String),
  instruction: text,
  symbol: optional(Schema.String),
  location: optional(Source),
  line: optionalInteger,
  column: optionalInteger,
  presentationHint: optional(Schema.String)
})
/** An instruction of a disassembly. */
export type Instruction = typeof Instruction.Type

/** A target of goto, or a call that can be stepped into. */
export const Target = Schema.Struct({
  id: Schema.Finite,
  label: text,
  line: optionalInteger,
  column: optionalInteger,
  endLine: optionalInteger,
  endColumn: optionalInteger,
  instructionPointerReference: optional(Schema.String)
})
/** A target of goto, or a call that can be stepped into. */
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
/** The value of the schema `Completion`. */
export type Completion = typeof Completion.Type

/** A possible breakpoint location. */
export const BreakpointLocation = Schema.Struct({
  line: integer,
  column: optionalInteger,
  endLine: optionalInteger,
  endColumn: optionalInteger
})
/** A possible breakpoint location. */
export type BreakpointLocation = typeof BreakpointLocation.Type

/** Details of an exception; inner exceptions are not decoded. */
export const ExceptionDetails = Schema.Struct({
  message: optional(Schema.String),
  typeName: optional(Schema.String),
  fullTypeName: optional(Schema.String),
  evaluateName: optional(Schema.String),
  stackTrace: optional(Schema.String),
  innerException: list(Schema.Unknown)
})
/** Details of an exception. */
export type ExceptionDetails = typeof ExceptionDetails.Type
