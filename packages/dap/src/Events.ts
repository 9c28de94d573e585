/**
 * Every event of the protocol, one value each: its name and the lenient schema of its body.
 *
 * Bodies are read only when somebody asks: an adapter can send a hundred thousand `output` events in a row. An event
 * that is unknown or cannot be understood is data too, never an error of the connection.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { list, optional } from "./internal/Lenient.ts"
import type * as Message from "./Message.ts"
import * as Models from "./Models.ts"

/** A kind of event. */
export interface Event<out Name extends string, out Body> {
  readonly event: Name
  /** The schema of the body. */
  readonly body: Schema.Decoder<Body>
  /** Reads a body; an absent one is read as an empty object. */
  readonly decode: (body: unknown) => Result.Result<Body, Schema.SchemaError>
}

const make = <const Name extends string, Body>(event: Name, body: Schema.Decoder<Body>): Event<Name, Body> => {
  const decode = Schema.decodeUnknownResult(body)
  return { event, body, decode: (value) => decode(value ?? {}) }
}

const progress = { progressId: Schema.String, message: optional(Schema.String) }

/** The adapter is ready for breakpoints; it may come before or after the response to launch. */
export const Initialized = make("initialized", Schema.Struct({}))

/** Threads have stopped. One stop can be several of these; without `threadId`, ask for the threads. */
export const Stopped = make(
  "stopped",
  Schema.Struct({
    reason: Schema.String,
    description: optional(Schema.String),
    threadId: optional(Schema.Finite),
    preserveFocusHint: optional(Schema.Boolean),
    threadCausedFocus: optional(Schema.Boolean),
    text: optional(Schema.String),
    allThreadsStopped: optional(Schema.Boolean),
    hitBreakpointIds: list(Schema.Finite)
  })
)

/** Threads run; it comes before or after the response that caused it, or not at all. */
export const Continued = make(
  "continued",
  Schema.Struct({ threadId: optional(Schema.Finite), allThreadsContinued: optional(Schema.Boolean) })
)

/** The program has ended. A death by signal cannot be told from an exit with that number. */
export const Exited = make("exited", Schema.Struct({ exitCode: optional(Schema.Finite) }))

/** The debugging has ended; the adapter itself is still alive. */
export const Terminated = make("terminated", Schema.Struct({ restart: optional(Schema.Unknown) }))

/** A thread has started or exited. */
export const Thread = make("thread", Schema.Struct({ reason: Schema.String, threadId: Schema.Finite }))

/** Text of the program, the debugger or the adapter; `category` tells whose. */
export const Output = make(
  "output",
  Schema.Struct({
    category: optional(Schema.String),
    output: Schema.String,
    group: optional(Schema.String),
    variablesReference: optional(Schema.Finite),
    source: optional(Models.Source),
    line: optional(Schema.Finite),
    column: optional(Schema.Finite),
    data: optional(Schema.Unknown)
  })
)

/** A breakpoint has changed; only its id, `verified` and `line` can be relied on. */
export const Breakpoint = make("breakpoint", Schema.Struct({ reason: Schema.String, breakpoint: Models.Breakpoint }))

/** A module was loaded, changed or unloaded. */
export const Module = make("module", Schema.Struct({ reason: Schema.String, module: Models.Module }))

/** A source was loaded, changed or removed. */
export const LoadedSource = make("loadedSource", Schema.Struct({ reason: Schema.String, source: Models.Source }))

/** The program's process is known. */
export const Process = make(
  "process",
  Schema.Struct({
    name: optional(Schema.String),
    systemProcessId: optional(Schema.Finite),
    isLocalProcess: optional(Schema.Boolean),
    startMethod: optional(Schema.String),
    pointerSize: optional(Schema.Finite)
  })
)

/** The adapter can do more or less than it said; the client has merged it by the time it is seen. */
export const Capabilities = make(
  "capabilities",
  Schema.Struct({ capabilities: Schema.Record(Schema.String, Schema.Unknown) })
)

/** Something long has begun. */
export const ProgressStart = make(
  "progressStart",
  Schema.Struct({
    ...progress,
    title: Schema.String,
    requestId: optional(Schema.Finite),
    cancellable: optional(Schema.Boolean),
    percentage: optional(Schema.Finite)
  })
)

/** Something long has come further. */
export const ProgressUpdate = make(
  "progressUpdate",
  Schema.Struct({ ...progress, percentage: optional(Schema.Finite) })
)

/** Something long has ended. */
export const ProgressEnd = make("progressEnd", Schema.Struct(progress))

/** What was asked before no longer holds; no areas means all of it. */
export const Invalidated = make(
  "invalidated",
  Schema.Struct({
    areas: list(Schema.String),
    threadId: optional(Schema.Finite),
    stackFrameId: optional(Schema.Finite)
  })
)

/** Memory has changed. */
export const Memory = make(
  "memory",
  Schema.Struct({ memoryReference: Schema.String, offset: Schema.Finite, count: Schema.Finite })
)

/** All of them, with their types forgotten. */
export const all: ReadonlyArray<Event<string, unknown>> = [
  Initialized,
  Stopped,
  Continued,
  Exited,
  Terminated,
  Thread,
  Output,
  Breakpoint,
  Module,
  LoadedSource,
  Process,
  Capabilities,
  ProgressStart,
  ProgressUpdate,
  ProgressEnd,
  Invalidated,
  Memory
]

/** An event outside the specification, or of a kind that nobody knows yet. */
export interface Other {
  readonly event: "other"
  readonly name: string
  readonly body: unknown
}

/** An event whose body cannot be understood; `issue` says which field is wrong. */
export interface Invalid {
  readonly event: "invalid"
  readonly name: string
  readonly issue: string
  readonly body: unknown
}

const read = <const Name extends string, Body>(
  kind: Event<Name, Body>,
  message: Message.Event
): { readonly event: Name; readonly body: Body } | Invalid => {
  const result = kind.decode(message.body)
  return Result.isSuccess(result)
    ? { event: kind.event, body: result.success }
    : { event: "invalid", name: message.event, issue: result.failure.message, body: message.body }
}

const other = (message: Message.Event): Other => ({ event: "other", name: message.event, body: message.body })

/** Reads an event: a union over `event` of everything above, `other` and `invalid`. */
export const parse = (message: Message.Event) => {
  switch (message.event) {
    case "initialized":
      return read(Initialized, message)
    case "stopped":
      return read(Stopped, message)
    case "continued":
      return read(Continued, message)
    case "exited":
      return read(Exited, message)
    case "terminated":
      return read(Terminated, message)
    case "thread":
      return read(Thread, message)
    case "output":
      return read(Output, message)
    case "breakpoint":
      return read(Breakpoint, message)
    case "module":
      return read(Module, message)
    case "loadedSource":
      return read(LoadedSource, message)
    case "process":
      return read(Process, message)
    case "capabilities":
      return read(Capabilities, message)
    case "progressStart":
      return read(ProgressStart, message)
    case "progressUpdate":
      return read(ProgressUpdate, message)
    case "progressEnd":
      return read(ProgressEnd, message)
    case "invalidated":
      return read(Invalidated, message)
    case "memory":
      return read(Memory, message)
    default:
      return other(message)
  }
}

/** An event with its body read. */
export type Parsed = ReturnType<typeof parse>
