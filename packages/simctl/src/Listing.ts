/**
 * Parses the output of `simctl list -j` of Xcode 10 and newer: devices, device types, runtimes, pairs.
 *
 * The parser is lenient: unknown keys and text before the JSON are ignored, and an entry without identifying fields is
 * skipped. A device has its runtime, whether that is installed or not.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** The state of a device, as simctl names it. */
export type State = "Creating" | "Shutdown" | "Booting" | "Booted" | "Shutting Down"

/** A simulated device. */
export interface Device {
  /** In upper case, as listed. */
  readonly udid: string
  readonly name: string
  readonly state: State | (string & {})
  readonly available: boolean
  /** Why it is not available. */
  readonly unavailable?: string
  /** Identifier or name of its runtime: the key in the list. */
  readonly runtime: string
  /** `iOS`, `tvOS`, `watchOS`, `visionOS`. */
  readonly platform: string
  /** Version of its runtime: `26.4.1`. */
  readonly version: string
  readonly type?: string
  readonly dataPath?: string
  readonly logPath?: string
  /** ISO time in UTC. */
  readonly lastBootedAt?: string
}

/** A runtime of simulators, such as iOS 26.4. */
export interface Runtime {
  readonly identifier: string
  readonly name: string
  readonly platform: string
  readonly version: string
  readonly build: string
  readonly available: boolean
  readonly unavailable?: string
}

/** A device type. */
export interface DeviceType {
  readonly identifier: string
  readonly name: string
  readonly family?: string
}

/** A watch with its phone. */
export interface Pair {
  readonly identifier: string
  readonly state: string
  readonly watch?: Pick<Device, "udid" | "name" | "state">
  readonly phone?: Pick<Device, "udid" | "name" | "state">
}

/** The whole list. */
export interface Listing {
  readonly devices: ReadonlyArray<Device>
  readonly runtimes: ReadonlyArray<Runtime>
  readonly types: ReadonlyArray<DeviceType>
  readonly pairs: ReadonlyArray<Pair>
}

type Fields = { readonly [key: string]: unknown }

const fields = (value: unknown): Fields => (Predicate.isReadonlyObject(value) ? value : {})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const text = (value: unknown): string | undefined => (Predicate.isString(value) && value !== "" ? value : undefined)

/**
 * Finds the JSON object in the output. Text before and after it is dropped, such as the output of first-launch packages.
 * The object must start its line: an indented brace belongs to a truncated object, and would parse as an empty list.
 */
