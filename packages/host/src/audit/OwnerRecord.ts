/**
 * What the owner of the daemon did beside operations, such as writing a token, on its way into the audit log.
 */
import { type Caller, SecretShapes } from "@sigtrap/protocol"
import * as AuditRecord from "./AuditRecord.ts"

/** An action of the owner. `args` has no secrets. */
export interface Action {
  readonly actor: Caller.Actor
  readonly operation: string
  readonly args: { readonly [name: string]: unknown }
}

/** Returns the record of an action. */
export const make = (time: number, { actor: { kind, name }, args, operation }: Action): AuditRecord.Pending =>
  AuditRecord.ended(true, (seq) => ({
    seq,
    time: new Date(time).toISOString(),
    actor: { kind, ...(name === undefined ? {} : { name: SecretShapes.mask(name) }) },
    operation,
    effects: ["owner"],
    tier: "owner",
    args,
    ok: true
  }))
