/**
 * Requests details that some adapters leave out of `stopped` (DAP), before the stop is reported: the breakpoint, the
 * exception, the signal or a condition that could not be evaluated. Resumes after the rejection of a promise that does not fail a test.
 */
import { Requests, type Client } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Quirks } from "../../adapters/Quirks.ts"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"
import type { Dialect, Signal } from "../../console/Dialect.ts"
import type { StoppedBody } from "./Stops.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  readonly ids: BreakpointIds
  readonly quirks: Quirks
  readonly dialect: Dialect | undefined
  /** The target is a core file. Its stop is the signal that killed the program. */
  readonly core: boolean
  readonly listener: Pick<Backend.Listener, "conditionFailed">
}

/** Timeout of each request. After it the stop is reported without the detail. */
const timeout = "2 seconds"

const withSignal = (body: StoppedBody, signal: Signal | undefined): StoppedBody =>
  signal === undefined
    ? body
    : {
        ...body,
        reason: "exception",
        signal,
        description: `signal ${signal.name}${signal.address === undefined ? "" : ` (fault address=${signal.address})`}`
      }

const withText = (client: Client.Client, body: StoppedBody, threadId: number) =>
  client.request(Requests.ExceptionInfo, { threadId }, { timeout }).pipe(
    Effect.map(({ description, exceptionId }) => {
      const text = description ?? exceptionId
      return text === undefined ? body : { ...body, description: text }
    }),
    Effect.orElseSucceed(() => body)
  )

const withBreakpoints = (client: Client.Client, ids: BreakpointIds, body: StoppedBody, threadId: number) =>
  client.request(Requests.StackTrace, { threadId, startFrame: 0, levels: 1 }, { timeout }).pipe(
    Effect.map(({ stackFrames }) => {
      const [frame] = stackFrames
      if (frame === undefined) return body
      const file = frame.source?.path
      const atLine = file === undefined ? [] : ids.debuggerIdsAt(file, frame.line)
      const onFunction = body.reason === "function breakpoint" ? ids.debuggerIdsOn(frame.name) : []
      return { ...body, hitBreakpointIds: [...body.hitBreakpointIds, ...onFunction, ...atLine] }
    }),
    Effect.orElseSucceed(() => body)
  )

/** Returns the stop at an error of a condition as one at its breakpoint, if only one in the stopped line has a condition. */
const atFailedCondition = ({ client, ids, listener }: Options, body: StoppedBody, threadId: number, problem: string) =>
  client.request(Requests.StackTrace, { threadId, startFrame: 0, levels: 1 }, { timeout }).pipe(
    Effect.map(({ stackFrames: [frame] }) => {
      const file = frame?.source?.path
      const atLine = frame === undefined || file === undefined ? [] : ids.debuggerIdsAt(file, frame.line)
      const onFunction = frame === undefined ? [] : ids.debuggerIdsOn(frame.name)
      const known = new Set([...atLine, ...onFunction])
      const failed = [...known].flatMap((one) => {
        const id = ids.managerIdOf(one)
        return id !== undefined && ids.isConditional(id) ? [{ one, id }] : []
      })
      const [first] = failed
      if (first === undefined || failed.length > 1) return body
      listener.conditionFailed?.(first.id, problem)
      const { description: _, text: __, ...stopped } = body
      return { ...stopped, reason: "breakpoint", hitBreakpointIds: [first.one] }
    }),
    Effect.orElseSucceed(() => body)
  )

/** Evaluates an expression in the innermost frame. */
const evaluated = Effect.fnUntraced(
  function* (client: Client.Client, expression: string, threadId: number) {
    const { stackFrames } = yield* client.request(
      Requests.StackTrace,
      { threadId, startFrame: 0, levels: 1 },
      { timeout }
    )
    const frameId = stackFrames[0]?.id
    if (frameId === undefined) return undefined
    const { result } = yield* client.request(Requests.Evaluate, { expression, frameId, context: "watch" }, { timeout })
    return result
  },
  Effect.orElseSucceed(() => undefined)
)

/**
 * Returns the stop at the end of a step as one at the breakpoints whose instruction it reached. One with a condition is named only if
 * the condition is true.
 */
