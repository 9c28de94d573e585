/**
 * Questions about a call: its caller may not have an effect of it, and a person can allow it.
 *
 * The daemon has one queue of them for every surface. A question is about one call, with its operation and its arguments, and
 * about one kind of effect, so that starting a program does not allow debugger commands
 * ([decision 30](../../../docs/decisions/0030-questions-in-the-daemon.md)). In JSON and on the wire it is a `request`.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Caller from "./Caller.ts"
import * as Effects from "../Effects.ts"

/** Time after which the question of a waiting call is denied, in milliseconds; `ask.timeout` changes it. */
export const waitMillis = 60_000

/** The same for a question that the surface of the asker shows in a form. */
export const formMillis = 600_000

/** Time after the last call of a person in which one is thought to be there to answer, in milliseconds. */
export const presentMillis = 600_000

/**
 * An answer: `allow` this call, the same effect for this actor until the session ends (`session`) or until the actor leaves
 * (`client`), or `deny` the call.
 */
export const Verdict = Schema.Literals(["allow", "session", "client", "deny"]).annotate({ identifier: "Verdict" })
/** The answer of a person to a question. */
export type Verdict = typeof Verdict.Type

/** How a question ended: by its answer, because its time was over, or because the asker left. */
export const Outcome = Schema.Literals([...Verdict.literals, "timeout", "left"]).annotate({ identifier: "Outcome" })
/** How a question ended. */
export type Outcome = typeof Outcome.Type

/** An effect that a call lacks, with its tier. */
export class Missing extends Model.of<Missing>()(
  Schema.Struct({ ...Effects.Use.fields, tier: Schema.Literals(Effects.tiers) }).annotate({
    identifier: "MissingEffect"
  })
) {}

/**
 * A question that waits for its answer. `input` has the arguments of the call, masked and cut; `missing` what the caller lacks, with
 * whole values. `function` is that of the frame on which the call acts, as it was when it was asked. `expires` is when it is denied.
 * Times are milliseconds since 1970.
 */
export class Question extends Model.of<Question>()(
  Schema.Struct({
    id: Schema.Int,
    actor: Caller.Identity,
    session: Schema.optionalKey(Schema.String),
    operation: Schema.String,
    input: Schema.Record(Schema.String, Schema.Unknown),
    missing: Schema.Array(Missing),
    tier: Schema.Literals(Effects.tiers),
    adapter: Schema.optionalKey(Schema.String),
    function: Schema.optionalKey(Schema.String),
    created: Schema.Finite,
    expires: Schema.Finite
  }).annotate({ identifier: "ConsentRequest" })
) {}

/** What becomes of a call. `missing` are the effects that its caller may not have. */
export interface Decision {
  readonly decision: "allowed" | "asked" | "refused"
  readonly missing: ReadonlyArray<Effects.Use>
}

/**
 * Decides what becomes of a call with these effects, for every surface. A person is asked only for effects for which the caller
 * may ask, and only if one can answer: in a form of the caller's own, or because `isPersonPresent`.
 */
export const decide = (
  { allowance, asks }: Caller.Caller,
  uses: ReadonlyArray<Effects.Use>,
  isPersonPresent: boolean
): Decision => {
  const missing = Caller.missing(allowance, uses)
  if (missing.length === 0) return { decision: "allowed", missing }
  const mayAsk =
    asks !== undefined && missing.every(({ effect }) => effect !== "owner" && asks.effects.includes(effect))
  return { decision: mayAsk && (asks.form || isPersonPresent) ? "asked" : "refused", missing }
}
