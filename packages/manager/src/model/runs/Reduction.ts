/**
 * Makes an input smaller while it keeps a property: `ddmin` of delta debugging (Zeller, Hildebrandt: Simplifying and isolating
 * failure-inducing input, 2002). Here only complements are tested: parts that are removed.
 */
import * as Effect from "effect/Effect"

/** What a test says of an input: it keeps the property or not, or no further input can be tested. */
export type Verdict = "kept" | "lost" | "over"

/** The smallest input that was found. `complete` is true if no single part of it can be removed. */
interface Reduced<Part> {
  readonly parts: ReadonlyArray<Part>
  readonly complete: boolean
}

/** Removes parts of an input that has the property. The number of tests is at most quadratic in the number of parts. */
export const minimize = Effect.fnUntraced(function* <Part, E, R>(
  whole: ReadonlyArray<Part>,
  test: (parts: ReadonlyArray<Part>) => Effect.Effect<Verdict, E, R>
) {
  let parts = whole
  let chunks = 2
  while (parts.length > 0) {
    const size = Math.max(1, Math.ceil(parts.length / chunks))
    let isSmaller = false
    for (let at = 0; at < parts.length;) {
      const rest = [...parts.slice(0, at), ...parts.slice(at + size)]
      const verdict = yield* test(rest)
      if (verdict === "over") return { parts, complete: false } satisfies Reduced<Part>
      if (verdict === "kept") {
        parts = rest
        isSmaller = true
      } else at += size
    }
    if (size === 1 && !isSmaller) break
    chunks = size === 1 ? parts.length : Math.min(parts.length, chunks * 2)
  }
  return { parts, complete: true } satisfies Reduced<Part>
})

/** Returns the lines of an input, each with its line break. */
export const linesOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(10, start)
    const next = end < 0 ? bytes.length : end + 1
    lines.push(bytes.subarray(start, next))
    start = next
  }
  return lines
}

/** Returns the bytes of an input as parts. */
export const bytesOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))

/** Returns the input that parts make. */
export const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
