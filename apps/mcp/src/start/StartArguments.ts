/**
 * The words of a server over standard input and output, as far as the start needs them. `ServerArguments` reads all words when
 * the server is loaded. Imports nothing.
 */

/** The key of the words that `--allow` takes, as a list in JSON. */
export const grantsKey = "grants"

/** The key of the names that `--profile` takes, as a list in JSON. */
export const profilesKey = "profiles"

const flags: ReadonlyArray<string> = ["--isolated", "--structured", "--stdio"]

/**
 * Returns the profile of a server over standard streams; undefined if the words ask for something else or need a closer
 * look, such as an unknown profile. `grants` are the words of `--allow`, `profiles` the names of `--profile`.
 */
export const profileOf = (
  words: ReadonlyArray<string>,
  environment: { readonly [name: string]: string | undefined },
  grants: ReadonlyArray<string>,
  profiles: ReadonlyArray<string>
): string | undefined => {
  let profile = "default"
  let allow = environment["SIGTRAP_MCP_ALLOW"] ?? ""
  for (let at = 0; at < words.length; at += 1) {
    const [word = "", inline] = words[at]?.split(/=(.*)/s) ?? []
    if (word === "--profile") profile = inline ?? words[(at += 1)] ?? ""
    else if (word === "--allow") allow = inline ?? words[(at += 1)] ?? ""
    else if (inline !== undefined || !flags.includes(word)) return undefined
  }
  if (!profiles.includes(profile)) return undefined
  if ((environment["SIGTRAP_OTLP"] ?? "") !== "") return undefined
  const allowed = allow.split(/[\s,]+/).filter((word) => word !== "")
  return allowed.every((word) => grants.includes(word)) ? profile : undefined
}
