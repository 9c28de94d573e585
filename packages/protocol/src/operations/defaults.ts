/**
 * Session defaults: simulator, app and backend that are meant when nothing is said, in named profiles.
 *
 * They belong to a project, the folder with `.sigtrap` or `.git` above the caller's directory. What is said in a call
 * wins, then the profile, then the environment (`SIGTRAP_SIMULATOR`, `SIGTRAP_BUNDLE`, `SIGTRAP_BACKEND`).
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Operation from "../Operation.ts"
import * as Simulator from "../Simulator.ts"

const { deadline, environment } = Simulator.fields
const caller = { environment }
const flag = (description: string) => Operation.withDefault(Schema.Boolean.annotate({ description }), false)

/** The keys of a profile. */
const Key = Schema.Literals(["simulator", "bundle", "backend"])

const ProfileName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._-]{1,64}$/, {
    message: "Write a profile's name with letters, digits, dot, dash"
  })
)

const profile = Operation.optional(ProfileName.annotate({ description: "Profile; the active one when left out" }))
const persist = flag("Keep it in the project's .sigtrap/defaults.json")

/** How the defaults stand. */
const Defaults = Schema.Struct({
  /** Folder of the project. */
  project: Schema.String,
  profile: Schema.String,
  profiles: Schema.Array(Schema.String),
  values: Schema.Array(Simulator.Used),
  /** Whether what is shown is what the project's file says. */
  persisted: Schema.Boolean
}).annotate({ identifier: "Defaults" })
/** How the defaults stand. */
export type Defaults = typeof Defaults.Type

const errors = [Errors.Usage, Errors.DeviceNotFound, Errors.Platform, Errors.ToolMissing, Errors.Permission] as const

/** Shows the defaults. */
export const DefaultsShow = Operation.make("defaults.show", {
  summary: "Show the session defaults",
  description: "Shows simulator, app and backend that are meant when a call names none, and where each comes from.",
  tier: "observe",
  payload: { profile, ...caller },
  data: Defaults,
  errors,
  examples: [{ title: "What is meant when nothing is said", input: {} }]
})

/** Sets defaults. */
export const DefaultsSet = Operation.make("defaults.set", {
  summary: "Set session defaults",
  description:
    "Sets defaults of a profile, which is made when there is none of that name. A simulator is looked up at once where that can be done. They last as long as the daemon, with persist as long as the project.",
  tier: "control",
  payload: {
    simulator: Operation.optional(
      Schema.NonEmptyString.annotate({
        description: "Simulator: a name to share, a UDID for this machine"
      })
    ),
    bundle: Operation.optional(Schema.NonEmptyString.annotate({ description: "Bundle id" })),
    backend: Operation.optional(
      Schema.Literals(["dap", "lldb-cli"]).annotate({ description: "How LLDB is driven: dap or lldb-cli" })
    ),
    profile,
    persist,
    deadline,
    ...caller
  },
  data: Defaults,
  errors,
  examples: [
    {
      title: "Always this app on this phone",
      input: { simulator: "iPhone 17", bundle: "com.example.notes" }
    },
    {
      title: "For everybody in the project",
      input: { bundle: "com.example.notes", persist: true }
    }
  ]
})

/** Clears defaults. */
export const DefaultsClear = Operation.make("defaults.clear", {
  summary: "Clear session defaults",
  description: "Clears some keys of a profile, the whole profile when no key is named, or all profiles.",
  tier: "control",
  payload: {
    keys: Operation.withDefault(Schema.Array(Key).annotate({ description: "Keys: simulator, bundle, backend" }), []),
    profile,
    all: flag("Clear every profile"),
    persist,
    ...caller
  },
  positional: ["keys"],
  data: Defaults,
  errors,
  examples: [{ title: "Forget the simulator", input: { keys: ["simulator"] } }]
})

/** Activates a profile. */
export const DefaultsUse = Operation.make("defaults.use", {
  summary: "Switch to another profile of session defaults",
  description: "Makes a profile the active one. Profiles inherit nothing from each other.",
  tier: "control",
  payload: { name: ProfileName.annotate({ description: "Profile" }), persist, ...caller },
  positional: ["name"],
  data: Defaults,
  errors,
  examples: [{ title: "Work on the tablet", input: { name: "tablet" } }]
})
