/**
 * Session defaults: simulator, app and backend of calls that name none.
 *
 * Defaults belong to a project: the nearest directory upwards with `.sigtrap` or `.git`. A profile is a named set; one is
 * active. Profiles are kept in this daemon, or on request in the project's file, which is read at each call. A file that
 * cannot be read is never overwritten.
 */
import { BackendName, Errors, Hint, type Simulator } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { FileReader, purposes } from "../ports/FileReader.ts"

/** All keys. */
export const keys = ["simulator", "bundle", "backend"] as const

const Profile = Schema.Struct({
  simulator: Schema.optionalKey(Schema.NonEmptyString),
  bundle: Schema.optionalKey(Schema.NonEmptyString),
  backend: Schema.optionalKey(BackendName.BackendName)
})
/** A named set of defaults. */
export type Profile = typeof Profile.Type

const File = Schema.Struct({ profile: Schema.String, profiles: Schema.Record(Schema.String, Profile) })
type File = typeof File.Type

const variables = { simulator: "SIGTRAP_SIMULATOR", bundle: "SIGTRAP_BUNDLE", backend: "SIGTRAP_BACKEND" } as const

/** Name of the profile that is active by default. */
export const defaultProfile = "default"

const empty: File = { profile: defaultProfile, profiles: {} }

/** Directory and environment of the caller. */
export interface Caller {
  readonly directory?: string | undefined
  readonly environment?: { readonly [name: string]: string } | undefined
}

/** The defaults of a project, for one profile. */
export interface ProjectDefaults {
  readonly project: string
  readonly profile: string
  readonly profiles: ReadonlyArray<string>
  readonly values: ReadonlyArray<Simulator.AppliedDefault>
  readonly persisted: boolean
}

const decodeFile = Schema.decodeUnknownEffect(Schema.fromJsonString(File))
/** Defaults that are not persisted: whole profiles, which replace those of the file, and the active profile. */
interface Unpersisted {
  readonly profile?: string
  readonly profiles: { readonly [name: string]: Profile }
}

/** A change of one profile, or without `profile` of all. `used` also makes the profile active. */
interface StoredChange {
  readonly persist: boolean
  readonly profile?: string
  readonly used?: boolean
}

/** Returns the file with the defaults that are not persisted. */
const merge = (file: File, held: Unpersisted | undefined): File => ({
  profile: held?.profile ?? file.profile,
  profiles: Object.fromEntries(
    Object.entries({ ...file.profiles, ...held?.profiles }).filter(([, profile]) => Object.keys(profile).length > 0)
  )
})

const encodeFile = (file: File) => `${JSON.stringify(file, undefined, 2)}\n`

/** Reads and changes session defaults. */
export class Defaults extends Context.Service<
  Defaults,
  {
    /** Returns the defaults of a profile (active one). */
    readonly show: (caller: Caller, profile?: string) => Effect.Effect<ProjectDefaults, Errors.Usage>
    /** Changes a profile (active one). `persist` writes the project's file. */
    readonly change: (
      caller: Caller,
      change: (file: File, profile: string) => File,
      options: {
        readonly profile?: string | undefined
        readonly persist: boolean
        /** Changes every profile. */
        readonly all?: boolean
      }
    ) => Effect.Effect<ProjectDefaults, Errors.Usage | Errors.Permission>
    readonly use: (
      caller: Caller,
      profile: string,
      persist: boolean
    ) => Effect.Effect<ProjectDefaults, Errors.Usage | Errors.Permission>
  }
