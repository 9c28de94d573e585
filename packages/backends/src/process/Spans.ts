/**
 * Adds a trace span to each request of a connection: `DapBackend.resume`, `LldbCliBackend.evaluate`.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** Returns the connection with a span around each request. `backend` is the part of the span's name before the dot. */
export const traced = (backend: string, connection: Backend.Connection): Backend.Connection => {
  const span =
    <Args extends ReadonlyArray<unknown>, A, E>(name: string, request: (...args: Args) => Effect.Effect<A, E>) =>
    (...args: Args): Effect.Effect<A, E> =>
      Effect.withSpan(request(...args), `${backend}.${name}`)
  const { children, command, evaluate, exception, lines, locals, resume, setBreakpoints, stack } = connection
  return {
    ...connection,
    setBreakpoints: span("setBreakpoints", setBreakpoints),
    lines: span("lines", lines),
    exception: span("exception", exception),
    run: Effect.withSpan(connection.run, `${backend}.run`),
    resume: span("resume", resume),
    pause: Effect.withSpan(connection.pause, `${backend}.pause`),
    threads: Effect.withSpan(connection.threads, `${backend}.threads`),
    stack: span("stack", stack),
    locals: span("locals", locals),
    children: span("children", children),
    evaluate: span("evaluate", evaluate),
    command: span("command", command),
    end: span("end", connection.end)
  }
}