const atHiddenBreakpoints = Effect.fnUntraced(
  function* (
    { client, ids }: Options,
    { expression, isTrap }: NonNullable<Quirks["stepsHideBreakpoints"]>,
    body: StoppedBody,
    threadId: number
  ) {
    const { stackFrames } = yield* client.request(
      Requests.StackTrace,
      { threadId, startFrame: 0, levels: 1 },
      { timeout }
    )
    const [frame] = stackFrames
    const file = frame?.source?.path
    if (frame?.instructionPointerReference === undefined || file === undefined) return body
    const near = [...new Set([...ids.debuggerIdsAt(file, frame.line), ...ids.debuggerIdsOn(frame.name)])]
    if (near.length === 0) return body
    const read = yield* evaluated(client, expression(frame.instructionPointerReference), threadId)
    if (read === undefined || !isTrap(Number.parseInt(read, 10))) return body
    const hit = yield* Effect.filter(near, (one) => {
      const condition = ids.conditionOf(ids.managerIdOf(one) ?? 0)
      if (condition === undefined) return Effect.succeed(true)
      return Effect.map(evaluated(client, condition, threadId), (value) => value === "true")
    })
    return hit.length === 0 ? body : { ...body, reason: "breakpoint", hitBreakpointIds: hit }
  },
  (found, _options, _quirk, body) => Effect.orElseSucceed(found, () => body)
)

const atRejection = Effect.fnUntraced(function* (
  client: Client.Client,
  body: StoppedBody,
  threadId: number,
  expression: string
) {
  // The program itself says whether the rejected promise at which it stopped fails a test.
  if ((yield* evaluated(client, expression, threadId)) === "false") {
    yield* Effect.ignore(client.request(Requests.Continue, { threadId }))
    return undefined
  }
  const { description: _, ...stopped } = body
  return yield* withText(client, stopped, threadId)
})

const withDetail = (options: Options, body: StoppedBody): Effect.Effect<StoppedBody | undefined> | undefined => {
  const { client, core, dialect, ids, quirks } = options
  const { description, hitBreakpointIds, reason, text, threadId } = body
  if (threadId === undefined) return undefined
  const { rejection } = quirks
  if (rejection !== undefined && reason === "exception" && description === rejection.description) {
    return atRejection(client, body, threadId, rejection.isFailure)
  }
  const [, problem] = (reason === "exception" ? quirks.conditionProblem?.exec(text ?? "") : undefined) ?? []
  if (problem !== undefined) return atFailedCondition(options, body, threadId, problem)
  if (dialect?.signal !== undefined && (reason === "signal" || core)) {
    return Effect.map(dialect.signal(client), (signal) => withSignal(body, signal))
  }
  if (quirks.stopsWithoutText === true && reason === "exception" && description === undefined && text === undefined) {
    return withText(client, body, threadId)
  }
  if (quirks.stepsHideBreakpoints !== undefined && reason === "step") {
    return atHiddenBreakpoints(options, quirks.stepsHideBreakpoints, body, threadId)
  }
  const isBreakpoint = reason === "breakpoint" || reason === "function breakpoint"
  if (quirks.stopsWithoutIds === true && isBreakpoint && hitBreakpointIds.length === 0) {
    return withBreakpoints(client, ids, body, threadId)
  }
  return undefined
}

/** Tells the program of a stop at an exception. If it has caught too many, only uncaught ones stop it, and it is resumed. */
const noted = Effect.fnUntraced(function* (
  client: Client.Client,
  { noteStop, uncaught }: NonNullable<Quirks["runtimeCatches"]>,
  body: StoppedBody,
  threadId: number
) {
  if ((yield* evaluated(client, noteStop, threadId)) !== "false") return body
  yield* Effect.ignore(client.request(Requests.SetExceptionBreakpoints, { filters: [uncaught] }))
  yield* Effect.ignore(client.request(Requests.Continue, { threadId }))
  return undefined
})

/** Returns the stop with the missing detail; undefined if none is missing. The effect returns undefined if the program was resumed. */
export const complete = (options: Options, body: StoppedBody): Effect.Effect<StoppedBody | undefined> | undefined => {
  const { client, quirks } = options
  const { runtimeCatches } = quirks
  const { reason, threadId } = body
  const completed = withDetail(options, body)
  if (runtimeCatches === undefined || reason !== "exception" || threadId === undefined) return completed
  return Effect.flatMap(completed ?? Effect.succeed(body), (stopped) =>
    stopped === undefined ? Effect.succeed(stopped) : noted(client, runtimeCatches, stopped, threadId)
  )
}
