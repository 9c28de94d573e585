/**
 * The lines of a file that belong to the function of a line, so that a value is not shown at a name of another function. It reads
 * braces, and in Python the indentation. Where it is not sure it returns fewer lines.
 */

/** The text of a line without its comments and texts, by its index. */
export type Code = (index: number) => string

/** Lines that are looked at before the current one. */
const reach = 400

const control =
  /^(?:\w+\s*:\s*)?(?:else|if|for|foreach|while|do|switch|case|default|try|catch|finally|loop|match|unsafe|select|guard|repeat|defer|synchronized|with|using)\b|[=(]\s*(?:match|if|loop|unsafe|switch|try|do)\b/
const type =
  /^(?:[\w\s<>,*&:[\]()]*\b)?(?:class|struct|union|enum|interface|trait|impl|namespace|extension|protocol|module)\b/

/** Matches the text before the brace of an object: an argument, or what is assigned or returned. */
const object = /(?:[,([=:?]|\breturn)\s*$/

/** True for the text before an opening brace that begins the body of a function or of a closure. */
const isFunction = (header: string): boolean =>
  !control.test(header) && !object.test(header) && /\)|=>|\|\s*$|\bfunc\b/.test(header)

/** The text before an opening brace, back to the end of the statement before it. */
interface Header {
  readonly text: string
  /** The line in which it begins, from 0. */
  readonly line: number
}

/** Most lines of the text before an opening brace. */
const mostHeaderLines = 12

/** Matches the first line of what has a semicolon before its brace, in Go and Swift. */
const clause = /^[\s}]*(?:else\s+)?(?:for|if|switch)\b(?!\s*\()/

/** Matches a line that belongs to the statement before it. */
const continuation =
  /^\s*(?:[)\],.:?]|->|=>|&&|\|\||const\s*(?:noexcept|override|->|$)|(?:noexcept|override|throws|where|requires)\b)/

/** Matches a line whose statement ends in a later line. */
const unfinished = /(?:[,([=:?+&|]|=>|->)\s*$/

/**
 * Returns the text before a brace. It begins after the statement before it, which ends with a semicolon or with its line: in
 * JavaScript, Go and others a statement may have no semicolon.
 */
const headerOf = (code: Code, line: number, column: number): Header => {
  let text = ""
  let begins = line
  let depth = 0
  for (let at = line; at >= Math.max(0, line - mostHeaderLines); at--) {
    const here = at === line ? code(at).slice(0, column) : code(at)
    for (let index = here.length - 1; index >= 0; index--) {
      const character = here[index] ?? ""
      if (character === ")") depth += 1
      if (character === "(") depth -= 1
      const ends = depth <= 0 && (character === ";" || character === "{" || character === "}")
      if (ends && !(character === ";" && clause.test(here))) return { text: text.trim(), line: begins }
      text = character + text
      if (character.trim() !== "") begins = at
    }
    const isWhole = depth <= 0 && text.trim() !== "" && !continuation.test(here)
    if (isWhole && !unfinished.test(code(at - 1))) return { text: text.trim(), line: begins }
    text = `\n${text}`
  }
  return { text: text.trim(), line: begins }
}

/** Lines from one to another. */
interface Lines {
  readonly first: number
  readonly last: number
}

/** Returns the lines between two, without those of inner functions, the last one first. */
const without = (first: number, last: number, inner: ReadonlyArray<Lines>): ReadonlyArray<number> =>
  Array.from({ length: last - first + 1 }, (_, back) => last - back).filter(
    (line) => line === last || !inner.some((one) => one.first <= line && line <= one.last)
  )

/**
 * Returns the lines of the function in a language with braces, from 0, the last one first. Those of the functions in it do not belong
 * to it. Where its beginning is not found, they begin after the function above.
 */
const bracedLines = (code: Code, current: number): ReadonlyArray<number> => {
  const closers: Array<number> = []
  const inner: Array<Lines> = []
  const low = Math.max(0, current - reach)
  for (let line = current; line >= low; line--) {
    const text = code(line)
    // A closing brace at the start of the current line closes what the line is in.
    const from = line === current ? (/^[\s}]*/.exec(text)?.[0].length ?? 0) : 0
    for (let column = text.length - 1; column >= from; column--) {
      if (text[column] === "}") closers.push(line)
      if (text[column] !== "{") continue
      const closer = closers.pop()
      if (closer !== undefined && closers.length > 0) continue
      const header = headerOf(code, line, column)
      if (closer !== undefined) {
        if (isFunction(header.text)) inner.push({ first: header.line, last: closer })
        continue
      }
      if (isFunction(header.text)) return without(header.line, current, inner)
      if (type.test(header.text)) return without(afterFirst(inner) ?? header.line, current, [])
    }
  }
  return without(Math.min(current, afterFirst(inner) ?? low), current, [])
}

/** Returns the line after the last of the functions, which is the first that was found. */
const afterFirst = ([last]: ReadonlyArray<Lines>): number | undefined =>
  last === undefined ? undefined : last.last + 1

const indentOf = (text: string): number => text.length - text.trimStart().length
const definition = /^\s*(?:async\s+)?(?:def|class)\b/

/** Returns the lines of the function in Python, from 0, the last one first. */
const indentedLines = (code: Code, current: number): ReadonlyArray<number> => {
  let lines: Array<number> = [current]
  let low = indentOf(code(current))
  if (definition.test(code(current))) return lines
  for (let line = current - 1; line >= Math.max(0, current - reach); line--) {
    const text = code(line)
    if (text.trim() === "") continue
    const indent = indentOf(text)
    lines.push(line)
    if (definition.test(text)) {
      if (indent < low) return lines
      // The body of another function is between this line and the next one with its indentation.
      const end = lines.findLast((one) => one > line && indentOf(code(one)) <= indent) ?? current
      lines = lines.filter((one) => one >= end)
    }
    low = Math.min(low, indent)
  }
  return lines
}

/** Returns the lines at and above a line that belong to its function, from 1, the last one first. */
export const scopeLines = (code: Code, current: number, isIndented: boolean): ReadonlyArray<number> => {
  const at = current - 1
  if (isIndented) return indentedLines(code, at).map((line) => line + 1)
  return bracedLines(code, at).map((line) => line + 1)
}
