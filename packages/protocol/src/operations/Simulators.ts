/**
 * `sim …` operations on simulators themselves: list, create, boot, erase and delete them, and check the machine.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import * as Simulator from "../model/Simulator.ts"

const { simulator } = Simulator.fields
const { caller } = Simulator

const failureList = [
  Errors.Platform,
  Errors.ToolMissing,
  Errors.DeviceNotFound,
  Errors.ProgramNotFound,
  Errors.ProcessNotFound,
  Errors.LaunchFailed,
  Errors.InvalidState,
  Errors.Permission,
  Errors.Usage
] as const

type FailureList = typeof failureList
/** The errors of every operation on a simulator. */
export interface Failures extends FailureList {}
/** The errors of every operation on a simulator. */
export const failures: Failures = failureList

/** The simulator of an operation; `already` is true if there was nothing to do. */
class Done extends Model.of<Done>()(Schema.Struct({ simulator: Simulator.Subject, already: Schema.Boolean })) {}

const yes = Field.flag("Confirm; required, since the data of the simulator is lost")

/** Lists simulators (`simctl list devices`). */
export class SimList extends Operation.make("sim.list", () => ({
  summary: "List the simulators",
  description:
    "Lists simulators with UDID, name, state and runtime, and the reason why one is unavailable. Start here to find a booted one.",
  effect: "observe",
  effects: { booted: "observe", available: "observe", runtime: "observe", name: "observe" },
  payload: Model.before(
    {
      booted: Field.flag("Only booted simulators"),
      available: Field.flag("Only available simulators"),
      runtime: Field.optionalText("RUNTIME", "Only this runtime: 26.4, iOS 26.4, visionOS"),
      name: Field.optionalText("TEXT", "Only names that contain this")
    },
    caller
  ),
  data: Schema.Struct({ devices: Schema.Array(Simulator.Device) }),
  errors: failures,
  examples: [
    { title: "List booted simulators", input: { booted: true } },
    { title: "List the phones of one runtime", input: { name: "iPhone", runtime: "26.4" } }
  ]
})) {}

/** Lists runtimes (`simctl list runtimes`). */
export class SimRuntimes extends Operation.make("sim.runtimes", () => ({
  summary: "List the simulator runtimes",
  description: "Lists the runtimes for which simulators can be created, and the reason why one is unavailable.",
  effect: "observe",
  effects: {},
  payload: caller.fields,
  data: Schema.Struct({ runtimes: Schema.Array(Simulator.Runtime) }),
  errors: failures,
  examples: [{ title: "List the runtimes", input: {} }]
})) {}

/** Lists device types (`simctl list devicetypes`). */
export class SimTypes extends Operation.make("sim.types", () => ({
  summary: "List the types of simulators",
  description: "Lists the device types that sim create takes.",
  effect: "observe",
  effects: { name: "observe" },
  payload: Model.before({ name: Field.optionalText("TEXT", "Only names that contain this") }, caller),
  data: Schema.Struct({ types: Schema.Array(Simulator.DeviceType) }),
  errors: failures,
  examples: [{ title: "List the phones", input: { name: "iPhone" } }]
})) {}

/** Creates a simulator (`simctl create`). */
export class SimCreate extends Operation.make("sim.create", () => ({
  summary: "Create a simulator",
  description: "Creates a simulator of a device type with a runtime. It is shut down. Returns its UDID.",
  effect: "launch",
  effects: { name: "observe", type: "observe", runtime: "observe" },
  payload: Model.before(
    {
      name: Field.text("NAME", "Name of the new simulator"),
      type: Field.text("TYPE", "Device type, by name or identifier: iPhone 17"),
      runtime: Field.optionalText("RUNTIME", "Runtime: 26.4, iOS 26.4 or an identifier (newest)")
    },
    caller
  ),
  positional: ["name", "type", "runtime"],
  data: Schema.Struct({ udid: Schema.String, name: Schema.String }),
  errors: failures,
  examples: [
    {
      title: "Create a phone for experiments",
      input: { name: "Scratch", type: "iPhone 17", runtime: "26.4" }
    }
  ]
})) {}

