// A program whose debugger takes long to load it, on the page in a real browser: what the debugger does is said with its seconds, and the
// start can be cancelled.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { shows } from "./pageTests.ts"

/** An adapter that reads symbols until the file `ready` exists, as LLDB reports it. */
const adapter = `import { existsSync } from "node:fs"
let text = "", seq = 0
const write = (message) => {
  const body = JSON.stringify({ seq: ++seq, ...message })
  process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body)
}
const event = (event, body) => write({ type: "event", event, body })
process.stdin.on("data", (chunk) => {
  for (text += chunk; ; ) {
    const size = Number(/^Content-Length: (\\d+)/.exec(text)?.[1] ?? 0), from = text.indexOf("{")
    if (size === 0 || text.length < from + size) return
    const { command, seq: request_seq } = JSON.parse(text.slice(from, from + size))
    text = text.slice(from + size)
    const body = command === "initialize" ? { supportsConfigurationDoneRequest: true } : { threads: [], breakpoints: [] }
    const answer = () => write({ type: "response", request_seq, command, success: true, body })
    if (command === "launch") {
      event("progressStart", { progressId: "1", title: "Parsing symbol table: libfoo.so" })
      event("progressStart", { progressId: "2", title: "Manually indexing DWARF: libbar.so" })
      event("progressEnd", { progressId: "1" })
      const timer = setInterval(() => {
        if (!existsSync(import.meta.dirname + "/ready")) return
        clearInterval(timer)
        event("progressEnd", { progressId: "2" })
        answer()
        event("initialized")
      }, 20)
      continue
    }
    answer()
    if (command === "configurationDone") {
      event("exited", { exitCode: 0 })
      event("terminated")
    }
    if (command === "disconnect") process.exit(0)
  }
})
`

describe.runIf(isPresent(Chromium.program, {}))("a program that is loaded for long", () => {
  const started = Effect.fnUntraced(function* (width: number) {
    const { environment, folder, sigtrap } = yield* Chromium.machine
    writeFileSync(join(folder, "slow.mjs"), adapter)
    writeFileSync(join(folder, "app.slow"), "")
    const words = ["[adapters.slow]", `command = ${JSON.stringify(process.execPath)}`, `args = ["${folder}/slow.mjs"]`]
    writeFileSync(join(folder, "config.toml"), [...words, "languages = ['Slow']"].join("\n"))
    const env = { ...process.env, ...environment, SIGTRAP_CONFIG: join(folder, "config.toml") }
    sigtrap("status")
    const url = sigtrap("web", "--print", "--session", "app").trim()
    const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport: { width, height: 800 } })
    yield* shows(page, "h1, h2", "There is no session app")
    const command = [Chromium.command, "start", "app.slow", "--adapter", "slow", "--session", "app"]
    const starting = spawn(process.execPath, command, { cwd: folder, env, stdio: "ignore" })
    yield* Effect.addFinalizer(() => Effect.sync(() => starting.kill()))
    yield* shows(page, "#state", "Starting")
    return { folder, messages, page, sigtrap }
  })

  for (const width of [1280, 768, 360])
    it.live(
      `says what its debugger does, and is cancelled, ${width} pixels wide`,
      () =>
        Effect.gen(function* () {
          const { messages, page, sigtrap } = yield* started(width)
          yield* shows(page, ".sentence", /^reading symbols of libbar\.so, \d+ s$/)
          // What it does is cut before its seconds are.
          const right = (selector: string) =>
            page.locator(selector).evaluate((element) => element.getBoundingClientRect().right)
          const [seconds, row] = yield* Effect.promise(() =>
            Promise.all([right(".sentence span:last-child"), right(".sentence")])
          )
          assert.isAtMost(seconds, row)
          yield* Effect.promise(() => page.getByRole("button", { name: "Cancel" }).click())
          yield* shows(page, "#state", "Ended")
          yield* shows(page, ".sentence", "by you")
          assert.strictEqual(yield* Effect.promise(() => page.getByRole("button", { name: "Cancel" }).count()), 0)
          assert.notInclude(sigtrap("sessions"), "starting")
          assert.deepStrictEqual(messages, [])
        }).pipe(Effect.scoped),
      60_000
    )

  it.live(
    "says no more of it once it runs",
    () =>
      Effect.gen(function* () {
        const { folder, messages, page, sigtrap } = yield* started(1280)
        yield* shows(page, ".sentence", "reading symbols of libbar.so")
        assert.include(
          sigtrap("events", "--session", "app"),
          "the debugger is busy: Manually indexing DWARF: libbar.so"
        )
        writeFileSync(join(folder, "ready"), "")
        yield* shows(page, "#state", "Ended")
        assert.strictEqual(yield* Effect.promise(() => page.getByRole("button", { name: "Cancel" }).count()), 0)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    60_000
  )
})
