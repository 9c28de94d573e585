// Finds missing platform packages in bun.lock. A lockfile that is written while the binary of a platform is not published omits
// it silently, and that platform never gets it.
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

/** The platforms on which the repository is developed. */
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
 * Returns each program that has one package per platform, with the platforms that bun.lock lacks. Only programs with a package
 * for Linux count: one for a single other system, such as fsevents, is absent elsewhere on purpose.
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