/** Copies a simulator (`simctl clone`). */
export class SimClone extends Operation.make("sim.clone", () => ({
  summary: "Copy a simulator",
  description: "Copies a simulator that is shut down, with its apps and data. Returns the UDID of the copy.",
  effect: "launch",
  effects: { simulator: "observe", name: "observe" },
  payload: Model.before({ simulator, name: Field.text("NAME", "Name of the copy") }, caller),
  positional: ["simulator", "name"],
  data: Schema.Struct({ udid: Schema.String, name: Schema.String, simulator: Simulator.Subject }),
  errors: failures,
  examples: [{ title: "Keep a copy", input: { simulator: "iPhone 17", name: "Copy" } }]
})) {}

/** Deletes a simulator (`simctl delete`). */
export class SimDelete extends Operation.make("sim.delete", () => ({
  summary: "Delete a simulator",
  description: "Deletes a simulator with its apps and data. This cannot be undone. Fails without yes.",
  effect: "launch",
  effects: { simulator: "observe", yes: "observe" },
  payload: Model.before({ simulator, yes }, caller),
  positional: ["simulator"],
  data: Done,
  errors: failures,
  examples: [{ title: "Delete a simulator", input: { simulator: "Scratch", yes: true } }]
})) {}

/** Erases a simulator (`simctl erase`). */
export class SimErase extends Operation.make("sim.erase", () => ({
  summary: "Erase a simulator",
  description: "Removes all apps, files and settings from a simulator that is shut down. Fails without yes.",
  effect: "launch",
  effects: { simulator: "observe", yes: "observe" },
  payload: Model.before({ simulator, yes }, caller),
  positional: ["simulator"],
  data: Done,
  errors: failures,
  examples: [{ title: "Reset a simulator", input: { simulator: "Scratch", yes: true } }]
})) {}

/** Boots a simulator (`simctl boot`, `simctl bootstatus`). */
export class SimBoot extends Operation.make("sim.boot", () => ({
  summary: "Boot a simulator",
  description:
    "Boots a simulator and waits until apps can be launched: up to half a minute, or minutes after an update. Succeeds at once if it is booted. Opens no window.",
  effect: "launch",
  effects: { simulator: "observe" },
  destructive: false,
  payload: Model.before({ simulator, wait: Field.flagOn("Wait until apps can be launched") }, caller),
  positional: ["simulator"],
  data: Done,
  errors: failures,
  examples: [{ title: "Boot a phone", input: { simulator: "iPhone 17" } }]
})) {}

/** Shuts simulators down (`simctl shutdown`). */
export class SimShutdown extends Operation.make("sim.shutdown", () => ({
  summary: "Shut a simulator down",
  description:
    "Shuts one simulator or all of them down. Ends the sessions with its apps. Succeeds if it is already shut down.",
  effect: "launch",
  effects: { simulator: "observe", all: "observe" },
  payload: Model.before({ simulator, all: Field.flag("Shut all simulators down") }, caller),
  positional: ["simulator"],
  data: Schema.Struct({
    simulator: Schema.optionalKey(Simulator.Subject),
    already: Schema.Boolean
  }),
  errors: failures,
  examples: [{ title: "Shut a phone down", input: { simulator: "iPhone 17" } }]
})) {}

/** Checks developer tools, CoreSimulator and developer mode. */
export class SimDoctor extends Operation.make("sim.doctor", () => ({
  summary: "Check that simulator apps can be debugged",
  description:
    "Checks developer directory, Xcode, simctl, lldb, lldb-dap, CoreSimulator, runtimes and developer mode. Returns each problem with what to do. Changes nothing.",
  effect: "observe",
  effects: {},
  payload: caller.fields,
  data: Schema.Struct({ ok: Schema.Boolean, checks: Schema.Array(Simulator.Check) }),
  errors: failures,
  examples: [{ title: "Check this machine", input: {} }]
})) {}
