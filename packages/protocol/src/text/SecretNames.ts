/**
 * Finds names whose values are secret: of variables and members, in expressions and command lines.
 *
 * A name is split into words (`apiKey`, `api_key`, `APIKey`), so `token` is secret and `tokenizer` is not.
 */

/** Secret anywhere in a name, after its words are joined in lower case: `dbpassword`, `MYSQL_ROOT_PASSWORD`. */
const partsOfNames = [
  "password",
  "passwd",
  "passphrase",
  "passcode",
  "secret",
  "apikey",
  "apitoken",
  "accesskey",
  "accesstoken",
  "authtoken",
  "refreshtoken",
  "privatekey",
  "signingkey",
  "encryptionkey",
  "credential"
] as const

/** Secret only as whole words. */
const wholeWords: ReadonlySet<string> = new Set(["token", "tokens", "pwd", "pswd", "bearer", "jwt", "otp", "cvv"])

/** Last words of names that describe a secret but do not hold it: `token_count`. */
const harmless: ReadonlySet<string> = new Set(["count", "len", "length", "size", "kind", "type", "index", "idx", "pos"])

const identifiers = /[\p{L}_$][\p{L}\p{N}_$]*(?:-[\p{L}_$][\p{L}\p{N}_$]*)*/gu

const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase())

/** Returns the test of a configured name. `*` matches any characters; without `*`, the name may contain more. */
const userPattern = (name: string): ((joined: string) => boolean) => {
  const pieces = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}*]/gu, "")
    .split("*")
  const [first = "", ...others] = pieces
  const last = others.pop()
  if (last === undefined) return (joined) => joined.includes(first)
  // Each piece is searched once, from left to right. A regular expression with several `.*` would search again and again.
  return (joined) => {
    let at = first.length
    if (!joined.startsWith(first)) return false
    for (const piece of others) {
      const found = joined.indexOf(piece, at)
      if (found === -1) return false
      at = found + piece.length
    }
    return joined.length >= at + last.length && joined.endsWith(last)
  }
}

/** Names whose result a test remembers: the same few are in every call and report. */
const mostKnown = 1024

/** Characters of the longest name that is remembered. A longer part of a text would keep the whole text in memory. */
const longestKnown = 12

/** Returns the test of texts: true if a name in a text is secret, by the known names or by those of the configuration (`redact.names`). */
export const finder = (configured: ReadonlyArray<string>): ((text: string) => boolean) => {
  const patterns = configured.filter((name) => /[\p{L}\p{N}]/u.test(name)).map(userPattern)

  const judged = (name: string): boolean => {
    const words = wordsOf(name)
    const joined = words.join("")
    if (patterns.some((matches) => matches(joined))) return true
    const last = words.at(-1)
    if (words.length > 1 && last !== undefined && harmless.has(last)) return false
    return partsOfNames.some((part) => joined.includes(part)) || words.some((word) => wholeWords.has(word))
  }
  const known = new Map<string, boolean>()
  const isSecret = (name: string): boolean => {
    if (name.length > longestKnown) return judged(name)
    const before = known.get(name)
    if (before !== undefined) return before
    const found = judged(name)
    if (known.size >= mostKnown) known.clear()
    known.set(name, found)
    return found
  }
  return (text) => {
    for (const [name] of text.matchAll(identifiers)) if (isSecret(name)) return true
    return false
  }
}
