/**
 * Containers of C++ whose elements lead to each other: trees and lists. LLDB finds an element by following all before it, which
 * takes a third of a millisecond for each, so a page far from the last one that was read would not be answered in time.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** Number of elements that may be followed for one page. */
const reach = 10_000

const linear = /^(?:(?:const|volatile|class) )*std::(?:__\w+::)*((?:multi)?(?:map|set)|(?:forward_)?list)</

/** A container: its type, and its expression if it has one. */
interface Container {
  readonly type: string
  readonly object?: string
}

/** Returns the name of a linear container, such as `std::map`; undefined for other types. */
export const nameOf = (type: string): string | undefined => {
  const name = linear.exec(type)?.[1]
  return name === undefined ? undefined : `std::${name}`
}

/** What to do in place of reading a far page. */
const remedies = (name: string, { object }: Container, reached: number): Hint.Hints => {
  const nearer = Hint.again("expand", { start: reached + reach }, "the farthest page that is read now")
  if (object === undefined || name.endsWith("list")) return [nearer]
  const search = name.endsWith("map") ? "at" : "count"
  return [Hint.call("print", { expressions: [`${object}.${search}(KEY)`] }, "finds one element by its key"), nearer]
}

/** Makes the check of pages of one stop. */
export const make = () => {
  /** The number of elements that LLDB has found, by handle. */
  const found = new Map<number, number>()
  return {
    /** Fails at once for a page that is too far from the elements that LLDB has found. */
    check: (
      handle: number,
      container: Container,
      start: number,
      count: number
    ): Effect.Effect<void, Errors.Unsupported> =>
      Effect.suspend(() => {
        const name = nameOf(container.type)
        if (name === undefined) return Effect.void
        const reached = found.get(handle) ?? 0
        if (start - reached > reach) {
          const what = `a page at element ${start} of a ${name}, which is linear: each element is found from the one before, and ${reached} were read`
          return Effect.fail(new Errors.Unsupported({ what, by: "LLDB", remedies: remedies(name, container, reached) }))
        }
        found.set(handle, Math.max(reached, start + count))
        return Effect.void
      }),
    forget: () => found.clear()
  }
}
