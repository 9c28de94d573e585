/**
 * Session defaults: what is meant when a call names no simulator, no app, no backend.
 *
 * They belong to a project: the nearest folder upwards that has `.sigtrap` or `.git`. Profiles are named sets of which
 * one is active. They are kept here, or on request in the project's file, which is read again each time and never
 * overwritten when it cannot be read.
 */
import { Errors, Hint, type Simulator } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"

/** The keys there are. */
export const keys = ["simulator", "bundle", "backend"] as const
/** One of the keys. */
export type Key = (typeof keys)[number]

const Profile = Schema.Struct({
  simulator: Schema.optionalKey(Schema.NonEmptyString),
  bundle: Schema.optionalKey(Schema.NonEmptyString),
  backend: Schema.optionalKey(Schema.Literals(["dap", "lldb-cli"]))
})
/** A named set of defaults. */
export type Profile = typeof Profile.Type

const File = Schema.Struct({ profile: Schema.String, profiles: Schema.Record(Schema.String, Profile) })
type File = typeof File.Type

const variables = { simulator: "SIGTRAP_SIMULATOR", bundle: "SIGTRAP_BUNDLE", backend: "SIGTRAP_BACKEND" } as const

/** Name of the profile that is active when none was chosen. */
export const first = "default"

const empty: File = { profile: first, profiles: {} }

/** For whom it is asked. */
export interface Caller {
  readonly directory?: string | undefined
  readonly environment?: { readonly [name: string]: string } | undefined
}

/** How the defaults of a project stand. */
export interface Standing {
  readonly project: string
  readonly profile: string
  readonly profiles: ReadonlyArray<string>
  readonly values: ReadonlyArray<Simulator.Used>
  readonly persisted: boolean
}

const decodeFile = Schema.decodeUnknownEffect(Schema.fromJsonString(File))
/** What was set for now: whole profiles in place of those in the project's file, and perhaps another active one. */
interface Held {
  readonly profile?: string
  readonly profiles: { readonly [name: string]: Profile }
}

/** What a change is about: one profile, perhaps that it is the active one from now on; without one, everything. */
interface Keeping {
  readonly persist: boolean
  readonly profile?: string
  readonly used?: boolean
}

/** The file with what was set for now. */
const over = (file: File, held: Held | undefined): File => ({
  profile: held?.profile ?? file.profile,
  profiles: Object.fromEntries(
    Object.entries({ ...file.profiles, ...held?.profiles }).filter(([, profile]) => Object.keys(profile).length > 0)
  )
})

const encodeFile = (file: File) => `${JSON.stringify(file, undefined, 2)}\n`

/** The service. */
export class Defaults extends Context.Service<
  Defaults,
  {
    /** The defaults of a profile, the active one when none is named. */
    readonly show: (caller: Caller, profile?: string) => Effect.Effect<Standing, Errors.Usage>
    /** Changes a profile, the active one when none is named; `persist` writes the project's file. */
    readonly change: (
      caller: Caller,
      change: (file: File, profile: string) => File,
      options: {
        readonly profile?: string | undefined
        readonly persist: boolean
        /** The change is about every profile. */
        readonly all?: boolean
      }
    ) => Effect.Effect<Standing, Errors.Usage | Errors.Permission>
    readonly use: (
      caller: Caller,
      profile: string,
      persist: boolean
    ) => Effect.Effect<Standing, Errors.Usage | Errors.Permission>
  }
>()("@sigtrap/manager/Defaults") {
  static readonly layer = Layer.effect(
    Defaults,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      /** What was set and not persisted, by project. */
      const held = new Map<string, Held>()

      const there = (file: string) => fs.exists(file).pipe(Effect.orElseSucceed(() => false))

      const projectOf = Effect.fnUntraced(function* (directory: string) {
        for (let at = directory; ; at = path.dirname(at)) {
          if ((yield* there(path.join(at, ".sigtrap"))) || (yield* there(path.join(at, ".git")))) return at
          if (path.dirname(at) === at) return directory
        }
      })

      const fileOf = (project: string) => path.join(project, ".sigtrap", "defaults.json")

      const read = Effect.fnUntraced(function* (project: string) {
        const file = fileOf(project)
        if (!(yield* there(file))) return empty
        return yield* fs.readFileString(file).pipe(
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
        const own = held.get(project)
        return { project, file: over(yield* read(project), own), held: own }
      })

      const standing = (
        caller: Caller,
        project: string,
        file: File,
        own: Held | undefined,
        asked: string | undefined
      ): Standing => {
        const profile = asked ?? file.profile
        const chosen: Profile = file.profiles[profile] ?? {}
        const source = own?.profiles[profile] === undefined ? fileOf(project) : "this daemon"
        const values = keys.flatMap((key): ReadonlyArray<Simulator.Used> => {
          const value = chosen[key]
          if (value !== undefined) return [{ key, value, from: `profile ${profile}, ${source}` }]
          const variable = caller.environment?.[variables[key]] ?? ""
          return variable === "" ? [] : [{ key, value: variable, from: variables[key] }]
        })
        const profiles = [...new Set([first, file.profile, ...Object.keys(file.profiles)])].toSorted()
        return { project, profile, profiles, values, persisted: own === undefined }
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

      /** Keeps a change, here or in the file; what else was set for now stays where it is. */
      const keep = Effect.fnUntraced(function* (
        caller: Caller,
        project: string,
        changed: File,
        { persist, profile, used = false }: Keeping
      ) {
        // A file with a mistake in it is somebody's work: it is read before it is replaced.
        const before = yield* read(project)
        const { profile: active, profiles = {} } = held.get(project) ?? {}
        const touched = profile === undefined ? Object.keys({ ...before.profiles, ...profiles }) : [profile]
        const own = Object.fromEntries(touched.map((name) => [name, changed.profiles[name] ?? {}]))
        const chosen = profile === undefined ? changed.profile : used ? profile : undefined
        if (persist) {
          const file = { profile: chosen ?? before.profile, profiles: { ...before.profiles, ...own } }
          yield* write(project, over(file, undefined))
          const left = Object.fromEntries(Object.entries(profiles).filter(([name]) => !touched.includes(name)))
          const still = chosen === undefined ? active : undefined
          if (Object.keys(left).length === 0 && still === undefined) held.delete(project)
          else held.set(project, { ...(still === undefined ? {} : { profile: still }), profiles: left })
        } else {
          const now = chosen ?? active
          held.set(project, { ...(now === undefined ? {} : { profile: now }), profiles: { ...profiles, ...own } })
        }
        return standing(caller, project, over(yield* read(project), held.get(project)), held.get(project), profile)
      })

      return Defaults.of({
        show: (caller, profile) =>
          Effect.map(current(caller), ({ file, held: own, project }) => standing(caller, project, file, own, profile)),
        change: Effect.fnUntraced(function* (caller, change, options) {
          const { file, project } = yield* current(caller)
          const profile = options.profile ?? file.profile
          const changed = change(file, profile)
          const { persist } = options
          return yield* keep(caller, project, changed, { persist, ...(options.all === true ? {} : { profile }) })
        }),
        use: Effect.fnUntraced(function* (caller, profile, persist) {
          const { file, project } = yield* current(caller)
          const known = [first, ...Object.keys(file.profiles)]
          if (!known.includes(profile)) {
            return yield* new Errors.Usage({
              problem: `there is no profile ${profile}`,
              near: [...new Set(known)].slice(0, 5),
              remedies: [Hint.help("defaults.set", `to make the profile ${profile}`)]
            })
          }
          return yield* keep(caller, project, { ...file, profile }, { persist, profile, used: true })
        })
      })
    })
  )
}
