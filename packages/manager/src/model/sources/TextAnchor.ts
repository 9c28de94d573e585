/**
 * Finds lines by their text: the trimmed line is equal, or contains the text if no line is equal.
 */
import * as Result from "effect/Result"

/** Maximum number of lines that an error lists. */
const maxListed = 10

/** Returns the numbers of the matching lines, from 1. */
export const matches = (lines: ReadonlyArray<string>, text: string): ReadonlyArray<number> => {
  const trimmed = text.trim()
  const numbers = (test: (line: string) => boolean) =>
    lines.flatMap((line, index) => (test(line.trim()) ? [index + 1] : []))
  const equal = numbers((line) => line === trimmed)
  return equal.length > 0 ? equal : numbers((line) => line.includes(trimmed))
}

/** Returns the matching line, or why there is none. `nth`, from 1, chooses among several. */
export const line = (
  lines: ReadonlyArray<string>,
  text: string,
  nth: number | undefined
): Result.Result<number, string> => {
  const found = matches(lines, text)
  const [first] = found
  if (first === undefined) return Result.fail("no line has this text")
  if (nth === undefined) {
    const more = found.length > maxListed ? ", …" : ""
    return found.length === 1
      ? Result.succeed(first)
      : Result.fail(`lines ${found.slice(0, maxListed).join(", ")}${more} have this text; choose one with --nth`)
  }
  const chosen = found[nth - 1]
  return chosen === undefined ? Result.fail(`only ${found.length} lines have this text`) : Result.succeed(chosen)
}
