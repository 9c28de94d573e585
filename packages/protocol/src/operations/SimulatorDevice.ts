/**
 * `sim …` operations on the surroundings of an app: log, URLs, notifications, permissions, location and appearance.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import * as Simulator from "../model/Simulator.ts"
import { failures } from "./Simulators.ts"

const { simulator } = Simulator.fields
const { caller } = Simulator
const { bundle, Subject } = Simulator

/** Reads the system log (`simctl spawn … log`). */
export class SimLog extends Operation.make("sim.log", () => ({
  summary: "Show the system log of a simulator",
  description:
    "Returns the log lines of the last minute, or with follow those that arrive within the timeout. The output of a debugged app is in output.",
  effect: "observe",
  effects: {
    simulator: "observe",
    bundle: "observe",
    predicate: "observe",
    level: "observe",
    last: "observe",
    follow: "observe"
  },
  payload: Model.before(
    {
      simulator,
      bundle: Field.optionalText("BUNDLE_ID", "Only the log of this app"),
      predicate: Field.optionalText("PREDICATE", "Predicate for the system's log command"),
      level: Operation.withDefault(
        Schema.Literals(["default", "info", "debug"]).annotate({ description: "Lowest level to show" }),
        "default"
      ),
      last: Operation.withDefault(
        Schema.String.check(Schema.isPattern(/^\d{1,4}[smhd]?$/, { message: "Write a time as 30s, 5m, 1h" })).annotate({
          description: "How far back: 30s, 5m, 1h",
          ...FieldFacts.placeholder("DURATION")
        }),
        "1m"
      ),
      follow: Field.flag("Wait for new lines instead"),
      timeout: Operation.withDefault(
        Field.Duration.annotate({ description: "How long to follow", ...FieldFacts.setting("timeouts.wait") }),
        "10s"
      ),
      limit: Field.limit(10_000, 200, "Most lines to show, the newest ones")
    },
    caller
  ),
  positional: ["simulator"],
  data: Schema.Struct({ simulator: Subject, lines: Schema.Array(Schema.String) }),
  errors: failures,
  examples: [
    {
      title: "Show the recent log of an app",
      input: { simulator: "booted", bundle: "com.example.notes", last: "5m" }
    }
  ]
})) {}

/** Opens a URL (`simctl openurl`). */
export class SimOpenUrl extends Operation.make("sim.openurl", () => ({
  summary: "Open a URL on a simulator",
  description: "Opens a URL in the app that handles its scheme.",
  effect: "launch",
  effects: { simulator: "observe", url: "launch" },
  payload: Model.before({ simulator, url: Field.text("URL", "URL to open") }, caller),
  positional: ["simulator", "url"],
  data: Schema.Struct({ simulator: Subject, url: Schema.String }),
  errors: failures,
  examples: [{ title: "Open a deep link", input: { simulator: "booted", url: "notes://note/7" } }]
})) {}

/** Sends a push notification (`simctl push`). */
export class SimPush extends Operation.make("sim.push", () => ({
  summary: "Send a push notification to an app on a simulator",
  description: "Delivers a notification from a JSON file with an aps dictionary.",
  effect: "launch",
  effects: { simulator: "observe", bundle: "observe", file: "read-file" },
  payload: Model.before({ simulator, bundle, file: Field.text("FILE", "JSON file of the notification") }, caller),
  positional: ["simulator", "bundle", "file"],
  data: Schema.Struct({ simulator: Subject, bundle_id: Schema.String, file: Schema.String }),
  errors: failures,
  examples: [
    {
      title: "Send a notification",
      input: { simulator: "booted", bundle: "com.example.notes", file: "push.json" }
    }
  ]
})) {}

/** Takes a screenshot (`simctl io screenshot`). */
export class SimScreenshot extends Operation.make("sim.screenshot", () => ({
  summary: "Take a screenshot of a simulator",
  description: "Writes a screenshot to a file. The extension selects the format; PNG is the default.",
  effect: "write-file",
  effects: { simulator: "observe", file: "write-file", force: "observe" },
  payload: Model.before({ simulator, file: Field.text("FILE", "File to write"), force: Field.force }, caller),
  positional: ["simulator", "file"],
  data: Schema.Struct({ simulator: Subject, file: Schema.String }),
  errors: [...failures, ...Errors.writing],
  examples: [{ title: "Take a screenshot", input: { simulator: "booted", file: "screen.png" } }]
})) {}

