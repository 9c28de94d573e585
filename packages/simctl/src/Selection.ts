/**
 * Selects a device by UDID, by name, by name and runtime, or the booted one.
 *
 * A name must match exactly, otherwise ignoring case; a part does not match, since `iPhone 17` is part of `iPhone 17 Pro`.
 * A single match or a single booted match is selected; otherwise the error lists the candidates.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { compareVersions, parseRuntime, type Device } from "./Listing.ts"

const line = (device: Device) => `${device.name} (${device.platform} ${device.version}) ${device.state} ${device.udid}`

const several = (devices: ReadonlyArray<Device>, most = 8) =>
  devices.slice(0, most).map(line).join("; ") + (devices.length > most ? `; ${devices.length - most} more` : "")

/** No device has that name. `others` and `names` are devices to suggest. */
export class DeviceNotFound extends Data.TaggedError("DeviceNotFound")<{
  readonly selector: string
  /** `NAME@VERSION` of the devices with that name, if only the runtime was wrong. */
  readonly others: ReadonlyArray<string>
  /** Names of the available devices; empty if `others` has entries, or if the selector is a UDID. */
  readonly names: ReadonlyArray<string>
}> {
  override get message() {
    const known = this.others.length > 0 ? this.others : this.names.slice(0, 5)
    return `no simulator is called '${this.selector}'${known.length === 0 ? "" : `; there are: ${known.join(", ")}`}`
  }
}

/** Several devices match. */
export class DeviceAmbiguous extends Data.TaggedError("DeviceAmbiguous")<{
  readonly selector: string
  readonly candidates: ReadonlyArray<Device>
}> {
  override get message() {
    return `'${this.selector}' matches ${this.candidates.length} simulators: ${several(this.candidates)}`
  }
}

/** A device matches but cannot be used; `reason` is simctl's text. */
export class DeviceUnavailable extends Data.TaggedError("DeviceUnavailable")<{
  readonly selector: string
  readonly candidates: ReadonlyArray<Device>
  readonly reason: string
}> {
  override get message() {
    const [first] = this.candidates
    const runtime = first === undefined ? "" : `; is the runtime ${first.platform} ${first.version} installed?`
    return `simulator '${this.selector}' is not available: ${this.reason}${runtime}`
  }
}

/** No device is booted; `bootable` are the devices that can be booted. */
export class NoBootedDevice extends Data.TaggedError("NoBootedDevice")<{
  readonly bootable: ReadonlyArray<Device>
}> {
  override get message() {
    return this.bootable.length === 0
      ? "no simulator is booted, and none can be booted"
      : `no simulator is booted; can be booted: ${several(this.bootable, 5)}`
  }
}

/** The failures of a selection. */
export type SelectionFailure = DeviceNotFound | DeviceAmbiguous | DeviceUnavailable | NoBootedDevice

/** Why a device was chosen. */
export type Why = "udid" | "only match" | "only booted match" | "only booted" | "newest"

/** The selected device, and why it was selected. */
export interface Chosen {
  readonly device: Device
  readonly why: Why
}

/** Options of a selection. */
export interface Options {
  /** Also selects unavailable devices, for example to delete one. */
  readonly unavailable?: boolean
  /** Selects the newest of several: highest version, last booted, lowest UDID. */
  readonly newest?: boolean
}

const udidPattern = /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i

const isUp = ({ state }: Device) => state === "Booted" || state === "Booting"

/** Returns whether a text names a device's runtime: `26.4` (also 26.4.1), `iOS 26.4`, `iOS-26-4`, `visionOS`, an identifier. */
export const matchesRuntime = (text: string, device: Pick<Device, "platform" | "version" | "runtime">): boolean => {
  const name = text.trim()
  if (name.toLowerCase() === device.runtime.toLowerCase()) return true
  const isVersion = (version: string) =>
    version === "" || device.version === version || device.version.startsWith(`${version}.`)
  if (/^\d+(?:\.\d+)*$/.test(name)) return isVersion(name)
  const { platform, version } = parseRuntime(name)
  return platform.toLowerCase() === device.platform.toLowerCase() && isVersion(version)
}

const named = (devices: ReadonlyArray<Device>, name: string): ReadonlyArray<Device> => {
  const exact = devices.filter((device) => device.name === name)
  return exact.length > 0 ? exact : devices.filter((device) => device.name.toLowerCase() === name.toLowerCase())
}

