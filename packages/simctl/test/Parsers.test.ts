// Parsers of simctl's output: the list, property lists, rows of launchctl, boot records.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Apps, BootStatus, Failure, Listing, Plist, Selection } from "../src/index.ts"

const udidOf = (n: number) => `0A1B2C3D-0000-4000-8000-${String(n).padStart(12, "0")}`

const parse = (value: unknown) => Result.getOrThrowWith(Listing.parse(JSON.stringify(value, undefined, 2)), String)

const phone = (n: number, name: string, version: string, state = "Shutdown", available = true): Listing.Device => ({
  udid: udidOf(n),
  name,
  state,
  available,
  runtime: `com.apple.CoreSimulator.SimRuntime.iOS-${version.replaceAll(".", "-")}`,
  platform: "iOS",
  version,
  ...(available ? {} : { unavailable: "runtime profile not found" })
})

describe("the list", () => {
  it("is parsed in the format of every generation", () => {
    const { devices } = parse({
      devices: {
        "iOS 12.1": [{ udid: udidOf(1).toLowerCase(), name: "Old", state: "Shutdown", availability: "(available)" }],
        "com.apple.CoreSimulator.SimRuntime.tvOS-13-0": [
          { udid: udidOf(2), name: "TV", state: "Booted", availability: " (unavailable, runtime profile not found)" }
        ],
        "com.apple.CoreSimulator.SimRuntime.xrOS-26-10": [
          { udid: udidOf(3), name: "Goggles", state: "Booted", isAvailable: true, availabilityError: "", more: [1] },
          { name: "no identity", state: "Booted" },
          "not a device"
        ],
        "com.apple.CoreSimulator.SimRuntime.watchOS-11-0": []
      }
    })
    assert.deepStrictEqual(
      devices.map(({ available, platform, udid, unavailable, version }) => [
        udid,
        platform,
        version,
        available,
        unavailable
      ]),
      [
        [udidOf(1).toLowerCase(), "iOS", "12.1", true, undefined],
        [udidOf(2), "tvOS", "13.0", false, "runtime profile not found"],
        [udidOf(3), "visionOS", "26.10", true, undefined]
      ]
    )
  })

  it("has a device's version from its runtime if that is listed", () => {
    const identifier = "com.apple.CoreSimulator.SimRuntime.iOS-26-4"
    const { devices, runtimes } = parse({
      runtimes: [{ identifier, name: "iOS 26.4", version: "26.4.1", buildversion: "23E1", isAvailable: true }],
      devices: { [identifier]: [{ udid: udidOf(1), name: "Phone", state: "Shutdown", isAvailable: true }] }
    })
    assert.strictEqual(devices[0]?.version, "26.4.1")
    assert.strictEqual(runtimes[0]?.build, "23E1")
  })

  const Text = Schema.String
  it.prop("is found after any other text", [Schema.Array(Text), Text], ([noise, name]) => {
    const before = noise.map((line) => line.replaceAll(/[{\r\n]/g, "")).join("\n")
    const devices = { "iOS 12.1": [{ udid: udidOf(1), name: `n${name}`, state: "Booted", isAvailable: true }] }
    const read = Listing.parse(`${before}\n${JSON.stringify({ devices })}\n`)
    assert.strictEqual(Result.getOrThrowWith(read, String).devices[0]?.name, `n${name}`)
  })

  it.prop("of any other text is a failure with its start, without an exception", [Text], ([text]) => {
    const read = Listing.parse(text.replaceAll("{", ""))
    assert.isTrue(Result.isFailure(read) && read.failure.length <= 300)
  })
})

describe("a property list", () => {
  const write = (value: Plist.Value): string =>
    typeof value === "string"
      ? /^[A-Za-z0-9_$./:+-]+$/.test(value) && !value.startsWith("//")
        ? value
        : `"${value.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
      : Plist.isDictionary(value)
        ? `{\n${Object.entries(value)
            .map(([key, inner]) => `  ${write(key)} =     ${write(inner)};\n`)
            .join("")}}`
        : `(\n${value.map(write).join(",\n")}\n)`

  const Leaf = Schema.String
  const Entry = Schema.Union([Leaf, Schema.Array(Leaf), Schema.Record(Leaf, Leaf)])
  it.prop("is parsed to the value that was written", [Schema.Record(Leaf, Entry)], ([value]) => {
    assert.deepStrictEqual(Plist.parse(write(value)), Result.succeed(value))
  })

  it("that is truncated or nested too deeply is a failure", () => {
    for (const text of ["", "{", "{ a = ", '{ a = "b', "{ a = b; } c", "(".repeat(200)]) {
      assert.isTrue(Result.isFailure(Plist.parse(text)), text.slice(0, 20))
    }
  })

  it("of apps has groups whose names are not apps", () => {
    const text = `{ "com.example.a" = { CFBundleIdentifier = "com.example.a"; CFBundleExecutable = A; Path = "/x/A.app";
      DataContainer = "file:///d/My%20Data/"; GroupContainers = { "group.com.example.b" = { CFBundleIdentifier = no; }; }; }; }`
    const apps = Result.getOrThrowWith(Apps.parseApps(text), String)
    assert.deepStrictEqual(
      apps.map(({ bundle, data, path }) => [bundle, path, data]),
      [["com.example.a", "/x/A.app", "/d/My Data"]]
    )
  })
})

describe("rows of launchctl", () => {
  const row = (pid: string, id: string, suffix = "[1a2b][rb-legacy]") => `${pid}\t0\tUIKitApplication:${id}${suffix}`
  const ids = ["com.example.app", "com.example.app.widget", "com.example.app-beta", "com.example"]

  it("are compared by whole ids, in any order", () => {
    const lines = ids.map((id, index) => row(String(index + 10), id))
    for (const order of [lines, lines.toReversed()]) {
      const rows = Apps.parseRows(["PID\tStatus\tLabel", ...order].join("\n"))
      for (const [index, id] of ids.entries()) assert.deepStrictEqual(Apps.pidsOf(rows, id), [index + 10])
    }
  })

  it("without a pid do not run, and do not end the search", () => {
    const rows = Apps.parseRows([row("-", "a.b"), row("12", "a.b", "[0x4f37]"), row("12", "a.b")].join("\n"))
    assert.deepStrictEqual(Apps.pidsOf(rows, "a.b"), [12])
    assert.deepStrictEqual(Apps.pidsOf(Apps.parseRows(row("-", "a.b")), "a.b"), [])
  })

  it("of a launch are distinguished from other lines", () => {
    assert.strictEqual(Apps.launchedPid("note: 7\na.b.c: 8\na.b: 9\n", "a.b"), 9)
    assert.isUndefined(Apps.launchedPid("a.b.c: 8\n", "a.b"))
  })

  it("and of the host: the process of an extension is not that of its app", () => {
    const process = (pid: number, command: string) => ({ pid, started: "then", command })
    const found = Apps.runningFrom(
      [
        process(1, "/private/c/A.app/A --x"),
        process(2, "/c/A.app/PlugIns/W.appex/W"),
        process(3, "/c/A.app/Ab"),
        process(4, "/c/A.app/A")
      ],
      "/c/A.app",
      "A"
    )
    assert.deepStrictEqual(
      found.map(({ pid }) => pid),
      [1, 4]
    )
  })
})

it("the result of a boot is its last terminal record", () => {
  assert.deepStrictEqual(BootStatus.outcome("garbage"), { _tag: "Unfinished", message: "" })
  const text = "[t] Status=4294967295, isTerminal=YES, Elapsed=00:02.\n\tFinished\n"
  assert.deepStrictEqual(BootStatus.outcome(text), { _tag: "Ready", already: false })
})

describe("a device is chosen", () => {
  const devices = [
    phone(1, "iPhone 17", "26.4.1"),
    phone(2, "iPhone 17", "26.1"),
    phone(3, "iPhone 17 Pro", "26.4.1"),
    phone(4, "iPhone SE (3rd generation)", "26.10"),
    phone(5, "Gone", "17.2", "Booted", false),
    phone(6, "Twin", "26.1", "Booted"),
    phone(7, "Twin", "26.4.1")
  ]
  const check = (selector: string | undefined, expected: number | string) => {
    const chosen = Selection.choose(devices, selector)
    assert.strictEqual(
      Result.isSuccess(chosen) ? chosen.success.device.udid : chosen.failure._tag,
      typeof expected === "number" ? udidOf(expected) : expected,
      selector
    )
  }

  it("by an exact selector only", () => {
    check(udidOf(3).toLowerCase(), 3)
    check("iPhone 17 Pro", 3)
    check("IPHONE 17 PRO", 3)
    check("iPhone 17", "DeviceAmbiguous")
    check("iPhone 17@26.4", 1)
    check("iPhone 17@iOS 26.1", 2)
    check("iPhone 17 (26.4.1)", 1)
    check("iPhone 17, OS 26.1", 2)
    check("iPhone 17@26", "DeviceAmbiguous")
    check("iPhone SE (3rd generation)", 4)
    check("iPhone SE (3rd generation)@26.1", "DeviceNotFound")
    check("iPhone", "DeviceNotFound")
    check("Gone", "DeviceUnavailable")
    check(udidOf(5), "DeviceUnavailable")
    check(udidOf(9), "DeviceNotFound")
    check("Twin", 6)
    check("booted", 6)
    check(undefined, 6)
  })

  it("or the newest, if requested", () => {
    const chosen = Selection.choose(devices, "iPhone 17", { newest: true })
    assert.isTrue(Result.isSuccess(chosen) && chosen.success.device.udid === udidOf(1))
  })

  it("and otherwise the error lists names", () => {
    const missing = Selection.choose(devices, "iPhone 71 Pro")
    assert.isTrue(Result.isFailure(missing) && missing.failure.message.includes("iPhone 17 Pro"))
  })

  it.prop("versions are compared by numbers", [Schema.Int, Schema.Int], ([a, b]) => {
    const version = (n: number) => `26.${Math.abs(n % 1000)}`
    const expected = Math.sign(Math.abs(a % 1000) - Math.abs(b % 1000))
    assert.strictEqual(Math.sign(Listing.compareVersions(version(a), version(b))), expected)
  })
})

it("a failure keeps at most 2 KiB of the tool's text", () => {
  const failure = Failure.classify({ argv: ["simctl", "x"], exit: 9, stdout: "", stderr: "y".repeat(10_000) })
  assert.strictEqual(failure._tag, "Other")
  assert.strictEqual(failure.stderr.length, 2048)
})
