/**
 * Decides which breakpoints of one stop are reported, by their hit counts, threads and conditions. For logpoints it writes
 * the message to the log.
 */
import { type Event, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Registry } from "../../breakpoints/Registry.ts"
import * as LogMessage from "../../model/LogMessage.ts"
import type { Secrets } from "../../model/secrets/Secrets.ts"
import type { Connection, Failure, Value } from "../../ports/Backend.ts"
import * as StepOrigin from "./StepOrigin.ts"
import type { Stopped } from "./StopBreakpoints.ts"
import type { Logpoints } from "../traces/Logpoints.ts"
import type { RunningTrace } from "../traces/Traces.ts"

/** A stop, the name of its thread, and the breakpoints at its address that the debugger would pass without writing their messages. */
export interface Hit {
  readonly event: Stopped
  readonly threadName: string | undefined
  readonly due: ReadonlyArray<number>
  /** True for a breakpoint whose condition may be false although the debugger names the breakpoint. */
  readonly isUnsure: (id: number) => boolean
}

/** Dependencies of verdicts. */
export interface Options {
  readonly breakpoints: Registry
  readonly secrets: Secrets
  readonly emit: (event: Event.Event) => void
  /** True if the condition of a breakpoint could not be evaluated at this stop. */
  readonly hasFailedCondition: (id: number) => boolean
  /** The logpoints that the debugger records. */
  readonly logpoints: Logpoints
  /** True if the next stop is reported, as of a pause. */
  readonly isStopExpected: () => boolean
  /** The trace that runs, to which the hits of its points belong. */
  readonly trace: () => RunningTrace | undefined
  /** Records that a condition could not be evaluated at this stop. */
  readonly conditionFailed: (id: number, problem: string) => void
}

/** Evaluates expressions in a frame. A failure is written in the place of the value. */
const valuesAt = (
  { secrets }: Options,
  live: Connection,
  expressions: ReadonlyArray<string>,
  frame: number | undefined
) =>
  Effect.forEach(frame === undefined ? [] : expressions, (expression) =>
    Effect.map(LogMessage.write(live, `{${expression}}`, frame ?? 0, secrets), (value) => ({ expression, value }))
  )

/** Evaluates the expressions of a hit, adds the values to its history and returns the line to write. */
const record = Effect.fnUntraced(function* (
  options: Options,
  live: Connection,
  id: number,
  expressions: ReadonlyArray<string>,
  frame: number | undefined
) {
  const { breakpoints } = options
  const values = yield* valuesAt(options, live, expressions, frame)
  breakpoints.recordValues(id, values)
  const hitNumber = breakpoints.history(id).at(-1)?.hit ?? 0
  const text = values.map(({ expression, value }) => `${expression} = ${value}`).join(", ")
  return `breakpoint ${id} (hit ${hitNumber})${text === "" ? "" : `: ${text}`}`
})

/** Writes the message of a logpoint, counts it, and lets the debugger record the following ones if it can. */
const log = Effect.fnUntraced(function* (
  { breakpoints, emit, isStopExpected, logpoints, secrets }: Options,
  live: Connection,
  hit: {
    readonly id: number
    readonly message: string
    readonly thread: number | undefined
    readonly frame: number | undefined
  }
) {
  const { frame, id, message } = hit
  const written = frame === undefined ? undefined : yield* LogMessage.evaluated(live, message, frame, secrets)
  emit({ _tag: "Output", channel: "log", text: `${written?.text ?? message}\n` })
  yield* Effect.ignore(breakpoints.countDown([id]))
  if (!isStopExpected()) yield* logpoints.offer(live, { ...hit, values: written?.values })
})

/** Counts a logpoint that the debugger would pass, and writes its message. */
const writePassed = Effect.fnUntraced(function* (
  options: Options,
  live: Connection,
  id: number,
  thread: number | undefined
) {
  const { breakpoints } = options
  const message = breakpoints.logOf(id)
  if (message === undefined) return
  breakpoints.hit([id], thread === undefined ? {} : { thread })
  const at = thread === undefined ? undefined : yield* StepOrigin.position(live, thread)
  yield* log(options, live, { id, message, thread, frame: at?.handle })
})

const problemOf = (error: Failure): string => (error._tag === "AdapterError" ? error.detail : error.message)

const isFalse = /^(?:false|-?(?:0|0x0+|0?\.0+|0\.))$/i
const isTrue = /^(?:true|-?(?:0x[\da-f]+|\d+(?:\.\d*)?(?:e[-+]?\d+)?))$/i

/**
 * Returns whether the value of a condition is true. Where its text does not show that, as `red` and `0 '\0'`, the debugger is asked in
 * the notation of C, in that of C for an enumeration with a scope, and in that of Python.
 */
