/**
 * The caller of an operation: who it is, and which effects it may have.
 *
 * The connection to the daemon says who calls; kind and name are the client's claim. A caller of the owner's socket may do
 * everything. A server that calls for others, such as the MCP server, sends with each call what it was allowed to do; it can
 * give effects up, never gain any. The manager compares that with the effects of the call, where the call runs.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Effects from "../Effects.ts"

/** The kinds of clients. */
export const Kind = Schema.Literals(["cli", "mcp", "http", "page", "dap", "library"]).annotate({
  identifier: "ClientKind"
})
/** The kind of a client. */
export type Kind = typeof Kind.Type

/**
 * Who calls. `name` is what the client says of itself, at most 128 characters: `claude-code`. `project` is the directory it
 * works in. `person` is set for a command line whose standard input is a terminal. These are claims: they are shown, and the session
 * that an actor began is its own. They allow nothing else.
 */
export class Actor extends Model.of<Actor>()(
  Schema.Struct({
    kind: Kind,
    name: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(128))),
    project: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(4096))),
    person: Schema.optionalKey(Schema.Literal(true))
  }).annotate({ identifier: "Actor" })
) {}

/** What an actor is: a person, an agent (any other client), the debugger, or the program. */
export const Role = Schema.Literals(["person", "agent", "debugger", "program"]).annotate({ identifier: "Role" })
/** What an actor is. */
export type Role = typeof Role.Type

/** An actor as answers show it. `id` is `kind:name`, or the kind alone: `mcp:claude-code`. */
export class Identity extends Model.of<Identity>()(
  Schema.Struct({ id: Schema.String, kind: Kind, role: Role, name: Schema.optionalKey(Schema.String) }).annotate({
    identifier: "ActorIdentity"
  })
) {}

/**
 * What a caller may do. `effects` are allowed in any call. `destructive` also allows launches that destroy something: that
 * end or replace another caller's session, or erase a simulator. `uses` are single effects that a person accepted. `session` is
 * the only session that the caller may see and act on; absent for all.
 */
export class Allowance extends Model.of<Allowance>()(
  Schema.Struct({
    effects: Schema.Array(Effects.Name),
    destructive: Schema.Boolean,
    uses: Schema.Array(Effects.Use),
    session: Schema.optionalKey(Schema.String)
  })
) {}

/**
 * Whether a person may be asked about calls of the caller, for which effects. With `form` the surface of the caller shows the
 * question itself: the call is refused at once with the numbers of the questions, and repeated with them. Without it the call
 * waits for the answer.
 */
export class Asks extends Model.of<Asks>()(
  Schema.Struct({ effects: Schema.Array(Effects.Name), form: Schema.Boolean })
) {}

/**
 * A caller. `grant` is the id of the token that it was given, if it calls with one. `asks` is absent if no person may be asked.
 * `requests` are the questions that an earlier attempt of the same call asked. `client` tells clients of one server apart that
 * have the same name.
 */
export class Caller extends Model.of<Caller>()(
  Schema.Struct({
    actor: Actor,
    allowance: Allowance,
    grant: Schema.optionalKey(Schema.String),
    asks: Schema.optionalKey(Asks),
    requests: Schema.optionalKey(Schema.Array(Schema.Int)),
    client: Schema.optionalKey(Schema.String)
  })
) {}

/** The allowance of the user who owns the daemon. */
export const everything: Allowance = { effects: Effects.names, destructive: true, uses: [] }

/** The caller of the running operation. In a process without connections it is the program itself. */
export const Current = Context.Reference<Caller>("@sigtrap/protocol/Caller", {
  defaultValue: () => ({ actor: { kind: "library" }, allowance: everything })
})

/** Notes effects of the running operation that come from files; the audit log sets it. */
export const Witness = Context.Reference<(uses: ReadonlyArray<Effects.Use>) => void>(
  "@sigtrap/protocol/Caller/Witness",
  {
    defaultValue: () => () => undefined
  }
)

/** True if two actors are the same: kind, name and project. */
export const same = (a: Actor, b: Actor): boolean => a.kind === b.kind && a.name === b.name && a.project === b.project

/** Returns the id of an actor, `kind:name` or the kind alone. Actors with the same id share what they have seen of a session. */
export const id = ({ kind, name }: Pick<Actor, "kind" | "name">): string =>
  name === undefined ? kind : `${kind}:${name}`

/** Returns the role of a client: a person in the page or at a terminal, else an agent. */
export const role = ({ kind, person }: Actor): Role => (kind === "page" || person === true ? "person" : "agent")

/** Returns an actor as answers show it. */
export const identity = (actor: Actor): Identity => ({
  id: id(actor),
  kind: actor.kind,
  role: role(actor),
  ...(actor.name === undefined ? {} : { name: actor.name })
})

/** Returns an actor as text: `mcp claude-code`. */
export const describe = ({ kind, name }: Actor): string => (name === undefined ? kind : `${kind} ${name}`)

/** True if two effects are the same, of the same command. */
export const sameUse = (a: Effects.Use, b: Effects.Use): boolean =>
  a.call === b.call &&
  a.effect === b.effect &&
  a.field === b.field &&
  a.value === b.value &&
  a.source === b.source &&
  a.destroys === b.destroys

/** True if the caller may have this effect. */
export const allows = ({ destructive, effects, uses }: Allowance, use: Effects.Use): boolean =>
  (effects.includes(use.effect) && (use.effect !== "launch" || use.destroys === undefined || destructive)) ||
  uses.some((accepted) => sameUse(accepted, use))

/** Returns the effects of a call that the caller may not have. */
export const missing = (allowance: Allowance, uses: ReadonlyArray<Effects.Use>): ReadonlyArray<Effects.Use> =>
  uses.filter((use) => !allows(allowance, use))
