/**
 * Operations that drive what surrounds an app on a simulated device: its log, URLs, notifications, permissions, place
 * and looks.
 */
import * as Schema from "effect/Schema"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import * as Simulator from "../Simulator.ts"
import { failures } from "./simulator.ts"

const flag = (description: string) => Operation.withDefault(Schema.Boolean.annotate({ description }), false)
const word = (description: string) => Schema.NonEmptyString.annotate({ description })
const { deadline, environment, simulator } = Simulator.fields
const caller = { deadline, environment }
const { bundle } = Simulator
const { Subject } = Simulator

/** `simctl spawn … log` */
export const SimLog = Operation.make("sim.log", {
  summary: "Show the system log of a simulator",
  description:
    "Answers with log lines of the last minute, or with follow those that come within the timeout. For what the app prints use output.",
  tier: "observe",
  payload: {
    simulator,
    bundle: Operation.optional(word("Only what this app logs")),
    predicate: Operation.optional(word("Predicate of the system's log command, passed on as it is")),
    level: Operation.withDefault(
      Schema.Literals(["default", "info", "debug"]).annotate({ description: "How much is logged" }),
      "default"
    ),
    last: Operation.withDefault(
      Schema.String.check(Schema.isPattern(/^\d{1,4}[smhd]?$/, { message: "Write a time as 30s, 5m, 1h" })).annotate({
        description: "How far back: 30s, 5m, 1h"
      }),
      "1m"
    ),
    follow: flag("Wait for new lines instead"),
    timeout: Operation.withDefault(
      Field.Duration.annotate({ description: "How long to follow", ...FieldFacts.setting("timeouts.wait") }),
      "10s"
    ),
    limit: Field.limit(10_000, 200, "Most lines, the newest"),
    ...caller
  },
  positional: ["simulator"],
  data: Schema.Struct({ simulator: Subject, lines: Schema.Array(Schema.String) }),
  errors: failures,
  examples: [
    {
      title: "What the app logged just now",
      input: { simulator: "booted", bundle: "com.example.notes", last: "5m" }
    }
  ]
})

/** `simctl openurl` */
export const SimOpenUrl = Operation.make("sim.openurl", {
  summary: "Open a URL on a simulator",
  description: "Opens a URL, also one of an app's own scheme, as if a person had followed it.",
  tier: "admin",
  payload: { simulator, url: word("URL to open"), ...caller },
  positional: ["simulator", "url"],
  data: Schema.Struct({ simulator: Subject, url: Schema.String }),
  errors: failures,
  examples: [{ title: "A deep link", input: { simulator: "booted", url: "notes://note/7" } }]
})

/** `simctl push` */
export const SimPush = Operation.make("sim.push", {
  summary: "Send a push notification to an app on a simulator",
  description: "Delivers a notification from a JSON file with an aps dictionary.",
  tier: "admin",
  payload: { simulator, bundle, file: word("JSON file of the notification"), ...caller },
  positional: ["simulator", "bundle", "file"],
  data: Schema.Struct({ simulator: Subject, bundle_id: Schema.String, file: Schema.String }),
  errors: failures,
  examples: [
    {
      title: "A notification",
      input: { simulator: "booted", bundle: "com.example.notes", file: "push.json" }
    }
  ]
})

/** `simctl io screenshot` */
export const SimScreenshot = Operation.make("sim.screenshot", {
  summary: "Take a picture of a simulator's screen",
  description: "Writes what the screen shows to a file, as PNG unless its ending says otherwise.",
  tier: "admin",
  payload: { simulator, file: word("File to write"), ...caller },
  positional: ["simulator", "file"],
  data: Schema.Struct({ simulator: Subject, file: Schema.String }),
  errors: failures,
  examples: [{ title: "What it looks like", input: { simulator: "booted", file: "screen.png" } }]
})