>()("@sigtrap/manager/Defaults") {
  static readonly layer = Layer.effect(
    Defaults,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const reader = yield* FileReader
      /** Defaults that are not persisted, by project. */
      const held = new Map<string, Unpersisted>()

      const exists = (file: string) => fs.exists(file).pipe(Effect.orElseSucceed(() => false))

      const projectOf = Effect.fnUntraced(function* (directory: string) {
        for (let at = directory; ; at = path.dirname(at)) {
          if ((yield* exists(path.join(at, ".sigtrap"))) || (yield* exists(path.join(at, ".git")))) return at
          if (path.dirname(at) === at) return directory
        }
      })

      const fileOf = (project: string) => path.join(project, ".sigtrap", "defaults.json")

      const read = Effect.fnUntraced(function* (project: string) {
        const file = fileOf(project)
        if (!(yield* exists(file))) return empty
        return yield* reader.text(file, purposes.defaults).pipe(
          Effect.flatMap(decodeFile),
          Effect.mapError(
            (error) =>
              new Errors.Usage({
                problem: `${file} cannot be read: ${error.message.split("\n").join(" ").slice(0, 200)}`,
                near: [],
                remedies: [Hint.help("defaults.set")]
              })
          )
        )
      })

      const current = Effect.fnUntraced(function* (caller: Caller) {
        const project = yield* projectOf(path.resolve(caller.directory ?? "."))
        const unpersisted = held.get(project)
        return { project, file: merge(yield* read(project), unpersisted), held: unpersisted }
      })

      const describe = (
        caller: Caller,
        project: string,
        file: File,
        unpersisted: Unpersisted | undefined,
        requested: string | undefined
      ): ProjectDefaults => {
        const profile = requested ?? file.profile
        const chosen: Profile = file.profiles[profile] ?? {}
        const source = unpersisted?.profiles[profile] === undefined ? fileOf(project) : "this daemon"
        const values = keys.flatMap((key): ReadonlyArray<Simulator.AppliedDefault> => {
          const value = chosen[key]
          if (value !== undefined) return [{ key, value, from: `profile ${profile}, ${source}` }]
          const variable = caller.environment?.[variables[key]] ?? ""
          return variable === "" ? [] : [{ key, value: variable, from: variables[key] }]
        })
        const profiles = [...new Set([defaultProfile, file.profile, ...Object.keys(file.profiles)])].toSorted()
        return { project, profile, profiles, values, persisted: unpersisted === undefined }
      }

      const write = Effect.fnUntraced(function* (project: string, file: File) {
        const target = fileOf(project)
        yield* fs.makeDirectory(path.dirname(target), { recursive: true }).pipe(
          Effect.andThen(fs.writeFileString(`${target}.new`, encodeFile(file))),
          Effect.andThen(fs.rename(`${target}.new`, target)),
          Effect.mapError(
            (error) =>
              new Errors.Permission({
                detail: `${target}: ${error.message}`,
                remedies: [Hint.call("defaults.show", {})]
              })
          )
        )
      })

      /** Stores a change, in this daemon or in the file. Other defaults stay where they are. */
      const store = Effect.fnUntraced(function* (
        caller: Caller,
        project: string,
        changed: File,
        { persist, profile, used = false }: StoredChange
      ) {
        // The file is read first, so that a file with a syntax error is not overwritten.
        const before = yield* read(project)
        const { profile: active, profiles = {} } = held.get(project) ?? {}
        const touched = profile === undefined ? Object.keys({ ...before.profiles, ...profiles }) : [profile]
        const unpersisted = Object.fromEntries(touched.map((name) => [name, changed.profiles[name] ?? {}]))
        const chosen = profile === undefined ? changed.profile : used ? profile : undefined
        if (persist) {
          const file = { profile: chosen ?? before.profile, profiles: { ...before.profiles, ...unpersisted } }
          yield* write(project, merge(file, undefined))
          const left = Object.fromEntries(Object.entries(profiles).filter(([name]) => !touched.includes(name)))
          const still = chosen === undefined ? active : undefined
          if (Object.keys(left).length === 0 && still === undefined) held.delete(project)
          else held.set(project, { ...(still === undefined ? {} : { profile: still }), profiles: left })
        } else {
          const now = chosen ?? active
          held.set(project, {
            ...(now === undefined ? {} : { profile: now }),
            profiles: { ...profiles, ...unpersisted }
          })
        }
        return describe(caller, project, merge(yield* read(project), held.get(project)), held.get(project), profile)
      })

      return Defaults.of({
        show: (caller, profile) =>
          Effect.map(current(caller), ({ file, held: unpersisted, project }) =>
            describe(caller, project, file, unpersisted, profile)
          ),
        change: Effect.fn("Defaults.change")(function* (caller, change, options) {
          const { file, project } = yield* current(caller)
          const profile = options.profile ?? file.profile
          const changed = change(file, profile)
          const { persist } = options
          return yield* store(caller, project, changed, { persist, ...(options.all === true ? {} : { profile }) })
        }),
        use: Effect.fn("Defaults.use")(function* (caller, profile, persist) {
          const { file, project } = yield* current(caller)
          const known = [defaultProfile, ...Object.keys(file.profiles)]
          if (!known.includes(profile)) {
            return yield* new Errors.Usage({
              problem: `there is no profile ${profile}`,
              near: [...new Set(known)].slice(0, 5),
              remedies: [Hint.help("defaults.set", `to make the profile ${profile}`)]
            })
          }
          return yield* store(caller, project, { ...file, profile }, { persist, profile, used: true })
        })
      })
    })
  )
}
