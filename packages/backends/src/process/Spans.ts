/**
 * Adds a trace span to each request of a connection: `DapBackend.resume`, `LldbCliBackend.evaluate`.
 */
import type { Backend, Inspection } from "@sigtrap/manager"
import { Span } from "@sigtrap/protocol"
import type * as Effect from "effect/Effect"

type Request<Args extends ReadonlyArray<unknown>, A, E> = (...args: Args) => Effect.Effect<A, E>

/** Returns a function that adds a span to a request. `prefix` is the part of the span's name before the dot. */
const spans =
  (prefix: string) =>
  <Args extends ReadonlyArray<unknown>, A, E>(name: string, request: Request<Args, A, E>): Request<Args, A, E> => {
    const spanned = Span.within(`${prefix}.${name}`)
    return (...args) => spanned(request(...args))
  }

const inspected = (backend: string, all: Inspection.Inspection): Inspection.Inspection => {
  const span = spans(backend)
  const { lineBefore } = all
  return {
    ...all,
    stacks: span("stacks", all.stacks),
    argumentNames: span("argumentNames", all.argumentNames),
    globals: span("globals", all.globals),
    otherGlobals: span("otherGlobals", all.otherGlobals),
    registers: span("registers", all.registers),
    formatted: span("formatted", all.formatted),
    memory: span("memory", all.memory),
    write: span("write", all.write),
    disassemble: span("disassemble", all.disassemble),
    modules: Span.within(`${backend}.modules`)(all.modules),
    files: Span.within(`${backend}.files`)(all.files),
    ...(lineBefore === undefined ? {} : { lineBefore: span("lineBefore", lineBefore) }),
    functions: span("functions", all.functions),
    functionNames: span("functionNames", all.functionNames),
    type: span("type", all.type)
  }
}

/** Returns the connection with a span around each request. `backend` is the part of the span's name before the dot. */
export const traced = (backend: string, connection: Backend.Connection): Backend.Connection => {
  const span = spans(backend)
  const { addBreakpoints, assign } = connection
  return {
    ...connection,
    setBreakpoints: span("setBreakpoints", connection.setBreakpoints),
    ...(addBreakpoints === undefined ? {} : { addBreakpoints: span("addBreakpoints", addBreakpoints) }),
    lines: span("lines", connection.lines),
    exception: span("exception", connection.exception),
    resumeSilently: span("resumeSilently", connection.resumeSilently),
    run: Span.within(`${backend}.run`)(connection.run),
    resume: span("resume", connection.resume),
    pause: Span.within(`${backend}.pause`)(connection.pause),
    threads: Span.within(`${backend}.threads`)(connection.threads),
    stack: span("stack", connection.stack),
    locals: span("locals", connection.locals),
    children: span("children", connection.children),
    ...(assign === undefined ? {} : { assign: span("assign", assign) }),
    evaluate: span("evaluate", connection.evaluate),
    instruction: span("instruction", connection.instruction),
    returned: span("returned", connection.returned),
    inspection: inspected(backend, connection.inspection),
    command: span("command", connection.command),
    end: span("end", connection.end)
  }
}
