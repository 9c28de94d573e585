/** The message of a panic in what the panic hook of Rust's standard library writes. */

/** The line that begins the report of a panic. */
const begin = /^thread '.*panicked at /

/** The line after the message: the first one of the stack, or the hint how to get it. Later panics may have none. */
const end = /^(?:stack backtrace:$|note: (?:run with `RUST_BACKTRACE|Some details are omitted))/

/** Longest message, in characters. */
const longest = 300

/** The two values of `assert_eq` and `assert_ne`, each on a line of its own. */
const compared = /^\s*(left|right): /

const joined = (first: string, more: ReadonlyArray<string>): string =>
  more.reduce((text, line) => {
    const words = line.trim().replaceAll(/\s+/g, " ")
    // A line such as `~~~~` only divides the others.
    if (words === "" || /^([^\w\s])\1{4,}$/.test(words)) return text
    return compared.test(line) ? `${text}, ${words}` : `${text} ${words}`
  }, first)

/**
 * Returns the newest panic in lines of standard error: its first line and its message on one line; undefined if there is none. Of a
 * message whose end is not known, the first line is returned.
 */
export const of = (lines: ReadonlyArray<string>): { readonly line: string; readonly message: string } | undefined => {
  const index = lines.findLastIndex((one) => begin.test(one))
  const [line, first = "", ...after] = index === -1 ? [] : lines.slice(index)
  if (line === undefined) return undefined
  // Before Rust 1.73 the message was in quotes on the same line.
  const quoted = / panicked at '(.*)', [^']*$/.exec(line)?.[1]
  if (quoted !== undefined) return { line, message: quoted }
  const last = after.findIndex((one) => end.test(one))
  const message = joined(first, last === -1 ? [] : after.slice(0, last))
  return { line, message: message.length > longest ? `${message.slice(0, longest)}…` : message }
}