/** Changes permissions (`simctl privacy`). */
export class SimPrivacy extends Operation.make("sim.privacy", () => ({
  summary: "Change the permissions of an app on a simulator",
  description:
    "Grants, revokes or resets a permission of an app: photos, location, contacts, microphone or all. Ends the app.",
  effect: "launch",
  effects: { simulator: "observe", action: "launch", service: "observe", bundle: "observe" },
  payload: Model.before(
    {
      simulator,
      action: Schema.Literals(["grant", "revoke", "reset"]).annotate({
        description: "What to do: grant, revoke or reset"
      }),
      service: Field.text("SERVICE", "Service: photos, location, contacts, microphone, all, …"),
      bundle: Field.optionalText("BUNDLE_ID", "Bundle id (for reset: every app)")
    },
    caller
  ),
  positional: ["simulator", "action", "service", "bundle"],
  data: Schema.Struct({ simulator: Subject, action: Schema.String, service: Schema.String }),
  errors: failures,
  examples: [
    {
      title: "Grant access to the photos",
      input: {
        simulator: "booted",
        action: "grant",
        service: "photos",
        bundle: "com.example.notes"
      }
    }
  ]
})) {}

/** Sets the location (`simctl location`). */
export class SimLocation extends Operation.make("sim.location", () => ({
  summary: "Set the location of a simulator",
  description: "Sets the location that apps see, or with clear removes it.",
  effect: "launch",
  effects: { simulator: "observe", place: "launch", clear: "observe" },
  payload: Model.before(
    {
      simulator,
      place: Operation.optional(
        Schema.String.check(
          Schema.isPattern(/^-?\d{1,2}(?:\.\d+)?,-?\d{1,3}(?:\.\d+)?$/, {
            message: "Write a place as LATITUDE,LONGITUDE"
          })
        ).annotate({
          description: "Latitude and longitude, such as 52.52,13.405",
          ...FieldFacts.placeholder("LATITUDE,LONGITUDE")
        })
      ),
      clear: Field.flag("Remove the location")
    },
    caller
  ),
  positional: ["simulator", "place"],
  data: Schema.Struct({ simulator: Subject, place: Schema.optionalKey(Schema.String) }),
  errors: failures,
  examples: [
    { title: "Set it to Berlin", input: { simulator: "booted", place: "52.52,13.405" } },
    { title: "Remove it", input: { simulator: "booted", clear: true } }
  ]
})) {}

/** Reads or sets the appearance (`simctl ui appearance`). */
export class SimAppearance extends Operation.make("sim.appearance", () => ({
  summary: "Show or set the appearance of a simulator",
  description: "Returns the appearance, light or dark, after setting it if a value is given.",
  effect: "launch",
  effects: { simulator: "observe", value: "observe" },
  payload: Model.before(
    {
      simulator,
      value: Operation.optional(
        Schema.Literals(["light", "dark"]).annotate({ description: "Appearance: light or dark" })
      )
    },
    caller
  ),
  positional: ["simulator", "value"],
  data: Schema.Struct({ simulator: Subject, appearance: Schema.String }),
  errors: failures,
  examples: [{ title: "Set dark mode", input: { simulator: "booted", value: "dark" } }]
})) {}

/** Overrides the status bar (`simctl status_bar`). */
export class SimStatusBar extends Operation.make("sim.status-bar", () => ({
  summary: "Override the status bar of a simulator",
  description:
    "Overrides time, network, signal bars and battery, for reproducible screenshots. clear removes the overrides.",
  effect: "launch",
  effects: {
    simulator: "observe",
    time: "observe",
    network: "observe",
    wifi_bars: "observe",
    cellular_bars: "observe",
    battery_level: "observe",
    battery_state: "observe",
    clear: "observe"
  },
  payload: Model.before(
    {
      simulator,
      time: Field.optionalText("TIME", "Time as text, such as 9:41"),
      network: Field.optionalText("NETWORK", "Data network: wifi, 5g, lte, hide"),
      wifi_bars: Field.optionalInteger(0, 3, "Bars of Wi-Fi, 0 to 3"),
      cellular_bars: Field.optionalInteger(0, 4, "Bars of the mobile network, 0 to 4"),
      battery_level: Field.optionalInteger(0, 100, "Battery level in percent"),
      battery_state: Operation.optional(
        Schema.Literals(["charging", "charged", "discharging"]).annotate({
          description: "Battery state: charging, charged or discharging"
        })
      ),
      clear: Field.flag("Remove all overrides")
    },
    caller
  ),
  positional: ["simulator"],
  data: Schema.Struct({
    simulator: Subject,
    overrides: Schema.Record(Schema.String, Schema.String)
  }),
  errors: failures,
  examples: [{ title: "Prepare a screenshot", input: { simulator: "booted", time: "9:41", battery_level: 100 } }]
})) {}
