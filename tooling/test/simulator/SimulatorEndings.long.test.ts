/** Simulator apps with fake-xcrun: every way to hold, attach to and end one. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { platform } from "../support/fixturePrograms.ts"
import { phone } from "./fakeMachine.ts"
import { app, installed, lab, options, pidOf } from "./simulatorClient.ts"

layer(platform, options)("an app is debugged in one call", (it) => {
  for (const hold of ["wait", "execstop", "shellstop"] as const) {
    it.effect(`an app that is held by ${hold} stops at its breakpoint and nowhere before`, () =>
      lab(
        (lab) =>
          Effect.gen(function* () {
            yield* installed(lab)
            const { data } = yield* lab.call("sim.debug", {
              simulator: phone,
              app,
              break: [lab.line("main")],
              ...lab.caller
            })
            assert.deepInclude(data, { event: "stopped", reason: "breakpoint" })
            assert.strictEqual(data.location?.function, "main")
          }),
        { hold }
      )
    )
  }

  it.effect("ends the app if a breakpoint has no location, and changes nothing if the session's name exists", () =>
    lab((lab) =>
      Effect.gen(function* () {
        const { call, caller, code } = lab
        yield* installed(lab)
        const nowhere = { simulator: phone, app, break: ["nofile.c:3"], ...caller }
        assert.strictEqual(yield* code("sim.debug", nowhere), "BREAKPOINT_UNRESOLVED")
        assert.isUndefined(yield* pidOf(lab))
        const { data } = yield* call("sim.debug", { simulator: phone, app, ...caller })
        assert.strictEqual(yield* code("sim.debug", { simulator: phone, app, ...caller }), "SESSION_EXISTS")
        const beside = { simulator: phone, app, session: "other", ...caller }
        assert.strictEqual(yield* code("sim.debug", beside), "INVALID_STATE")
        assert.strictEqual(yield* pidOf(lab), data.pid)
      })
    )
  )

  it.effect("ends with a reason when the app is launched again or the device is shut down", () =>
    lab((lab) =>
      Effect.gen(function* () {
        const { call, caller, line } = lab
        yield* installed(lab)
        const debug = call("sim.debug", { simulator: phone, app, break: [line("main")], ...caller })
        const { data: first } = yield* debug
        const { data: again } = yield* call("sim.launch", {
          simulator: phone,
          bundle: app,
          terminate_existing: true,
          ...caller
        })
        assert.notStrictEqual(again.pid, first.pid)
        yield* call("wait", { for: "exit" })
        assert.strictEqual((yield* call("status", {})).data.state, "exited")
        // The session is over, and the app that runs now is none of its: it stays.
        yield* call("stop", {})
        assert.strictEqual(yield* pidOf(lab), again.pid)
        yield* debug
        yield* call("sim.shutdown", { simulator: phone, ...caller })
        yield* call("wait", { for: "exit" })
        assert.strictEqual((yield* call("status", {})).data.state, "exited")
      })
    )
  )
})

layer(platform, options)("an app is attached to", (it) => {
  it.effect("attaches by the whole bundle id and leaves the app running", () =>
    lab((lab) =>
      Effect.gen(function* () {
        const { call, caller, code } = lab
        yield* installed(lab, `${app}.widget`)
        yield* installed(lab)
        const widget = yield* call("sim.launch", { simulator: phone, bundle: `${app}.widget`, ...caller })
        assert.strictEqual(yield* code("sim.attach", { simulator: phone, bundle: app, ...caller }), "PROCESS_NOT_FOUND")
        const { data: launched } = yield* call("sim.launch", { simulator: phone, bundle: app, ...caller })
        assert.notStrictEqual(launched.pid, widget.data.pid)
        for (const bundleId of [app, `${app}.widget`]) {
          const { data } = yield* call("sim.attach", { simulator: phone, bundle: bundleId, pause: true, ...caller })
          assert.strictEqual(data.pid, bundleId === app ? launched.pid : widget.data.pid)
          assert.deepInclude(data, { event: "stopped", launched: false })
          yield* call("stop", {})
          assert.strictEqual(yield* pidOf(lab, bundleId), data.pid)
        }
      })
    )
  )

  it.effect("attaches to an app that starts later or is launched for it", () =>
    lab((lab) =>
      Effect.gen(function* () {
        const { call, caller, code } = lab
        yield* installed(lab)
        const late = { simulator: phone, bundle: app, wait: true, attach_timeout: "500ms", ...caller }
        assert.strictEqual(yield* code("sim.attach", late), "WAIT_TIMEOUT")
        const [attached, launched] = yield* Effect.all(
          [
            call("sim.attach", { simulator: phone, bundle: app, wait: true, ...caller }),
            call("sim.launch", { simulator: phone, bundle: app, ...caller })
          ],
          { concurrency: 2 }
        )
        assert.strictEqual(attached.data.pid, launched.data.pid)
        yield* call("stop", {})
        yield* call("sim.terminate", { simulator: phone, bundle: app, ...caller })
        const { data } = yield* call("sim.attach", { simulator: phone, bundle: app, launch: true, ...caller })
        assert.isTrue(data.launched)
        yield* call("stop", {})
        assert.isUndefined(yield* pidOf(lab))
      })
    )
  )

  for (const row of ["missing", "dash", "duplicate", "prefixSiblings", "oldLabel"] as const) {
    it.effect(`with rows of launchctl that mislead: ${row}`, () =>
      lab((lab) =>
        Effect.gen(function* () {
          yield* installed(lab)
          const { data } = yield* lab.call("sim.launch", { simulator: phone, bundle: app, ...lab.caller })
          lab.fault({ row }, { sub: "spawn launchctl" })
          const attached = yield* lab.call("sim.attach", { simulator: phone, bundle: app, ...lab.caller })
          assert.strictEqual(attached.data.pid, data.pid)
        })
      )
    )
  }

  it.effect("refuses a process that has the pid of an app that ended", () =>
    lab((lab) =>
      Effect.gen(function* () {
        yield* installed(lab)
        yield* lab.call("sim.launch", { simulator: phone, bundle: app, ...lab.caller })
        yield* lab.call("sim.terminate", { simulator: phone, bundle: app, ...lab.caller })
        lab.fault({ pidReuse: true }, { sub: "spawn launchctl" })
        const attach = { simulator: phone, bundle: app, ...lab.caller }
        assert.strictEqual(yield* lab.code("sim.attach", attach), "PROCESS_NOT_FOUND")
      })
    )
  )
})
