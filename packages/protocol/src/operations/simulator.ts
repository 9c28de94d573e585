/**
 * Operations on simulated devices: what there is, from creation to deletion, and whether the machine can.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Operation from "../Operation.ts"
import * as Simulator from "../Simulator.ts"

const flag = (description: string) => Operation.withDefault(Schema.Boolean.annotate({ description }), false)
const word = (description: string) => Schema.NonEmptyString.annotate({ description })
const { deadline, environment, simulator } = Simulator.fields
const caller = { deadline, environment }

/** What every operation on a device can fail with. */
export const failures = [
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

/** What most of them answer: the device, and whether it was so already. */
export const Done = Schema.Struct({ simulator: Simulator.Subject, already: Schema.Boolean })

const yes = flag("Do it; without this it is refused, since what is on the device is lost")

/** `simctl list devices` */
export const SimList = Operation.make("sim.list", {
  summary: "List the simulators",
  description:
    "Lists simulated devices with UDID, name, state and runtime; unavailable ones say why. Start here to see what is booted.",
  tier: "observe",
  payload: {
    booted: flag("Only those that are booted"),
    available: flag("Only those that can be used"),
    runtime: Operation.optional(word("Only this runtime: 26.4, iOS 26.4, visionOS")),
    name: Operation.optional(word("Only names with this in them")),
    ...caller
  },
  data: Schema.Struct({ devices: Schema.Array(Simulator.Device) }),
  errors: failures,
  examples: [
    { title: "What is booted", input: { booted: true } },
    { title: "Phones of one runtime", input: { name: "iPhone", runtime: "26.4" } }
  ]
})

/** `simctl list runtimes` */
export const SimRuntimes = Operation.make("sim.runtimes", {
  summary: "List the simulator runtimes",
  description: "Lists the runtimes that devices can be created with, those that are not available with the reason.",
  tier: "observe",
  payload: caller,
  data: Schema.Struct({ runtimes: Schema.Array(Simulator.Runtime) }),
  errors: failures,
  examples: [{ title: "What can be created", input: {} }]
})

/** `simctl list devicetypes` */
export const SimTypes = Operation.make("sim.types", {
  summary: "List the types of simulators",
  description: "Lists the device types for sim create.",
  tier: "observe",
  payload: { name: Operation.optional(word("Only names with this in them")), ...caller },
  data: Schema.Struct({ types: Schema.Array(Simulator.DeviceType) }),
  errors: failures,
  examples: [{ title: "Every phone", input: { name: "iPhone" } }]
})

/** `simctl create` */
export const SimCreate = Operation.make("sim.create", {
  summary: "Create a simulator",
  description: "Creates a device of a type with a runtime, shut down, and answers with its UDID.",
  tier: "admin",
  payload: {
    name: word("Name of the new device"),
    type: word("Device type, by name or identifier: iPhone 17"),
    runtime: Operation.optional(word("Runtime: 26.4, iOS 26.4 or its identifier; the newest that fits when left out")),
    ...caller
  },
  positional: ["name", "type", "runtime"],
  data: Schema.Struct({ udid: Schema.String, name: Schema.String }),
  errors: failures,
  examples: [
    {
      title: "A phone to try things on",
      input: { name: "Scratch", type: "iPhone 17", runtime: "26.4" }
    }
  ]
})

/** `simctl clone` */
export const SimClone = Operation.make("sim.clone", {
  summary: "Copy a simulator",
  description: "Copies a device that is shut down, with everything on it, and answers with the UDID of the copy.",
  tier: "admin",
  payload: { simulator, name: word("Name of the copy"), ...caller },
  positional: ["simulator", "name"],
  data: Schema.Struct({ udid: Schema.String, name: Schema.String, simulator: Simulator.Subject }),
  errors: failures,
  examples: [{ title: "Keep one as it is", input: { simulator: "iPhone 17", name: "Copy" } }]
})

/** `simctl delete` */
export const SimDelete = Operation.make("sim.delete", {
  summary: "Delete a simulator",
  description: "Deletes a device with everything on it, for good. Needs yes.",
  tier: "admin",
  payload: { simulator, yes, ...caller },
  positional: ["simulator"],
  data: Done,
  errors: failures,
  examples: [{ title: "Delete the one for trying things", input: { simulator: "Scratch", yes: true } }]
})

/** `simctl erase` */
export const SimErase = Operation.make("sim.erase", {
  summary: "Erase a simulator",
  description: "Removes every app, file and setting from a device that is shut down. Needs yes.",
  tier: "admin",
  payload: { simulator, yes, ...caller },
  positional: ["simulator"],
  data: Done,
  errors: failures,
  examples: [{ title: "As if it were new", input: { simulator: "Scratch", yes: true } }]
})

/** `simctl boot`, `simctl bootstatus` */
export const SimBoot = Operation.make("sim.boot", {
  summary: "Boot a simulator",
  description:
    "Boots a device and waits until apps can be launched on it, which takes up to half a minute, minutes after an update. One that is booted already is a success. No window is opened.",
  tier: "admin",
  destructive: false,
  payload: {
    simulator,
    wait: Operation.withDefault(Schema.Boolean.annotate({ description: "Wait until apps can be launched" }), true),
    ...caller
  },
  positional: ["simulator"],
  data: Done,
  errors: failures,
  examples: [{ title: "Boot a phone", input: { simulator: "iPhone 17" } }]
})

/** `simctl shutdown` */
export const SimShutdown = Operation.make("sim.shutdown", {
  summary: "Shut a simulator down",
  description: "Shuts a device down, or all of them. Sessions with its apps end. Shut down already is a success.",
  tier: "admin",
  payload: { simulator, all: flag("Shut all of them down"), ...caller },
  positional: ["simulator"],
  data: Schema.Struct({
    simulator: Schema.optionalKey(Simulator.Subject),
    already: Schema.Boolean
  }),
  errors: failures,
  examples: [{ title: "Shut a phone down", input: { simulator: "iPhone 17" } }]
})

/** Checks of developer tools, CoreSimulator and developer mode. */
export const SimDoctor = Operation.make("sim.doctor", {
  summary: "Check that apps in simulators can be debugged here",
  description:
    "Looks at developer directory, Xcode, simctl, lldb, lldb-dap, CoreSimulator, runtimes and developer mode; says what is wrong and what to do. It changes nothing.",
  tier: "observe",
  payload: caller,
  data: Schema.Struct({ ok: Schema.Boolean, checks: Schema.Array(Simulator.Check) }),
  errors: failures,
  examples: [{ title: "Before the first time", input: {} }]
})
