/**
 * The configuration of a caller: the user's file, the project's file above the caller's directory, and the environment;
 * each overrides the one before, and options of a command override all.
 *
 * A project's file can name programs to run, so it is ignored until the user trusts its content. The digest of trusted
 * content is stored beside the user's file; a changed file must be trusted again. The search for it ends at the first
 * directory of another user.
 */
import { AdapterSettings, Errors, Hint, Settings } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { type FileRefused, purposes, searched } from "@sigtrap/manager/ports/FileReader"
import { renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { reader } from "../files/FileReader.ts"
import * as Directories from "../runtime/Directories.ts"
import * as SystemError from "../files/SystemError.ts"
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
  /** The same values by key, with the mark of the project's file if it chooses programs. */
  readonly values: Settings.Values
  /** The project's file, if there is one. An untrusted one is ignored, and so is one with a problem. */
  readonly project?: { readonly file: string; readonly trusted: boolean; readonly problem?: string }
}

/** A project's file and its text. */
export interface Project {
  readonly file: string
  readonly text: string
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

/** Returns the text of the user's file; none if there is no such file. Fails for one that breaks a rule of `FileReader`. */
export const text = (
  place: Pick<Place, "environment" | "file">
): Effect.Effect<string | undefined, Errors.InvalidConfig> => {
  const file = path(place)
  if (file === undefined) return Effect.succeed(undefined)
  // A file that the caller names counts as trusted for that call, also if another user owns it.
  const isNamed = file === place.file || file === place.environment["SIGTRAP_CONFIG"]
  return reader
    .text(file, isNamed ? purposes.named : purposes.settings)
    .pipe(
      Effect.catchTag("FileRefused", ({ detail, rule }) =>
        rule === "absent"
          ? Effect.succeed(undefined)
          : Effect.fail(new Errors.InvalidConfig({ file, problems: [detail] }))
      )
    )
}

/** Returns the text of a project's file; none if there is no such file. */
export const projectText = (file: string): Effect.Effect<string | undefined, FileRefused> =>
  reader
    .text(file, purposes.project)
    .pipe(
      Effect.catchTag("FileRefused", (refused) =>
        refused.rule === "absent" ? Effect.succeed(undefined) : Effect.fail(refused)
      )
    )

/** Finds the nearest project file in a directory or above, with its text. Fails for one that cannot be read. */
export const projectFile = Effect.fn("Config.projectFile")(function* (directory: string) {
  const folders = yield* searched(reader, directory, dirname)
  const files = folders.map((folder) => join(folder.path, projectName))
  const owners = yield* Effect.forEach(files, reader.owner, { concurrency: "unbounded" })
  const file = files.find((_, index) => owners[index] !== "absent")
  const found = file === undefined ? undefined : yield* projectText(file)
  return file === undefined || found === undefined ? undefined : ({ file, text: found } satisfies Project)
})

/** Returns the file of trusted digests; it does not depend on `SIGTRAP_CONFIG`. */
export const trustFile = ({ environment }: Pick<Place, "environment">): string | undefined => {
  const own = path({ environment: { ...environment, SIGTRAP_CONFIG: "" } })
  return own === undefined ? undefined : join(dirname(own), "trusted")
}

const entry = (project: Project) => `${createHash("sha256").update(project.text).digest("hex")}  ${project.file}`

/** Returns the lines of the file of trusted digests. */
const trustedLines = (place: Pick<Place, "environment">): Effect.Effect<ReadonlyArray<string>, FileRefused> => {
  const file = trustFile(place)
  return file === undefined
    ? Effect.succeed([])
    : reader.text(file, purposes.record).pipe(
        Effect.map((found) => found.split("\n").filter((line) => line !== "")),
        Effect.catchTag("FileRefused", (refused) =>
          refused.rule === "absent" ? Effect.succeed([]) : Effect.fail(refused)
        )
      )
}

/** Returns whether this content of a project's file is trusted; false if the file of trusted digests cannot be read. */
export const isTrusted = (project: Project, place: Pick<Place, "environment">): Effect.Effect<boolean> =>
  trustedLines(place).pipe(
    Effect.map((lines) => lines.includes(entry(project))),
    Effect.orElseSucceed(() => false)
  )

/** Writes a file atomically. */
export const save = (file: string, content: string, mode = 0o600) =>
  Effect.try({
    try: () => {
      Directories.make(dirname(file), 0o700)
      const fresh = `${file}.${process.pid}`
      writeFileSync(fresh, content, { mode })
      renameSync(fresh, file)
    },
    catch: (error) =>
      new Errors.Permission({
        detail: `${file} cannot be written: ${SystemError.describe(error)}`,
        remedies: [Hint.local("config.path")]
      })
  })

/** Trusts the current content of a project's file, or revokes the trust. */
export const trust = Effect.fn("Config.trust")(function* (project: Project, place: Place, trusted = true) {
  const file = trustFile(place)
  if (file === undefined) {
    return yield* new Errors.Usage({
      problem: "the list of trusted files cannot be stored: HOME is not set",
      near: [],
      remedies: [Hint.help("config")]
    })
  }
  const known = yield* Effect.mapError(
    trustedLines(place),
    ({ message }) => new Errors.Permission({ detail: message, remedies: [Hint.local("config.path")] })
  )
  const others = known.filter((line) => !line.endsWith(`  ${project.file}`))
  yield* save(file, [...others, ...(trusted ? [entry(project)] : []), ""].join("\n"))
})

/** Parses the text of a file and checks that its values fit together; the failure has one sentence for each mistake. */
export const parse = (content: string): Result.Result<ReadonlyArray<SettingsFile.Written>, ReadonlyArray<string>> =>
  Result.flatMap(SettingsFile.parse(content), (written) => {
    const problems = SettingsFile.conflicts(written)
    return problems.length === 0 ? Result.succeed(written) : Result.fail(problems)
  })

const fromFile = (file: string, content: string, origin: Origin) =>
  Result.mapBoth(parse(content), {
    onFailure: (problems) => new Errors.InvalidConfig({ file, problems }),
    onSuccess: (written) =>
      written.map(({ key, value }): Item => ({
        key,
        value: AdapterSettings.inFolder(key, value, dirname(file)),
        origin
      }))
  })

/** Returns the values of the user's file that the project's file leaves: it describes an adapter as a whole, not in part. */
const notReplaced = (user: ReadonlyArray<Item>, project: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const names = AdapterSettings.described(Object.fromEntries(project.map(({ key, value }) => [key, value])))
  return user.filter(({ key }) => !names.some((name) => key.startsWith(`adapters.${name}.`)))
}

/** True for a value that chooses a program to start: a debug adapter, its arguments and variables. */
export const choosesProgram = ({ key, value }: Pick<Item, "key" | "value">): boolean =>
  AdapterSettings.startedBy(key) !== undefined || (key === "defaults.adapter" && value.includes("/"))

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
export const resolve = Effect.fn("Config.resolve")(function* (
  place: Place
): Effect.fn.Return<Resolved, Errors.InvalidConfig> {
  const [own, project] = yield* Effect.all([text(place), Effect.result(projectFile(place.directory))], {
    concurrency: "unbounded"
  })
  const user = yield* Effect.fromResult(fromFile(path(place) ?? "", own ?? "", "user"))
  const found = Result.getOrElse(project, () => undefined)
  const trusted = found !== undefined && (yield* isTrusted(found, place))
  const projectItems = trusted ? yield* Effect.fromResult(fromFile(found.file, found.text, "project")) : []
  const environment = yield* Effect.fromResult(fromEnvironment(place.environment, [...user, ...projectItems]))
  // A later layer overrides an earlier one.
  const layers = [...notReplaced(user, projectItems), ...projectItems, ...environment]
  const items = [...new Map(layers.map((item) => [item.key, item])).values()]
  const chosen = items.filter((item) => item.origin === "project" && choosesProgram(item))
  return {
    items,
    values: Settings.withProject(Object.fromEntries(items.map(({ key, value }) => [key, value])), {
      file: found?.file ?? "",
      keys: chosen.map(({ key }) => key)
    }),
    ...(found === undefined ? {} : { project: { file: found.file, trusted } }),
    ...(Result.isFailure(project)
      ? { project: { file: project.failure.file, trusted, problem: project.failure.detail } }
      : {})
  }
})

/** Returns the values of a caller; reads the files at each call. */
export const values = (place: Place): Effect.Effect<Settings.Values, Errors.InvalidConfig> =>
  Effect.map(resolve(place), (resolved) => resolved.values)