/** Splits a name with a runtime: `NAME@RUNTIME`, `NAME (26.4)`, `NAME, OS 26.4`. */
const withRuntime = (selector: string): readonly [string, string] | undefined => {
  const [, name, runtime] =
    /^(.+)@([^@]+)$/.exec(selector) ??
    /^(.+?) \(((?:[A-Za-z]+ )?\d+(?:\.\d+)*)\)$/.exec(selector) ??
    /^(.+?), OS (\d+(?:\.\d+)*)$/.exec(selector) ??
    []
  return name === undefined || runtime === undefined ? undefined : [name.trim(), runtime.trim()]
}

const byAge = (a: Device, b: Device) =>
  compareVersions(b.version, a.version) ||
  (b.lastBootedAt ?? "").localeCompare(a.lastBootedAt ?? "") ||
  a.udid.localeCompare(b.udid)

const reasonOf = (devices: ReadonlyArray<Device>) => devices.find((one) => one.unavailable)?.unavailable ?? "no reason"

const among = (
  selector: string,
  matches: ReadonlyArray<Device>,
  options: Options
): Result.Result<Chosen, SelectionFailure> => {
  const usable = options.unavailable === true ? matches : matches.filter(({ available }) => available)
  const [first, second] = usable
  if (first === undefined) {
    return Result.fail(new DeviceUnavailable({ selector, candidates: matches, reason: reasonOf(matches) }))
  }
  if (second === undefined) return Result.succeed({ device: first, why: "only match" })
  const [up, another] = usable.filter(isUp)
  if (up !== undefined && another === undefined) return Result.succeed({ device: up, why: "only booted match" })
  const [newest] = usable.toSorted(byAge)
  return options.newest === true && newest !== undefined
    ? Result.succeed({ device: newest, why: "newest" })
    : Result.fail(new DeviceAmbiguous({ selector, candidates: usable }))
}

const booted = (devices: ReadonlyArray<Device>): Result.Result<Chosen, SelectionFailure> => {
  const up = devices.filter(({ state }) => state === "Booted")
  const usable = up.filter(({ available }) => available)
  const [first, second] = usable
  if (first !== undefined) {
    return second === undefined
      ? Result.succeed({ device: first, why: "only booted" })
      : Result.fail(new DeviceAmbiguous({ selector: "booted", candidates: usable }))
  }
  return Result.fail(
    up.length > 0
      ? new DeviceUnavailable({ selector: "booted", candidates: up, reason: reasonOf(up) })
      : new NoBootedDevice({ bootable: devices.filter(({ available }) => available).toSorted(byAge) })
  )
}

/** Selects a device; without a selector, the booted one. */
export const choose = (
  devices: ReadonlyArray<Device>,
  selector?: string,
  options: Options = {}
): Result.Result<Chosen, SelectionFailure> => {
  const trimmed = selector?.trim() ?? ""
  if (trimmed === "" || trimmed.toLowerCase() === "booted") return booted(devices)
  if (udidPattern.test(trimmed)) {
    const device = devices.find(({ udid }) => udid.toLowerCase() === trimmed.toLowerCase())
    if (device === undefined) return Result.fail(new DeviceNotFound({ selector: trimmed, others: [], names: [] }))
    return device.available || options.unavailable === true
      ? Result.succeed({ device, why: "udid" })
      : Result.fail(new DeviceUnavailable({ selector: trimmed, candidates: [device], reason: reasonOf([device]) }))
  }
  const matches = named(devices, trimmed)
  if (matches.length > 0) return among(trimmed, matches, options)
  const parts = withRuntime(trimmed)
  if (parts !== undefined) {
    const [name, runtime] = parts
    const both = named(devices, name).filter((device) => matchesRuntime(runtime, device))
    if (both.length > 0) return among(trimmed, both, options)
  }
  const names = devices.filter(({ available }) => available).map(({ name }) => name)
  // If the name is right, the runtime is wrong: the runtimes of that name help more than other names.
  const others = (parts === undefined ? [] : named(devices, parts[0])).map(({ name, version }) => `${name}@${version}`)
  return Result.fail(
    new DeviceNotFound({ selector: trimmed, others: others.slice(0, 5), names: others.length > 0 ? [] : names })
  )
}
