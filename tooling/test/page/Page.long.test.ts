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
        yield* shows(page, ".notice", "agent wanted to step and was refused. You drive since")
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
        // It has received it once it has ended by it.
        machine.sigtrap("continue", "--session", "crash")
        yield* shows(page, "#state", "Ended")
        yield* shows(page, ".failure", "Fault address 0x0.")
        assert.notInclude(yield* Effect.promise(() => page.locator(".failure").innerText()), "not received")
        yield* Effect.promise(() => page.getByRole("button", { name: "Explain", exact: true }).focus())
        yield* press(page, "Enter")
        yield* shows(page, ".notice", "The program has ended. Nothing can be read.")
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
    "a wide window says the thread and the address of the stop, and a narrower one does not",
    () =>
      Effect.gen(function* () {
        const { opened, sigtrap, url } = yield* started
        const { page } = yield* Chromium.open(opened, url, { viewport: { width: 1920, height: 1080 } })
        const report: unknown = JSON.parse(sigtrap("context", "--json", "--session", "app"))
        const address = /"address":"(?<pc>0x[0-9a-f]+)"/.exec(JSON.stringify(report))?.groups?.["pc"] ?? "no address"
        yield* shows(page, ".sentence", ` · pc ${address}`)
        yield* shows(page, ".sentence", " · thread app ")
        yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 800 }))
        yield* Effect.promise(() => page.locator(".sentence").filter({ hasNotText: "pc 0x" }).waitFor())
        // One variable of four, found by a part of its name.
        const variables = () => Effect.promise(() => page.locator("#variables .row.value .name").allInnerTexts())
        yield* Effect.promise(() => page.getByRole("button", { name: "Find a variable" }).click())
        yield* Effect.promise(() => page.keyboard.insertText("TOT"))
        yield* shows(page, "#variables .find .note", "1 of 4")
        assert.deepStrictEqual(yield* variables(), ["total"])
        yield* press(page, "Escape")
        assert.deepStrictEqual(yield* variables(), ["items", "n", "total", "i"])
        // Memory of a variable that is proposed.
        yield* Effect.promise(() => page.getByRole("tab", { name: "Memory" }).click())
        yield* Effect.promise(() => page.locator(".proposal", { hasText: "&n" }).click())
        yield* shows(page, ".bytes", "03000000")
        // The value that is chosen decides which memory is shown, while no address is written.
        yield* Effect.promise(() => page.getByLabel("Address or expression").fill(""))
        yield* press(page, "Enter")
        yield* Effect.promise(() => page.locator(".row.value", { hasText: "total" }).locator(".name").click())
        yield* shows(page, ".memory .note", "Marked: total, an int: 0")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".bytes .marked").count()), 4)
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, ".memory .note", "Marked: total, an int: 10")
        const bytes = yield* Effect.promise(() => page.locator(".bytes .marked").allInnerTexts())
        assert.deepStrictEqual(bytes, ["0a", "00", "00", "00"])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "the stacks of all threads are opened and closed at once, and the source says where other threads are",
    () =>
      Effect.gen(function* () {
        const machine = yield* Chromium.machine
        machine.compile("threads")
        machine.sigtrap("start", "./threads", "--break", "threads.c:27", "--session", "app")
        const url = machine.sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport: { width: 1280, height: 2000 } })
        const threads = (expanded: boolean) => page.locator(`#stack .row.thread[aria-expanded='${String(expanded)}']`)
        /** Waits until some of the four threads show their stacks. */
        const open = (count: number) =>
          Effect.promise(async () => {
            await threads(true)
              .nth(count - 1)
              .waitFor()
            if (count < 4)
              await threads(false)
                .nth(3 - count)
                .waitFor()
          })
        yield* open(1)
        yield* shows(page, ".frameNote", "here")
        yield* Effect.promise(() => page.getByRole("button", { name: "Open all stacks" }).click())
        yield* open(4)
        yield* Effect.promise(() => page.getByRole("button", { name: "Close the other stacks" }).click())
        yield* open(1)
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
        yield* shows(page, "#state", "Ended")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        yield* shows(page, "#state", "Stopped")
        sigtrap("daemon", "stop", "--force")
        yield* shows(page, ".banner", "Connection lost at")
        yield* shows(page, "#state", "Not connected")
      }).pipe(Effect.scoped),
    120_000
  )
})
