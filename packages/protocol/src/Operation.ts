/**
 * Definition of an operation: an Effect `Rpc` with its facts in one annotation.
 *
 * Clients send the Rpc to the daemon. Command line, MCP tool, HTTP endpoint, reference page and completions are computed from
 * it, so no surface repeats a field, a description or an error. The tag is the words of the command joined by
 * dots: `start`, `breakpoint.list`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Rpc from "effect/rpc/Rpc"
import * as Answer from "./answers/Answer.ts"
import * as Effects from "./Effects.ts"
import * as Errors from "./Errors.ts"
import * as FieldFacts from "./FieldFacts.ts"

/** A realistic call. `title` is what it achieves, `input` the payload as a caller writes it. */
export interface Example {
  readonly title: string
  readonly input: { readonly [field: string]: unknown }
}

/**
 * What an operation does to the execution of the program: `start` creates a session, `restart` and `resume` run a program
 * that a session has, `pause` stops it, `wait` only waits for its next stop. Each of these answers with a stop report.
 */
export type Execution = "start" | "restart" | "resume" | "pause" | "wait" | "none"

/**
 * How often debugging sessions use an operation, from most to least often. `basic` is enough for most sessions. `everyday`
 * also belongs in a short list of tools. `common` is not listed there but may be called by its name. `occasional` is
 * listed only where all listed operations are of tier `observe`.
 */
export type Frequency = "basic" | "everyday" | "common" | "occasional" | "rare"

/** The kinds of names that a command line completes. */
export type Completion = "sessions" | "breakpoints" | "files" | "expressions" | "locations"

/** The facts about an operation that surfaces use besides its schemas. */
export interface Meta {
  /** One imperative line without a full stop. */
  readonly summary: string
  /** What it does, what it returns, when to prefer another operation. */
  readonly description: string
  /** Its description in a list of tools for agents: what to know before the first call. */
  readonly tool: string
  /** The effect of the operation itself; a field can add others. */
  readonly effect: Effects.Name
  /** The tier of `effect`. */
  readonly tier: Effects.Tier
  /** The effect of each field. */
  readonly effects: { readonly [field: string]: Effects.OfField }
  readonly execution: Execution
  /** True if the answer is a stop report that the caller may wait for: every `execution` but `none`. */
  readonly resumes: boolean
  /** True if a stopped program stays stopped when the caller is interrupted before the answer arrives. */
  readonly leavesStopped: boolean
  /** True if it runs a program of its own, which ends with a call that is cancelled. */
  readonly ownProgram: boolean
  /** True if it sets breakpoints, watchpoints or catchpoints, so that it is called before the program runs. */
  readonly setsBreakpoints: boolean
  /** The group in which long lists show it: the first word of its tag, unless it belongs to another operation's group. */
  readonly family: string
  readonly frequency: Frequency
  /** The fields that a short list of tools shows. Empty unless the operation is `basic` or `everyday`. */
  readonly everyday: ReadonlyArray<string>
  /** The optional fields that a short list of tools shows as required: each call needs them or a field that is not shown. */
  readonly toolRequired: ReadonlyArray<string>
  /** True if a call can destroy what it acts on. Ending or restarting one's own session is not meant. */
  readonly destructive: boolean
  /** True if it ends or restarts sessions: allowed with `control` to the caller that began them, to others with `launch`. */
  readonly endsSession: boolean
  /** True if it is allowed while another actor has the control lease of the session. */
  readonly ignoresLease: boolean
  /** True if only people make calls of it, so that no list of tools names it. */
  readonly forPeople: boolean
  /** True if it acts on the sessions that it names, or lists them, so that a caller that is confined to one session may call it. */
  readonly ofSession: boolean
  /** True if its handler reads files whose values have effects, and permits the call only after that. */
  readonly readsEffects: boolean
  /** True if it calls other operations. Each of them is permitted and recorded as if it were called alone. */
  readonly composite: boolean
  /** What an empty line after it does at a prompt: the same again, the same without arguments, or nothing. */
  readonly repeats: "same" | "bare" | "no"
  /** The setting that gives a field its default, by field. */
  readonly settings: { readonly [field: string]: string }
  /** The word for a field's value in usage lines, such as `FILE`, by field. */
  readonly placeholders: { readonly [field: string]: string }
  /** The values of options that are written without one, by field. */
  readonly bare: { readonly [field: string]: string }
  /** Payload fields whose texts may have NUL characters: data for the program. */
  readonly bytes: ReadonlyArray<string>
  /** Payload fields that a command line takes without a flag, in order; the last one may be a list. */
  readonly positional: ReadonlyArray<string>
  /** The positional field that takes all remaining words, joined by spaces. */
  readonly sentence?: string
  /** True if the words of `sentence` are a command of another program, so options in them are not read. */
  readonly verbatim: boolean
  /** The kind of names that its positional fields take. Absent: no kind that can be completed. */
  readonly completes?: Completion
  /** The field that takes the words after `--`. */
  readonly rest?: string
  /** The field that bounds the text of an answer in bytes. Surfaces that cut answers lower it, so that nothing is copied in vain. */
  readonly budget?: string
  /** The list in the answer that has an entry for each part of the work; a part with an `error` failed, the others did not. */
  readonly parts?: string
  /** Returns the exit code of a call that answers with this data; absent if it is 0. */
  readonly exit?: (data: unknown) => number
  readonly examples: readonly [Example, ...ReadonlyArray<Example>]
  /** The error classes it can answer with, the common ones included. */
  readonly errors: ReadonlyArray<Schema.Top>
}

