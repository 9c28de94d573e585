/**
 * The queue of calls that wait until a person allows them, and the answers that hold for longer than one call.
 *
 * A call of a terminal or of a program waits in `ask` for its answers. A call whose surface shows a form is refused with the numbers
 * of its questions and repeated with them: `take` hands out what was allowed, once, to the same call of the same actor. A
 * question ends with its answer, with its time, and with its asker. The queue is bounded by count and by size.
 * Fibers: one for each question of a form ends it at its time (ends with the question, or with the manager).
 */
import { Caller, Effects, Errors, Hint, MonotonicTime, type Operation, Question } from "@sigtrap/protocol"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as CallArguments from "../../model/permissions/CallArguments.ts"
import type { ClientRules } from "../../model/permissions/ClientRules.ts"
import * as AllowedSession from "../../model/permissions/AllowedSession.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import { PersonPresence } from "./PersonPresence.ts"
import * as RememberedConsent from "./RememberedConsent.ts"
import type { Session } from "../Session.ts"

/** The lasting connection of the running call. Absent in a process without connections. */
export const Connection = Context.Reference<string | undefined>("@sigtrap/manager/Questions/Connection", {
  defaultValue: () => undefined
})

/** Most questions at a time, in all and of one actor. */
const most = { all: 32, ofActor: 8 } as const

/** Most characters of the calls that are kept to be compared with their repetition, in all. */
const mostText = 4 * 1024 * 1024

/** Most effects in one question, and most characters of a value in it. */
const longest = { effects: 64, value: 2000 } as const

/** Most ends of questions that observers can still read. */
const mostEnded = 64

/** A call that asks. `session` is the one on which it acts, `function` that of the frame on which it acts. */
export interface Asking {
  readonly operation: Operation.Any
  readonly payload: unknown
  readonly session: Session | undefined
  readonly function?: string
}

/** Failures of an answer. */
export type AnswerFailure = Errors.RequestNotFound | Errors.Permission | Errors.TierRequired | Errors.Usage

/** How a question ended; `by` is who answered. */
interface End {
  readonly outcome: Question.Outcome
  readonly by?: Caller.Identity | undefined
}

/** A question with what belongs to it. */
interface Pending {
  readonly question: Question.Question
  readonly asker: Caller.Actor
  /** The effects that are asked for. */
  readonly uses: ReadonlyArray<Effects.Use>
  /** What was accepted for the same call before. */
  readonly before: ReadonlyArray<Effects.Use>
  readonly session: Session | undefined
  /** The operation and the payload as text, for a question that is shown in a form. */
  readonly call: string | undefined
  readonly client: RememberedConsent.Client
  readonly deadline: number
  readonly ended: Deferred.Deferred<End>
  end?: End
}

/** A question that began or ended, for observers. */
export interface Change {
  readonly question: Question.Question
  readonly end?: End
}

const textOf = ({ operation, payload }: Asking): string => JSON.stringify([operation._tag, payload])

const cut = (value: string): string =>
  value.length > longest.value
    ? `${value.slice(0, longest.value)}… (${value.length - longest.value} more characters)`
    : value

/** Groups effects by kind: each is asked for apart. */
const groupsOf = (missing: Errors.TierRequired["missing"]) =>
  Effects.names.flatMap((name) => {
    const group = missing.filter(({ effect }) => effect === name)
    return group.length === 0 ? [] : [group]
  })

const useOf = ({ tier: _, ...use }: Question.Missing): Effects.Use => use

const people = (why: string) =>
  new Errors.Permission({
    detail: why,
    remedies: [Hint.remedy("a person answers it, at a terminal of this user or in the page")]
  })

/** The questions of one manager. */
export class Questions {
  readonly #clock: Clock.Clock
  readonly #scope: Scope.Scope
  /** The rules that apply now. */
  readonly rules: Effect.Effect<ClientRules>
  readonly #pending = new Map<number, Pending>()
  readonly #remembered = new RememberedConsent.RememberedConsent()
  /** The persons who can answer. */
  readonly presence: PersonPresence
  readonly #wakes = new Set<() => void>()
  readonly #changes: Array<Change> = []
  #dropped = 0
  #last = 0

