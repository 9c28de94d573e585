/**
 * Parses a long answer in steps, so that other fibers run between them.
 */
import * as Effect from "effect/Effect"

/** Characters of one step: at most about 5 ms. */
const step = 16_384

/** Parses whole lines of an output, one step after the other, by a parser that reads each line alone. */
export const byLines = Effect.fnUntraced(function* <A>(
  output: string,
  parse: (lines: string) => ReadonlyArray<A>
): Effect.fn.Return<ReadonlyArray<A>> {
  const found: Array<A> = []
  for (let from = 0; from < output.length;) {
    const newline = output.indexOf("\n", from + step)
    const to = newline === -1 ? output.length : newline
    found.push(...parse(output.slice(from, to)))
    from = to + 1
    if (from < output.length) yield* Effect.yieldNow
  }
  return found
})