/** The annotation that holds the `Meta` of an operation. */
export class MetaKey extends Context.Service<MetaKey, Meta>()("@sigtrap/protocol/Operation/Meta") {}

/** Any operation, without its types: an element of `Operations.all`. */
export type Any = Rpc.AnyWithProps

/** Returns the facts about an operation. */
export const meta = (operation: Any): Meta => Context.getUnsafe(operation.annotations, MetaKey)

/** Returns an optional payload field: absent or a value, never `null`. */
export const optional = <S extends Schema.Top>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

/** A payload field with a default. */
export interface Defaulted<
  S extends Schema.Top & Schema.WithoutConstructorDefault
> extends Schema.withDecodingDefaultKey<Schema.withConstructorDefault<S>> {}

/** Returns a payload field with a default, which decoding, constructing and the JSON Schema share. */
export const withDefault = <S extends Schema.Top & Schema.WithoutConstructorDefault & { readonly Rebuild: S }>(
  schema: S,
  value: S["Encoded"] & S["~type.make.in"]
): Defaulted<S> =>
  schema
    .annotate({ default: value })
    .pipe(Schema.withConstructorDefault(Effect.succeed(value)), Schema.withDecodingDefaultKey(Effect.succeed(value)))

/**
 * The fields of every operation. `directory` is the caller's: relative paths start there, and it selects among several
 * sessions. A `request_id` makes a retry after a lost answer safe.
 */
export const shared = {
  directory: optional(
    Schema.String.annotate({ description: "Base directory of relative paths", ...FieldFacts.placeholder("DIR") })
  ),
  request_id: optional(
    Schema.String.check(
      Schema.isPattern(/^[\x21-\x7e]{1,128}$/, { message: "Write a request id with at most 128 visible characters" })
    ).annotate({ description: "Repeating an id within 10 minutes repeats the answer", ...FieldFacts.placeholder("ID") })
  )
}

/** The options of `make`. A fact that is left out has the default that `Meta` describes. */
export interface Options<
  Fields extends Schema.Struct.Fields,
  Data extends Schema.Top,
  Failures extends ReadonlyArray<Schema.Top>
> {
  readonly summary: string
  readonly description: string
  /** Default: the summary. */
  readonly tool?: string
  readonly effect: Effects.Name
  /** The effect of each field; those of `Effects.common` are known. */
  readonly effects: Effects.Declared<Fields>
  /** Default: `none`. */
  readonly execution?: Execution
  /** Default: true if `execution` is `none`. */
  readonly leavesStopped?: boolean
  readonly setsBreakpoints?: boolean
  /** Default: the first word of the tag. */
  readonly family?: string
  /** Default: `rare`. */
  readonly frequency?: Frequency
  readonly everyday?: ReadonlyArray<keyof Fields & string>
  readonly toolRequired?: ReadonlyArray<keyof Fields & string>
  /** Default: true for the effects `eval`, `write-memory`, `write-file`, `launch` and `raw`. */
  readonly destructive?: boolean
  readonly endsSession?: boolean
  readonly ignoresLease?: boolean
  readonly forPeople?: boolean
  /** Default: true if the payload has the field `session`. */
  readonly ofSession?: boolean
  readonly readsEffects?: boolean
  readonly composite?: boolean
  readonly ownProgram?: boolean
  /** Default: `no`. */
  readonly repeats?: Meta["repeats"]
  readonly payload: Fields
  readonly bytes?: ReadonlyArray<keyof Fields & string>
  readonly positional?: ReadonlyArray<keyof Fields & string>
  readonly sentence?: keyof Fields & string
  readonly verbatim?: boolean
  readonly completes?: Completion
  readonly rest?: keyof Fields & string
  readonly budget?: keyof Fields & string
  readonly parts?: keyof Data["Type"] & string
  readonly exit?: (data: Data["Type"]) => number
  readonly data: Data
  readonly errors: Failures
  readonly examples: readonly [Example, ...ReadonlyArray<Example>]
}

/** The payload of an operation: its own fields, and those that every operation has. */
export interface PayloadSchema<Fields extends Schema.Struct.Fields> extends Schema.Struct<Fields & typeof shared> {}

/** The errors of an operation: its own, and those that every operation has. */
export interface ErrorSchema<Failures extends ReadonlyArray<Schema.Top>> extends Schema.Union<
  ReadonlyArray<AnyFailure<Failures>>
> {}

