/**
 * A refusal that did not reach an operation: by the access rules of a server, or by a person whom the MCP server asked.
 */
import { Caller, SecretShapes } from "@sigtrap/protocol"
import * as Schema from "effect/Schema"
import type * as AuditLine from "./AuditLine.ts"
import type { Pending } from "./AuditRecord.ts"

const short = Schema.String.check(Schema.isMaxLength(200))

/** A refusal. `operation` is a tag, or the request of a server: `POST /v1/raw`. `times` counts equal refusals. */
export const Refusal = Schema.Struct({
  actor: Caller.Actor,
  operation: short,
  code: short,
  rule: short,
  times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
})
/** A refusal. */
export type Refusal = typeof Refusal.Type

/** A refusal on its way into the audit log. */
export class RefusalRecord implements Pending {
  readonly #time: number
  readonly #refusal: Refusal
  readonly outcome = { ok: false }
  readonly isRead = false
  readonly isChatter = false
  readonly key = undefined
  line: number | undefined
  queued = true

  constructor(time: number, refusal: Refusal) {
    this.#time = time
    this.#refusal = refusal
  }

  /** Returns the record with a number. */
  entry(seq: number): AuditLine.Entry {
    const { actor, code, operation, rule, times } = this.#refusal
    const { kind, name } = actor
    return {
      seq,
      time: new Date(this.#time).toISOString(),
      actor: { kind, ...(name === undefined ? {} : { name }) },
      operation: SecretShapes.mask(operation),
      effects: [],
      tier: "none",
      ok: false,
      code,
      refused: true,
      rule,
      ...(times === 1 ? {} : { count: times })
    }
  }
}