export const json = (stdout: string): Result.Result<Fields, string> => {
  const clean = stdout.replace(/^\uFEFF/, "")
  const starts = [...clean.matchAll(/^\{/gm)].map(({ index }) => index)
  for (const start of starts.slice(0, 16)) {
    const rest = clean.slice(start)
    const last = rest.lastIndexOf("}")
    for (const candidate of [rest, rest.slice(0, last + 1)]) {
      const parsed = Result.try((): unknown => JSON.parse(candidate))
      if (Result.isSuccess(parsed) && Predicate.isReadonlyObject(parsed.success)) return Result.succeed(parsed.success)
    }
  }
  return Result.fail(clean.slice(0, 300))
}

const platforms: { readonly [prefix: string]: string } = { xrOS: "visionOS" }

/** Returns platform and version of a runtime key: `com.apple.CoreSimulator.SimRuntime.iOS-26-4`, or `iOS 12.1`. */
export const parseRuntime = (key: string): { readonly platform: string; readonly version: string } => {
  const last = key.split("SimRuntime.").at(-1) ?? key
  const [, prefix, version] = /^([A-Za-z]+)[- ]([\d.-]+)$/.exec(last) ?? []
  if (prefix === undefined || version === undefined) return { platform: last, version: "" }
  return { platform: platforms[prefix] ?? prefix, version: version.replaceAll("-", ".") }
}

const availability = (entry: Fields): { readonly available: boolean; readonly unavailable?: string } => {
  const stated = text(entry["availability"])?.trim()
  const flag = entry["isAvailable"]
  // Early 10.x has both fields; some versions write the flag as text.
  const available = Predicate.isBoolean(flag)
    ? flag
    : Predicate.isString(flag)
      ? flag === "YES" || flag === "true"
      : stated === undefined || stated === "(available)"
  if (available) return { available }
  const why = text(entry["availabilityError"]) ?? /^\(unavailable, (.*)\)$/.exec(stated ?? "")?.[1]
  return { available, ...(why === undefined ? {} : { unavailable: why }) }
}

const runtime = (value: unknown): ReadonlyArray<Runtime> => {
  const entry = fields(value)
  const identifier = text(entry["identifier"]) ?? text(entry["name"])
  if (identifier === undefined) return []
  const parsed = parseRuntime(identifier)
  return [
    {
      identifier,
      name: text(entry["name"]) ?? identifier,
      platform: parsed.platform,
      version: text(entry["version"]) ?? parsed.version,
      build: text(entry["buildversion"]) ?? "",
      ...availability(entry)
    }
  ]
}

const device = (value: unknown, key: string, runtimes: ReadonlyArray<Runtime>): ReadonlyArray<Device> => {
  const entry = fields(value)
  const udid = text(entry["udid"])
  const name = text(entry["name"])
  if (udid === undefined || name === undefined) return []
  const known = runtimes.find(({ identifier, name }) => identifier === key || name === key)
  const { platform, version } = known ?? parseRuntime(key)
  const optional = (field: "dataPath" | "logPath" | "lastBootedAt", value: string | undefined) =>
    value === undefined ? {} : { [field]: value }
  const type = text(entry["deviceTypeIdentifier"])
  return [
    {
      udid,
      name,
      state: text(entry["state"]) ?? "Shutdown",
      ...availability(entry),
      runtime: key,
      platform,
      version,
      ...(type === undefined ? {} : { type }),
      ...optional("dataPath", text(entry["dataPath"])),
      ...optional("logPath", text(entry["logPath"])),
      ...optional("lastBootedAt", text(entry["lastBootedAt"]))
    }
  ]
}

const deviceType = (value: unknown): ReadonlyArray<DeviceType> => {
  const entry = fields(value)
  const identifier = text(entry["identifier"])
  const family = text(entry["productFamily"])
  return identifier === undefined
    ? []
    : [{ identifier, name: text(entry["name"]) ?? identifier, ...(family === undefined ? {} : { family }) }]
}

const half = (value: unknown): Pair["watch"] => {
  const entry = fields(value)
  const udid = text(entry["udid"])
  return udid === undefined ? undefined : { udid, name: text(entry["name"]) ?? "", state: text(entry["state"]) ?? "" }
}

const pair = ([identifier, value]: readonly [string, unknown]): Pair => {
  const entry = fields(value)
  const watch = half(entry["watch"])
  const phone = half(entry["phone"])
  return {
    identifier,
    state: text(entry["state"]) ?? "",
    ...(watch === undefined ? {} : { watch }),
    ...(phone === undefined ? {} : { phone })
  }
}

/** Parses the output of `list -j` or of one section; the failure is the first 300 characters. */
export const parse = (stdout: string): Result.Result<Listing, string> =>
  Result.map(json(stdout), (whole) => {
    const runtimes = list(whole["runtimes"]).flatMap(runtime)
    return {
      runtimes,
      devices: Object.entries(fields(whole["devices"])).flatMap(([key, entries]) =>
        list(entries).flatMap((entry) => device(entry, key, runtimes))
      ),
      types: list(whole["devicetypes"]).flatMap(deviceType),
      pairs: Object.entries(fields(whole["pairs"])).map(pair)
    }
  })

/** Compares versions by their numeric parts: 26.10 is after 26.4. */
export const compareVersions = (one: string, other: string): number => {
  const [a, b] = [one, other].map((version) => version.split(".").map(Number))
  for (let index = 0; index < Math.max(a?.length ?? 0, b?.length ?? 0); index++) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