  /** The questions of forms end at their time in `scope`, that of the manager. */
  constructor(clock: Clock.Clock, scope: Scope.Scope, rules: Effect.Effect<ClientRules>) {
    this.#clock = clock
    this.#scope = scope
    this.rules = rules
    this.presence = new PersonPresence(clock)
  }

  /** The questions without an answer that the caller may see, the oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Question.Question>> = Effect.map(AllowedSession.onlySession, (only) =>
    this.#open().flatMap(({ question, session }) => (only === undefined || session?.name === only ? [question] : []))
  )

  /** The number of the next change. */
  get next(): number {
    return this.#dropped + this.#changes.length
  }

  /** Returns the changes from a number on, the oldest that is kept first. */
  changesSince(number: number): ReadonlyArray<Change> {
    return this.#changes.slice(Math.max(0, number - this.#dropped))
  }

  /** Calls `wake` once, at the next change. Returns a function that ends that. */
  onChange(wake: () => void): () => void {
    this.#wakes.add(wake)
    return () => this.#wakes.delete(wake)
  }

  /**
   * Returns the effects that were accepted for this call in answers to the questions which an earlier attempt asked. Waits for
   * those that have no answer yet. An answer is handed out once.
   */
  take(caller: Caller.Caller, asking: Asking): Effect.Effect<ReadonlyArray<Effects.Use>, Errors.ConsentDenied> {
    const { actor, requests = [] } = caller
    const call = requests.length === 0 ? undefined : textOf(asking)
    const own = requests.flatMap((id) => {
      const pending = this.#pending.get(id)
      return pending?.call !== undefined && pending.call === call && Caller.same(pending.asker, actor) ? [pending] : []
    })
    return Effect.forEach(own, (pending) =>
      Effect.as(this.#verdict(pending), [...pending.before, ...pending.uses])
    ).pipe(
      Effect.map((uses) => uses.flat()),
      Effect.ensuring(Effect.sync(() => own.forEach((pending) => this.#drop(pending))))
    )
  }

  /**
   * Asks for the effects that a call lacks, each kind in a question of its own. Returns them once all are allowed. Fails with the
   * refusal if no person can be asked, or if the surface of the caller shows the questions.
   */
  ask(
    asking: Asking,
    refusal: Errors.TierRequired,
    accepted: ReadonlyArray<Effects.Use>
  ): Effect.Effect<ReadonlyArray<Effects.Use>, Errors.TierRequired | Errors.ConsentDenied> {
    return Effect.gen({ self: this }, function* () {
      const caller = yield* Caller.Current
      const client = RememberedConsent.clientOf(caller, yield* Connection)
      const remembered = this.#remembered.effects(client, asking.session)
      const missing = refusal.missing.filter(
        ({ destroys, effect }) => destroys !== undefined || !remembered.has(effect)
      )
      const { decision } = Question.decide(caller, missing.map(useOf), this.presence.isPresent)
      if (decision === "allowed" || missing.length === 0) return refusal.missing.map(useOf)
      if (decision === "refused") return yield* this.#refused(refusal, caller)
      const before = [...accepted, ...refusal.missing.filter((use) => !missing.includes(use)).map(useOf)]
      const groups = groupsOf(missing)
      const problem = this.#full(caller.actor, groups, asking, caller.asks?.form === true)
      if (problem !== undefined) return yield* new Errors.TierRequired({ ...refusal, why: problem })
      if (caller.asks?.form === true) {
        const requests = groups.map((group) => this.#add(asking, group, before, client))
        yield* Effect.forEach(requests, (pending) => Effect.forkIn(this.#watch(pending), this.#scope), {
          discard: true
        })
        return yield* new Errors.TierRequired({
          ...refusal,
          missing,
          requests: requests.map(({ question }) => question.id)
        })
      }
      for (const group of groups) {
        const { askMillis } = yield* this.rules
        const pending = this.#add(asking, group, before, client, askMillis)
        yield* this.#verdict(pending).pipe(Effect.ensuring(Effect.sync(() => this.#drop(pending))))
      }
      return refusal.missing.map(useOf)
    })
  }

  /** Answers a question as the caller. */
  answer(
    id: number,
    answer: Question.Verdict
  ): Effect.Effect<
    { readonly request: Question.Question; readonly answer: Question.Verdict; readonly by: Caller.Identity },
    AnswerFailure
  > {
    return Effect.gen({ self: this }, function* () {
      const { actor, allowance } = yield* Caller.Current
      const visible = yield* this.list
      const pending = this.#pending.get(id)
      if (pending === undefined || !visible.includes(pending.question)) {
        return yield* new Errors.RequestNotFound({ id, known: visible.map((one) => one.id) })
      }
      const { asker, question, session, uses } = pending
      if (Caller.role(actor) !== "person")
        return yield* people("only a person can answer a request, and an agent cannot")
      const isForm = actor.kind === "mcp"
      if (isForm ? Caller.id(actor) !== Caller.id(asker) : Caller.id(actor) === Caller.id(asker)) {
        return yield* people(
          isForm ? "a form answers only the requests of its own client" : "no client answers its own request"
        )
      }
      const missing = Caller.missing(allowance, uses).map((use) => ({ ...use, tier: Effects.tierOf(use.effect) }))
      if (answer !== "deny" && missing.length > 0) {
        return yield* new Errors.TierRequired({ operation: "ask.answer", missing, who: "the owner of the daemon" })
      }
      if (answer === "session" && session === undefined) {
        return yield* new Errors.Usage({
          problem: `request ${id} is about no session; answer allow, client or deny`,
          near: [],
          remedies: [Hint.again("ask.answer", { answer: "client" })]
        })
      }
      const by = Caller.identity(actor)
      this.#remember(pending, answer)
      this.#end(pending, { outcome: answer, by })
      return { request: question, answer, by }
    })
  }

  /** Ends the questions of a connection that has closed, and what its clients were allowed until they leave. */
  left(connection: string): void {
    for (const pending of this.#pending.values()) if (pending.client.connection === connection) this.#drop(pending)
    this.#remembered.left(connection)
  }

  #open(): ReadonlyArray<Pending> {
    return [...this.#pending.values()].filter(({ end }) => end === undefined)
  }

  /** Remembers an answer that holds for longer than its call. What destroys something is allowed once. */
  #remember({ client, session, uses }: Pending, answer: Question.Verdict): void {
    const effect = uses[0]?.effect
    if (effect === undefined || uses.some(({ destroys }) => destroys !== undefined)) return
    if (answer === "session" && session !== undefined) this.#remembered.untilSessionEnds(client, session, effect)
    if (answer === "client") this.#remembered.untilClientLeaves(client, effect)
  }

  /** Returns the refusal of a call about which no person can be asked. */
  #refused(refusal: Errors.TierRequired, { asks }: Caller.Caller): Errors.TierRequired {
    const isAskable =
      asks !== undefined && refusal.missing.every(({ effect }) => effect !== "owner" && asks.effects.includes(effect))
    return !isAskable
      ? refusal
      : new Errors.TierRequired({
          ...refusal,
          why: "no person is there to ask",
          who: refusal.who ?? "a person at a terminal of the daemon's owner",
          remedies: [
            Hint.remedy("repeat the call when a person at a terminal can allow it"),
            ...(refusal.remedies ?? [])
          ]
        })
  }

  /** Returns why no more questions fit, if so. */
  #full(actor: Caller.Actor, groups: ReturnType<typeof groupsOf>, asking: Asking, isForm: boolean): string | undefined {
    const all = [...this.#pending.values()]
    const own = all.filter(({ asker }) => Caller.id(asker) === Caller.id(actor))
    const room = Math.min(most.all - all.length, most.ofActor - own.length)
    // A call that waits has one question at a time.
    if (room < (isForm ? groups.length : 1)) return "too many requests wait for consent"
    if (groups.some((group) => group.length > longest.effects))
      return "the call needs more effects than one request can list"
    if (!isForm) return undefined
    const size = all.reduce((sum, { call = "" }) => sum + call.length, 0)
    return size + groups.length * textOf(asking).length > mostText ? "the call is too large to ask about" : undefined
  }

  /** Adds a question of a call that waits for `waits` milliseconds, or of one whose surface shows a form. */
  #add(
    asking: Asking,
    group: ReadonlyArray<Question.Missing>,
    before: ReadonlyArray<Effects.Use>,
    client: RememberedConsent.Client,
    waits?: number
  ): Pending {
    const { operation, payload, session } = asking
    const secrets = session?.secrets ?? Secrets.make(undefined)
    const life = waits ?? Question.formMillis
    const created = this.#clock.currentTimeMillisUnsafe()
    const adapter = session?.adapter()?.name
    const question: Question.Question = {
      id: (this.#last += 1),
      actor: Caller.identity(client.actor),
      ...(session === undefined ? {} : { session: session.name }),
      operation: operation._tag,
      input: Commands.withoutDefaults(operation, CallArguments.of(operation._tag, payload, CallArguments.ofQuestion)),
      missing: group.map((use) => ({
        ...use,
        ...(use.value === undefined ? {} : { value: secrets.inText(cut(use.value)) })
      })),
      tier: Effects.strongest(group),
      ...(adapter === undefined ? {} : { adapter }),
      ...(asking.function === undefined ? {} : { function: asking.function }),
      created,
      expires: created + life
    }
    const pending: Pending = {
      question,
      asker: client.actor,
      uses: group.map(useOf),
      before,
      session,
      call: waits === undefined ? textOf(asking) : undefined,
      client,
      deadline: MonotonicTime.read(this.#clock) + life,
      ended: Deferred.makeUnsafe<End>()
    }
    this.#pending.set(question.id, pending)
    this.#changed({ question })
    return pending
  }

  /** Waits for the answer to a question until its time is over. Fails unless it is allowed. */
  #verdict(pending: Pending): Effect.Effect<void, Errors.ConsentDenied> {
    const left = Math.max(0, pending.deadline - MonotonicTime.read(this.#clock))
    return Effect.flatMap(Effect.timeoutOption(Deferred.await(pending.ended), left), (end) => {
      const { by, outcome } = Option.getOrElse(end, (): End => ({ outcome: "timeout" }))
      this.#end(pending, { outcome, by })
      const { id, operation } = pending.question
      return outcome === "allow" || outcome === "session" || outcome === "client"
        ? Effect.void
        : Effect.fail(new Errors.ConsentDenied({ operation, request: id, by: by ?? "timeout" }))
    })
  }

  /** Ends a question of a form at its time, and its answer if the call was not repeated. */
  #watch(pending: Pending): Effect.Effect<void> {
    const left = Math.max(0, pending.deadline - MonotonicTime.read(this.#clock))
    return Effect.andThen(
      Effect.sleep(left),
      Effect.sync(() => {
        this.#end(pending, { outcome: "timeout" })
        this.#drop(pending)
      })
    )
  }

  #end(pending: Pending, end: End): void {
    if (pending.end !== undefined) return
    pending.end = end
    Deferred.doneUnsafe(pending.ended, Effect.succeed(end))
    this.#changed({ question: pending.question, end })
  }

  /** Removes a question. One without an answer ends, because its asker has left. */
  #drop(pending: Pending): void {
    this.#end(pending, { outcome: "left" })
    this.#pending.delete(pending.question.id)
  }

  #changed(change: Change): void {
    this.#changes.push(change)
    if (this.#changes.length > mostEnded) {
      this.#changes.shift()
      this.#dropped++
    }
    const waiting = [...this.#wakes]
    this.#wakes.clear()
    for (const wake of waiting) wake()
  }
}
