/**
 * Failures of a call of simctl, one tagged class for each situation that a caller can act on.
 *
 * A failure is classified by exit status, error domain and code, and the English sentence about the state of a device.
 * Messages of the install service are localized, so they are not matched. The tool's text is kept verbatim.
 */
import * as Data from "effect/Data"

/** A call that has ended. An exit status 128 + n means signal n. */
export interface Call {
  /** The arguments of `xcrun`. */
  readonly argv: ReadonlyArray<string>
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

/** The fields of every failure. `stderr` is trimmed and at most 2 KiB. */
export interface CallDetails {
  readonly command: string
  readonly exit: number
  readonly stderr: string
}

const longest = 2048

/** Returns the fields of a call's failure. */
export const detailsOf = ({ argv, exit, stderr, stdout }: Call): CallDetails => ({
  command: ["xcrun", ...argv].join(" ").slice(0, longest),
  exit,
  stderr: (stderr.trim() === "" ? stdout : stderr).trim().slice(0, longest)
})

/** simctl is not installed: there is no Xcode, only the command line tools, or no xcrun. */
export class ToolMissing extends Data.TaggedError("ToolMissing")<CallDetails> {
  override get message() {
    return "xcrun finds no simctl: it needs a full Xcode, selected with xcode-select or DEVELOPER_DIR"
  }
}

/** Xcode's license was not accepted. */
export class LicenseNotAccepted extends Data.TaggedError("LicenseNotAccepted")<CallDetails> {
  override get message() {
    return "Xcode's license was not accepted; run: sudo xcodebuild -license accept"
  }
}

/** CoreSimulatorService does not answer. `sandboxed`: a sandbox seems to block this process. */
export class ServiceUnavailable extends Data.TaggedError("ServiceUnavailable")<
  CallDetails & { readonly sandboxed: boolean }
> {
  override get message() {
    return this.sandboxed
      ? "CoreSimulatorService cannot be reached: this process probably runs in a sandbox; run it outside"
      : "CoreSimulatorService does not answer; run: killall -9 com.apple.CoreSimulator.CoreSimulatorService"
  }
}

/** simctl does not know the device. */
export class InvalidDevice extends Data.TaggedError("InvalidDevice")<CallDetails> {
  override get message() {
    return "simctl does not know this device; list the devices again"
  }
}

/** The state of the device does not allow the command. `verb` is the command in simctl's text. */
export class WrongState extends Data.TaggedError("WrongState")<
  CallDetails & { readonly state: string; readonly verb: string }
> {
  override get message() {
    return `unable to ${this.verb} while the device is ${this.state}`
  }
}

/** The device to boot or shut down is in that state already, or changing to it. */
export class AlreadyInState extends Data.TaggedError("AlreadyInState")<CallDetails & { readonly state: string }> {
  override get message() {
    return `the device is ${this.state} already`
  }
}

/** The command needs a booted device. */
export class NotBooted extends Data.TaggedError("NotBooted")<CallDetails & { readonly state: string }> {
  override get message() {
    return `the device is not booted (${this.state}); boot it first`
  }
}

/** No app of that bundle id runs. */
export class NotRunning extends Data.TaggedError("NotRunning")<CallDetails> {
  override get message() {
    return "no app of that bundle id runs on the device"
  }
}

/** No app of that bundle id is installed. */
export class AppNotInstalled extends Data.TaggedError("AppNotInstalled")<CallDetails> {
  override get message() {
    return "no app of that bundle id is installed on the device"
  }
}

/** The system refused to open an app that may be installed. */
export class LaunchRefused extends Data.TaggedError("LaunchRefused")<CallDetails> {
  override get message() {
    return "the system refused to open the app: wrong architecture or platform, a broken bundle, or a crash at its start"
  }
}

/** SpringBoard denied the launch; a retry helps if it was busy. */
export class LaunchDenied extends Data.TaggedError("LaunchDenied")<CallDetails> {
  override get message() {
    return "SpringBoard denied the launch; right after boot or install it is busy, so try again"
  }
}

/** There is no app at the path. */
export class BadPath extends Data.TaggedError("BadPath")<CallDetails> {
  override get message() {
    return "there is no app at that path"
  }
}

/** The bundle has no id, or cannot be read. */
export class BadBundle extends Data.TaggedError("BadBundle")<CallDetails> {
  override get message() {
    return "the app's Info.plist has no CFBundleIdentifier, or the bundle cannot be read"
  }
}

/** Device type and runtime, or app and device, are incompatible. */
export class Incompatible extends Data.TaggedError("Incompatible")<CallDetails> {
  override get message() {
    return "device type and runtime, or app and device, are incompatible; see the device types that the runtime supports"
  }
}

/** The device does not boot. */
export class BootFailed extends Data.TaggedError("BootFailed")<CallDetails & { readonly detail: string }> {
  override get message() {
    return `the device does not boot (${this.detail}); erase it, or restart CoreSimulatorService`
  }
}

/** No app takes that URL. */
export class OpenFailed extends Data.TaggedError("OpenFailed")<CallDetails> {
  override get message() {
    return "no app on the device opens that URL"
  }
}

/** The call timed out. With `blockedBy` it never ran: it waited in the queue for that call. */
export class TimedOut extends Data.TaggedError("TimedOut")<
  CallDetails & { readonly millis: number; readonly blockedBy?: string }
> {
  override get message() {
    if (this.blockedBy !== undefined)
      return `it waited ${this.millis / 1000} s for another call: ${this.blockedBy} still runs`
    return `simctl did not answer within ${this.millis / 1000} s and was killed; CoreSimulatorService may hang`
  }
}

/** The output of simctl cannot be parsed. `excerpt` has its first 300 characters. */
export class GarbageOutput extends Data.TaggedError("GarbageOutput")<CallDetails & { readonly excerpt: string }> {
  override get message() {
    return `the output of simctl cannot be parsed: ${this.excerpt}`
  }
}

/** Any other failure, with the tool's text. */
export class Other extends Data.TaggedError("Other")<CallDetails & { readonly detail: string }> {
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

/** The error report of simctl; versions before 2019 have no domain. */
export interface Envelope {
  readonly domain: string | undefined
  readonly code: number
  /** The lines before the underlying error. */
  readonly message: string
}

const envelopePattern =
  /An error was encountered processing the command \((?:domain=([^,]+), )?code=(-?\d+)\):\r?\n([\s\S]*?)(?=^Underlying error |(?![\s\S]))/m

/** Finds the error report in stderr. */
export const envelope = (stderr: string): Envelope | undefined => {
  const [, domain, code, message] = envelopePattern.exec(stderr) ?? []
  return code === undefined ? undefined : { domain, code: Number(code), message: (message ?? "").trim() }
}

const tool =
  /unable to find utility "|invalid active developer path|requires Xcode, but active developer directory|SDK "[^"]*" cannot be located/

const service =
  /CoreSimulatorService connection became invalid|Unable to locate device set|Failed to initialize simulator device set|not connected to CoreSimulatorService|simdiskimaged.*(?:crashed|not responding)|connection interrupted/i

const states = "Creating|Shutdown|Booting|Booted|Shutting Down"

/** Classifies a failed call. */
export const classify = (call: Call): Failure => {
  const { argv, exit, stderr } = call
  const from = detailsOf(call)
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
