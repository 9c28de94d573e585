// The page in a real browser beside an agent over MCP: three pages show each stop, a person takes control with the keyboard, the
// debugger is killed, and the session starts again.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { stdio } from "../surfaces/mcpServers.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const parentOf = (pid: string): string => execFileSync("ps", ["-o", "ppid=", "-p", pid], { encoding: "utf8" }).trim()

/** Notes in a page the number of each stop when it is first listed. */
const noteStops = `
  globalThis.stops = []
  const note = () => {
    for (const { textContent } of document.querySelectorAll(".pill b"))
      if (!globalThis.stops.includes(textContent)) globalThis.stops.push(textContent)
  }
  note()
  new MutationObserver(note).observe(document.querySelector(".stopsRow"), { subtree: true, childList: true, characterData: true, attributes: true })
`

const started = Effect.gen(function* () {
  const machine = yield* Chromium.machine
  machine.compile("app")
  const agent = yield* stdio({
    directory: machine.folder,
    args: ["--allow", "launch"],
    environment: machine.environment,
    name: "claude"
  })
  const call = (name: string, input?: { readonly [field: string]: unknown }) =>
    Effect.map(agent.call(name, input), ({ text }) => text)
  const report = yield* call("start", { program: "./app", break: ["app.c:14"], session: "app" })
  assert.include(report, "stopped #1")
  // lldb-dap starts lldb-server, which starts the program.
  const adapter = Number(parentOf(parentOf(/\(pid (\d+)\)/.exec(report)?.[1] ?? "")))
  const opened = yield* Chromium.browser
  const open = Effect.suspend(() =>
    Chromium.open(opened, machine.sigtrap("web", "--print", "--session", "app", "--allow", "evaluate").trim())
  )
  return { ...machine, call, adapter, open }
})

describe.runIf(isPresent(Chromium.program, {}))("the page beside an agent over MCP", () => {
  it.live(
    "three pages show every stop of the agent, in order",
    () =>
      Effect.gen(function* () {
        const { call, open } = yield* started
        const pages = yield* Effect.replicateEffect(open, 3)
        for (const { page } of pages) yield* shows(page, ".sentence", "breakpoint 1, 1st hit · sum_scores at app.c:14")
        for (const { page } of pages) yield* Effect.promise(() => page.evaluate(noteStops))
        const stops = Array.from({ length: 7 }, (_, at) => at + 2)
        // The agent does not wait for the pages.
        for (const stop of stops) assert.include(yield* call("next"), `stopped #${stop}`)
        for (const { page } of pages) {
          yield* shows(page, ".pill.now", "8")
          yield* shows(page, ".row.activity.now", "→ stop 8")
          const [seen, listed] = yield* Effect.promise(async () => [
            await page.evaluate("globalThis.stops.join(' ')"),
            await page.locator(".pill b, .tick").count()
          ])
          // Each stop came to the page once, in the order of the agent.
          assert.strictEqual(seen, ["1", ...stops].join(" "))
          assert.strictEqual(listed, 8)
        }
        yield* call("print", { expressions: ["items[1].score"] })
        for (const { messages, page } of pages) {
          yield* shows(page, ".lease", "agent drives")
          yield* shows(page, ".row.activity", "items[1].score")
          assert.strictEqual(messages.join("; "), "")
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "a person takes over with the keyboard, the debugger is killed, and the session starts again with its breakpoints",
    () =>
      Effect.gen(function* () {
        const { adapter, call, open, sigtrap } = yield* started
        const { messages, page } = yield* open
        yield* shows(page, "#state", "Stopped")
        yield* call("next")
        yield* shows(page, ".pill.now", "2 step")
        yield* shows(page, ".line.current .number", "13")

        yield* press(page, "Alt+2", "t")
        yield* shows(page, ".lease", "you drive")
        yield* press(page, "ArrowDown", "Shift+B")
        yield* Effect.promise(() => page.keyboard.type("i == 2"))
        yield* press(page, "Tab")
        yield* Effect.promise(() => page.keyboard.type(">=1"))
        yield* press(page, "Enter")
        yield* shows(page, ".breakpointItem", "when i == 2 · from hit 1 on")
        assert.include(yield* call("continue"), "LEASE_HELD")
        yield* shows(page, ".row.activity.refused", "continue refused")
        yield* press(page, "F8")
        yield* shows(page, ".pill.now", "3 breakpoint 1")
        yield* shows(page, ".row.value", "2")

        yield* press(page, "[")
        yield* shows(page, "#state", "Past stop 2")
        yield* press(page, "Escape")
        yield* shows(page, "#state", "Stopped")
        yield* press(page, "t")
        yield* shows(page, ".lease .button", "Take control")

        process.kill(adapter, "SIGKILL")
        yield* shows(page, ".sentence", "lldb-dap was killed by SIGKILL")
        yield* shows(page, ".row.activity", "is gone: lldb-dap was killed by SIGKILL")
        assert.include(sigtrap("context", "--session", "app"), "lldb-dap was killed by SIGKILL")
        yield* press(page, "F8")
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".breakpointItem", "when i == 2")
        yield* shows(page, ".sentence", "breakpoint 1")
        assert.strictEqual(messages.join("; "), "")
      }).pipe(Effect.scoped),
    120_000
  )
})
