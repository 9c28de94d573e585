/**
 * Effects of operations and of their fields, and the tier that each needs.
 *
 * An operation has a base effect. Each of its fields has an effect of its own: one of `names`, or a rule that derives it from
 * the text (`location`, `message`, …). A call has the base effect and the effects of the fields that are present. Consent,
 * policies and the audit log use `ofCall`; none of them has a list of its own
 * ([decision 15](../../../docs/decisions/0015-effects-of-fields.md)).
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Model from "./internal/Model.ts"
import * as Expression from "./text/Expression.ts"
import * as Location from "./model/Location.ts"

/**
 * The effects. `observe` reads a session, `read-file` a file of the user; `control` runs and stops the program; `eval`
 * evaluates expressions in it; `write-memory` changes it; `write-file` writes files; `launch` starts, attaches to or ends
 * programs; `raw` runs debugger commands, adapter options and command lines, and inserts probes of the kernel; `owner` administers the daemon.
 */
export const names = [
  "observe",
  "read-file",
  "control",
  "eval",
  "write-memory",
  "write-file",
  "launch",
  "raw",
  "owner"
] as const
/** The schema of the name of an effect. */
export interface NameSchema extends Schema.Literals<typeof names> {}

/** The name of an effect. */
export const Name: NameSchema = Schema.Literals(names)
/** The name of an effect. */
export type Name = typeof Name.Type

/** The tiers. A credential has a set of them; they are not ordered. `owner` belongs to no credential. */
export const tiers = ["observe", "control", "evaluate", "write", "admin", "owner"] as const
/** The tier that an effect needs. */
export type Tier = (typeof tiers)[number]

const tierOfEffect = {
  observe: "observe",
  "read-file": "observe",
  control: "control",
  eval: "evaluate",
  "write-memory": "write",
  "write-file": "write",
  launch: "admin",
  raw: "admin",
  owner: "owner"
} as const satisfies { readonly [name in Name]: Tier }

/** Returns the tier that an effect needs. */
export const tierOf = (effect: Name): Tier => tierOfEffect[effect]

/** Returns the strongest tier that effects need; `owner` without effects, so that nothing is allowed by omission. */
export const strongest = (uses: ReadonlyArray<{ readonly effect: Name }>): Tier =>
  tiers[Math.max(...uses.map(({ effect }) => tiers.indexOf(tierOf(effect))))] ?? "owner"

/** Returns the effects that need one of these tiers. */
export const ofTiers = (granted: ReadonlyArray<Tier>): ReadonlyArray<Name> =>
  names.filter((name) => granted.includes(tierOf(name)))

/**
 * The effect of a field: an effect, or the rule that finds the effects in its text.
 *
 * - `location`: `LOCATION [if EXPR] [hits COUNT]`; `*EXPR` and the condition are evaluated later.
 * - `address`: the same without `*`.
 * - `logpoint`: `LOCATION [if EXPR] :: MESSAGE`; a text of another form counts as an expression.
 * - `logged`: `location` or `logpoint`.
 * - `message`: text in which `{EXPR}` is evaluated later.
 * - `watched`: `EXPR [if EXPR]`; the first is read, the second evaluated later.
 * - `operand`: an expression that is evaluated with its side effects.
 * - `read`: an expression that is refused unless it only reads.
 * - `engine`: what records a trace; `uprobe` inserts probes of the kernel.
 */
export type OfField =
  | Name
  | "location"
  | "address"
  | "logpoint"
  | "logged"
  | "message"
  | "watched"
  | "operand"
  | "read"
  | "engine"

/** The effects of fields that have the same meaning in every operation. Other fields are declared by their operation. */
export const common = {
  session: "observe",
  thread: "observe",
  frame: "observe",
  reveal: "observe",
  max_string: "observe",
  timeout: "observe",
  wait: "observe",
  context: "observe",
  lines: "observe",
  start: "observe",
  count: "observe",
  limit: "observe",
  deadline: "observe",
  settings: "observe",
  environment: "observe",
  directory: "observe",
  request_id: "observe"
} as const satisfies { readonly [field: string]: OfField }

/** The effects that an operation declares: one for each field that is not in `common`. */
export type Declared<Fields> = { readonly [F in Exclude<keyof Fields & string, keyof typeof common>]: OfField }

/**
 * One effect of a call. `field` is absent for the effect of the operation itself. `value` is what has the effect: a command,
 * an expression, a path. `source` is where the value comes from, if not from the call: `initCommands of .vscode/launch.json`.
 * `reads` marks an expression that cannot change the program. `destroys` names what is lost: `the session web, which cli
 * began`. `call` is the position of the command of a script that has the effect.
 */
export class Use extends Model.of<Use>()(
  Schema.Struct({
    effect: Name,
    field: Schema.optionalKey(Schema.String),
    value: Schema.optionalKey(Schema.String),
    source: Schema.optionalKey(Schema.String),
    reads: Schema.optionalKey(Schema.Literal(true)),
    destroys: Schema.optionalKey(Schema.String),
    call: Schema.optionalKey(Schema.Int)
  }).annotate({ identifier: "EffectUse" })
) {}

/** The facts of an operation from which the effects of a call are computed. `Operation.Meta` has them. */
export interface Facts {
  /** The effect of the operation itself. */
  readonly effect: Name
  /** The effects of its fields. */
  readonly effects: { readonly [field: string]: OfField }
  /** True if the operation destroys what it acts on. */
  readonly destructive: boolean
}

