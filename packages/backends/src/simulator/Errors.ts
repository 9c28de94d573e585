/**
 * Translates failures of simctl to errors of `@sigtrap/protocol`: keeps simctl's message and adds a remedy.
 */
import type { Simulators } from "@sigtrap/manager"
import { Errors, Hint, Nearest } from "@sigtrap/protocol"
import type { Failure, Listing, Selection } from "@sigtrap/simctl"

const chooseXcode = Hint.call("sim.doctor", {})
const restart = Hint.remedy("killall -9 com.apple.CoreSimulator.CoreSimulatorService")

/** Translates the failure of a call; `about` is the UDID or bundle id it concerns. */
export const refused = (failure: Failure.Failure, about = ""): Simulators.Failure => {
  const command = failure.command.replace(/^xcrun simctl /, "").slice(0, 160)
  const output = failure.stderr === "" ? "" : ` (${failure.stderr.split(/\r?\n/).join(" ").slice(0, 240)})`
  const device = /^[0-9A-F-]{36}$/i.test(about) ? { simulator: about } : {}
  const by = "simctl"
  const failed = (hint: Hint.Hint) =>
    new Errors.AdapterError({ command, detail: `${failure.message}${output}`, by, remedies: [hint] })
  switch (failure._tag) {
    case "ToolMissing":
      return new Errors.ToolMissing({
        tool: "simctl",
        detail: `${failure.message}${output}`,
        remedies: [chooseXcode]
      })
    case "LicenseNotAccepted":
      return new Errors.ToolMissing({
        tool: "simctl",
        detail: failure.message,
        remedies: [Hint.remedy("sudo xcodebuild -license accept")]
      })
    case "ServiceUnavailable":
      return failure.sandboxed
        ? new Errors.Permission({ detail: failure.message, remedies: [chooseXcode] })
        : failed(restart)
    case "InvalidDevice":
      return new Errors.DeviceNotFound({
        selector: about,
        kind: "unknown",
        detail: `${failure.message}${output}`,
        candidates: [],
        remedies: [Hint.call("sim.list", {})]
      })
    case "NotBooted":
      return new Errors.InvalidState({
        problem: failure.message,
        remedies: [Hint.call("sim.boot", device)]
      })
    case "WrongState":
    case "AlreadyInState":
      return new Errors.InvalidState({
        problem: failure.message,
        remedies: [failure.state === "Booted" ? Hint.call("sim.shutdown", device) : Hint.call("sim.list", {})]
      })
    case "NotRunning":
      return new Errors.ProcessNotFound({ target: about, matches: [], remedies: [Hint.call("sim.apps", {})] })
    case "AppNotInstalled":
      return new Errors.ProgramNotFound({
        path: about,
        problem: "no app with that bundle id is installed there",
        remedies: [Hint.call("sim.apps", device), Hint.help("sim.install")]
      })
    case "BadPath":
    case "BadBundle":
      return new Errors.ProgramNotFound({
        path: failure.command.split(" ").at(-1) ?? "",
        problem: `${failure.message}${output}`,
        remedies: [Hint.help("sim.install")]
      })
    case "LaunchRefused":
    case "LaunchDenied":
      return new Errors.LaunchFailed({ program: about, detail: `${failure.message}${output}` })
    case "TimedOut":
      return new Errors.RequestTimeout(
        failure.blockedBy === undefined
          ? { command, after_ms: failure.millis, by, remedies: [restart] }
          : {
              command: `${command}, which waits for its turn while ${failure.blockedBy.replace(/^simctl /, "").slice(0, 160)} runs,`,
              after_ms: failure.millis,
              by,
              remedies: [Hint.remedy("repeat the call when the other one has ended, or with a deadline of 3m")]
            }
      )
    case "OpenFailed":
      return failed(Hint.call("sim.apps", device, "to see whether the app for it is installed"))
    case "BootFailed":
      return failed(Hint.call("sim.erase", { ...device, yes: true }))
    case "GarbageOutput":
    case "Incompatible":
    case "Other":
      return failed(chooseXcode)
  }
}

const line = ({ name, platform, state, udid, version }: Listing.Device) =>
  `${name} (${platform} ${version}) ${state} ${udid}`

/** Translates the failure to choose a device. */
export const unchosen = (failure: Selection.SelectionFailure): Errors.DeviceNotFound => {
  const detail = failure.message
  switch (failure._tag) {
    case "DeviceNotFound": {
      const { names, others, selector } = failure
      const candidates = others.length > 0 ? others : Nearest.closest(selector, names, 5)
      return new Errors.DeviceNotFound({
        selector,
        kind: "unknown",
        detail: `no simulator is called '${selector}'${candidates.length === 0 ? "" : `; nearest: ${candidates.join(", ")}`}`,
        candidates,
        remedies: [Hint.call("sim.list", {})]
      })
    }
    case "DeviceAmbiguous":
      return new Errors.DeviceNotFound({
        selector: failure.selector,
        kind: "ambiguous",
        detail,
        candidates: failure.candidates.map(line),
        remedies: [Hint.call("sim.list", {}, "then name the UDID or NAME@RUNTIME")]
      })
    case "DeviceUnavailable":
      return new Errors.DeviceNotFound({
        selector: failure.selector,
        kind: "unavailable",
        detail,
        candidates: failure.candidates.map(line),
        remedies: [Hint.call("sim.runtimes", {})]
      })
    case "NoBootedDevice":
      return new Errors.DeviceNotFound({
        selector: "booted",
        kind: "none_booted",
        detail,
        candidates: failure.bootable.slice(0, 10).map(line),
        remedies:
          failure.bootable.length === 0
            ? [Hint.call("sim.runtimes", {})]
            : failure.bootable.map(({ udid }) => Hint.call("sim.boot", { simulator: udid }))
      })
  }
}
