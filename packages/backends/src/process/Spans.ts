/**
 * Adds a trace span to each request of a connection: `DapBackend.resume`, `LldbCliBackend.evaluate`.
 */
import type { Backend, Inspection } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

type Request<Args extends ReadonlyArray<unknown>, A, E> = (...args: Args) => Effect.Effect<A, E>

/** Returns a function that adds a span to a request. `prefix` is the part of the span's name before the dot. */
const spans =
  (prefix: string) =>
  <Args extends ReadonlyArray<unknown>, A, E>(name: string, request: Request<Args, A, E>): Request<Args, A, E> =>
  (...args) =>
    Effect.withSpan(request(...args), `${prefix}.${name}`)

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
    modules: Effect.withSpan(all.modules, `${backend}.modules`),
    files: Effect.withSpan(all.files, `${backend}.files`),
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
    run: Effect.withSpan(connection.run, `${backend}.run`),
    resume: span("resume", connection.resume),
    pause: Effect.withSpan(connection.pause, `${backend}.pause`),
    threads: Effect.withSpan(connection.threads, `${backend}.threads`),
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