/** `simctl privacy` */
export const SimPrivacy = Operation.make("sim.privacy", {
  summary: "Change what an app of a simulator is permitted",
  description:
    "Sets what an app may use without asking: photos, location, contacts, microphone and so on, or all. A change ends the app.",
  tier: "admin",
  payload: {
    simulator,
    action: Schema.Literals(["grant", "revoke", "reset"]).annotate({
      description: "What to do: grant, revoke or reset"
    }),
    service: word("Service: photos, location, contacts, calendar, microphone, all"),
    bundle: Operation.optional(word("Bundle id; for reset every app when left out")),
    ...caller
  },
  positional: ["simulator", "action", "service", "bundle"],
  data: Schema.Struct({ simulator: Subject, action: Schema.String, service: Schema.String }),
  errors: failures,
  examples: [
    {
      title: "Let it see the photos",
      input: {
        simulator: "booted",
        action: "grant",
        service: "photos",
        bundle: "com.example.notes"
      }
    }
  ]
})

/** `simctl location` */
export const SimLocation = Operation.make("sim.location", {
  summary: "Set the place of a simulator",
  description: "Sets the place that apps are told, or with clear ends it.",
  tier: "admin",
  payload: {
    simulator,
    place: Operation.optional(
      Schema.String.check(
        Schema.isPattern(/^-?\d{1,2}(?:\.\d+)?,-?\d{1,3}(?:\.\d+)?$/, {
          message: "Write a place as LATITUDE,LONGITUDE"
        })
      ).annotate({ description: "Degrees north and east: 52.52,13.405" })
    ),
    clear: flag("Set no place any more"),
    ...caller
  },
  positional: ["simulator", "place"],
  data: Schema.Struct({ simulator: Subject, place: Schema.optionalKey(Schema.String) }),
  errors: failures,
  examples: [
    { title: "Be in Berlin", input: { simulator: "booted", place: "52.52,13.405" } },
    { title: "Be nowhere", input: { simulator: "booted", clear: true } }
  ]
})

/** `simctl ui appearance` */
export const SimAppearance = Operation.make("sim.appearance", {
  summary: "Read or set whether a simulator is light or dark",
  description: "Answers with the appearance, after setting it when one is given.",
  tier: "admin",
  payload: {
    simulator,
    value: Operation.optional(
      Schema.Literals(["light", "dark"]).annotate({ description: "Appearance: light or dark" })
    ),
    ...caller
  },
  positional: ["simulator", "value"],
  data: Schema.Struct({ simulator: Subject, appearance: Schema.String }),
  errors: failures,
  examples: [{ title: "Go dark", input: { simulator: "booted", value: "dark" } }]
})

/** `simctl status_bar` */
export const SimStatusBar = Operation.make("sim.status-bar", {
  summary: "Set what the status bar of a simulator shows",
  description: "Overrides time, network, bars and battery, for pictures that look alike; with clear it ends that.",
  tier: "admin",
  payload: {
    simulator,
    time: Operation.optional(word("Time, as text: 9:41")),
    network: Operation.optional(word("Data network: wifi, 5g, lte, hide")),
    wifi_bars: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })).annotate({
        description: "Bars of Wi-Fi, 0 to 3"
      })
    ),
    cellular_bars: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })).annotate({
        description: "Bars of the mobile network, 0 to 4"
      })
    ),
    battery_level: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })).annotate({
        description: "Battery in percent"
      })
    ),
    battery_state: Operation.optional(
      Schema.Literals(["charging", "charged", "discharging"]).annotate({
        description: "State of the battery: charging, charged or discharging"
      })
    ),
    clear: flag("End every override"),
    ...caller
  },
  positional: ["simulator"],
  data: Schema.Struct({
    simulator: Subject,
    overrides: Schema.Record(Schema.String, Schema.String)
  }),
  errors: failures,
  examples: [{ title: "For a picture", input: { simulator: "booted", time: "9:41", battery_level: 100 } }]
})
