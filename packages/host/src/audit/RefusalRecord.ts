/**
 * A refusal that did not reach an operation: by the access rules of a server, or by a person whom the MCP server asked.
 */
import { Caller, SecretShapes } from "@sigtrap/protocol"
import * as Schema from "effect/Schema"
import * as AuditRecord from "./AuditRecord.ts"

const short = Schema.String.check(Schema.isMaxLength(200))

/** A refusal. `operation` is a tag, or the request of a server: `POST /v1/raw`. `times` counts equal refusals. */
export const Refusal = Schema.Struct({
  actor: Caller.Actor,
  operation: short,
  code: short,
  rule: short,
  times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
})
/** A request that an HTTP server refused, with the rule that refused it. */
export type Refusal = typeof Refusal.Type

/** Returns the record of a refusal. */
export const make = (time: number, refusal: Refusal): AuditRecord.Pending => {
  const { actor, code, operation, rule, times } = refusal
  const { kind, name } = actor
  return AuditRecord.ended(false, (seq) => ({
    seq,
    time: new Date(time).toISOString(),
    actor: { kind, ...(name === undefined ? {} : { name }) },
    operation: SecretShapes.mask(operation),
    effects: [],
    tier: "none",
    ok: false,
    code,
    refused: true,
    rule,
    ...(times === 1 ? {} : { count: times })
  }))
}
