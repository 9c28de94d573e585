/** Each failure of simctl, with fake-xcrun: its error code, and that no process or file remains. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import type { Rule } from "../../fake-xcrun/src/Faults.ts"
import { bundle } from "../../fake-xcrun/src/Seed.ts"
import { platform } from "../support/fixturePrograms.ts"
import { phone } from "./fakeMachine.ts"
import { app, installed, lab, options, pidOf } from "./simulatorClient.ts"

layer(platform, options)("what goes wrong with the list", (it) => {
  const list: ReadonlyArray<readonly [string, Rule["do"], string]> = [
    ["it hangs and ignores SIGTERM", { hang: "forever", ignoreTerm: true }, "REQUEST_TIMEOUT"],
    ["it dies of a signal", { signal: "SIGSEGV" }, "ADAPTER_ERROR"],
    ["noise comes before it", { stdout: "noise-before" }, "none"],
    ["it is text", { stdout: "text-instead-of-json" }, "ADAPTER_ERROR"],
    ["it is cut off", { stdout: "truncated" }, "ADAPTER_ERROR"],
    ["it is empty", { stdout: "empty" }, "ADAPTER_ERROR"],
    ["it is huge", { stdout: "huge" }, "none"],
    ["noise is on stderr", { stderrNoise: true }, "none"],
    ["the service is dead", { serviceDead: "now" }, "ADAPTER_ERROR"],
    ["the service heals", { serviceDead: "now", heals: 1 }, "none"],
    ["the caller is in a sandbox", { serviceDead: "now", sandbox: true }, "PERMISSION"],
    ["the licence was not accepted", { license: true }, "TOOL_MISSING"],
    ["there is no simctl", { toolMissing: "simctl" }, "TOOL_MISSING"],
    ["there are only the command line tools", { xcodeSelect: "clt" }, "TOOL_MISSING"]
  ]
  for (const [what, rule, expected] of list) {
    it.effect(`${what}: ${expected}`, () =>
      lab(({ caller, code, fault, machine }) =>
        Effect.gen(function* () {
          fault(rule)
          const deadline = "hang" in rule ? { deadline: "500ms" } : {}
          assert.strictEqual(yield* code("sim.list", { ...deadline, ...caller }), expected)
          fault({ stderrNoise: true }, { sub: "nothing" })
          assert.deepStrictEqual(machine.alive(), [])
        })
      )
    )
  }
})

layer(platform, options)("what goes wrong with a boot", (it) => {
  const boots: ReadonlyArray<readonly [string, Rule["do"], Rule["match"], string]> = [
    ["it is slow", { slowBoot: [[1, "Waiting on BackBoard", 300]] }, {}, "none"],
    ["it fails with exit status 0", { bootFails: "Data Migration Failed" }, {}, "ADAPTER_ERROR"],
    ["launchd does not respond", { launchdDead: true }, { sub: "boot" }, "ADAPTER_ERROR"],
    ["another client was faster", { alreadyRace: true }, { sub: "boot" }, "none"]
  ]
  for (const [what, rule, match, expected] of boots) {
    it.effect(`${what}: ${expected}`, () =>
      lab(({ caller, code, fault }) =>
        Effect.gen(function* () {
          fault(rule, match ?? {})
          assert.strictEqual(yield* code("sim.boot", { simulator: phone, ...caller }), expected)
        })
      )
    )
  }
})

layer(platform, options)("what goes wrong with a launch", (it) => {
  const failures: ReadonlyArray<readonly [Rule["do"], string]> = [
    [{ launch: "exitsAtOnce" }, "LAUNCH_FAILED"],
    [{ launch: "crashesAtOnce" }, "LAUNCH_FAILED"],
    [{ launch: "refused" }, "LAUNCH_FAILED"],
    [{ launch: "notInstalled" }, "PROGRAM_NOT_FOUND"]
  ]
  it.effect("distinguishes an app that ends, crashes, is refused or is missing, and leaves nothing suspended", () =>
    lab((lab) =>
      Effect.gen(function* () {
        yield* installed(lab)
        for (const [rule, expected] of failures) {
          const what = JSON.stringify(rule)
          lab.fault(rule, { sub: "launch" })
          assert.strictEqual(yield* lab.code("sim.debug", { simulator: phone, app, ...lab.caller }), expected, what)
          lab.fault({ stderrNoise: true }, { sub: "nothing" })
          assert.isUndefined(yield* pidOf(lab), what)
        }
      })
    )
  )

  const passing: ReadonlyArray<Rule["do"]> = [
    { launch: "denied:2" },
    { launch: "printsNoPid" },
    { launch: "latePid:300" }
  ]
  it.effect("debugs an app whose launch is denied at first, prints no pid or prints it late", () =>
    lab((lab) =>
      Effect.gen(function* () {
        yield* installed(lab)
        for (const rule of passing) {
          lab.fault(rule, { sub: "launch" })
          const { data } = yield* lab.call("sim.debug", { simulator: phone, app, ...lab.caller })
          assert.strictEqual(data.pid, yield* pidOf(lab), JSON.stringify(rule))
          yield* lab.call("stop", {})
        }
      })
    )
  )

  it.effect("ends a launch that hangs at its deadline, with the app that it held", () =>
    lab((lab) =>
      Effect.gen(function* () {
        yield* installed(lab)
        lab.fault({ hang: "forever", ignoreTerm: true }, { sub: "launch" })
        const debug = { simulator: phone, app, deadline: "1500ms", ...lab.caller }
        assert.strictEqual(yield* lab.code("sim.debug", debug), "REQUEST_TIMEOUT")
        lab.fault({ stderrNoise: true }, { sub: "nothing" })
        assert.isUndefined(yield* pidOf(lab))
      })
    )
  )

  it.effect("ends the session when its app is killed", () =>
    lab((lab) =>
      Effect.gen(function* () {
        yield* installed(lab)
        const { data } = yield* lab.call("sim.debug", { simulator: phone, app, ...lab.caller })
        assert(data.pid !== undefined)
        process.kill(data.pid, "SIGKILL")
        yield* lab.call("wait", { for: "exit" })
        assert.strictEqual((yield* lab.call("status", {})).data.state, "exited")
      })
    )
  )

  it.effect("times out an installation that blocks, and recognizes a failure in another language by its code", () =>
    lab((lab) =>
      Effect.gen(function* () {
        const { call, caller, code, fault, machine } = lab
        yield* installed(lab)
        yield* call("sim.launch", { simulator: phone, bundle: app, ...caller })
        fault({ hang: "forever" }, { sub: "install" })
        const again = { simulator: phone, app: machine.app(app), deadline: "2s", ...caller }
        assert.strictEqual(yield* code("sim.install", again), "REQUEST_TIMEOUT")
        fault({ locale: "pl" })
        const broken = bundle(`${machine.folder}/broken`, { bundleId: app, name: "Broken", program: "/bin/true" })
        writeFileSync(`${broken}/Info.plist`, "<plist><dict></dict></plist>")
        assert.strictEqual(
          yield* code("sim.install", { simulator: phone, app: broken, ...caller }),
          "PROGRAM_NOT_FOUND"
        )
        const nowhere = { simulator: phone, app: "/nowhere.app", ...caller }
        assert.strictEqual(yield* code("sim.install", nowhere), "PROGRAM_NOT_FOUND")
      })
    )
  )
})