const evaluated = (expression: string): ReadonlyArray<Use> => [
  { effect: "eval", value: expression, ...(Expression.onlyReads(expression) ? { reads: true } : {}) }
]

/** Numbers, registers and addresses of names, with an offset: no expression of these runs code. */
const plainAddress = /^(?:0x[0-9a-f]+|\d+|\$\w+|&[\p{L}_$][\p{L}\p{N}_$]*)(?:\s*[-+]\s*(?:0x[0-9a-f]+|\d+))*$/iu

const atAddress = (text: string): ReadonlyArray<Use> => {
  const expression = text.replace(/^[*\s]+/, "").trim()
  return plainAddress.test(expression) ? [] : evaluated(expression)
}

const atLocation = (text: string): ReadonlyArray<Use> => {
  const { condition, place } = Location.words(text)
  return [...(place.startsWith("*") ? atAddress(place) : []), ...(condition === undefined ? [] : evaluated(condition))]
}

const inMessage = (text: string): ReadonlyArray<Use> => Expression.inMessage(text).flatMap(evaluated)

const withoutMessage = (rule: OfField, text: string): ReadonlyArray<Use> =>
  rule === "logged" ? atLocation(text) : evaluated(text)

const ofText = (rule: OfField, text: string): ReadonlyArray<Use> => {
  switch (rule) {
    case "location":
      return atLocation(text)
    case "address":
      return atLocation(`*${text}`)
    case "logpoint":
    case "logged": {
      const end = text.indexOf(" :: ")
      return end === -1
        ? withoutMessage(rule, text)
        : [...atLocation(text.slice(0, end)), ...inMessage(text.slice(end + 4))]
    }
    case "message":
      return inMessage(text)
    case "watched": {
      const { condition } = Location.words(text)
      return condition === undefined ? [] : evaluated(condition)
    }
    case "operand":
      return Expression.onlyReads(text) ? [] : [{ effect: "eval", value: text }]
    case "eval":
      return evaluated(text)
    case "engine":
      return text === "uprobe" ? [{ effect: "raw", value: "probes of the kernel" }] : []
    case "read":
    case "observe":
      return []
    default:
      return [{ effect: rule, value: text }]
  }
}

/** True for a value that does nothing: absent, `false`, an empty text, list or object. */
const isAbsent = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === "" ||
  (Array.isArray(value) && value.every(isAbsent)) ||
  (Predicate.isReadonlyObject(value) && !Array.isArray(value) && Object.keys(value).length === 0)

const textOf = (value: unknown): string => (Predicate.isString(value) ? value : JSON.stringify(value))

/** Returns the effects of a value under the rule of its field. A list has those of its items. */
export const ofValue = (rule: OfField, field: string, value: unknown, source?: string): ReadonlyArray<Use> => {
  if (isAbsent(value)) return []
  const items: ReadonlyArray<unknown> = Array.isArray(value) ? value.filter((item) => !isAbsent(item)) : [value]
  const from = source === undefined ? {} : { source }
  return items.flatMap((item) => ofText(rule, textOf(item))).map((use) => ({ ...use, field, ...from }))
}

/** Where the values of fields come from, by field; a field that is not here comes from the call. */
export type Sources = { readonly [field: string]: string }

/**
 * Returns the effects of a call: the base effect first, then those of the fields that are present. A field without a
 * declared effect counts as `owner`, so that nothing is allowed by omission.
 */
export const ofCall = (facts: Facts, payload: unknown, sources: Sources = {}): ReadonlyArray<Use> => {
  const fields = Predicate.isReadonlyObject(payload) ? Object.entries(payload) : []
  const base: Use = {
    effect: facts.effect,
    ...(facts.destructive && facts.effect === "launch" ? { destroys: "what it acts on" } : {})
  }
  return [base, ...fields.flatMap(([field, value]) => ofValue(ruleOf(facts, field), field, value, sources[field]))]
}

const ruleOf = ({ effects }: Facts, field: string): OfField =>
  (Object.hasOwn(effects, field) ? effects[field] : undefined) ?? "owner"

/** Returns the fields that add an effect beyond `observe` to a call of the operation, in any call. */
export const adding = ({ effects }: Facts): ReadonlyArray<string> =>
  Object.entries(effects).flatMap(([field, rule]) =>
    rule === "observe" || rule === "read" || rule === "read-file" ? [] : [field]
  )

/** The parts of a breakpoint that are evaluated or run later. */
export interface BreakpointParts {
  readonly cmd?: ReadonlyArray<string> | null | undefined
  readonly eval?: ReadonlyArray<string> | null | undefined
  readonly condition?: string | null | undefined
  readonly log?: string | null | undefined
  /** The expression of an address, without `*`. */
  readonly address?: string | undefined
}

/** Returns the effects of a breakpoint, whatever set it. */
export const ofBreakpoint = (parts: BreakpointParts, source?: string): ReadonlyArray<Use> => [
  ...ofValue("address", "address", parts.address, source),
  ...ofValue("eval", "condition", parts.condition, source),
  ...ofValue("message", "log", parts.log, source),
  ...ofValue("raw", "cmd", parts.cmd, source),
  ...ofValue("eval", "eval", parts.eval, source)
]
