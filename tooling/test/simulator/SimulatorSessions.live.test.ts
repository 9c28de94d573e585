/** Debugs simulator apps with fake-xcrun: launch to the first stop, attach, every way to end. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { platform } from "../support/fixturePrograms.ts"
import { phone } from "./fakeMachine.ts"
import { app, installed, lab, options, pidOf } from "./simulatorClient.ts"

layer(platform, options)("an app is debugged in one call", (it) => {
  it.effect("boots a device, debugs an app to its first stop with its output, and ends it with the session", () =>
    lab((lab) =>
      Effect.gen(function* () {
        const { call, caller, line, machine } = lab
        const { data, state } = yield* call("sim.debug", {
          simulator: "iPhone 17",
          app: machine.app(app),
          args: ["--one", "two words"],
          env: ["GREETING=hi there"],
          break: [line("tick")],
          ...caller
        })
        assert.strictEqual(state, "stopped")
        assert.deepInclude(data, { event: "stopped", reason: "breakpoint", bundle_id: app, launched: true })
        assert.deepInclude(data.simulator, { udid: phone, name: "iPhone 17", chosen: "only match" })
        const { data: output } = yield* call("output", {})
        const written = output.entries.map(({ text }) => text).join("")
        assert.include(written, "hello from iPhone 17, greeting hi there\n")
        assert.include(written, "argument --one\nargument two words\n")
        const held = yield* call("sim.guard", { simulator: phone, ...caller })
        assert.isTrue(held.data.paused)
        assert.deepInclude(held.data.sessions[0], { session: "default", bundle_id: app, state: "stopped" })
        assert.strictEqual((yield* call("print", { expressions: ["count"] })).data.values[0]?.value, "0")
        assert.deepInclude((yield* call("continue", {})).data, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual((yield* call("stop", {})).data.sessions[0]?.how, "killed")
        assert.isUndefined(yield* pidOf(lab))
        assert.isFalse((yield* call("sim.guard", { simulator: phone, ...caller })).data.paused)
      })
    )
  )

  it.effect("debugs with LLDB's command line on request", () =>
    lab((lab) =>
      Effect.gen(function* () {
        const { call, caller } = lab
        yield* installed(lab)
        const { data } = yield* call("sim.debug", {
          simulator: phone,
          app,
          backend: "lldb-cli",
          break: [lab.line("tick")],
          ...caller
        })
        assert.deepInclude(data, { event: "stopped", reason: "breakpoint", bundle_id: app, launched: true })
        assert.strictEqual((yield* call("status", {})).data.adapter?.backend, "lldb-cli")
        assert.strictEqual((yield* call("print", { expressions: ["count"] })).data.values[0]?.value, "0")
        assert.include((yield* call("output", {})).data.text, "hello from iPhone 17")
        yield* call("stop", {})
        assert.isUndefined(yield* pidOf(lab))
      })
    )
  )

  it.effect("runs without breakpoints when the call answers, and keeps running after detach", () =>
    lab((lab) =>
      Effect.gen(function* () {
        yield* installed(lab)
        const { data } = yield* lab.call("sim.debug", { simulator: phone, app, ...lab.caller })
        assert.strictEqual(data.event, "running")
        assert.isFalse((yield* lab.call("sim.guard", { simulator: phone, ...lab.caller })).data.paused)
        assert.deepInclude((yield* lab.call("detach", {})).data, { alive: true, suspended: false, traced: false })
        assert.strictEqual(yield* pidOf(lab), data.pid)
      })
    )
  )
})
