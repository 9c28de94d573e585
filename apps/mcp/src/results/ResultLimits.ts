/**
 * Limits the size of structured content. Each text is cut at 4096 characters. While the data exceeds 65,536 characters of
 * JSON, the second half of its largest list or text is removed. Each cut is listed in `truncated`, and the cursor of a page of
 * numbered items is that of the first item that was removed.
 */
import { Predicate } from "effect"
import { type Envelope, NumberedPage } from "@sigtrap/protocol"

/** The largest text in a result, in characters. */
export const textLimit = 4096
/** The largest error message in characters. `details` may have more. */
export const messageLimit = 1000
/** The largest data of a result, in characters of JSON. */
export const resultLimit = 65_536

/** Data within the limits, and the cuts that were made. */
export interface Bounded {
  readonly data: unknown
  readonly cuts: ReadonlyArray<Envelope.ShownTruncation>
}

const more = "call again with narrower arguments or the next page"
const hints = [{ note: more, text: more }]
const size = (value: unknown) => JSON.stringify(value)?.length ?? 0

type Path = ReadonlyArray<string>

const walk = (value: unknown, path: Path, visit: (value: unknown, path: Path) => unknown): unknown => {
  const visited = visit(value, path)
  if (Array.isArray(visited)) return visited.map((item, index) => walk(item, [...path, String(index)], visit))
  if (!Predicate.isReadonlyObject(visited)) return visited
  return Object.fromEntries(Object.keys(visited).map((key) => [key, walk(visited[key], [...path, key], visit)]))
}

/** Cuts a text after `limit` characters and adds an ellipsis. Surrogate pairs are not split. */
export const cutText = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit)}…`
}

/** Returns the path of the largest list or text that can be halved. */
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

/** Returns how much of the limits the data and its largest text use: 1 is all. */
export const excess = (data: unknown): number => {
  let longest = 0
  walk(data, [], (value) => {
    if (Predicate.isString(value)) longest = Math.max(longest, value.length)
    return value
  })
  return Math.max(longest / textLimit, size(data) / resultLimit)
}

/** Cuts `data` to the limits. `root` is the first part of the paths in `cuts`. */
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
  let removed: unknown
  while (size(fitting) > limit) {
    const target = largest(fitting)?.join(".")
    if (target === undefined) break
    fitting = walk(fitting, [], (value, path) => {
      if (path.join(".") !== target) return value
      if (Array.isArray(value)) {
        const items: ReadonlyArray<unknown> = value
        const half = Math.ceil(items.length / 2)
        cut(path, half, items.length)
        if (path.length === 1) removed = items[half]
        return items.slice(0, half)
      }
      if (typeof value !== "string") return value
      const half = Math.floor(value.length / 2)
      cut(path, half, value.length)
      return cutText(value, half)
    })
  }
  fitting = NumberedPage.continuedAt(fitting, removed)
  return { data: fitting, cuts: [...totals].map(([path, { shown, total }]) => ({ path, shown, total, more, hints })) }
}
