/**
 * What the owner of the daemon did beside operations, such as writing a token, on its way into the audit log.
 */
import { type Caller, SecretShapes } from "@sigtrap/protocol"
import type * as AuditLine from "./AuditLine.ts"
import type { Pending } from "./AuditRecord.ts"

/** An action of the owner. `args` has no secrets. */
export interface Action {
  readonly actor: Caller.Actor
  readonly operation: string
  readonly args: { readonly [name: string]: unknown }
}

/** An action on its way into the audit log. */
export class OwnerRecord implements Pending {
  readonly #time: number
  readonly #action: Action
  readonly outcome = { ok: true }
  readonly isRead = false
  readonly isChatter = false
  readonly key = undefined
  line: number | undefined
  queued = true

  constructor(time: number, action: Action) {
    this.#time = time
    this.#action = action
  }

  /** Returns the record with a number. */
  entry(seq: number): AuditLine.Entry {
    const { actor, args, operation } = this.#action
    const { kind, name } = actor
    return {
      seq,
      time: new Date(this.#time).toISOString(),
      actor: { kind, ...(name === undefined ? {} : { name: SecretShapes.mask(name) }) },
      operation,
      effects: ["owner"],
      tier: "owner",
      args,
      ok: true
    }
  }
}
