// Parses all captures of a real simctl in the folder SIGTRAP_SIMCTL_FIXTURES. Without the folder the tests are skipped: the
// captures cannot be part of this repository.
import { assert, describe, it } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Config, Effect, FileSystem, Result } from "effect"
import { Apps, BootStatus, Failure, Listing, Plist, Selection } from "../src/index.ts"

/** Returns name and text of every capture; none without the folder. */
const captures: ReadonlyMap<string, string> = await Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* Config.String("SIGTRAP_SIMCTL_FIXTURES")
  const names = yield* fs.readDirectory(folder)
  return new Map(
    yield* Effect.forEach(names, (name) =>
      Effect.map(fs.readFileString(`${folder}/${name}`), (text) => [name, text] as const)
    )
  )
}).pipe(
  Effect.orElseSucceed(() => new Map<string, string>()),
  Effect.provide(NodeServices.layer),
  Effect.runPromise
)
const files = [...captures.keys()]
const present = files.length > 0
const text = (name: string) => captures.get(name) ?? ""
const listing = (name: string) => Result.getOrThrowWith(Listing.parse(text(name)), String)

const kinds: { readonly [kind: string]: string } = {
  notRunning: "NotRunning",
  launchRefused: "LaunchRefused",
  launchDenied: "LaunchDenied",
  alreadyInState: "AlreadyInState",
  notBooted: "NotBooted",
  spawnFailed: "Other",
  childSignalled: "Other",
  wrongState: "WrongState",
  invalidDevice: "InvalidDevice",
  noBootedDevice: "InvalidDevice",
  usage: "Other",
  appNotInstalled: "AppNotInstalled",
  badPath: "BadPath",
  badBundle: "BadBundle",
  bootFailed: "BootFailed",
  incompatible: "Incompatible",
  openFailed: "OpenFailed",
  toolMissing: "ToolMissing",
  licenseNotAccepted: "LicenseNotAccepted"
}

interface Entry {
  readonly id: string
  readonly command: string
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly kind: string
}

describe.skipIf(!present)("captures (skipped without SIGTRAP_SIMCTL_FIXTURES)", () => {
  for (const name of files.filter((file) => /^list-.*\.json$/.test(file))) {
    it(`every device of ${name} is read, once, with a runtime and a version`, () => {
      const raw: { readonly devices: { readonly [runtime: string]: ReadonlyArray<{ readonly udid: string }> } } =
        JSON.parse(text(name))
      const { devices, runtimes } = listing(name)
      const udids = Object.values(raw.devices).flatMap((list) => list.map(({ udid }) => udid))
      assert.deepStrictEqual(devices.map(({ udid }) => udid).toSorted(), udids.toSorted())
      for (const device of devices) {
        assert.match(device.version, /^\d+(\.\d+)+$/, device.runtime)
        assert.match(device.platform, /^(iOS|tvOS|watchOS|visionOS)$/)
        assert.strictEqual(
          Selection.choose(devices, device.udid.toLowerCase(), { unavailable: true })._tag,
          "Success",
          device.udid
        )
      }
      for (const runtime of runtimes) assert.match(runtime.version, /^\d+(\.\d+)+$/)
    })
  }

  it("unavailable devices have a reason", () => {
    const { devices } = listing("list-devices.availability-string-unavailable.json")
    const gone = devices.filter(({ available }) => !available)
    assert.isAbove(gone.length, 0)
    for (const device of gone) assert.match(device.unavailable ?? "", /runtime profile not found/)
  })

  it("two devices of one name in one runtime are ambiguous", () => {
    const { devices } = listing("list-full.xcode14-beta.json")
    const chosen = Selection.choose(devices, "iPhone 11")
    assert.isTrue(Result.isFailure(chosen) && chosen.failure._tag === "DeviceAmbiguous")
  })

  for (const name of files.filter((file) => /^list-(devices|full)-text\./.test(file))) {
    it(`the text list ${name} is not JSON and is reported as that`, () => {
      assert.isTrue(Result.isFailure(Listing.parse(text(name))))
    })
  }

  const { entries }: { readonly entries: ReadonlyArray<Entry> } = present
    ? JSON.parse(text("failures.json"))
    : { entries: [] }
  for (const entry of entries) {
    it(`the failure ${entry.id} is ${entry.kind}`, () => {
      const argv = entry.command.split(" ")
      const { exitCode: exit, stderr, stdout } = entry
      assert.strictEqual(Failure.classify({ argv, exit, stdout, stderr })._tag, kinds[entry.kind])
      const found = Failure.envelope(stderr)
      if (found !== undefined) assert.include([found.code & 255, found.code], exit)
    })
  }

  it("an unavailable service is reported, also if a sandbox blocks it", () => {
    const stderr = text("stderr-coresimulator-dead.xcode26.6.txt")
    const failure = Failure.classify({ argv: ["simctl", "list"], exit: 1, stdout: "", stderr })
    assert.strictEqual(failure._tag, "ServiceUnavailable")
  })

  it("the result of a boot is its last record", () => {
    const of = (name: string) => BootStatus.outcome(text(name))
    assert.deepStrictEqual(of("bootstatus-cold-boot.txt"), { _tag: "Ready", already: false })
    assert.deepStrictEqual(of("bootstatus-cold-boot.head-and-tail.txt"), { _tag: "Ready", already: false })
    assert.deepStrictEqual(of("bootstatus-already-booted.txt"), { _tag: "Ready", already: true })
    assert.deepStrictEqual(of("bootstatus-data-migration-failed.exit0.txt"), {
      _tag: "Failed",
      message: "Data Migration Failed"
    })
  })

  for (const name of files.filter((file) => file.startsWith("launchctl-list."))) {
    it(`every row of ${name} is read but the header`, () => {
      const lines = text(name)
        .trimEnd()
        .split("\n")
        .filter((line) => /^(\d+|-)\t/.test(line))
      const rows = Apps.parseRows(text(name))
      assert.strictEqual(rows.length, lines.length)
      assert.isAbove(rows.filter(({ bundle }) => bundle !== undefined).length, 0)
      for (const { bundle, pid } of rows) {
        if (bundle !== undefined && pid !== undefined) assert.include(Apps.pidsOf(rows, bundle), pid)
      }
    })
  }

  it("installed apps are the top level of the list", () => {
    const apps = Result.getOrThrowWith(Apps.parseApps(text("listapps.ios18.4.txt")), String)
    assert.deepStrictEqual(
      apps.map(({ bundle }) => bundle),
      ["com.apple.Bridge", "com.apple.webapp"]
    )
    assert.isTrue(apps.every(({ path }) => path.endsWith(".app")))
    assert.isTrue(Plist.isDictionary(Result.getOrThrowWith(Plist.parse(text("appinfo-user-app.txt")), String)))
  })
})

it.skipIf(present)("captures are not read: SIGTRAP_SIMCTL_FIXTURES names no folder", () => {
  assert.isFalse(present)
})
