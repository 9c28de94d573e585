/**
 * Parses a long answer in steps, so that other fibers run between them.
 */
import * as Effect from "effect/Effect"

/** Characters of one step: at most about 5 ms. */
const step = 16_384

/**
 * Parses an output one step after the other, by a parser that reads each part alone. A part ends before a line break at
 * which `start` occurs, or at the end.
 */
export const byStarts = Effect.fnUntraced(function* <A>(
  output: string,
  start: string,
  parse: (part: string) => ReadonlyArray<A>
): Effect.fn.Return<ReadonlyArray<A>> {
  const found: Array<A> = []
  for (let from = 0; from < output.length;) {
    const newline = output.indexOf(start, from + step)
    const to = newline === -1 ? output.length : newline
    found.push(...parse(output.slice(from, to)))
    from = to + 1
    if (from < output.length) yield* Effect.yieldNow
  }
  return found
})

/** Parses whole lines of an output, one step after the other, by a parser that reads each line alone. */
export const byLines = <A>(output: string, parse: (lines: string) => ReadonlyArray<A>) => byStarts(output, "\n", parse)
