/**
 * What can be told of an expression from its text alone, in the languages of the C family.
 */

const literals = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g
const operatorsThatWrite = /\+\+|--|(?:<<|>>)=|[-+*/%&|^]=|(?<![=!<>])=(?!=)/
const call = /([A-Za-z_$][\w$]*|[\])>])\s*\(/g
const keywords = new Set(["sizeof", "alignof", "_Alignof", "typeof", "decltype", "if", "while"])

/**
 * Whether an expression certainly changes nothing: no assignment, no increment, no call. A cast is no call, but
 * `(f)(x)` reads like one and is refused.
 */
export const onlyReads = (expression: string): boolean => {
  const text = expression.replace(literals, "0")
  if (operatorsThatWrite.test(text)) return false
  for (const match of text.matchAll(call)) {
    const callee = match[1] ?? ""
    const before = text.slice(0, match.index)
    // `(int)(x)` casts; `](x)`, `>(x)` and `f(x)` call.
    if (callee === ")" && /\((?:const |unsigned |signed |struct |enum |union )*[A-Za-z_][\w:]*[\s*&]*$/.test(before))
      continue
    if (callee === ">" || callee === "]" || callee === ")" || !keywords.has(callee)) return false
  }
  return !/\b(?:new|delete|throw)\b/.test(text)
}

const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** At most three of the known names that are close to one, the closest first. */
export const nearest = (name: string, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(known)]
    .map((candidate) => ({ candidate, far: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(1, Math.ceil(Math.max(name.length, candidate.length) / 3)))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
