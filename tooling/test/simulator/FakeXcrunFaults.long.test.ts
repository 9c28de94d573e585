/** Checks the faults that fake-xcrun simulates, and the tools beside simctl. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { readFileSync, writeFileSync } from "node:fs"
import { calls, setFaults } from "../../fake-xcrun/src/Seed.ts"
import { platform } from "../support/fixturePrograms.ts"
import { isAlive, phone, pidIn, ready, simulated, toolPath, until, type Machine } from "./fakeMachine.ts"

const app = "com.example.app"
const options = { excludeTestServices: true, timeout: "60 seconds" } as const

/** What one fault does to one call. */
const faulty = (
  machine: Machine,
  fault: Parameters<typeof setFaults>[1][number]["do"],
  words: ReadonlyArray<string>
): Effect.Effect<{ readonly exit: number; readonly stdout: string; readonly stderr: string }> => {
  setFaults(machine.root, [{ do: fault, times: 1 }])
  return machine.simctl(...words)
}

layer(platform, options)("a fault", (it) => {
  it.effect("simulates the fault of a device, a list, the service or the tools", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        yield* ready(machine)
        const list = ["list", "devices", "-j"]
        const see = (fault: Parameters<typeof faulty>[1], pattern: RegExp, exit = 0, words = list) =>
          Effect.map(faulty(machine, fault, words), (ended) => {
            assert.strictEqual(ended.exit, exit, JSON.stringify(fault))
            assert.match(ended.stdout + ended.stderr, pattern, JSON.stringify(fault))
          })
        yield* see({ stdout: "noise-before" }, /^Install Started\nInstall Succeeded\n\{\n {2}"devices"/)
        yield* see({ stdout: "text-instead-of-json" }, /^== Devices ==/)
        yield* see({ stdout: "empty" }, /^$/)
        yield* see({ stdout: "truncated" }, /^\{[^]*[^}]\s*$/)
        yield* see({ stdout: "nul-bytes" }, /^\0\0\0\0\{/)
        yield* see({ stdout: "invalid-utf8" }, /"name" : "\uFFFD/)
        assert.isAbove((yield* faulty(machine, { stdout: "huge" }, list)).stdout.length, 8 * 1024 * 1024)
        yield* see({ stderrNoise: true }, /stale CoreSimulatorService job/)
        yield* see({ exit: 9, stderr: "oh\n", stdout: "hm\n" }, /^hm\noh\n$/, 9)
        yield* see(
          { error: { domain: "D", code: 300, message: ["m"] }, prefix: "first" },
          /^first\nAn error[^]*code=300/,
          44
        )
        yield* see({ serviceDead: "now", sandbox: true }, /became invalid[^]*not permitted[^]*Unable to locate/, 1)
        yield* see({ toolMissing: "simctl" }, /unable to find utility "simctl"/, 72)
        yield* see({ license: true }, /agreed to the Xcode license/, 69)
        yield* see(
          { unavailableRuntime: "com.apple.CoreSimulator.SimRuntime.iOS-26-1", booted: true },
          /Booted[^]*Booted/
        )
        yield* see({ stuckState: "Shutting Down", ms: 60_000 }, /"Shutting Down"/)
        yield* see({ alreadyRace: true }, /Unable to boot device in current state: Booted/, 149, ["boot", phone])
        const device = machine.app("com.example.device")
        writeFileSync(
          `${device}/Info.plist`,
          readFileSync(`${device}/Info.plist`, "utf8").replace("iPhoneSimulator", "iPhoneOS")
        )
        yield* see({ locale: "tr" }, /IXUserPresentableErrorDomain, code=4[^]*Yüklenemiyor/, 4, [
          "install",
          phone,
          device
        ])
        yield* machine.ok("shutdown", phone)
        yield* see({ launchdDead: true }, /launchd failed to respond\./, 60, ["boot", phone])
        yield* see({ bootFails: "Data Migration Failed" }, /^$/, 0, ["boot", phone])
        setFaults(machine.root, [])
        assert.match(
          yield* machine.ok("bootstatus", phone),
          /Status=3, isTerminal=YES, Elapsed=00:0\d\.\n\tData Migration Failed\n$/
        )
        setFaults(machine.root, [{ match: { sub: "list" }, do: { serviceDead: "afterCalls:1", heals: 1 } }])
        const exits = yield* Effect.forEach([1, 2, 3], () => machine.simctl("list", "-j"))
        assert.deepStrictEqual(
          exits.map(({ exit }) => exit),
          [0, 1, 0]
        )
      })
    )
  )

  it.effect("simulates the fault of a launch or a row, and removes an app that dies", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        yield* ready(machine)
        const launch = (fault: Parameters<typeof faulty>[1], ...flags: ReadonlyArray<string>) =>
          faulty(machine, fault, ["launch", "--terminate-running-process", ...flags, phone, app])
        for (const variant of ["exitsAtOnce", "crashesAtOnce"] as const) {
          assert.isFalse(isAlive(pidIn((yield* launch({ launch: variant }, "-w")).stdout)), variant)
        }
        setFaults(machine.root, [{ match: { sub: "launch" }, do: { launch: "denied:2" } }])
        const exits = yield* Effect.forEach([1, 2, 3], () => machine.simctl("launch", phone, app))
        assert.deepStrictEqual(
          exits.map(({ exit }) => exit),
          [1, 1, 0]
        )
        const first = pidIn(exits[2]?.stdout ?? "")
        assert.strictEqual(pidIn((yield* launch({ launch: "samePid" })).stdout), first)
        assert.deepInclude(yield* launch({ launch: "printsNoPid" }), { exit: 0, stdout: "" })
        assert.strictEqual((yield* launch({ launch: "refused" })).exit, 4)
        const list = ["spawn", phone, "launchctl", "list"]
        const rows = (fault: Parameters<typeof faulty>[1]) =>
          Effect.map(faulty(machine, fault, list), ({ stdout }) =>
            stdout.split("\n").filter((line) => line.includes("UIKitApplication:com.example.app"))
          )
        assert.lengthOf(yield* rows({}), 1)
        assert.lengthOf(yield* rows({ row: "missing" }), 0)
        assert.match((yield* rows({ row: "dash" })).join(), /^-\t0\t/)
        assert.lengthOf(yield* rows({ row: "duplicate" }), 2)
        assert.match((yield* rows({ row: "prefixSiblings" })).join(), /widget.*watchkitapp.*-beta.*app\[/)
        assert.match((yield* rows({ row: "oldLabel" })).join(), /\[0x4f37\]$/)
        const dies = pidIn((yield* launch({ appDies: 50, signal: "SIGSEGV" })).stdout)
        yield* Effect.repeat(
          Effect.sync(() => isAlive(dies)),
          { while: (is) => is }
        )
        const reused = yield* rows({ pidReuse: true })
        assert.match(reused.join(), /^\d+\t0\t/)
        assert.notInclude(reused.join(), String(dies))
        assert.lengthOf(yield* rows({}), 0)
        assert.strictEqual((yield* launch({ launch: "notInstalled" })).exit, 4)
        assert.strictEqual((yield* machine.simctl("get_app_container", phone, app)).exit, 2)
      })
    )
  )

  it.effect("ends a call that hangs with its signal, and records every end", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        setFaults(machine.root, [
          { match: { sub: "list" }, times: 1, do: { hang: "forever", before: true } },
          { match: { sub: "list" }, times: 1, do: { hang: "forever", ignoreTerm: true } },
          { match: { sub: "list" }, times: 1, do: { signal: "SIGSEGV" } }
        ])
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const hung = (killed: ReadonlyArray<NodeJS.Signals>) =>
          Effect.scoped(
            Effect.gen(function* () {
              const handle = yield* spawner.spawn(
                ChildProcess.make(toolPath("xcrun"), ["simctl", "list"], {
                  env: machine.environment,
                  extendEnv: false,
                  stdout: "ignore"
                })
              )
              if (killed.length > 0) yield* until(`${machine.root}/running/${handle.pid}`, "list")
              for (const signal of killed) process.kill(Number(handle.pid), signal)
              yield* Effect.exit(handle.exitCode)
            })
          )
        yield* hung(["SIGTERM"])
        yield* hung(["SIGTERM", "SIGKILL"])
        yield* hung([])
        yield* machine.ok("list")
        assert.deepStrictEqual(
          calls(machine.root).map(({ signal }) => signal),
          ["SIGTERM", "SIGKILL", "SIGSEGV", null]
        )
      })
    )
  )
})

