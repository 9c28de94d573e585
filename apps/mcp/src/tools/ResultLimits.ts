/**
 * The size of a result: an agent pays for every byte. Single texts are cut at 4 KiB; a result that is larger than
 * 64 KiB as JSON loses the second half of its largest list or text until it fits. Each cut is told.
 */
import { Predicate } from "effect"
import type { Envelope } from "@sigtrap/protocol"

/** Most characters of one text in a result. */
const textLimit = 4096
/** Most characters of an error's message; its details have more. */
export const messageLimit = 1000
/** Most characters of a whole result as JSON. */
export const resultLimit = 65_536

/** Data that fits, and what was cut from it. */
export interface Bounded {
  readonly data: unknown
  readonly cuts: ReadonlyArray<Envelope.ShownTruncation>
}

const more = "call again with narrower arguments or the next page"
const hints = [{ note: more, text: more }]
const size = (value: unknown) => JSON.stringify(value)?.length ?? 0

type Path = ReadonlyArray<string>

const walk = (value: unknown, path: Path, visit: (value: unknown, path: Path) => unknown): unknown => {
  const seen = visit(value, path)
  if (Array.isArray(seen)) return seen.map((item, index) => walk(item, [...path, String(index)], visit))
  if (!Predicate.isReadonlyObject(seen)) return seen
  return Object.fromEntries(Object.keys(seen).map((key) => [key, walk(seen[key], [...path, key], visit)]))
}

/** The first `limit` characters of a text that is longer; half a pair of surrogates is not left over. */
export const cutText = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit)}…`
}

/** The list or text that takes most, not counting a list that only holds one thing. */
const largest = (data: unknown): Path | undefined => {
  let best: { readonly path: Path; readonly size: number } | undefined
  walk(data, [], (value, path) => {
    const divisible = Array.isArray(value) ? value.length > 1 : typeof value === "string" && value.length > 64
    if (divisible && path.length > 0) {
      const own = size(value)
      if (best === undefined || own > best.size) best = { path, size: own }
    }
    return value
  })
  return best?.path
}

/** Cuts `data` down to the limits; `root` is what paths are told from. */
export const fit = (data: unknown, root: string, limit = resultLimit): Bounded => {
  const totals = new Map<string, { readonly shown: number; readonly total: number }>()
  const cut = (path: Path, shown: number, total: number) => {
    const name = [root, ...path].join(".")
    totals.set(name, { shown, total: totals.get(name)?.total ?? total })
  }
  let fitting = walk(data, [], (value, path) => {
    if (typeof value !== "string" || value.length <= textLimit) return value
    cut(path, textLimit, value.length)
    return cutText(value, textLimit)
  })
  while (size(fitting) > limit) {
    const target = largest(fitting)?.join(".")
    if (target === undefined) break
    fitting = walk(fitting, [], (value, path) => {
      if (path.join(".") !== target) return value
      if (Array.isArray(value)) {
        const half = Math.ceil(value.length / 2)
        cut(path, half, value.length)
        return value.slice(0, half)
      }
      if (typeof value !== "string") return value
      const half = Math.floor(value.length / 2)
      cut(path, half, value.length)
      return cutText(value, half)
    })
  }
  return { data: fitting, cuts: [...totals].map(([path, { shown, total }]) => ({ path, shown, total, more, hints })) }
}
