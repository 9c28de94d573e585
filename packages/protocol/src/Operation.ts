/**
 * How an operation is defined: once, as an Effect `Rpc` with one annotation.
 *
 * Being an Rpc it already is what travels to the daemon. Command line, MCP tool, HTTP endpoint, reference page and
 * completions are computed from it; no surface repeats a field, a description or an error. The tag is the words of
 * the command joined by dots: `start`, `breakpoint.list`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Rpc from "effect/rpc/Rpc"
import * as Answer from "./Answer.ts"
import * as Errors from "./Errors.ts"

/**
 * What an operation may do: `observe` only reads; `control` runs and stops the program; `evaluate` runs expressions in
 * it; `write` changes it; `admin` starts programs and speaks to the debugger itself. Each tier needs its own consent.
 */
export type Tier = "observe" | "control" | "evaluate" | "write" | "admin"

/** One realistic call. `title` says what it achieves; `input` is the payload as a caller writes it. */
export interface Example {
  readonly title: string
  readonly input: { readonly [field: string]: unknown }
}

/** What surfaces need to know about an operation beside its schemas. */
export interface Meta {
  /** One imperative line without a full stop. */
  readonly summary: string
  /** What an agent reads before choosing: what it does, what it returns, when to prefer another. */
  readonly description: string
  readonly tier: Tier
  /** Whether the answer waits for the program to stop again. */
  readonly resumes: boolean
  /** Payload fields that a command line takes without a flag, in order; the last one may be a list. */
  readonly positional: ReadonlyArray<string>
  /** The positional field that takes all remaining words, joined by blanks. */
  readonly sentence?: string
  /** The field that takes what follows `--`. */
  readonly rest?: string
  /** Fields that a short list of tools leaves out, since it is paid for in every conversation. */
  readonly rare: ReadonlyArray<string>
  readonly examples: readonly [Example, ...ReadonlyArray<Example>]
  /** The error classes it can answer with, the common ones included. */
  readonly errors: ReadonlyArray<Schema.Top>
}

/** The annotation under which an operation keeps its `Meta`. */
export class MetaKey extends Context.Service<MetaKey, Meta>()("@sigtrap/protocol/Operation/Meta") {}

/** An operation with its types forgotten, for going through all of them. */
export type Any = Rpc.AnyWithProps

/** What surfaces need to know about an operation beside its schemas. */
export const meta = (operation: Any): Meta => Context.getUnsafe(operation.annotations, MetaKey)

/** The optional field of a payload: absent or a value, never `null`. */
export const optional = <S extends Schema.Top>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

/** A field with a default: for decoding, for constructing, and as published in the JSON Schema. */
export const withDefault = <S extends Schema.Top & Schema.WithoutConstructorDefault & { readonly Rebuild: S }>(
  schema: S,
  value: S["Encoded"] & S["~type.make.in"]
) =>
  schema
    .annotate({ default: value })
    .pipe(Schema.withConstructorDefault(Effect.succeed(value)), Schema.withDecodingDefaultKey(Effect.succeed(value)))

/**
 * What every operation takes beside its own fields. `directory` is the caller's: relative paths are meant from there, and
 * it chooses among several sessions. A `request_id` makes it safe to ask again after a lost answer.
 */
export const shared = {
  directory: optional(Schema.String.annotate({ description: "Directory that relative paths are meant from" })),
  request_id: optional(
    Schema.String.check(
      Schema.isPattern(/^[\x21-\x7e]{1,128}$/, { message: "Write a request id with at most 128 visible characters" })
    ).annotate({ description: "The same id within ten minutes returns the first answer" })
  )
}

/** The options of `make`. */
export interface Options<
  Fields extends Schema.Struct.Fields,
  Data extends Schema.Top,
  Failures extends ReadonlyArray<Schema.Top>
> {
  readonly summary: string
  readonly description: string
  readonly tier: Tier
  readonly resumes?: boolean
  readonly payload: Fields
  readonly positional?: ReadonlyArray<keyof Fields & string>
  readonly sentence?: keyof Fields & string
  readonly rest?: keyof Fields & string
  readonly rare?: ReadonlyArray<keyof Fields & string>
  readonly data: Data
  readonly errors: Failures
  readonly examples: readonly [Example, ...ReadonlyArray<Example>]
}

/** Defines an operation. Its success is `data` in the envelope of `Answer`; the common errors are added to its own. */
export const make = <
  const Tag extends string,
  const Fields extends Schema.Struct.Fields,
  Data extends Schema.Top,
  const Failures extends ReadonlyArray<Schema.Top>
>(
  tag: Tag,
  options: Options<Fields, Data, Failures>
) => {
  const errors = [...options.errors, ...Errors.common] as const
  return Rpc.make(tag, {
    payload: Schema.Struct({ ...options.payload, ...shared }),
    success: Answer.make(options.data),
    error: Schema.Union(errors)
  }).annotate(MetaKey, {
    summary: options.summary,
    description: options.description,
    tier: options.tier,
    resumes: options.resumes ?? false,
    positional: options.positional ?? [],
    ...(options.sentence === undefined ? {} : { sentence: options.sentence }),
    ...(options.rest === undefined ? {} : { rest: options.rest }),
    rare: options.rare ?? [],
    examples: options.examples,
    errors
  })
}
