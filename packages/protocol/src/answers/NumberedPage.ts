/**
 * Pages of numbered items: events, exceptions. Such an answer has a list of items with a number `seq`, and in `next` the
 * number with which a caller continues. A surface that removes items from the end of the list moves `next` to the first of
 * them, so that no item is lost.
 */
import * as Predicate from "effect/Predicate"

/** Returns the number of an item; undefined if it has none. */
const numberOf = (item: unknown): number | undefined =>
  Predicate.isReadonlyObject(item) && Predicate.isNumber(item["seq"]) ? item["seq"] : undefined

/** True if a list of `data` is a page of numbered items. A surface shows one item of it at least, so that `next` moves. */
export const isPage = (data: unknown, list: ReadonlyArray<unknown>): boolean =>
  Predicate.isReadonlyObject(data) && Predicate.isNumber(data["next"]) && numberOf(list[0]) !== undefined

/** Returns data whose `next` is the number of the first item that was removed. Other data stays as it is. */
export const continuedAt = (data: unknown, removed: unknown): unknown => {
  const next = numberOf(removed)
  return next !== undefined && Predicate.isReadonlyObject(data) && Predicate.isNumber(data["next"])
    ? { ...data, next }
    : data
}
