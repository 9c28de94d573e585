/**
 * The events of the protocol, one value each: name and lenient schema of the body.
 *
 * Bodies are decoded on demand: an adapter can send a hundred thousand `output` events in a row. An unknown event or one
 * with an invalid body is data too, not an error of the connection.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { integers, list, optional, optionalInteger } from "./internal/Lenient.ts"
import type * as Message from "./Message.ts"
import * as Models from "./Models.ts"

/** A kind of event. */
export interface Event<out Name extends string, out Body> {
  readonly event: Name
  /** The schema of the body. */
  readonly body: Schema.Decoder<Body>
  /** Decodes a body; an absent one counts as an empty object. */
  readonly decode: (body: unknown) => Result.Result<Body, Schema.SchemaError>
}

const make = <const Name extends string, Body>(event: Name, body: Schema.Decoder<Body>): Event<Name, Body> => {
  const decode = Schema.decodeUnknownResult(body)
  return { event, body, decode: (value) => decode(value ?? {}) }
}

const progress = { progressId: Schema.String, message: optional(Schema.String) }

/** The adapter is ready for breakpoints. It comes before or after the response to launch. */
export const Initialized = make("initialized", Schema.Struct({}))

/** Threads have stopped. One stop can cause several events; without `threadId`, request the threads. */
export const Stopped = make(
  "stopped",
  Schema.Struct({
    reason: Schema.String,
    description: optional(Schema.String),
    threadId: optionalInteger,
    preserveFocusHint: optional(Schema.Boolean),
    threadCausedFocus: optional(Schema.Boolean),
    text: optional(Schema.String),
    allThreadsStopped: optional(Schema.Boolean),
    hitBreakpointIds: integers
  })
)

/** Threads have resumed. It comes before or after the response that caused it, or not at all. */
export const Continued = make(
  "continued",
  Schema.Struct({ threadId: optionalInteger, allThreadsContinued: optional(Schema.Boolean) })
)

/** The program has exited. A death by signal looks like an exit with that number. */
export const Exited = make("exited", Schema.Struct({ exitCode: optionalInteger }))

/** Debugging has ended; the adapter still runs. */
export const Terminated = make("terminated", Schema.Struct({ restart: optional(Schema.Unknown) }))

/** A thread has started or exited. */
export const Thread = make("thread", Schema.Struct({ reason: Schema.String, threadId: Schema.Finite }))

/** Output of the program, the debugger or the adapter, by `category`. */
export const Output = make(
  "output",
  Schema.Struct({
    category: optional(Schema.String),
    output: Schema.String,
    group: optional(Schema.String),
    variablesReference: optional(Schema.Finite),
    source: optional(Models.Source),
    line: optionalInteger,
    column: optionalInteger,
    data: optional(Schema.Unknown)
  })
)

/** A breakpoint has changed; only id, `verified` and `line` are reliable. */
export const Breakpoint = make("breakpoint", Schema.Struct({ reason: Schema.String, breakpoint: Models.Breakpoint }))

/** A module was loaded, changed or unloaded. */
export const Module = make("module", Schema.Struct({ reason: Schema.String, module: Models.Module }))

/** A source was loaded, changed or removed. */
export const LoadedSource = make("loadedSource", Schema.Struct({ reason: Schema.String, source: Models.Source }))

/** The process of the program has started. */
export const Process = make(
  "process",
  Schema.Struct({
    name: optional(Schema.String),
    systemProcessId: optionalInteger,
    isLocalProcess: optional(Schema.Boolean),
    startMethod: optional(Schema.String),
    pointerSize: optional(Schema.Finite)
  })
)

/** Capabilities have changed; the client has merged them before this event is reported. */
export const Capabilities = make(
  "capabilities",
  Schema.Struct({ capabilities: Schema.Record(Schema.String, Schema.Unknown) })
)

/** A long operation has started. */
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

/** A long operation has progressed. */
export const ProgressUpdate = make(
  "progressUpdate",
  Schema.Struct({ ...progress, percentage: optional(Schema.Finite) })
)

/** A long operation has ended. */
export const ProgressEnd = make("progressEnd", Schema.Struct(progress))

/** Earlier answers are invalid; no areas means all. */
export const Invalidated = make(
  "invalidated",
  Schema.Struct({
    areas: list(Schema.String),
    threadId: optionalInteger,
    stackFrameId: optional(Schema.Finite)
  })
)

/** Memory has changed. */
export const Memory = make(
  "memory",
  Schema.Struct({ memoryReference: Schema.String, offset: Schema.Finite, count: Schema.Finite })
)

/** All events, without their types. */
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

/** An event that is not in the specification. */
export interface Other {
  readonly event: "other"
  readonly name: string
  readonly body: unknown
}

/** An event with an invalid body; `issue` names the invalid field. */
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

/** Decodes an event: a union over `event` of all events above, `other` and `invalid`. */
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

/** A decoded event. */
export type Parsed = ReturnType<typeof parse>
