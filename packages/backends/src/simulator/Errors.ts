/**
 * Translates failures of simctl to errors of the contract: its message is kept, a remedy is added.
 */
import type { Simulators } from "@sigtrap/manager"
import { Errors, Nearest } from "@sigtrap/protocol"
import type { Failure, Listing, Selection } from "@sigtrap/simctl"

const chooseXcode = "sigtrap sim doctor"
const restart = "killall -9 com.apple.CoreSimulator.CoreSimulatorService"

/** Translates the failure of a call; `about` is the UDID or bundle id it concerns. */
export const refused = (failure: Failure.Failure, about = ""): Simulators.Failure => {
  const command = failure.command.replace(/^xcrun simctl /, "").slice(0, 160)
  const output = failure.stderr === "" ? "" : ` (${failure.stderr.split(/\r?\n/).join(" ").slice(0, 240)})`
  const udid = /^[0-9A-F-]{36}$/i.test(about) ? about : "SIM"
  const by = "simctl"
  const failed = (remedy: string) =>
    new Errors.AdapterError({ command, detail: `${failure.message}${output}`, by, remedy })
  switch (failure._tag) {
    case "ToolMissing":
      return new Errors.ToolMissing({
        tool: "simctl",
        detail: `${failure.message}${output}`,
        remedy: chooseXcode
      })
    case "LicenseNotAccepted":
      return new Errors.ToolMissing({
        tool: "simctl",
        detail: failure.message,
        remedy: "sudo xcodebuild -license accept"
      })
    case "ServiceUnavailable":
      return failure.sandboxed
        ? new Errors.Permission({ detail: failure.message, remedy: chooseXcode })
        : failed(restart)
    case "InvalidDevice":
      return new Errors.DeviceNotFound({
        selector: about,
        kind: "unknown",
        detail: `${failure.message}${output}`,
        candidates: [],
        remedy: "sigtrap sim list"
      })
    case "NotBooted":
      return new Errors.InvalidState({
        problem: failure.message,
        remedy: `sigtrap sim boot ${udid}`
      })
    case "WrongState":
    case "AlreadyInState":
      return new Errors.InvalidState({
        problem: failure.message,
        remedy: failure.state === "Booted" ? `sigtrap sim shutdown ${udid}` : "sigtrap sim list"
      })
    case "NotRunning":
      return new Errors.ProcessNotFound({ target: about, matches: [], remedy: "sigtrap sim apps" })
    case "AppNotInstalled":
      return new Errors.ProgramNotFound({
        path: about,
        problem: "no app with that bundle id is installed there",
        remedy: `sigtrap sim apps; then sigtrap sim install SIM FOLDER.app`
      })
    case "BadPath":
    case "BadBundle":
      return new Errors.ProgramNotFound({
        path: failure.command.split(" ").at(-1) ?? "",
        problem: `${failure.message}${output}`,
        remedy: "sigtrap sim install --help"
      })
    case "LaunchRefused":
    case "LaunchDenied":
      return new Errors.LaunchFailed({ program: about, detail: `${failure.message}${output}` })
    case "TimedOut":
      return new Errors.RequestTimeout(
        failure.behind === undefined
          ? { command, after_ms: failure.millis, by, remedy: restart }
          : {
              command: `${command}, which waits for its turn while ${failure.behind.replace(/^simctl /, "").slice(0, 160)} runs,`,
              after_ms: failure.millis,
              by,
              remedy: "call it again when that is done, or with --deadline 3m"
            }
      )
    case "OpenFailed":
      return failed("sigtrap sim apps, to see whether the app for it is installed")
    case "BootFailed":
      return failed(`sigtrap sim erase ${udid} --yes`)
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
        remedy: "sigtrap sim list"
      })
    }
    case "DeviceAmbiguous":
      return new Errors.DeviceNotFound({
        selector: failure.selector,
        kind: "ambiguous",
        detail,
        candidates: failure.candidates.map(line),
        remedy: "sigtrap sim list, then name the UDID or NAME@RUNTIME"
      })
    case "DeviceUnavailable":
      return new Errors.DeviceNotFound({
        selector: failure.selector,
        kind: "unavailable",
        detail,
        candidates: failure.candidates.map(line),
        remedy: "sigtrap sim runtimes"
      })
    case "NoBootedDevice":
      return new Errors.DeviceNotFound({
        selector: "booted",
        kind: "none_booted",
        detail,
        candidates: failure.bootable.slice(0, 10).map(line),
        remedy:
          failure.bootable[0] === undefined ? "sigtrap sim runtimes" : `sigtrap sim boot ${failure.bootable[0].udid}`
      })
  }
}
