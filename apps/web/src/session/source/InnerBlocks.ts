/**
 * The blocks of a function that end before the current line. A name that such a block declares is that of another variable there: its
 * lines show no value of the variable outside.
 */
import type { Code } from "./FunctionLines.ts"

/** A block in braces, or the statement of a loop without. Lines are counted from 1. */
export interface Block {
  readonly first: number
  readonly last: number
  /** The column of its brace in the first line; -1 if it begins with its header, which may declare a variable. */
  readonly column: number
}

/** Matches the text before a brace that may declare a variable of the block. */
const header = /^[\s}]*(?:else\s+)?(?:for|foreach|while|if|switch|catch|using|with|match)\b/

/** Returns the blocks that end before the current line. `scope` are the lines of the function, the current one first. */
export const blocksBefore = (code: Code, scope: ReadonlyArray<number>): ReadonlyArray<Block> => {
  const [current = 0] = scope
  const open: Array<Omit<Block, "last">> = []
  const blocks: Array<Block> = []
  for (const line of scope.slice(1).toReversed()) {
    const text = code(line - 1)
    // A loop without braces has one statement.
    if (/^\s*for\b[^{]*\)\s*$/.test(text) && !/^\s*\{/.test(code(line)) && line + 1 < current)
      blocks.push({ first: line, last: line + 1, column: -1 })
    for (const [column, character] of [...text].entries()) {
      if (character === "{") {
        const isAlone = text.slice(0, column).trim() === "" && header.test(code(line - 2))
        const hasHeader = isAlone || header.test(text.slice(0, column))
        open.push({ first: isAlone ? line - 1 : line, column: hasHeader ? -1 : column })
      }
      if (character !== "}") continue
      const begun = open.pop()
      if (begun !== undefined) blocks.push({ ...begun, last: line })
    }
  }
  return blocks
}

/** Words before a name that are not a type. */
const noType =
  "return|else|goto|case|throw|delete|new|await|yield|in|of|typeof|sizeof|co_return|co_yield|co_await|not|and|or|is|as"

/** Returns a pattern that matches the declaration of a name at the start of a statement: `int name = 1`, `for (let name of`, `name := 1`. */
const declarationOf = (name: string): RegExp =>
  new RegExp(
    `(?:^|[;{]|\\b(?:for|foreach|while|if|switch|catch|using|with)\\s*\\()\\s*(?!(?:${noType})\\b)` +
      `(?:[A-Za-z_][\\w:<>]*\\s+)*[A-Za-z_][\\w:<>]*[\\s*&]+${name}\\s*(?:=(?!=)|[;,)\\[]|:(?!:)|$|in\\b|of\\b)` +
      `|(?<![\\w.])${name}\\s*:=`
  )

/** Returns the lines in which a name is that of a variable of an ended block. `name` may be an expression, such as `p->n`. */
export const linesOfOthers = (code: Code, blocks: ReadonlyArray<Block>, name: string): ReadonlySet<number> => {
  const variable = /^[A-Za-z_]\w*/.exec(name)?.[0]
  if (variable === undefined || blocks.length === 0) return new Set()
  const declaration = declarationOf(variable)
  const lines = new Set<number>()
  for (const { column, first, last } of blocks) {
    const all = Array.from({ length: last - first + 1 }, (_, at) => first + at)
    const texts = all.map((line) => (line === first ? code(line - 1).slice(Math.max(0, column)) : code(line - 1)))
    if (!texts.some((text) => declaration.test(text))) continue
    for (const line of all) if (line !== first || column < 0) lines.add(line)
  }
  return lines
}
