/**
 * The operations as methods: `debug.start({ program })`, `debug.breakpoint.list()`. Computed from `Operations`, so no method
 * repeats a field, a default or an error.
 *
 * A word of a tag is a property: the operation `breakpoint.list` is `breakpoint.list`. Fields with a default may be left out.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type * as Answer from "../answers/Answer.ts"
import type * as Client from "./Client.ts"
import * as Follow from "./Follow.ts"
import * as Operations from "../Operations.ts"
import * as Payload from "../Payload.ts"

/** The arguments of a method: its input, which may be left out if it has no required field. */
export type Arguments<T extends Operations.Tag> =
  object extends Operations.PayloadInput<T> ? [input?: Operations.PayloadInput<T>] : [input: Operations.PayloadInput<T>]

/** Calls one operation. */
export interface Method<T extends Operations.Tag> {
  (...input: Arguments<T>): Effect.Effect<Operations.Answer<T>, Client.Failure<T>>
}

/** The first word of a tag. */
type First<T extends string> = T extends `${infer Word}.${string}` ? Word : T

/** The methods of all tags that begin with a word. */
type Family<Word extends string> = (Word extends Operations.Tag ? Method<Word> : unknown) & {
  readonly [T in Operations.Tag as T extends `${Word}.${infer Rest}` ? Rest : never]: Method<T>
}

/** The method of each operation. */
export type Methods = { readonly [Word in First<Operations.Tag>]: Family<Word> }

/** A stream of the data in successive answers, until the session ends. */
export interface Followed<T extends "output" | "events"> {
  (input?: Omit<Operations.PayloadInput<T>, "follow" | "timeout">): Stream.Stream<Operations.Data<T>, Client.Failure<T>>
}

/** Streams. Each begins at the oldest entry unless `since` is given. */
export interface Follows {
  /** Pages of output; `dropped` counts entries that were lost. */
  readonly output: Followed<"output">
  /** Pages of events; `dropped` counts events that were lost. */
  readonly events: Followed<"events">
}

/** The operations as methods, streams, and calls by tag. */
export interface Debugger extends Methods {
  /** Calls an operation by its tag. */
  readonly call: <T extends Operations.Tag>(
    tag: T,
    ...input: Arguments<T>
  ) => Effect.Effect<Operations.Answer<T>, Client.Failure<T>>
  readonly follow: Follows
}

/** Decodes an input and calls its operation. */
const caller =
  (client: Client.Client["Service"], who: Payload.Caller) =>
  (tag: Operations.Tag, input: object = {}) => {
    const operation = Operations.byTag(tag)
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    return Effect.flatMap(Payload.decode(operation, Payload.fill(operation, given, who)), (payload) =>
      client.callAny(operation, payload)
    )
  }

type Call = ReturnType<typeof caller>

/** Repeats a call until the session ends; emits the data of each answer that has some. */
const following =
  (call: Call, tag: "output" | "events") =>
  (input: object = {}): Stream.Stream<unknown, Effect.Error<ReturnType<Call>>> =>
    Stream.paginate({ since: 0, ...input, follow: true, timeout: "inf" }, (current: Follow.Input) =>
      Effect.map(call(tag, current), (answer: Answer.Answer<unknown>) => [
        Follow.isEmpty(answer) ? [] : [answer.data],
        Follow.next(current, answer)
      ])
    )

/** Returns the client's operations as methods. `who` fills in the fields of surfaces, such as the directory. */
export function make(client: Client.Client["Service"], who: Payload.Caller): Debugger
// The types of the operations are in the signature above: payload and answer pass their schemas here.
export function make(client: Client.Client["Service"], who: Payload.Caller): object {
  const call = caller(client, who)
  const root: Record<string, unknown> = {
    call,
    follow: { output: following(call, "output"), events: following(call, "events") }
  }
  const tags = [...Operations.group.requests.keys()].filter(Operations.isTag)
  // A method whose tag is also the first word of others has these as properties, so it is made before them.
  for (const tag of tags.toSorted((a, b) => a.length - b.length)) {
    const method = (input?: object) => call(tag, input)
    const [word = tag, rest] = tag.split(".")
    if (rest === undefined) {
      root[word] = method
      continue
    }
    const family = (root[word] ??= {})
    if (Predicate.isObject(family) || Predicate.isFunction(family)) Reflect.set(family, rest, method)
  }
  return root
}
