/**
 * Rules of the owner for the clients of a manager: which tiers ask a person, how long, and when an idle lease ends.
 *
 * `host` reads them from the user's configuration; nothing that a caller or a project's file says changes them. A rule only takes
 * away: a call that needs a tier of `ask` waits for consent, whatever the credential of its caller allows.
 */
import { Caller, Effects, Field, Lease, Question, Settings } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The kinds of clients that can have a rule. */
const kinds = ["cli", "mcp", "http", "page", "library"] as const satisfies ReadonlyArray<Caller.Kind>

/** The rules. `ask` has the effects for which a person is asked, by kind of client. Times are milliseconds. */
export interface ClientRules {
  readonly ask: { readonly [kind in Caller.Kind]?: ReadonlyArray<Effects.Name> }
  readonly askMillis: number
  readonly idleMillis: number
}

/** The rules without configuration. */
export const standard: ClientRules = { ask: {}, askMillis: Question.waitMillis, idleMillis: Lease.idleMillis }

/** The rules that apply now. */
export const Current = Context.Reference<Effect.Effect<ClientRules>>("@sigtrap/manager/ClientRules", {
  defaultValue: () => Effect.succeed(standard)
})

const millisOf = (values: Settings.Values, key: string, fallback: number): number => {
  const text = Settings.text(values, key)
  return text === undefined ? fallback : Field.millis(text)
}

/** Returns the rules of configured values. */
export const of = (values: Settings.Values): ClientRules => ({
  ask: Object.fromEntries(
    kinds.map((kind) => {
      const words = Settings.list(values, `policy.ask.${kind}`)
      return [kind, Effects.ofTiers(Effects.tiers.filter((tier) => words.includes(tier)))]
    })
  ),
  askMillis: millisOf(values, "ask.timeout", standard.askMillis),
  idleMillis: millisOf(values, "control.idle", standard.idleMillis)
})

/** Returns the caller under the rules. A person at a terminal is asked nothing. */
export const applied = ({ ask }: ClientRules, caller: Caller.Caller): Caller.Caller => {
  const { actor, allowance, asks } = caller
  const ruled = ask[actor.kind] ?? []
  if (ruled.length === 0 || (actor.kind === "cli" && Caller.role(actor) === "person")) return caller
  const isFree = (effect: Effects.Name) => !ruled.includes(effect)
  return {
    ...caller,
    allowance: {
      ...allowance,
      effects: allowance.effects.filter(isFree),
      uses: allowance.uses.filter(({ effect }) => isFree(effect))
    },
    asks: { effects: [...new Set([...(asks?.effects ?? []), ...ruled])], form: asks?.form ?? false }
  }
}
