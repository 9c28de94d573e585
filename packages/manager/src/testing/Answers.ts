/**
 * Answers the requests to a fake debugger in the order that its behaviour sets, with the faults that a test planned.
 */
import { Errors, type Event } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Request, Behaviour, Plan } from "./Behaviour.ts"

/** The debuggee whose requests are answered. */
export interface Options {
  readonly behaviour: () => Behaviour
  /** Emits an event of the debuggee. */
  readonly emit: (event: Event.Event) => void
  /** Kills the adapter. */
  readonly lose: (reason: string) => void
  /** Starts the events that follow the answer to a resume. */
  readonly follow: Effect.Effect<void>
}

/** The answers of one debuggee. */
export class Answers {
  /** Every request, in order of arrival. */
  readonly requests: Array<Request> = []
  /** Events that come before a later answer, and the number of answers before that one. */
  late: { readonly events: ReadonlyArray<Event.Event>; readonly answers: number } = { events: [], answers: 0 }
  readonly #options: Options
  readonly #dead = Deferred.makeUnsafe<never, Errors.AdapterCrashed>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Fails every pending and later request. */
  die(detail: string): void {
    Deferred.doneUnsafe(this.#dead, Exit.fail(new Errors.AdapterCrashed({ detail })))
  }

  /** Lets other fibers run first, then emits the late events. */
  readonly #turns = Effect.gen({ self: this }, function* () {
    for (let turn = Math.max(1, this.#options.behaviour().turns); turn > 0; turn--) yield* Effect.yieldNow
    const { answers, events } = this.late
    this.late = answers === 0 ? { events: [], answers } : { events, answers: answers - 1 }
    if (answers === 0) for (const event of events) this.#options.emit(event)
  })

  /** Records a request, carries it out and answers. `idle` answers a request that is ignored. */
  answer<A, E>(
    request: Request["request"],
    detail: unknown,
    plan: Plan<E>,
    carryOut: () => Effect.Effect<A, E>,
    idle: () => Effect.Effect<A, E> = carryOut
  ): Effect.Effect<A, E | Errors.AdapterCrashed> {
    this.requests.push(detail === undefined ? { request } : { request, detail })
    const fault = plan.take(request)
    const turns = this.#turns
    const resumes = request === "resume" || request === "run" || request === "goOn"
    const carriedOut = resumes ? Effect.suspend(carryOut) : Effect.andThen(turns, Effect.suspend(carryOut))
    const follow = resumes ? this.#options.follow : Effect.void
    const work = Effect.suspend((): Effect.Effect<A, E | Errors.AdapterCrashed> => {
      switch (fault?.kind) {
        case "lose":
          return Effect.andThen(
            turns,
            Effect.suspend(() => {
              this.#options.lose(`it died at ${request}`)
              return Deferred.await(this.#dead)
            })
          )
        case "refuse":
          return Effect.andThen(turns, Effect.fail(fault.error))
        case "deny":
          return carriedOut.pipe(
            Effect.andThen(follow),
            Effect.andThen(turns),
            Effect.andThen(Effect.fail(fault.error))
          )
        case "hold":
          return carriedOut.pipe(Effect.tap(follow), Effect.tap(fault.until))
        case "ignore":
          return Effect.andThen(turns, Effect.suspend(idle))
        case undefined:
          return resumes ? carriedOut.pipe(Effect.tap(turns), Effect.tap(follow)) : carriedOut
      }
    })
    return Effect.raceFirst(Deferred.await(this.#dead), work)
  }
}
