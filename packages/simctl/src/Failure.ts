/**
 * What can go wrong with a call of simctl, one tagged class for each situation a caller can act on.
 *
 * A failure is told from the exit status, the error domain and code, and the English sentence about a device's state.
 * Messages of the install service are localised, so no such text is ever looked at. The tool's words are kept.
 */
import * as Data from "effect/Data"

/** A call that has ended. Exit status 128 + n stands for a signal. */
export interface Call {
  /** The words after `xcrun`. */
  readonly argv: ReadonlyArray<string>
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

/** What every failure tells of its call. `stderr` is trimmed and at most 2 KiB. */
export interface About {
  readonly command: string
  readonly exit: number
  readonly stderr: string
}

const longest = 2048

/** A call as a failure tells of it. */
export const about = ({ argv, exit, stderr, stdout }: Call): About => ({
  command: ["xcrun", ...argv].join(" ").slice(0, longest),
  exit,
  stderr: (stderr.trim() === "" ? stdout : stderr).trim().slice(0, longest)
})

/** No simctl here: no Xcode, only the command line tools, or no xcrun at all. */
export class ToolMissing extends Data.TaggedError("ToolMissing")<About> {
  override get message() {
    return "xcrun finds no simctl: it needs a whole Xcode, chosen with xcode-select or DEVELOPER_DIR"
  }
}

/** Xcode's licence was not agreed to. */
export class LicenseNotAccepted extends Data.TaggedError("LicenseNotAccepted")<About> {
  override get message() {
    return "Xcode's licence was not agreed to; run: sudo xcodebuild -license accept"
  }
}

/** CoreSimulatorService does not answer. `sandboxed` when the caller itself seems to be kept from it. */
export class ServiceUnavailable extends Data.TaggedError("ServiceUnavailable")<
  About & { readonly sandboxed: boolean }
> {
  override get message() {
    return this.sandboxed
      ? "CoreSimulatorService cannot be reached: this process probably runs in a sandbox; run it outside"
      : "CoreSimulatorService does not answer; run: killall -9 com.apple.CoreSimulator.CoreSimulatorService"
  }
}

/** simctl knows no such device. */
export class InvalidDevice extends Data.TaggedError("InvalidDevice")<About> {
  override get message() {
    return "simctl knows no such device; list them anew"
  }
}

/** The device is in a state in which it cannot be done. `verb` is what was asked of it. */
export class WrongState extends Data.TaggedError("WrongState")<
  About & { readonly state: string; readonly verb: string }
> {
  override get message() {
    return `unable to ${this.verb} while the device is ${this.state}`
  }
}

/** The device was to be booted or shut down and is in that state, or on its way, already. */
export class AlreadyInState extends Data.TaggedError("AlreadyInState")<About & { readonly state: string }> {
  override get message() {
    return `the device is ${this.state} already`
  }
}

/** It needs a booted device, and this one is not. */
export class NotBooted extends Data.TaggedError("NotBooted")<About & { readonly state: string }> {
  override get message() {
    return `the device is not booted (${this.state}); boot it first`
  }
}

/** No app of that bundle id runs. */
export class NotRunning extends Data.TaggedError("NotRunning")<About> {
  override get message() {
    return "no app of that bundle id runs on the device"
  }
}

/** No app of that bundle id is installed. */
export class AppNotInstalled extends Data.TaggedError("AppNotInstalled")<About> {
  override get message() {
    return "no app of that bundle id is installed on the device"
  }
}

/** The system refused to open an app that may be installed. */
export class LaunchRefused extends Data.TaggedError("LaunchRefused")<About> {
  override get message() {
    return "the system refused to open the app: wrong architecture or platform, a broken bundle, or a crash at its start"
  }
}

/** SpringBoard denied the launch, which passes when it was busy. */
export class LaunchDenied extends Data.TaggedError("LaunchDenied")<About> {
  override get message() {
    return "SpringBoard denied the launch; right after boot or install it is busy, so try again"
  }
}

/** There is no app at that path, or nothing at all. */
export class BadPath extends Data.TaggedError("BadPath")<About> {
  override get message() {
    return "there is no app at that path"
  }
}

/** The bundle has no id, or cannot be read. */
export class BadBundle extends Data.TaggedError("BadBundle")<About> {
  override get message() {
    return "the app's Info.plist has no CFBundleIdentifier, or the bundle cannot be read"
  }
}

/** Device type and runtime, or app and device, do not go together. */
export class Incompatible extends Data.TaggedError("Incompatible")<About> {
  override get message() {
    return "they do not go together: see the device types that the runtime supports"
  }
}

/** The device does not come up. */
export class BootFailed extends Data.TaggedError("BootFailed")<About & { readonly detail: string }> {
  override get message() {
    return `the device does not boot (${this.detail}); erase it, or restart CoreSimulatorService`
  }
}

/** No app takes that URL. */
export class OpenFailed extends Data.TaggedError("OpenFailed")<About> {
  override get message() {
    return "no app on the device opens that URL"
  }
}

/** The call was ended because its time was up; `behind` is the call it waited for and was never made itself. */
export class TimedOut extends Data.TaggedError("TimedOut")<
  About & { readonly millis: number; readonly behind?: string }
> {
  override get message() {
    if (this.behind !== undefined) return `it waited ${this.millis / 1000} s for its turn: ${this.behind} still runs`
    return `simctl did not answer within ${this.millis / 1000} s and was ended; CoreSimulatorService may hang`
  }
}

/** What simctl printed is not what it prints. `excerpt` has its first 300 characters. */
export class GarbageOutput extends Data.TaggedError("GarbageOutput")<About & { readonly excerpt: string }> {
  override get message() {
    return `simctl printed something else than was asked for: ${this.excerpt}`
  }
}

/** Everything else, in the tool's own words. */
export class Other extends Data.TaggedError("Other")<About & { readonly detail: string }> {
  override get message() {
    if (this.detail !== "") return this.detail
    return this.exit > 128 && this.exit <= 128 + 15
      ? `simctl was killed by signal ${this.exit - 128}; run it again`
      : `simctl failed with exit status ${this.exit}`
  }
}

/** Any failure of a call. */
export type Failure =
  | ToolMissing
  | LicenseNotAccepted
  | ServiceUnavailable
  | InvalidDevice
  | WrongState
  | AlreadyInState
  | NotBooted
  | NotRunning
  | AppNotInstalled
  | LaunchRefused
  | LaunchDenied
  | BadPath
  | BadBundle
  | Incompatible
  | BootFailed
  | OpenFailed
  | TimedOut
  | GarbageOutput
  | Other

/** The envelope in which simctl reports an error; versions before 2019 name no domain. */
export interface Envelope {
  readonly domain: string | undefined
  readonly code: number
  /** The lines before what underlies it. */
  readonly message: string
}

const envelopePattern =
  /An error was encountered processing the command \((?:domain=([^,]+), )?code=(-?\d+)\):\r?\n([\s\S]*?)(?=^Underlying error |(?![\s\S]))/m

/** The envelope in what simctl wrote to stderr, wherever it begins. */
export const envelope = (stderr: string): Envelope | undefined => {
  const [, domain, code, message] = envelopePattern.exec(stderr) ?? []
  return code === undefined ? undefined : { domain, code: Number(code), message: (message ?? "").trim() }
}

const tool =
  /unable to find utility "|invalid active developer path|requires Xcode, but active developer directory|SDK "[^"]*" cannot be located/

const service =
  /CoreSimulatorService connection became invalid|Unable to locate device set|Failed to initialize simulator device set|not connected to CoreSimulatorService|simdiskimaged.*(?:crashed|not responding)|connection interrupted/i

const states = "Creating|Shutdown|Booting|Booted|Shutting Down"

/** The failure that a call which did not succeed stands for. */
export const classify = (call: Call): Failure => {
  const { argv, exit, stderr } = call
  const from = about(call)
  const found = envelope(stderr)
  const is = (domain: string, ...codes: ReadonlyArray<number>) =>
    found !== undefined && found.domain?.endsWith(domain) === true && codes.includes(found.code)
  if (exit === 72 || tool.test(stderr)) return new ToolMissing(from)
  if (exit === 69 || stderr.includes("agreed to the Xcode license")) return new LicenseNotAccepted(from)
  if (service.test(stderr)) {
    return new ServiceUnavailable({ ...from, sandboxed: stderr.includes("Operation not permitted") })
  }
  if (/^Invalid device(?: or device pair)?: /m.test(stderr)) return new InvalidDevice(from)
  if (/^No devices are booted\./m.test(stderr)) return new InvalidDevice(from)
  const [, verb, state] = new RegExp(`^Unable to (.+?) in current state: (${states})`, "m").exec(stderr) ?? []
  if (verb !== undefined && state !== undefined) {
    if (verb === "boot device" || verb === "shutdown device") return new AlreadyInState({ ...from, state })
    if (verb === "lookup") return new NotBooted({ ...from, state })
    return new WrongState({ ...from, state, verb })
  }
  if (stderr.includes("because device is not booted")) return new NotBooted({ ...from, state: "Shutdown" })
  const command = argv.find((_, index) => argv[index - 1] === "simctl") ?? argv[0]
  if (is("NSPOSIXErrorDomain", 3) || stderr.includes("found nothing to terminate")) return new NotRunning(from)
  if (is("NSPOSIXErrorDomain", 2)) {
    return command === "get_app_container" || command === "appinfo" ? new AppNotInstalled(from) : new BadPath(from)
  }
  if (is("FBSOpenApplicationServiceErrorDomain", 4)) return new LaunchRefused(from)
  if (is("FBSOpenApplicationServiceErrorDomain", 1, 3)) return new LaunchDenied(from)
  if (is("IXErrorDomain", 13)) return new BadBundle(from)
  if (/lstat of .* failed|An application bundle was not found/.test(stderr)) return new BadPath(from)
  if (is("SimError", 403)) return new Incompatible(from)
  if (is("NSPOSIXErrorDomain", 60) && command === "boot") {
    return new BootFailed({ ...from, detail: found?.message.split("\n").at(-1) ?? "" })
  }
  if (is("SimError", 163)) return new BootFailed({ ...from, detail: found?.message ?? "" })
  if (is("LSApplicationWorkspaceErrorDomain", 115) || (command === "openurl" && exit === 115)) {
    return new OpenFailed(from)
  }
  return new Other({ ...from, detail: (found?.message ?? from.stderr).slice(0, longest) })
}
