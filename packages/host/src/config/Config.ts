/**
 * The configuration of a caller: the user's file, the project's file above the caller's directory, and the environment;
 * each overrides the one before, and options of a command override all.
 *
 * A project's file can name programs to run, so it is ignored until the user trusts its content. The digest of trusted
 * content is stored beside the user's file; a changed file must be trusted again.
 */
import { Errors, Hint, Settings } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as SettingsFile from "./SettingsFile.ts"

/** The caller: its directory and environment. */
export interface Place {
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
  /** The user's file, if an option names one. */
  readonly file?: string | undefined
}

/** The source of a value. */
export type Origin = "default" | "user" | "project" | "env" | "flag"

/** An effective value. */
export interface Item {
  readonly key: string
  readonly value: Settings.Value
  readonly origin: Origin
}

/** The effective configuration of a caller. */
export interface Resolved {
  /** All values that are not built-in defaults. */
  readonly items: ReadonlyArray<Item>
  /** The same values by key. */
  readonly values: Settings.Values
  /** The project's file, if there is one. An untrusted one is ignored. */
  readonly project?: { readonly file: string; readonly trusted: boolean }
}

/** The name of a project's file. */
export const projectName = ".sigtrap.toml"

/** Returns the path of the user's file; none without a home directory. */
export const path = ({ environment, file }: Pick<Place, "environment" | "file">): string | undefined => {
  const { HOME, SIGTRAP_CONFIG, XDG_CONFIG_HOME } = environment
  if (file !== undefined && file !== "") return file
  if (SIGTRAP_CONFIG !== undefined && SIGTRAP_CONFIG !== "") return SIGTRAP_CONFIG
  if (XDG_CONFIG_HOME?.startsWith("/") === true) return join(XDG_CONFIG_HOME, "sigtrap", "config.toml")
  return HOME?.startsWith("/") === true ? join(HOME, ".config", "sigtrap", "config.toml") : undefined
}

/** Returns the text of a file; none if it cannot be read. */
export const text = (file: string | undefined): string | undefined =>
  file === undefined
    ? undefined
    : Result.getOrElse(
        Result.try(() => readFileSync(file, "utf8")),
        () => undefined
      )

/** Finds the nearest project file in a directory or above, with its text. */
export const projectFile = (directory: string): { readonly file: string; readonly text: string } | undefined => {
  for (let at = directory; ; at = dirname(at)) {
    const file = join(at, projectName)
    const found = text(file)
    if (found !== undefined) return { file, text: found }
    if (at === dirname(at)) return undefined
  }
}

/** Returns the file of trusted digests; it does not depend on `SIGTRAP_CONFIG`. */
const trustFile = ({ environment }: Pick<Place, "environment">): string | undefined => {
  const own = path({ environment: { ...environment, SIGTRAP_CONFIG: "" } })
  return own === undefined ? undefined : join(dirname(own), "trusted")
}

const entry = (project: { readonly file: string; readonly text: string }) =>
  `${createHash("sha256").update(project.text).digest("hex")}  ${project.file}`

/** Returns whether this content of a project's file is trusted. */
export const isTrusted = (project: { readonly file: string; readonly text: string }, place: Place): boolean =>
  (text(trustFile(place)) ?? "").split("\n").includes(entry(project))

/** Writes a file atomically. */
export const save = (file: string, content: string, mode = 0o600) =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const fresh = `${file}.${process.pid}`
      writeFileSync(fresh, content, { mode })
      renameSync(fresh, file)
    },
    catch: (error) => new Errors.Permission({ detail: String(error), remedies: [Hint.local("config.path")] })
  })

/** Trusts the current content of a project's file, or revokes the trust. */
export const trust = Effect.fn("Config.trust")(function* (
  project: { readonly file: string; readonly text: string },
  place: Place,
  trusted = true
) {
  const file = trustFile(place)
  if (file === undefined) {
    return yield* new Errors.Usage({
      problem: "the list of trusted files cannot be stored: HOME is not set",
      near: [],
      remedies: [Hint.help("config")]
    })
  }
  const others = (text(file) ?? "").split("\n").filter((line) => line !== "" && !line.endsWith(`  ${project.file}`))
  yield* save(file, [...others, ...(trusted ? [entry(project)] : []), ""].join("\n"))
})

const fromFile = (file: string, content: string, origin: Origin) =>
  Result.mapBoth(SettingsFile.parse(content), {
    onFailure: (problems) => new Errors.InvalidConfig({ file, problems }),
    onSuccess: (written) => written.map(({ key, value }): Item => ({ key, value, origin }))
  })

/** Reads the values from the environment; an empty variable counts as unset. */
const fromEnvironment = (
  environment: Place["environment"],
  below: ReadonlyArray<Item>
): Result.Result<ReadonlyArray<Item>, Errors.InvalidConfig> => {
  // The path variable of an adapter is read here only if a file sets that path: otherwise the adapter reads it itself.
  const named = below.flatMap(({ key }) => (/^adapters\.[^.]+\.path$/.test(key) ? [Settings.find(key)] : []))
  const items: Array<Item> = []
  for (const key of [...Settings.keys, ...named.flatMap((found) => (Result.isSuccess(found) ? [found.success] : []))]) {
    const value = key.variable === undefined ? "" : (environment[key.variable] ?? "")
    if (value === "") continue
    const wrong = key.problem(value)
    if (wrong !== undefined) {
      const problems = [`${wrong}, not '${value}'`]
      return Result.fail(new Errors.InvalidConfig({ file: `the variable ${key.variable ?? ""}`, problems }))
    }
    items.push({ key: key.key, value, origin: "env" })
  }
  return Result.succeed(items)
}

/** Resolves the configuration of a caller; fails on a mistake in a file that is not ignored. */
export const resolve = (place: Place): Result.Result<Resolved, Errors.InvalidConfig> =>
  Result.gen(function* () {
    const own = path(place)
    const user = yield* fromFile(own ?? "", text(own) ?? "", "user")
    const project = projectFile(place.directory)
    const trusted = project !== undefined && isTrusted(project, place)
    const projectItems = trusted ? yield* fromFile(project.file, project.text, "project") : []
    const environment = yield* fromEnvironment(place.environment, [...user, ...projectItems])
    // A later layer overrides an earlier one.
    const items = [...new Map([...user, ...projectItems, ...environment].map((item) => [item.key, item])).values()]
    return {
      items,
      values: Object.fromEntries(items.map(({ key, value }) => [key, value])),
      ...(project === undefined ? {} : { project: { file: project.file, trusted } })
    }
  })

/** Returns the values of a caller; reads the files at each call. */
export const values = (place: Place): Effect.Effect<Settings.Values, Errors.InvalidConfig> =>
  Effect.suspend(() => Effect.map(Effect.fromResult(resolve(place)), (resolved) => resolved.values))
