/**
 * Models of simulators and their apps, and the payload fields of their operations.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Field from "../Field.ts"

const text = Schema.String
const maybe = Schema.optionalKey(Schema.String)

/** A simulator. `state` is Creating, Shutdown, Booting, Booted or Shutting Down. */
export class Device extends Model.of<Device>()(
  Schema.Struct({
    udid: text,
    name: text,
    state: text,
    /** Platform and version: `iOS 26.4.1`. */
    runtime: text,
    available: Schema.Boolean,
    /** The reason why it is not available. */
    unavailable: maybe,
    type: maybe,
    data_path: maybe,
    last_booted_at: maybe
  }).annotate({ identifier: "Device" })
) {}

/** A runtime, such as iOS 26.4, for which simulators can be created. */
export class Runtime extends Model.of<Runtime>()(
  Schema.Struct({
    identifier: text,
    name: text,
    version: text,
    build: text,
    available: Schema.Boolean,
    unavailable: maybe
  }).annotate({ identifier: "Runtime" })
) {}

/** A device type, such as iPhone 17. */
export class DeviceType extends Model.of<DeviceType>()(
  Schema.Struct({ identifier: text, name: text, family: maybe }).annotate({
    identifier: "DeviceType"
  })
) {}

/** An installed app. `pid` is set while it runs. */
export class App extends Model.of<App>()(
  Schema.Struct({
    bundle_id: text,
    name: text,
    kind: text,
    version: text,
    path: text,
    pid: Schema.optionalKey(Schema.Int)
  }).annotate({ identifier: "App" })
) {}

/** A session default that was applied, and its source. */
export class AppliedDefault extends Model.of<AppliedDefault>()(Schema.Struct({ key: text, value: text, from: text })) {}

/** The simulator of an answer, why it was chosen, and the session defaults that were applied. */
export class Subject extends Model.of<Subject>()(
  Schema.Struct({
    udid: text,
    name: text,
    runtime: text,
    chosen: text,
    defaults: Schema.Array(AppliedDefault)
  }).annotate({ identifier: "Subject" })
) {}

/** A check of the machine: what was found and, if it failed, what to do. */
export class Check extends Model.of<Check>()(
  Schema.Struct({
    name: text,
    ok: Schema.Boolean,
    found: text,
    remedy: maybe
  }).annotate({
    identifier: "Check"
  })
) {}

/** The fields that name the device and configure the tools. */
export const fields = {
  simulator: Field.optionalText("SIMULATOR", "UDID, name, NAME@RUNTIME or booted (default or booted one)"),
  deadline: Field.optionalDuration("Timeout of each simctl call, such as 10s, 2m"),
  environment: Field.environment("Environment to find the tools in; a token needs tier admin")
}

const callerFields = { deadline: fields.deadline, environment: fields.environment }

/** The type of `caller`. */
export interface Caller {
  readonly fields: typeof callerFields
}

/** The fields that configure the tools. */
export const caller: Caller = { fields: callerFields }

/** The app to act on. */
export const bundle = Field.optionalText("BUNDLE_ID", "Bundle id (project default)")
