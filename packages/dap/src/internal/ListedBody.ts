/**
 * Response bodies with a list: only the items that were asked for are decoded, and other fibers run in between, since an
 * adapter may send hundreds of thousands.
 */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Message from "../Message.ts"

/** Maximum number of items of a list that was not requested in pages. */
export const maxItems = 10_000

/** Number of items that are decoded before other fibers run. */
const slice = 200

/** The part of a list that is decoded, and how many of the later items are given up. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly left: number
}

/** A decoded body, and the number of items that were asked for and not decoded. */
export interface Read<out Body> {
  readonly body: Body
  readonly left: number
}

/** How the list in a body is decoded. */
export interface Options<in Args, Body> {
  /** The name of the list. */
  readonly field: string
  readonly decode: (body: unknown) => Result.Result<Body, Schema.SchemaError>
  /** Returns whether an item can be used; others are left out. */
  readonly keep?: (item: unknown) => boolean
  readonly range: (length: number, args: Args | undefined, body: Readonly<Record<string, unknown>>) => Range
  /** Joins the decoded parts, in order; `after` is the number of items after the range. */
  readonly join: (parts: readonly [Body, ...ReadonlyArray<Body>], after: number) => Body
}

/** The range of a list that was not requested in pages. */
export const whole = (length: number): Range => {
  const to = Math.min(length, maxItems)
  return { from: 0, to, left: length - to }
}

/** The range of a list of at most `count` requested items. */
export const first = (length: number, count: number): Range => ({ from: 0, to: Math.min(length, count), left: 0 })

/**
 * The range of a page. An adapter that sends more than `count` items ignores pages and sends the list from its beginning,
 * unless the caller knows that the list begins at `start`.
 */
export const page = (length: number, start: number, count: number, beginsAtStart: boolean): Range => {
  if (length <= count) return { from: 0, to: length, left: 0 }
  const from = beginsAtStart ? 0 : Math.min(start, length)
  return { from, to: Math.min(from + count, length), left: 0 }
}

/** Makes the reader of a body. */
export const reader = <Args, Body>({ decode, field, join, keep, range }: Options<Args, Body>) =>
  Effect.fnUntraced(function* (body: unknown, args: Args | undefined) {
    const sent = Message.isRecord(body) ? body[field] : undefined
    if (!Message.isRecord(body) || !Array.isArray(sent)) {
      return { body: yield* Effect.fromResult(decode(body)), left: 0 } satisfies Read<Body>
    }
    const list = keep === undefined ? sent : sent.filter(keep)
    const { from, left, to } = range(list.length, args, body)
    const part = (at: number) =>
      Effect.fromResult(decode({ ...body, [field]: list.slice(at, Math.min(at + slice, to)) }))
    const parts: [Body, ...Array<Body>] = [yield* part(from)]
    for (let at = from + slice; at < to; at += slice) {
      yield* Effect.yieldNow
      parts.push(yield* part(at))
    }
    const after = list.length - to
    return {
      body: parts.length === 1 && after === 0 ? parts[0] : join(parts, after),
      left: left + sent.length - list.length
    } satisfies Read<Body>
  })
