/**
 * Simulated devices and the apps on them, as operations speak of them.
 */
import * as Schema from "effect/Schema"
import * as Operation from "./Operation.ts"
import * as Field from "./Field.ts"

const text = Schema.String
const maybe = Schema.optionalKey(Schema.String)

/** A simulated device. `state` is Creating, Shutdown, Booting, Booted or Shutting Down. */
export const Device = Schema.Struct({
  udid: text,
  name: text,
  state: text,
  /** Platform and version: `iOS 26.4.1`. */
  runtime: text,
  available: Schema.Boolean,
  /** Why it is not available. */
  unavailable: maybe,
  type: maybe,
  data_path: maybe,
  last_booted_at: maybe
}).annotate({ identifier: "Device" })
/** A simulated device. */
export type Device = typeof Device.Type

/** A runtime that devices can have. */
export const Runtime = Schema.Struct({
  identifier: text,
  name: text,
  version: text,
  build: text,
  available: Schema.Boolean,
  unavailable: maybe
}).annotate({ identifier: "Runtime" })
/** A runtime that devices can have. */
export type Runtime = typeof Runtime.Type

/** A type of device. */
export const DeviceType = Schema.Struct({ identifier: text, name: text, family: maybe }).annotate({
  identifier: "DeviceType"
})
/** A type of device. */
export type DeviceType = typeof DeviceType.Type

/** An installed app; with a pid it runs. */
export const App = Schema.Struct({
  bundle_id: text,
  name: text,
  kind: text,
  version: text,
  path: text,
  pid: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "App" })
/** An installed app. */
export type App = typeof App.Type

/** What a session default says, and where that comes from. */
export const Used = Schema.Struct({ key: text, value: text, from: text })
/** What a session default says, and where that comes from. */
export type Used = typeof Used.Type

/** The device an answer is about, why it was chosen, and the defaults that filled in what the caller left out. */
export const Subject = Schema.Struct({
  udid: text,
  name: text,
  runtime: text,
  chosen: text,
  defaults: Schema.Array(Used)
}).annotate({ identifier: "Subject" })
/** The device an answer is about. */
export type Subject = typeof Subject.Type

/** One check of a machine. */
export const Check = Schema.Struct({
  name: text,
  ok: Schema.Boolean,
  found: text,
  remedy: maybe
}).annotate({
  identifier: "Check"
})
/** One check of a machine. */
export type Check = typeof Check.Type

/** The fields with which every operation says which device and which tools it means. */
export const fields = {
  simulator: Operation.optional(
    Schema.NonEmptyString.annotate({
      description: "Simulator: UDID, exact name, NAME@RUNTIME or booted; the default or the booted one when left out"
    })
  ),
  deadline: Operation.optional(
    Field.Duration.annotate({
      description: "Longest time of each call of simctl, in place of its own: 10s, 2m"
    })
  ),
  environment: Operation.optional(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "Environment to look for the tools in"
    })
  )
}

/** The app to act on. */
export const bundle = Operation.optional(
  Schema.NonEmptyString.annotate({
    description: "Bundle id, whole: com.example.app; the default when left out"
  })
)
