/**
 * The content of a new state directory, and functions for tests to set one up: world, faults, journal of calls, app bundles.
 * The devices are invented; the identifiers of types and runtimes follow Apple's scheme.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Rule } from "./Faults.ts"
import { places, read, write, type Device, type Profile, type World } from "./World.ts"

const developerDir = "/Applications/Xcode.app/Contents/Developer"
const runtimePrefix = "com.apple.CoreSimulator.SimRuntime."
const typePrefix = "com.apple.CoreSimulator.SimDeviceType."

const kinds: ReadonlyArray<readonly [identifier: string, name: string, family: string]> = [
  ["iPhone-SE-3rd-generation", "iPhone SE (3rd generation)", "iPhone"],
  ["iPhone-17", "iPhone 17", "iPhone"],
  ["iPhone-17-Pro", "iPhone 17 Pro", "iPhone"],
  ["iPhone-Air", "iPhone Air", "iPhone"],
  ["iPad-A16", "iPad (A16)", "iPad"],
  ["Apple-Watch-Series-11-46mm", "Apple Watch Series 11 (46mm)", "Apple Watch"],
  ["Apple-Vision-Pro", "Apple Vision Pro", "Apple Vision"]
]

const type = ([identifier, name, family]: (typeof kinds)[number]): Profile => ({
  productFamily: family,
  bundlePath: `/Library/Developer/CoreSimulator/Profiles/DeviceTypes/${name}.simdevicetype`,
  maxRuntimeVersion: 4294967295,
  maxRuntimeVersionString: "65535.255.255",
  identifier: typePrefix + identifier,
  modelIdentifier: `${family.replace("Apple ", "")}18,1`,
  minRuntimeVersionString: "17.0.0",
  minRuntimeVersion: 1114112,
  name
})

const runtime = (
  key: string,
  name: string,
  version: string,
  build: string,
  families: ReadonlyArray<string>
): Profile => {
  const platform = key.replace(/-.*/, "")
  const bundlePath = `/Library/Developer/CoreSimulator/Volumes/${platform}_${build}/Library/Developer/CoreSimulator/Profiles/Runtimes/${name}.simruntime`
  return {
    isAvailable: true,
    version,
    isInternal: false,
    buildversion: build,
    supportedArchitectures: ["arm64"],
    supportedDeviceTypes: kinds
      .filter(([, , family]) => families.includes(family))
      .map(type)
      .map((one) => ({
        bundlePath: one["bundlePath"],
        name: one.name,
        identifier: one.identifier,
        productFamily: one["productFamily"]
      })),
    identifier: runtimePrefix + key,
    platform,
    bundlePath,
    runtimeRoot: `${bundlePath}/Contents/Resources/RuntimeRoot`,
    lastUsage: { arm64: "2026-08-24T12:46:46Z" },
    name
  }
}

/** The devices of a new world: a name in two runtimes, a prefix of another name, parentheses, a missing runtime. */
const devices: ReadonlyArray<readonly [runtime: string, type: string, name: string, udid: string]> = [
  ["iOS-26-4", "iPhone-17-Pro", "iPhone 17 Pro", "B2F1C6E0-5D0A-4B54-9A43-0C8F3E1D7A01"],
  ["iOS-26-4", "iPhone-17", "iPhone 17", "4E9D2A7B-1C3F-4D68-8B20-6FA15C7E9002"],
  ["iOS-26-4", "iPhone-SE-3rd-generation", "iPhone SE (3rd generation)", "0A6B3D58-92E4-47C1-A5F7-D31E84B6C003"],
  ["iOS-26-4", "iPad-A16", "iPad (A16)", "C7D80F19-6A2B-4E93-B1D5-28F49A0E3004"],
  ["iOS-26-1", "iPhone-17-Pro", "iPhone 17 Pro", "91E5B4C2-37AF-4086-9D1E-7B60F2C8A005"],
  ["iOS-26-1", "iPhone-Air", "iPhone Air", "5F3A8C6D-E1B0-4927-84C9-A0D71E5B2006"],
  [
    "watchOS-26-4",
    "Apple-Watch-Series-11-46mm",
    "Apple Watch Series 11 (46mm)",
    "D84C1E7F-0B59-4A36-97E2-5C3F6B9A1007"
  ],
  ["xrOS-26-4", "Apple-Vision-Pro", "Apple Vision Pro", "2B7E9F03-C4D6-4158-8EA1-F96D0B3C7008"],
  ["iOS-17-2", "iPhone-SE-3rd-generation", "iPhone SE (3rd generation)", "6C0FA1D9-8E37-4B72-A9C4-13E5D7B2F009"]
]

