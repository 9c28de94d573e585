/**
 * Checks whether this machine can debug apps in simulators; each check has a finding and a remedy.
 *
 * The checks only read: no device is changed, and no command runs as another user.
 */
import * as Effect from "effect/Effect"
import type * as Failure from "./Failure.ts"
import type { Simctl } from "./Simctl.ts"

/** A check with its result. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  /** The finding, in one line. */
  readonly found: string
  /** What to do. */
  readonly remedy?: string
}

/** The other tools: names on PATH, or paths. */
export interface Tools {
  readonly xcodeSelect: string
  readonly xcodebuild: string
  readonly devToolsSecurity: string
}

const limit = 10_000

const firstLine = (text: string) => text.trim().split(/\r?\n/)[0]?.slice(0, 200) ?? ""

const words = (call: Failure.Call) => firstLine(call.stdout) || firstLine(call.stderr)

const bad = (name: string, found: string, remedy: string): Check => ({ name, ok: false, found, remedy })
const good = (name: string, found: string): Check => ({ name, ok: true, found })

const chooseXcode = "sudo xcode-select -s /Applications/Xcode.app, or set DEVELOPER_DIR"

/** Runs all checks, each after those that it depends on. */
export const check = Effect.fn("Toolchain.check")(function* (simctl: Simctl, tools: Tools) {
  const { options, tool } = simctl.runner
  const ask = (name: string, remedy: string, argv: readonly [string, ...ReadonlyArray<string>], judge: Judge) =>
    tool(argv, limit).pipe(
      Effect.map((call): Check => judge(call) ?? bad(name, words(call) || `exit status ${call.exit}`, remedy)),
      Effect.catch((error) =>
        Effect.succeed(
          bad(name, error._tag === "TimedOut" ? `no answer within ${error.millis / 1000} s` : "not there", remedy)
        )
      )
    )
  type Judge = (call: Failure.Call) => Check | undefined

  const directory = yield* ask("developer directory", chooseXcode, [tools.xcodeSelect, "-p"], (call) => {
    const path = call.stdout.trim()
    return call.exit === 0 && path !== "" && !path.endsWith("/CommandLineTools")
      ? good("developer directory", path)
      : undefined
  })
  const xcode = yield* ask("Xcode", chooseXcode, [tools.xcodebuild, "-version"], (call) => {
    if (call.exit === 69) return bad("Xcode", "the licence was not agreed to", "sudo xcodebuild -license accept")
    const [, version] = /^Xcode (\S+)/m.exec(call.stdout) ?? []
    const [, build] = /^Build version (\S+)/m.exec(call.stdout) ?? []
    return call.exit === 0 && version !== undefined ? good("Xcode", `${version} (${build ?? "?"})`) : undefined
  })
  const found = (name: string, remedy: string) =>
    ask(name, remedy, [options.xcrun, "--find", name], (call) =>
      call.exit === 0 && call.stdout.trim() !== "" ? good(name, call.stdout.trim()) : undefined
    )
  const where = yield* found("simctl", chooseXcode)
  const lldb = yield* found("lldb", chooseXcode)
  const adapter = yield* found("lldb-dap", "install Xcode 16 or newer, or name another with SIGTRAP_LLDB_DAP")
  const sdk = yield* ask(
    "simulator SDK",
    "install the iOS platform in Xcode, Settings, Components",
    [options.xcrun, "--sdk", "iphonesimulator", "--show-sdk-path"],
    (call) => (call.exit === 0 ? good("simulator SDK", words(call)) : undefined)
  )
  const listed = yield* Effect.result(simctl.list)
  const service =
    listed._tag === "Success"
      ? good("CoreSimulator", `answers; ${listed.success.devices.length} devices`)
      : bad("CoreSimulator", listed.failure.message, remedyOf(listed.failure))
  const available = listed._tag === "Success" ? listed.success.runtimes.filter((one) => one.available) : []
  const runtimes =
    listed._tag === "Failure"
      ? []
      : [
          available.length > 0
            ? good("runtimes", available.map(({ name }) => name).join(", "))
            : bad("runtimes", "none", "xcodebuild -downloadPlatform iOS")
        ]
  const booted = listed._tag === "Success" ? listed.success.devices.filter(({ state }) => state === "Booted") : []
  const security = yield* ask(
    "developer mode",
    "sudo DevToolsSecurity -enable",
    [tools.devToolsSecurity, "-status"],
    (call) => (/currently enabled/.test(`${call.stdout}${call.stderr}`) ? good("developer mode", "enabled") : undefined)
  )
  const devices = good(
    "booted",
    booted.length === 0 ? "none" : booted.map(({ name, udid, version }) => `${name} (${version}) ${udid}`).join(", ")
  )
  return [directory, xcode, where, lldb, adapter, sdk, service, ...runtimes, security, devices]
})

const remedyOf = (failure: Failure.Failure): string =>
  failure._tag === "ServiceUnavailable" && failure.sandboxed
    ? "run sigtrap outside of the sandbox"
    : failure._tag === "ToolMissing"
      ? chooseXcode
      : failure._tag === "LicenseNotAccepted"
        ? "sudo xcodebuild -license accept"
        : "killall -9 com.apple.CoreSimulator.CoreSimulatorService"