const isTruth = Effect.fnUntraced(function* (
  evaluate: (expression: string) => Effect.Effect<Value, Failure>,
  condition: string
) {
  const { value } = yield* evaluate(condition)
  if (isFalse.test(value.trim())) return false
  if (isTrue.test(value.trim())) return true
  const found = yield* Effect.result(evaluate(`!!(${condition})`))
  if (Result.isSuccess(found)) return !isFalse.test(found.success.value.trim())
  const failures = [found.failure]
  for (const other of [`(long long)(${condition}) != 0`, `not not (${condition})`]) {
    const truth = yield* Effect.result(evaluate(other))
    if (Result.isSuccess(truth)) return !isFalse.test(truth.success.value.trim())
    failures.push(truth.failure)
  }
  // The notation of another language is a mistake of syntax only.
  return yield* failures.find((one) => problemOf(one).includes("may run code")) ?? found.failure
})

/**
 * True if the condition of a breakpoint holds, or cannot be evaluated. A debugger that stops at a place of several breakpoints may name
 * all of them, or only the first, and stops at each hit of a condition that the manager evaluates.
 */
const holds = Effect.fnUntraced(function* (options: Options, live: Connection, id: number, frame: number | undefined) {
  const { breakpoints } = options
  const condition = breakpoints.conditionOf(id)
  if (condition === undefined || frame === undefined || options.hasFailedCondition(id)) return true
  // Setting a condition that runs code needs the permission for it.
  const how = breakpoints.managesCondition(id) && !Expression.onlyReads(condition) ? "any" : "read"
  return yield* isTruth((expression) => live.evaluate(expression, frame, how), condition).pipe(
    Effect.catch((error) =>
      Effect.sync(() => {
        if (breakpoints.managesCondition(id)) options.conditionFailed(id, problemOf(error))
        return true
      })
    )
  )
})

/** Counts the hits of a stop and returns the numbers of the breakpoints that stop the program. */
export const stoppingBreakpoints = Effect.fnUntraced(function* (
  options: Options,
  live: Connection,
  { due, event, isUnsure, threadName }: Hit
) {
  const { breakpoints, emit, hasFailedCondition } = options
  const stops: Array<number> = []
  /** Breakpoints that the debugger may not have counted up to their number. */
  const counted: Array<number> = []
  let isAnyDecided = false
  const near = breakpoints.sharing(event.breakpoints)
  const needsCondition = (id: number) =>
    breakpoints.managesCondition(id) || (isUnsure(id) && breakpoints.conditionOf(id) !== undefined)
  const isEvaluated = near.length > 1 || near.some(needsCondition)
  const place = !isEvaluated || event.thread === undefined ? undefined : yield* StepOrigin.position(live, event.thread)
  const shared = place === undefined ? near : breakpoints.sharing(event.breakpoints, place.address)
  for (const id of shared) {
    if (breakpoints.isWrittenByDebugger(id)) {
      isAnyDecided = true
      if (due.includes(id)) yield* writePassed(options, live, id, event.thread)
      continue
    }
    const asks = shared.length > 1 || needsCondition(id)
    if (asks && !(yield* holds(options, live, id, place?.handle))) {
      isAnyDecided ||= needsCondition(id)
      continue
    }
    if (!breakpoints.isManaged(id)) {
      // LLDB names all breakpoints at the address, also one that has not reached its number. One that is due has reached it.
      const isSure = shared.length === 1 || due.includes(id) || !breakpoints.isCountedByDebugger(id)
      ;(isSure ? stops : counted).push(id)
      continue
    }
    isAnyDecided = true
    if (options.logpoints.isRecorded(id, event.thread)) continue
    if (!(yield* breakpoints.appliesToThread(id, event.thread, threadName))) continue
    if (hasFailedCondition(id) && breakpoints.continuesOnConditionError(id)) continue
    breakpoints.hit([id], event.thread === undefined ? {} : { thread: event.thread })
    const verdict = hasFailedCondition(id) ? "stop" : breakpoints.decide(id)
    if (verdict === "stop") stops.push(id)
    const trace = options.trace()
    const point = trace?.point(id)
    if (trace !== undefined && point !== undefined) {
      const at = event.thread === undefined ? undefined : yield* StepOrigin.position(live, event.thread)
      const values = yield* valuesAt(options, live, point.expressions, at?.handle)
      if (yield* trace.take(live, point, event.thread, values)) stops.push(id)
    } else if (typeof verdict === "object") {
      const at = event.thread === undefined ? undefined : yield* StepOrigin.position(live, event.thread)
      if ("log" in verdict) {
        yield* log(options, live, { id, message: verdict.log, thread: event.thread, frame: at?.handle })
      } else {
        const text = yield* record(options, live, id, verdict.evaluate, at?.handle)
        emit({ _tag: "Output", channel: "log", text: `${text}\n` })
        yield* Effect.ignore(breakpoints.countDown([id]))
      }
    }
  }
  // The program stopped for one of them if nothing else explains the stop.
  return stops.length === 0 && !isAnyDecided ? counted : stops
})
