/**
 * `defaults …`: the default simulator, app and backend of a project, in named profiles.
 *
 * A project is the nearest directory above the caller's with `.sigtrap` or `.git`. A value in a call wins, then the active
 * profile, then the environment (`SIGTRAP_SIMULATOR`, `SIGTRAP_BUNDLE`, `SIGTRAP_BACKEND`).
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import * as Simulator from "../model/Simulator.ts"

const { deadline, environment } = Simulator.fields
const caller = { environment }

/** The keys of a profile. */
const Key = Schema.Literals(["simulator", "bundle", "backend"])

const ProfileName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._-]{1,64}$/, {
    message: "Write a profile's name with letters, digits, dot, dash"
  })
)

const profileName = (description: string) => ProfileName.annotate({ description, ...FieldFacts.placeholder("PROFILE") })
const profile = Operation.optional(profileName("Profile (the active one)"))
const persist = Field.flag("Also write the project's .sigtrap/defaults.json")

/** The defaults of a profile. */
class Defaults extends Model.of<Defaults>()(
  Schema.Struct({
    /** The directory of the project. */
    project: Schema.String,
    profile: Schema.String,
    profiles: Schema.Array(Schema.String),
    values: Schema.Array(Simulator.AppliedDefault),
    /** True if the project's file has the same values. */
    persisted: Schema.Boolean
  }).annotate({ identifier: "Defaults" })
) {}

const errors = [Errors.Usage, Errors.DeviceNotFound, Errors.Platform, Errors.ToolMissing, Errors.Permission] as const

/** Shows the defaults. */
export class DefaultsShow extends Operation.make("defaults.show", () => ({
  summary: "Show the session defaults",
  description: "Shows the default simulator, app and backend of a profile, and the source of each value.",
  effect: "observe",
  effects: { profile: "observe" },
  payload: { profile, ...caller },
  data: Defaults,
  errors,
  examples: [{ title: "Show the defaults", input: {} }]
})) {}

/** Sets defaults. */
export class DefaultsSet extends Operation.make("defaults.set", () => ({
  summary: "Set session defaults",
  description:
    "Sets defaults of a profile and creates the profile if needed. Checks the simulator if this machine has simulators. Values last until the daemon ends; with persist they are written to the project's file.",
  effect: "control",
  effects: { simulator: "observe", bundle: "observe", backend: "observe", profile: "observe", persist: "write-file" },
  payload: {
    simulator: Field.optionalText("SIMULATOR", "Simulator: UDID, or a name that works on other machines too"),
    bundle: Field.optionalText("BUNDLE_ID", "Bundle id of the app"),
    backend: Operation.optional(
      Schema.Literals(["dap", "lldb-cli"]).annotate({ description: "How LLDB is driven: dap or its console" })
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
      title: "Set the app and the simulator",
      input: { simulator: "iPhone 17", bundle: "com.example.notes" }
    },
    {
      title: "Set the app for the whole project",
      input: { bundle: "com.example.notes", persist: true }
    }
  ]
})) {}

/** Clears defaults. */
export class DefaultsClear extends Operation.make("defaults.clear", () => ({
  summary: "Clear session defaults",
  description: "Clears some keys of a profile, the whole profile if no key is named, or all profiles.",
  effect: "control",
  effects: { keys: "observe", profile: "observe", all: "observe", persist: "write-file" },
  payload: {
    keys: Operation.withDefault(
      Schema.Array(Key).annotate({ description: "Keys to clear: simulator, bundle, backend (all)" }),
      []
    ),
    profile,
    all: Field.flag("Clear every profile"),
    persist,
    ...caller
  },
  positional: ["keys"],
  data: Defaults,
  errors,
  examples: [{ title: "Clear the simulator", input: { keys: ["simulator"] } }]
})) {}

/** Selects the active profile. */
export class DefaultsUse extends Operation.make("defaults.use", () => ({
  summary: "Select a profile of session defaults",
  description: "Makes a profile the active one. Profiles do not inherit from each other.",
  effect: "control",
  effects: { name: "observe", persist: "write-file" },
  payload: { name: profileName("Profile to select"), persist, ...caller },
  positional: ["name"],
  data: Defaults,
  errors,
  examples: [{ title: "Select the profile tablet", input: { name: "tablet" } }]
})) {}
