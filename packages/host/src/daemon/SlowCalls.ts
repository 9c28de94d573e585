/**
 * The slowest calls since the daemon started. They are ordered by the time in which sigtrap and the debugger worked: a call
 * that waits for the program is not slow. The list is bounded and has no arguments.
 */
import { WaitingTime } from "@sigtrap/manager"
import { Caller, type Client, Errors, MonotonicTime, type Operation, type Operations } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** A call that has ended. Times are milliseconds; `started` is since 1970. */
export const SlowCall = Schema.Struct({
  operation: Schema.String,
  session: Schema.optionalKey(Schema.String),
  /** The id of the client: `mcp:claude-code`. */
  client: Schema.String,
  started: Schema.Finite,
  /** Time without the waiting for the program. */
  work_ms: Schema.Finite,
  /** Time in which the call waited for the program. */
  waited_ms: Schema.Finite,
  /** "OK" or the code of the error. */
  result: Schema.String
}).annotate({ identifier: "SlowCall" })
/** A call that has ended. */
export type SlowCall = typeof SlowCall.Type

/** Most calls that are kept. */
export const maxKept = 100

type Service = Client.Client["Service"]

/** The slowest calls of the daemon. */
export class SlowCalls extends Context.Service<
  SlowCalls,
  {
    /** Returns the client whose calls are measured. */
    readonly measured: (client: Service) => Service
    /** Returns the slowest calls, the slowest first. */
    readonly list: (limit: number) => ReadonlyArray<SlowCall>
  }
>()("@sigtrap/host/SlowCalls") {
  static readonly layer = Layer.sync(SlowCalls, () => make())
}

const round = (millis: number): number => Math.round(Math.max(0, millis) * 1000) / 1000

const resultOf = (exit: Exit.Exit<unknown, Errors.SigtrapError>): string => {
  if (Exit.isSuccess(exit)) return "OK"
  const error = Exit.findErrorOption(exit)
  if (Option.isSome(error)) return Errors.meta(error.value).code
  return Exit.hasInterrupts(exit) ? "INTERRUPTED" : "INTERNAL"
}

const sessionOf = (payload: unknown, exit: Exit.Exit<unknown, unknown>): string | undefined => {
  const answered = Exit.isSuccess(exit) && Predicate.isReadonlyObject(exit.value) ? exit.value["session"] : undefined
  const asked = Predicate.isReadonlyObject(payload) ? payload["session"] : undefined
  return [answered, asked].find(Predicate.isString)
}

const make = (): SlowCalls["Service"] => {
  /** The slowest first. */
  const kept: Array<SlowCall> = []

  const keep = (call: SlowCall): void => {
    const last = kept.at(-1)
    if (kept.length >= maxKept && last !== undefined && last.work_ms >= call.work_ms) return
    const place = kept.findIndex(({ work_ms }) => work_ms < call.work_ms)
    kept.splice(place === -1 ? kept.length : place, 0, call)
    kept.length = Math.min(kept.length, maxKept)
  }

  const around = <A, E extends Errors.SigtrapError>(operation: string, payload: unknown, call: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { actor } = yield* Caller.Current
      const waiting = new WaitingTime.WaitingTime()
      const started = clock.currentTimeMillisUnsafe()
      const from = MonotonicTime.read(clock)
      return yield* Effect.onExit(Effect.provideService(call, WaitingTime.Current, waiting), (exit) =>
        Effect.sync(() => {
          const session = sessionOf(payload, exit)
          keep({
            operation,
            ...(session === undefined ? {} : { session }),
            client: Caller.id(actor),
            started,
            work_ms: round(MonotonicTime.read(clock) - from - waiting.millis),
            waited_ms: round(waiting.millis),
            result: resultOf(exit)
          })
        })
      )
    })

  return {
    measured: (client) => ({
      call: <T extends Operations.Tag>(tag: T, payload: Operations.Payload<T>) =>
        around<Operations.Answer<T>, Client.Failure<T>>(tag, payload, client.call(tag, payload)),
      callAny: (operation: Operation.Any, payload) =>
        around(operation._tag, payload, client.callAny(operation, payload))
    }),
    list: (limit) => kept.slice(0, limit)
  }
}