layer(platform, options)("the tools beside it", (it) => {
  it.effect("report the version of Xcode", () =>
    simulated((machine) =>
      Effect.gen(function* () {
        const says = (name: string, words: ReadonlyArray<string>, exit: number, text: string) =>
          Effect.map(machine.tool(name, words), (ended) =>
            assert.deepStrictEqual([ended.exit, ended.stdout + ended.stderr], [exit, text])
          )
        yield* says("xcode-select", ["-p"], 0, "/Applications/Xcode.app/Contents/Developer\n")
        yield* says("xcodebuild", ["-version"], 0, "Xcode 26.4.1\nBuild version 17E202\n")
        yield* says("DevToolsSecurity", ["-status"], 0, "Developer mode is currently enabled.\n")
        yield* says("xcrun", ["--version"], 0, "xcrun version 70.\n")
        assert.match((yield* machine.tool("xcrun", ["--find", "lldb-dap"])).stdout, /^\/.*lldb-dap.*\n$/)
        assert.match((yield* machine.tool("xcrun", ["lldb", "--version"])).stdout, /^lldb version \d/)
        setFaults(machine.root, [{ do: { xcodeSelect: "clt" } }])
        yield* says("xcode-select", ["-p"], 0, "/Library/Developer/CommandLineTools\n")
        yield* says(
          "xcodebuild",
          ["-version"],
          1,
          "xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory '/Library/Developer/CommandLineTools' is a command line tools instance\n"
        )
        const missing = 'xcrun: error: unable to find utility "lldb-dap", not a developer tool or in PATH\n'
        yield* says("xcrun", ["--find", "lldb-dap"], 72, missing)
        yield* says(
          "xcrun",
          ["--sdk", "iphonesimulator", "--show-sdk-path"],
          1,
          'xcrun: error: SDK "iphonesimulator" cannot be located\n'
        )
      })
    )
  )
})
