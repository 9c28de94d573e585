/**
 * Finds the declaration of a function in source text, for debuggers that take lines only. The text is not parsed: a line that
 * looks like `function NAME`, `def NAME(`, `NAME = (…) =>` or `NAME(…) {` declares it.
 */
import { Lazy } from "@sigtrap/protocol"

/** Characters of the longest line that is examined. */
const longest = 500

const identifier = Lazy.make(() => /^[\p{L}_$][\p{L}\p{N}_$]*$/u)

/** Returns the name without its class or module, such as `deposit` of `Bank.deposit`; undefined if it is not an identifier. */
export const nameOf = (text: string): string | undefined => {
  const name = text.split(/\.|::/).at(-1) ?? ""
  return identifier().test(name) ? name : undefined
}

/** The forms of a declaration. The first group is the name. */
const forms = Lazy.make((): ReadonlyArray<RegExp> => [
  /\b(?:function\s*\*?|def|fn|func)\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*[(<]/u,
  /(?:^|[\s.,{])([\p{L}_$][\p{L}\p{N}_$]*)\s*[:=]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>)/u,
  /^\s*(?:(?:public|private|protected|static|async|override|get|set)\s+){0,4}\*?\s*#?([\p{L}_$][\p{L}\p{N}_$]*)\s*\([^()]*\)[^(){};]*\{/u
])

/** Returns the lines, from 1, on which a function of this name begins: the line after one that ends with `{`. */
export const lines = (text: ReadonlyArray<string>, name: string): ReadonlyArray<number> =>
  text.flatMap((line, index) => {
    if (line.length > longest || !line.includes(name)) return []
    if (!forms().some((form) => form.exec(line)?.[1] === name)) return []
    return [/\{\s*$/.test(line) && index + 1 < text.length ? index + 2 : index + 1]
  })
