/**
 * Names with `*` and `?`, matched in time that is linear in each part.
 */

/** True if a pattern with `*` (any text) and `?` (one character) matches a whole text. */
export const matches = (pattern: string, text: string): boolean => {
  let [at, from] = [0, 0]
  let star = -1
  let kept = 0
  while (from < text.length) {
    if (pattern[at] === "*") {
      star = at++
      kept = from
    } else if (pattern[at] === "?" || pattern[at] === text[from]) {
      at += 1
      from += 1
    } else if (star >= 0) {
      at = star + 1
      kept += 1
      from = kept
    } else return false
  }
  while (pattern[at] === "*") at += 1
  return at === pattern.length
}