/** The default world. */
export const world = (root: string): World => {
  const runtimes = [
    runtime("iOS-26-1", "iOS 26.1", "26.1", "23B80", ["iPhone", "iPad"]),
    runtime("iOS-26-4", "iOS 26.4", "26.4.1", "23E254a", ["iPhone", "iPad"]),
    runtime("watchOS-26-4", "watchOS 26.4", "26.4", "23T240", ["Apple Watch"]),
    runtime("xrOS-26-4", "visionOS 26.4", "26.4", "23O247", ["Apple Vision"])
  ]
  const installed = new Set(runtimes.map((one) => one.identifier))
  const lists: Record<string, Array<Device>> = {}
  for (const [key, kind, name, udid] of devices) {
    const isAvailable = installed.has(runtimePrefix + key)
    const list = (lists[runtimePrefix + key] ??= [])
    list.push({
      ...(isAvailable ? {} : { availabilityError: 'runtime profile not found using "System" match policy' }),
      ...places(root, udid),
      udid,
      isAvailable,
      logPathSize: 0,
      deviceTypeIdentifier: typePrefix + kind,
      state: "Shutdown",
      name
    })
  }
  const short = (index: number) => {
    const [, , name = "", udid = ""] = devices[index] ?? []
    return { name, udid, state: "Shutdown" }
  }
  return {
    xcode: { version: "26.4.1", build: "17E202", developerDir },
    tools: {
      simctl: `${developerDir}/usr/bin/simctl`,
      lldb: find("lldb-19") ?? find("lldb"),
      "lldb-dap": find("lldb-dap-19") ?? find("lldb-dap")
    },
    licenseAccepted: true,
    developerMode: true,
    sdks: {
      iphonesimulator: {
        path: `${developerDir}/Platforms/iPhoneSimulator.platform/Developer/SDKs/iPhoneSimulator26.4.sdk`,
        version: "26.4"
      }
    },
    locale: "en",
    hold: "wait",
    delays: { boot: 0, shutdown: 0, create: 0, screen: 60_000 },
    bootPlan: [
      [1, "Waiting on BackBoard", 20],
      [4, "Waiting on System App", 20]
    ],
    devicetypes: kinds.map(type),
    runtimes,
    devices: lists,
    pairs: {
      "E0C5D7A2-4B19-4F86-9A3D-81F6B2C90010": { watch: short(6), phone: short(0), state: "(active, disconnected)" }
    }
  }
}

/** Finds a program on PATH. */
const find = (name: string): string | null =>
  (process.env["PATH"] ?? "")
    .split(":")
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path)) ?? null

/** Creates a state directory; `world` overrides fields of the default world. */
export const prepare = (root: string, changes: Partial<World> = {}): World => {
  mkdirSync(root, { recursive: true })
  const made = { ...world(root), ...changes }
  write(join(root, "world.json"), made)
  return made
}

/** Replaces the fault rules, and resets their counts. */
export const setFaults = (root: string, rules: ReadonlyArray<Rule>): void => {
  write(join(root, "counters.json"), { ...read(join(root, "counters.json"), {}), rules: {} })
  write(join(root, "faults.json"), rules)
}

/** A call of a tool, as recorded in `calls.jsonl`. */
export interface Call {
  readonly seq: number
  readonly time: string
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  /** Null if a signal ended it. */
  readonly exit: number | null
  readonly signal: string | null
  readonly ms: number
  /** The applied fault. */
  readonly fault?: Rule["do"]
}

/** Returns the calls that have ended, in that order. */
export const calls = (root: string): ReadonlyArray<Call> => {
  const path = join(root, "calls.jsonl")
  if (!existsSync(path)) return []
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Call => JSON.parse(line))
}

/** The content of an app bundle. */
export interface Bundle {
  readonly bundleId: string
  /** Name of the folder and the executable. */
  readonly name: string
  /** The program to copy. */
  readonly program: string
  readonly schemes?: ReadonlyArray<string>
  readonly groups?: ReadonlyArray<string>
  readonly platforms?: ReadonlyArray<string>
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
const string = (text: string) => `<string>${escaped(text)}</string>`
const array = (items: ReadonlyArray<string>) => `<array>${items.join("")}</array>`

/** Creates `NAME.app` in a folder and returns its path. */
export const bundle = (folder: string, app: Bundle): string => {
  const path = join(folder, `${app.name}.app`)
  mkdirSync(path, { recursive: true })
  copyFileSync(app.program, join(path, app.name))
  chmodSync(join(path, app.name), 0o755)
  const entries: ReadonlyArray<readonly [string, string]> = [
    ["CFBundleIdentifier", string(app.bundleId)],
    ["CFBundleExecutable", string(app.name)],
    ["CFBundleName", string(app.name)],
    ["CFBundleVersion", string("1")],
    ["CFBundleSupportedPlatforms", array((app.platforms ?? ["iPhoneSimulator"]).map(string))],
    [
      "CFBundleURLTypes",
      array([`<dict><key>CFBundleURLSchemes</key>${array((app.schemes ?? []).map(string))}</dict>`])
    ],
    // App groups are entitlements, which a simulated bundle can only store here.
    ["SigtrapGroups", array((app.groups ?? []).map(string))]
  ]
  writeFileSync(
    join(path, "Info.plist"),
    `<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">\n<dict>\n${entries
      .map(([key, value]) => `  <key>${key}</key>\n  ${value}\n`)
      .join("")}</dict>\n</plist>\n`
  )
  return path
}
