/**
 * A call on its way into the audit log. Only references are taken while it runs; its line is computed with the batch.
 */
import { CallArguments } from "@sigtrap/manager"
import { type Caller, Effects, Errors, Operation } from "@sigtrap/protocol"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as AuditLine from "./AuditLine.ts"

/** How a call ended. */
export interface Outcome {
  readonly ok: boolean
  readonly session?: string | undefined
  readonly code?: string
  /** Present if a rule refused the call. */
  readonly rule?: string
  readonly refused?: true
}

/** A record on its way into the audit log: of a call, a refusal, or an action of the owner. */
export interface Pending {
  /** How the call ended; undefined while it runs. */
  readonly outcome: { readonly ok: boolean } | undefined
  /** True for a read, of which a running one needs no record. */
  readonly isRead: boolean
  /** True if the log leaves the record out. */
  readonly isChatter: boolean
  /** What equal reads have in common; undefined for a record of its own. */
  readonly key: string | undefined
  /** The number of the line that was written while the call ran. */
  line: number | undefined
  /** True while the record is in the queue. */
  queued: boolean
  /** Returns the record with a number. `count` equal reads become one. */
  readonly entry: (seq: number, count: number) => AuditLine.Entry
}

/** Returns the record of something that has ended and takes no time. */
export const ended = (ok: boolean, entry: Pending["entry"]): Pending => ({
  outcome: { ok },
  isRead: false,
  isChatter: false,
  key: undefined,
  line: undefined,
  queued: true,
  entry
})

/** Operations that only read the state of the daemon. They are recorded if they are refused. */
const chatter: ReadonlySet<string> = new Set(["status", "sessions"])

const stringField = (error: object, name: string): string | undefined => {
  const value: unknown = Reflect.get(error, name)
  return Predicate.isString(value) ? value : undefined
}

/** Errors with which a rule refuses a call. */
const refusals: ReadonlySet<string> = new Set(["TierRequired", "LeaseHeld", "Policy", "Permission"])

/** Returns the outcome of an error. */
const failed = (error: Errors.SigtrapError): Outcome => {
  const refusedBy = stringField(error, "refused")
  const rule = stringField(error, "rule") ?? (refusedBy === "absent" ? undefined : refusedBy)
  return {
    ok: false,
    session: error.session,
    code: Errors.meta(error).code,
    ...(rule === undefined ? {} : { rule }),
    ...(rule !== undefined || refusals.has(error._tag) ? { refused: true } : {})
  }
}

/** A call that was accepted or refused. */
export class AuditRecord implements Pending {
  readonly #time: number
  readonly #actor: Caller.Actor
  readonly #operation: Operation.Any
  readonly #payload: unknown
  readonly #uses: Array<Effects.Use> = []
  #facts: { readonly effects: ReadonlyArray<Effects.Name>; readonly tier: Effects.Tier } | undefined
  /** How it ended; undefined while it runs. */
  outcome: Outcome | undefined
  /** The number of the line that was written while it ran. */
  line: number | undefined
  /** True while it is in the queue. */
  queued = true

  constructor(time: number, actor: Caller.Actor, operation: Operation.Any, payload: unknown) {
    this.#time = time
    this.#actor = actor
    this.#operation = operation
    this.#payload = payload
  }

  /** Notes effects of the call that come from files. */
  readonly witness = (uses: ReadonlyArray<Effects.Use>): void => {
    this.#uses.push(...uses)
    this.#facts = undefined
  }

  /** Notes how the call ended. */
  end(exit: Exit.Exit<{ readonly session?: string | undefined }, Errors.SigtrapError>): void {
    if (Exit.isSuccess(exit)) {
      this.outcome = { ok: true, session: exit.value.session }
      return
    }
    const error = Cause.findError(exit.cause)
    if (Result.isSuccess(error)) {
      if (error.success._tag === "TierRequired") this.witness(error.success.missing)
      this.outcome = failed(error.success)
    } else this.outcome = { ok: false, code: Cause.hasInterrupts(exit.cause) ? "INTERRUPTED" : "INTERNAL" }
  }

  /** The effects of the call, and the tier of the strongest. */
  get facts() {
    const all = [...Effects.ofCall(Operation.meta(this.#operation), this.#payload), ...this.#uses]
    this.#facts ??= {
      effects: [...new Set(all.map(({ effect }) => effect))],
      tier: Effects.strongest(all)
    }
    return this.#facts
  }

  /** True for a read, of which a running one needs no record. */
  get isRead(): boolean {
    return this.facts.tier === "observe"
  }

  /** True if the log leaves the record out. */
  get isChatter(): boolean {
    return this.outcome?.ok === true && chatter.has(this.#operation._tag)
  }

  /** What equal reads have in common; undefined for a call with a record of its own. */
  get key(): string | undefined {
    if (this.outcome?.ok !== true || !this.isRead) return undefined
    const { kind, name } = this.#actor
    return [kind, name, this.outcome.session, this.#operation._tag].join("\n")
  }

  /** Returns the record with a number. */
  entry(seq: number, count: number): AuditLine.Entry {
    const { kind, name } = this.#actor
    const payload = this.#payload
    const field = (which: string) => (Predicate.isReadonlyObject(payload) ? stringField(payload, which) : undefined)
    const session = this.outcome?.session ?? field("session")
    const id = field("request_id")
    const { outcome } = this
    // The commands of a script have records of their own.
    const args =
      count > 1 || Operation.meta(this.#operation).composite ? {} : CallArguments.of(this.#operation._tag, payload)
    return {
      seq,
      time: new Date(this.#time).toISOString(),
      actor: { kind, ...(name === undefined ? {} : { name }) },
      ...(session === undefined ? {} : { session: session.slice(0, 200) }),
      operation: this.#operation._tag,
      ...this.facts,
      ...(Object.keys(args).length === 0 ? {} : { args }),
      ...(outcome === undefined ? {} : { ok: outcome.ok }),
      ...(outcome?.code === undefined ? {} : { code: outcome.code }),
      ...(outcome?.refused === undefined ? {} : { refused: outcome.refused }),
      ...(outcome?.rule === undefined ? {} : { rule: outcome.rule }),
      ...(id === undefined ? {} : { request_id: id.slice(0, 200) }),
      ...(this.line === undefined ? {} : { call: this.line }),
      ...(count > 1 ? { count } : {})
    }
  }
}