type AnyFailure<Failures extends ReadonlyArray<Schema.Top>> =
  | Failures[number]
  | (typeof Errors.common)[number]
  | (typeof Errors.limits)[number]

/** An operation. The types have names so that declarations do not repeat them. */
export interface Definition<
  Tag extends string,
  Fields extends Schema.Struct.Fields,
  Data extends Schema.Top,
  Failures extends ReadonlyArray<Schema.Top>
> extends Rpc.Rpc<Tag, PayloadSchema<Fields>, Answer.Of<Data>, ErrorSchema<Failures>> {}

/** Returns the exit code of data that a surface has without its type. */
const exitOf = <Data extends Schema.Top>(schema: Data, exit: (data: Data["Type"]) => number) => {
  const is = Schema.is(schema)
  return (data: unknown): number => (is(data) ? exit(data) : 0)
}

/** Returns the facts of an operation, with the defaults of those that were left out. */
const metaOf = <
  Fields extends Schema.Struct.Fields,
  Data extends Schema.Top,
  Failures extends ReadonlyArray<Schema.Top>
>(
  tag: string,
  options: Options<Fields, Data, Failures>
): Meta => {
  const { effect, execution = "none" } = options
  const declared: { readonly [field: string]: Effects.OfField } = { ...Effects.common, ...options.effects }
  return {
    summary: options.summary,
    description: options.description,
    tool: options.tool ?? options.summary,
    effect,
    tier: Effects.tierOf(effect),
    effects: Object.fromEntries(
      Object.keys({ ...options.payload, ...shared }).flatMap((field) => {
        const rule = declared[field]
        return rule === undefined ? [] : [[field, rule] as const]
      })
    ),
    execution,
    resumes: execution !== "none",
    leavesStopped: options.leavesStopped ?? execution === "none",
    ownProgram: options.ownProgram ?? false,
    setsBreakpoints: options.setsBreakpoints ?? false,
    family: options.family ?? tag.split(".")[0] ?? tag,
    frequency: options.frequency ?? "rare",
    everyday: options.everyday ?? [],
    toolRequired: options.toolRequired ?? [],
    destructive: options.destructive ?? /^(?:eval|write|launch|raw)/.test(effect),
    endsSession: options.endsSession ?? false,
    ignoresLease: options.ignoresLease ?? false,
    forPeople: options.forPeople ?? false,
    ofSession: options.ofSession ?? "session" in options.payload,
    readsEffects: options.readsEffects ?? false,
    composite: options.composite ?? false,
    repeats: options.repeats ?? "no",
    settings: FieldFacts.collect(options.payload, FieldFacts.settingOf),
    bare: FieldFacts.collect(options.payload, FieldFacts.bareOf),
    placeholders: FieldFacts.collect(options.payload, FieldFacts.placeholderOf),
    bytes: options.bytes ?? [],
    positional: options.positional ?? [],
    ...(options.sentence === undefined ? {} : { sentence: options.sentence }),
    verbatim: options.verbatim ?? false,
    ...(options.completes === undefined ? {} : { completes: options.completes }),
    ...(options.rest === undefined ? {} : { rest: options.rest }),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    ...(options.parts === undefined ? {} : { parts: options.parts }),
    ...(options.exit === undefined ? {} : { exit: exitOf(options.data, options.exit) }),
    examples: options.examples,
    errors: [...options.errors, ...Errors.common]
  }
}

/** What an operation computes when it is first used. */
interface Computed {
  readonly payloadSchema: Schema.Top
  readonly successSchema: Schema.Top
  readonly errorSchema: Schema.Top
  readonly annotations: Context.Context<never>
}

const compute = <
  Fields extends Schema.Struct.Fields,
  Data extends Schema.Top,
  Failures extends ReadonlyArray<Schema.Top>
>(
  tag: string,
  options: Options<Fields, Data, Failures>
): Computed => ({
  payloadSchema: Schema.Struct({ ...options.payload, ...shared }),
  successSchema: Answer.make(options.data),
  errorSchema: Schema.Union([...options.errors, ...Errors.common, ...Errors.limits]),
  annotations: Context.make(MetaKey, metaOf(tag, options))
})

/**
 * Defines an operation. Its success is `data` in the envelope of `Answer`; the common errors are added to its own. `describe` is
 * called when the operation is first used: a daemon would need a third of its start to evaluate the schemas of all operations.
 */
export const make = <
  const Tag extends string,
  Fields extends Schema.Struct.Fields,
  Data extends Schema.Top,
  const Failures extends ReadonlyArray<Schema.Top>
>(
  tag: Tag,
  describe: () => Options<Fields, Data, Failures>
): Definition<Tag, Fields, Data, Failures> => {
  let computed: Computed | undefined
  const get = () => (computed ??= compute(tag, describe()))
  return Object.defineProperties(Object(Rpc.make(tag)), {
    payloadSchema: { get: () => get().payloadSchema },
    successSchema: { get: () => get().successSchema },
    errorSchema: { get: () => get().errorSchema },
    annotations: { get: () => get().annotations }
  })
}
