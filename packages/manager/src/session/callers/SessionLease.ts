/**
 * The control lease of one session: which actor drives, and until when.
 *
 * The holder is in the folded state of the session; this module has the deadlines. They are `MonotonicTime`. A lease ends when
 * it is released, at its own deadline, when its holder has made no call for the time of `control.idle`, and with the holder's last
 * connection if it was taken over a connection that lasts. A restart of the program continues it.
 * Fibers: one for each lease ends it at its deadline (ends with the lease, or with the manager).
 */
import { Caller, Errors, Hint, type Lease, MonotonicTime } from "@sigtrap/protocol"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ClientRules } from "../../model/permissions/ClientRules.ts"
import type { EventLog } from "../events/EventLog.ts"

/** True if the connection of the call lasts beyond it, so that a lease that the call takes ends with the connection. */
export const Connected = Context.Reference<boolean>("@sigtrap/manager/SessionLease/Connected", {
  defaultValue: () => false
})

/** A lease with its deadlines. */
interface Held {
  readonly holder: Caller.Identity
  /** When it ends at the latest. */
  readonly deadline: number
  readonly isConnected: boolean
  /** How long it lasts without a call, in milliseconds. */
  readonly idle: number
  /** When the holder's last call began or ended. */
  lastCall: number
  /** The holder's calls under way. */
  calls: number
  readonly over: Deferred.Deferred<void>
}

/** Returns when and why a lease ends if its holder makes no more calls. */
const endOf = ({ calls, deadline, idle, lastCall }: Held, now: number) => {
  const end = (calls > 0 ? now : lastCall) + idle
  return deadline <= end ? { at: deadline, reason: "expired" as const } : { at: end, reason: "idle" as const }
}

/** The lease of one session. */
export class SessionLease {
  readonly #clock: Clock.Clock
  readonly #scope: Scope.Scope
  /** The rules that apply now. */
  readonly rules: Effect.Effect<ClientRules>
  #log: EventLog | undefined
  #held: Held | undefined

  /** Deadlines are kept in `scope`, that of the manager: the lease of an ended session ends too. */
  constructor(clock: Clock.Clock, scope: Scope.Scope, rules: Effect.Effect<ClientRules>) {
    this.#clock = clock
    this.#scope = scope
    this.rules = rules
  }

  /** Sets the log of the program's run. */
  assign(log: EventLog): void {
    this.#log = log
  }

  /** Returns the lease, after ending one that is due; absent if no actor has it. */
  current(): Lease.Lease | undefined {
    const held = this.#held
    if (held === undefined) return undefined
    const now = MonotonicTime.read(this.#clock)
    const { at, reason } = endOf(held, now)
    if (now >= at) this.#end(held, reason)
    return this.#log?.snapshot.lease
  }

  /** Returns the refusal of a call that does more than read, if another actor has the lease. */
  refusal(actor: Caller.Actor): Errors.LeaseHeld | undefined {
    const lease = this.current()
    if (lease === undefined || lease.holder.id === Caller.id(actor)) return undefined
    const isPerson = Caller.role(actor) === "person"
    return new Errors.LeaseHeld({ ...lease, ...(isPerson ? { remedies: [Hint.call("control.take", {})] } : {}) })
  }

  /** Fails if another actor has the lease. */
  readonly permit: Effect.Effect<void, Errors.LeaseHeld> = Effect.flatMap(Caller.Current, ({ actor }) => {
    const refusal = this.refusal(actor)
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  })

  /** Counts a call of the holder as use of its lease, from its start to its end. */
  during<A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.flatMap(Caller.Current, ({ actor }) => {
      const held = this.current() === undefined ? undefined : this.#held
      if (held === undefined || held.holder.id !== Caller.id(actor)) return call
      const count = (by: number) =>
        Effect.sync(() => {
          held.calls += by
          held.lastCall = MonotonicTime.read(this.#clock)
        })
      return Effect.acquireUseRelease(
        count(1),
        () => call,
        () => count(-1)
      )
    })
  }

  /**
   * Gives the lease to the caller for at most `millis`. A person always gets it, another actor only if it is free. Returns who
   * had it before.
   */
  take(millis: number): Effect.Effect<Caller.Identity | undefined, Errors.LeaseHeld> {
    return Effect.gen({ self: this }, function* () {
      const { actor } = yield* Caller.Current
      const refusal = this.refusal(actor)
      if (refusal !== undefined && Caller.role(actor) !== "person") return yield* refusal
      const isConnected = yield* Connected
      const { idleMillis } = yield* this.rules
      const before = this.#log?.snapshot.lease
      const [now, time] = [MonotonicTime.read(this.#clock), this.#clock.currentTimeMillisUnsafe()]
      const holder = Caller.identity(actor)
      if (this.#held !== undefined) Deferred.doneUnsafe(this.#held.over, Effect.void)
      const isSame = before?.holder.id === holder.id
      const held: Held = {
        holder,
        deadline: now + millis,
        isConnected,
        idle: idleMillis,
        lastCall: now,
        calls: isSame ? (this.#held?.calls ?? 0) : 0,
        over: Deferred.makeUnsafe<void>()
      }
      this.#held = held
      const lease: Lease.Lease = {
        holder,
        since: isSame ? before.since : time,
        idle_s: Math.round(idleMillis / 1000),
        ...(Number.isFinite(millis) ? { until: time + millis } : {})
      }
      const previous = before === undefined || isSame ? undefined : before.holder
      this.#log?.emit(
        { _tag: "LeaseChanged", reason: "taken", lease, ...(previous === undefined ? {} : { previous }) },
        actor
      )
      yield* Effect.forkIn(this.#watch(held), this.#scope)
      return previous
    })
  }

  /** Ends the lease of the caller. Succeeds if no actor has it. Returns who had it before. */
  readonly release: Effect.Effect<Caller.Identity | undefined, Errors.LeaseHeld> = Effect.flatMap(
    Effect.andThen(this.permit, Caller.Current),
    ({ actor }) =>
      Effect.sync(() => {
        const held = this.current() === undefined ? undefined : this.#held
        if (held !== undefined) this.#end(held, "released", actor)
        return held?.holder
      })
  )

  /** Ends the lease if this actor took it over a connection: its last one has closed. */
  disconnected(id: string): void {
    if (this.#held?.isConnected === true && this.#held.holder.id === id) this.#end(this.#held, "disconnected")
  }

  /** Ends the lease if this actor has it and is one of HTTP: its last stream has closed. */
  unobserved(id: string): void {
    const held = this.#held
    if (held?.holder.id === id && (held.holder.kind === "http" || held.holder.kind === "page")) {
      this.#end(held, "disconnected")
    }
  }

  /** Ends the lease with the session. */
  close(): void {
    if (this.#held !== undefined) this.#end(this.#held, "ended")
  }

  #end(held: Held, reason: Lease.Reason, actor?: Caller.Actor): void {
    if (this.#held !== held) return
    this.#held = undefined
    Deferred.doneUnsafe(held.over, Effect.void)
    this.#log?.emit({ _tag: "LeaseChanged", reason, previous: held.holder }, actor)
  }

  /** Ends a lease at its deadline. */
  #watch(held: Held): Effect.Effect<void> {
    const expired = Effect.gen({ self: this }, function* () {
      while (this.#held === held) {
        const now = MonotonicTime.read(this.#clock)
        const { at, reason } = endOf(held, now)
        if (now >= at) return this.#end(held, reason)
        yield* Effect.sleep(Math.min(at - now, held.idle))
      }
    })
    return Effect.raceFirst(expired, Deferred.await(held.over))
  }
}
