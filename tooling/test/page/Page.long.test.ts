// The page in a real browser with a real debugger: a person watches an agent, takes control, and gives it back.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import axe from "axe-core"
import type { Page } from "playwright-core"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"
import { unusualStyles } from "./styles.ts"

/** Returns the accessibility violations that axe-core finds. */
const violations = (page: Page) =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
    const found = await page.evaluate(
      "axe.run(document).then((result) => result.violations.map((one) => one.id + ': ' + one.nodes[0].html))"
    )
    return found
  })

const started = Effect.gen(function* () {
  const machine = yield* Chromium.machine
  machine.compile("app")
  const report = machine.sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
  assert.include(report, "stopped #1")
  const url = machine.sigtrap("web", "--print", "--session", "app").trim()
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/#code=/)
  return { ...machine, url, opened: yield* Chromium.browser }
})

describe.runIf(isPresent(Chromium.program, {}))("the page", () => {
  it.live(
    "a person watches an agent, takes control, steps, looks back and gives control back, with the keyboard alone",
    () =>
      Effect.gen(function* () {
        const { opened, sigtrap, url } = yield* started
        const { foreign, messages, page } = yield* Chromium.open(opened, url)
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".sentence", "breakpoint 1, 1st hit · sum_scores at app.c:14")
        yield* shows(page, ".line.current .text", "total += (int)items[i].score;")
        // The code is not in the address any more.
        assert.notInclude(page.url(), "code=")
        yield* Effect.promise(() =>
          page.evaluate(
            "globalThis.shifts = []; new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) globalThis.shifts.push(...one.sources.map(({ node, previousRect, currentRect }) => `${node?.outerHTML?.slice(0, 80) ?? node?.data}: ${JSON.stringify([previousRect, currentRect])}`)) }).observe({ type: 'layout-shift', buffered: false })"
          )
        )

        sigtrap("next", "--as", "claude")
        yield* shows(page, ".pill.now", "2 step")
        yield* shows(page, ".row.value", "was 0")
        yield* shows(page, ".row.activity.now", "next → stop 2 · app.c:13 · total 10")
        yield* shows(page, ".lease", "agent drives")

        yield* press(page, "Alt+2", "t")
        yield* shows(page, ".lease", "you drive")
        assert.include(sigtrap("next", "--as", "claude"), "LEASE_HELD")
        yield* shows(page, ".row.activity.refused", "next refused")
        yield* press(page, "F10")
        yield* shows(page, ".pill.now", "3 breakpoint 1")
        yield* shows(page, ".sentence", "after “next” by you")

        yield* press(page, "[")
        yield* shows(page, "#state", "Past stop 2")
        yield* shows(page, ".line.past .number", "13")
        yield* press(page, "Escape")
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".line.current.cursor .number", "14")

        yield* press(page, "ArrowDown", "ArrowDown", "b")
        yield* shows(page, ".row.breakpoint", "2 app.c:16")
        yield* press(page, "t")
        yield* shows(page, ".lease .button", "Take control")
        assert.include(sigtrap("continue", "--as", "claude"), "stopped")
        yield* shows(page, ".pill.now", "4")

        assert.deepStrictEqual(messages, [])
        assert.deepStrictEqual(foreign, [])
        assert.strictEqual(yield* Effect.promise(() => page.evaluate("globalThis.shifts.join('; ')")), "")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "the console reads, and runs code only when asked to; a link is used once",
    () =>
      Effect.gen(function* () {
        const { opened, url } = yield* started
        const { page } = yield* Chromium.open(opened, url)
        yield* shows(page, "#state", "Stopped")
        yield* press(page, "Alt+1")
        yield* Effect.promise(() => page.keyboard.type("items[2].name"))
        yield* press(page, "Enter")
        yield* shows(page, ".answered", '"gamma"')
        yield* Effect.promise(() => page.keyboard.type("total=5"))
        yield* press(page, "Enter")
        yield* shows(page, ".answered.problem", "may change the program")
        yield* Effect.promise(() => page.getByText("Run it anyway").click())
        yield* shows(page, ".answered.problem", "evaluate")

        const second = yield* Chromium.open(opened, url)
        yield* shows(second.page, "h2", "This link was used already.")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "a call that waits for consent is shown, and allowed once",
    () =>
      Effect.gen(function* () {
        const { opened, sigtrap, url } = yield* started
        const { page } = yield* Chromium.open(
          opened,
          sigtrap("web", "--print", "--session", "app", "--allow", "evaluate").trim()
        )
        yield* shows(page, "#state", "Stopped")
        const token = sigtrap("grant", "--tier", "observe,control", "--ask", "evaluate", "--print").trim()
        const asked = yield* Effect.forkChild(
          Effect.promise(() =>
            fetch(new URL("/v1/eval", url), {
              method: "POST",
              headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
              body: JSON.stringify({ session: "app", expression: "total = 40 + 2" })
            }).then((response) => response.text())
          )
        )
        yield* shows(page, ".requests", "1 request")
        yield* shows(page, ".askTitle", "agent asks to run code in the program")
        yield* shows(page, ".askCard pre", "total = 40 + 2")
        yield* Effect.promise(() => page.locator(".requests").click())
        yield* press(page, "y")
        assert.include(yield* Fiber.join(asked), '"42"')
        yield* Effect.promise(() => page.locator(".askCard").waitFor({ state: "detached" }))
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "a crash is named by its signal in the run row, in the list of stops and below its line",
    () =>
      Effect.gen(function* () {
        const machine = yield* Chromium.machine
        machine.compile("crash")
        assert.include(machine.sigtrap("start", "./crash", "--session", "crash"), "SIGSEGV")
        const url = machine.sigtrap("web", "--print", "--session", "crash").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url, { bypassCSP: true })
        yield* shows(page, "#state", "Crashed")
        yield* shows(page, ".pill.now", "1 SIGSEGV")
        yield* shows(page, ".sentence", "signal SIGSEGV")
        yield* shows(page, ".failure", "The program has not received the signal yet.")
        assert.deepStrictEqual(yield* violations(page), [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "axe-core finds nothing at any width, light and dark, nothing scrolls sideways, and only the page's sizes and colours are used",
    () =>
      Effect.gen(function* () {
        const { opened, sigtrap } = yield* started
        for (const [width, colorScheme] of [
          [1280, "light"],
          [1920, "dark"],
          [768, "light"],
          [360, "dark"]
        ] as const) {
          const url = sigtrap("web", "--print", "--session", "app").trim()
          const { page } = yield* Chromium.open(opened, url, {
            viewport: { width, height: 800 },
            colorScheme,
            bypassCSP: true
          })
          yield* shows(page, "#state", "Stopped")
          yield* shows(page, ".line.current .text", "total +=")
          assert.deepStrictEqual(yield* violations(page), [], `${width} ${colorScheme}`)
          assert.deepStrictEqual(yield* unusualStyles(page), [], `${width} ${colorScheme}`)
          assert.strictEqual(yield* Effect.promise(() => page.evaluate("document.documentElement.scrollWidth")), width)
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "the page says when the session is gone and when the server is",
    () =>
      Effect.gen(function* () {
        const { opened, sigtrap, url } = yield* started
        const { page } = yield* Chromium.open(opened, url)
        yield* shows(page, "#state", "Stopped")
        sigtrap("continue", "--session", "app")
        yield* shows(page, "#state", "Stopped")
        sigtrap("stop", "--session", "app")
        yield* shows(page, "h2", "No program is being debugged")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        yield* shows(page, "#state", "Stopped")
        sigtrap("daemon", "stop", "--force")
        yield* shows(page, ".banner", "Connection lost at")
        yield* shows(page, "#state", "Not connected")
      }).pipe(Effect.scoped),
    120_000
  )
})
