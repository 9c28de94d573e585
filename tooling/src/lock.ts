// What bun.lock says about programs that exist once for each platform. A lockfile made while a platform's binary was not to be
// found leaves it out without a word, and that platform then never gets it; this finds such holes before they reach anyone.
import { Schema } from "effect"

const Words = Schema.Union([Schema.String, Schema.Array(Schema.String)])

const Details = Schema.Struct({
  os: Schema.optionalKey(Words),
  cpu: Schema.optionalKey(Words),
  libc: Schema.optionalKey(Words),
  optionalDependencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})

type Details = typeof Details.Type

const Lockfile = Schema.Struct({
  workspaces: Schema.Record(Schema.String, Details),
  packages: Schema.Record(Schema.String, Schema.Array(Schema.Unknown))
})

/** The platforms that the repository is developed on. */
const platforms = [
  { os: "linux", cpu: "x64" },
  { os: "linux", cpu: "arm64" },
  { os: "darwin", cpu: "x64" },
  { os: "darwin", cpu: "arm64" }
] as const

const includes = (words: string | ReadonlyArray<string> | undefined, word: string) =>
  words === undefined || (typeof words === "string" ? words === word : words.includes(word))

const isNative = (details: Details) => details.os !== undefined && details.cpu !== undefined

/**
 * Names each program that comes as one package a platform, with the platforms that bun.lock has no package for. A program
 * counts when it has a package for Linux: one for a single other system, such as fsevents, is meant to be absent elsewhere.
 */
export const nativePrograms = (
  text: string
): ReadonlyArray<{ readonly name: string; readonly missing: ReadonlyArray<string> }> => {
  // bun.lock is JSON with trailing commas.
  const lockfile = Schema.decodeUnknownSync(Lockfile)(JSON.parse(text.replaceAll(/,(?=\s*[}\]])/g, "")))
  const details = new Map<string, Details>()
  for (const [name, entry] of Object.entries(lockfile.packages)) {
    const found = entry.find((part) => Schema.is(Details)(part))
    if (found !== undefined) details.set(name, found)
  }
  const root = lockfile.workspaces[""]
  const families = [...details, ...(root === undefined ? [] : [["node", root] as const])]
  return families.flatMap(([name, { optionalDependencies = {} }]) => {
    const natives = Object.keys(optionalDependencies).flatMap((dependency) => {
      const own = details.get(`${name}/${dependency}`) ?? details.get(dependency)
      return own !== undefined && isNative(own) ? [own] : []
    })
    if (!natives.some((native) => includes(native.os, "linux"))) return []
    const missing = platforms.filter(
      ({ os, cpu }) =>
        !natives.some(
          (native) =>
            includes(native.os, os) && includes(native.cpu, cpu) && (os !== "linux" || includes(native.libc, "glibc"))
        )
    )
    return [{ name, missing: missing.map(({ os, cpu }) => `${os}-${cpu}`) }]
  })
}
