/**
 * Patterns of function names as GDB reads them: basic regular expressions of GNU, where `(`, `|`, `+`, `?` and `{` are operators behind a
 * backslash only. Those of sigtrap are extended ones.
 */

/** Matches one part of an extended pattern: a class in brackets, an escaped character, the beginning of a group, another character. */
const parts = /\[\^?\]?(?:\[:\w+:\]|[^\]])*\]|\\.|\(\?:|./gsu

const operators: ReadonlySet<string> = new Set(["(", ")", "|", "+", "?", "{", "}"])

/** Returns a class that has the letters of both cases. */
const bothCases = (inBrackets: string): string => {
  const [, start = "", content = "", end = ""] = /^(\[\^?)(.*)(\])$/s.exec(inBrackets) ?? []
  const other = content.replaceAll(/\[:\w+:\]/g, "")
  const [lower, upper] = [other.toLowerCase(), other.toUpperCase()]
  if (lower === upper) return inBrackets
  // A bracket must stay first, and a hyphen last.
  const added = (other === lower ? upper : lower).replace(/^\]/, "").replace(/-$/, "")
  return content.endsWith("-") ? `${start}${content.slice(0, -1)}${added}-${end}` : `${start}${content}${added}${end}`
}

/** Returns an extended pattern as GDB reads it. */
export const basic = (pattern: string, ignoreCase: boolean): string =>
  pattern.replaceAll(parts, (part) => {
    if (part === "(?:") return "\\("
    if (part.startsWith("[") && part.length > 1) return ignoreCase ? bothCases(part) : part
    if (part === "\\d") return "[0-9]"
    if (part.startsWith("\\")) return operators.has(part.slice(1)) ? part.slice(1) : part
    if (operators.has(part)) return `\\${part}`
    return ignoreCase && part.toLowerCase() !== part.toUpperCase()
      ? `[${part.toUpperCase()}${part.toLowerCase()}]`
      : part
  })
