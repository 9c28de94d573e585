/** Devices, operations on apps, and session defaults, with fake-xcrun. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { calls } from "../../fake-xcrun/src/Seed.ts"
import { platform } from "../support/fixturePrograms.ts"
import { phone } from "./fakeMachine.ts"
import { app, installed, lab, options } from "./simulatorClient.ts"

layer(platform, options)("devices and what surrounds an app", (it) => {
  it.effect("are chosen by UDID in any case, by name, by name and runtime; anything else is an error that lists", () =>
    lab(({ call, caller, code }) =>
      Effect.gen(function* () {
        const chosen = (simulator: string) =>
          Effect.map(call("sim.apps", { simulator, ...caller }), ({ data }) => data.simulator.chosen)
        const boot = (simulator: string) => call("sim.boot", { simulator, ...caller })
        assert.strictEqual(yield* code("sim.apps", caller), "DEVICE_NOT_FOUND")
        assert.strictEqual((yield* boot(phone.toLowerCase())).data.simulator.chosen, "udid")
        assert.deepInclude((yield* boot("iphone 17")).data, { already: true })
        assert.strictEqual(yield* chosen("booted"), "only booted")
        const ambiguous = yield* Effect.flip(call("sim.boot", { simulator: "iPhone 17 Pro", ...caller }))
        assert.isTrue(ambiguous._tag === "DeviceNotFound" && ambiguous.kind === "ambiguous")
        assert.match(ambiguous.message, /26\.4\.1.*26\.1|26\.1.*26\.4\.1/s)
        yield* boot("iPhone 17 Pro@26.1")
        assert.strictEqual(yield* chosen("iPhone 17 Pro"), "only booted match")
        assert.strictEqual(yield* code("sim.apps", { simulator: "booted", ...caller }), "DEVICE_NOT_FOUND")
        const gone = yield* Effect.flip(call("sim.boot", { simulator: "iPhone SE (3rd generation)@17.2", ...caller }))
        assert.isTrue(gone._tag === "DeviceNotFound" && gone.kind === "unavailable")
        const unknown = yield* Effect.flip(call("sim.boot", { simulator: "iPhone 71", ...caller }))
        assert.include(unknown.message, "iPhone 17")
        assert.strictEqual(yield* code("sim.boot", { simulator: "iPhone", ...caller }), "DEVICE_NOT_FOUND")
      })
    )
  )

  it.effect("are created, cloned, erased and deleted, the last two only with consent", () =>
    lab(({ call, caller, code }) =>
      Effect.gen(function* () {
        const made = yield* call("sim.create", { name: "Scratch", type: "iPhone 17", runtime: "26.4", ...caller })
        const copy = yield* call("sim.clone", { simulator: "Scratch", name: "Copy", ...caller })
        assert.notStrictEqual(copy.data.udid, made.data.udid)
        assert.strictEqual(yield* code("sim.erase", { simulator: "Scratch", ...caller }), "USAGE")
        yield* call("sim.erase", { simulator: "Scratch", yes: true, ...caller })
        yield* call("sim.boot", { simulator: "Scratch", ...caller })
        assert.strictEqual(yield* code("sim.erase", { simulator: "Scratch", yes: true, ...caller }), "INVALID_STATE")
        yield* call("sim.shutdown", { simulator: "Scratch", ...caller })
        assert.isTrue((yield* call("sim.shutdown", { simulator: "Scratch", ...caller })).data.already)
        for (const simulator of ["Scratch", copy.data.udid])
          yield* call("sim.delete", { simulator, yes: true, ...caller })
        const { data } = yield* call("sim.list", { name: "Scratch", ...caller })
        assert.deepStrictEqual(data.devices, [])
        assert.isAbove((yield* call("sim.runtimes", caller)).data.runtimes.length, 0)
        assert.isAbove((yield* call("sim.types", caller)).data.types.length, 0)
      })
    )
  )

  it.effect("are checked by sim doctor, which names each problem", () =>
    lab(({ call, caller, fault }) =>
      Effect.gen(function* () {
        const well = yield* call("sim.doctor", caller)
        assert.deepStrictEqual(
          well.data.checks.filter(({ ok }) => !ok),
          []
        )
        fault({ toolMissing: "lldb-dap" })
        const ill = yield* call("sim.doctor", caller)
        assert.deepStrictEqual(
          ill.data.checks.filter(({ ok }) => !ok).map(({ name }) => name),
          ["lldb-dap"]
        )
        fault({ stderrNoise: true }, { sub: "nothing" })
      })
    )
  )

  it.effect("are not available outside macOS, which is reported at once", () =>
    lab(({ code, caller, machine }) =>
      Effect.gen(function* () {
        const { SIGTRAP_XCRUN: _, ...environment } = caller.environment
        const before = calls(machine.root).length
        const expected = process.platform === "darwin" ? "none" : "PLATFORM"
        for (const tag of ["sim.list", "sim.doctor", "sim.debug", "sim.guard"] as const) {
          assert.strictEqual(yield* code(tag, { ...caller, environment }), expected, tag)
        }
        assert.strictEqual(calls(machine.root).length, before)
      })
    )
  )
})

layer(platform, options)("session defaults", (it) => {
  it.effect("apply to omitted fields, yield to given ones, and are written to the project on request", () =>
    lab((lab) =>
      Effect.gen(function* () {
        const { call, caller, code, machine } = lab
        yield* installed(lab)
        yield* call("defaults.set", { simulator: "iPhone 17", bundle: app, ...caller })
        const { data } = yield* call("sim.launch", { terminate_existing: true, ...caller })
        assert.strictEqual(data.bundle_id, app)
        assert.deepStrictEqual(
          data.simulator.defaults.map(({ key, value }) => [key, value]),
          [
            ["simulator", "iPhone 17"],
            ["bundle", app]
          ]
        )
        assert.isTrue((yield* call("sim.terminate", { bundle: `${app}.x`, ...caller })).data.already)
        assert.strictEqual(yield* code("defaults.set", { simulator: "iPhone 71", ...caller }), "DEVICE_NOT_FOUND")
        const file = `${machine.folder}/.sigtrap/defaults.json`
        assert.isFalse(existsSync(file))
        yield* call("defaults.set", { profile: "tablet", simulator: "iPad (A16)", persist: true, ...caller })
        // What was set for now stays out of the file, and stays.
        assert.notInclude(readFileSync(file, "utf8"), app)
        assert.strictEqual((yield* call("sim.terminate", caller)).data.bundle_id, app)
        assert.strictEqual(yield* code("defaults.use", { name: "watch", ...caller }), "USAGE")
        yield* call("defaults.clear", { profile: "default", ...caller })
        const used = yield* call("defaults.use", { name: "tablet", persist: true, ...caller })
        assert.deepStrictEqual(
          used.data.values.map(({ value }) => value),
          ["iPad (A16)"]
        )
        writeFileSync(file, "{ this is not JSON")
        assert.strictEqual(yield* code("defaults.show", caller), "USAGE")
        assert.strictEqual(yield* code("defaults.set", { bundle: app, persist: true, ...caller }), "USAGE")
        assert.strictEqual(readFileSync(file, "utf8"), "{ this is not JSON")
      })
    )
  )
})
