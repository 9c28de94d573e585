/** Operations on simulator apps with fake-xcrun: URLs, notifications, permissions, pictures, folders, logs. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { platform } from "../support/fixturePrograms.ts"
import { phone } from "./fakeMachine.ts"
import { app, installed, lab, options } from "./simulatorClient.ts"

layer(platform, options)("devices and what surrounds an app", (it) => {
  it.effect("accept URLs, notifications, permissions and pictures, and show an app's folders and log", () =>
    lab((lab) =>
      Effect.gen(function* () {
        const { call, caller, code, machine } = lab
        const screen = { simulator: phone, file: "screen.png", ...caller }
        assert.strictEqual(yield* code("sim.screenshot", screen), "INVALID_STATE")
        assert.strictEqual(yield* code("sim.launch", { simulator: phone, bundle: app, ...caller }), "INVALID_STATE")
        yield* installed(lab)
        yield* call("sim.screenshot", screen)
        assert.isTrue(existsSync(`${machine.folder}/screen.png`))
        yield* call("sim.openurl", { simulator: phone, url: "https://example.com/", ...caller })
        assert.strictEqual(yield* code("sim.openurl", { simulator: phone, url: "no url", ...caller }), "USAGE")
        writeFileSync(`${machine.folder}/push.json`, '{"aps":{"alert":"hi"}}')
        yield* call("sim.push", { simulator: phone, bundle: app, file: "push.json", ...caller })
        yield* call("sim.privacy", { simulator: phone, action: "grant", service: "photos", bundle: app, ...caller })
        yield* call("sim.appearance", { simulator: phone, value: "dark", ...caller })
        const { data } = yield* call("sim.container", { simulator: phone, bundle: app, ...caller })
        assert.include(data.path, `/${phone}/`)
        const other = { simulator: phone, bundle: "com.example.nothing", ...caller }
        assert.strictEqual(yield* code("sim.container", other), "PROGRAM_NOT_FOUND")
        yield* call("sim.launch", { simulator: phone, bundle: app, stdout: "out.txt", ...caller })
        const followed = yield* call("sim.log", { simulator: phone, follow: true, timeout: "2s", ...caller })
        assert.isAbove(followed.data.lines.length, 0)
        assert.include(readFileSync(`${machine.folder}/out.txt`, "utf8"), "hello from iPhone 17")
        yield* call("sim.uninstall", { simulator: phone, bundle: app, ...caller })
        assert.deepStrictEqual((yield* call("sim.apps", { simulator: phone, ...caller })).data.apps, [])
      })
    )
  )
})
