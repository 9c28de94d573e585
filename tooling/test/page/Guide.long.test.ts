// What docs/guide/page.md says, done with the mouse in a real browser: each sentence that names an action is clicked. And the same page
// with a finger on a phone.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const click = (page: Page, selector: string, options: { readonly button?: "right" } = {}) =>
  Effect.promise(() => page.locator(selector).first().click(options))

const button = (page: Page, name: string) =>
  // The name of a button has its key too.
  Effect.promise(() =>
    page
      .getByRole("button", { name: new RegExp(`^${name}`) })
      .first()
      .click()
  )

const tab = (page: Page, name: string) => Effect.promise(() => page.getByRole("tab", { name }).first().click())

const write = (page: Page, text: string) => Effect.promise(() => page.keyboard.insertText(text))

/** A daemon with the program of the guide. */
const prepared = Effect.gen(function* () {
  const machine = yield* Chromium.machine
  machine.compile("app")
  machine.compile("loop")
  const opened = yield* Chromium.browser
  const open = (options = {}, ...words: ReadonlyArray<string>) =>
    Chromium.open(opened, machine.sigtrap("web", "--print", ...words).trim(), options)
  return { ...machine, open }
})

describe.runIf(isPresent(Chromium.program, {}))("the guide of the page", () => {
  it.live(
    "starts a program, and reads, drives and searches it with the mouse",
    () =>
      Effect.gen(function* () {
        const { folder, open, sigtrap } = yield* prepared
        const { page } = yield* open({}, "--allow", "evaluate,write,admin")
        // Start a program, in the list of sessions.
        yield* shows(page, "h2", "No program is being debugged")
        yield* button(page, "Start a program")
        yield* Effect.promise(() => page.getByLabel("Program", { exact: true }).fill("app"))
        yield* button(page, "Start$")
        yield* shows(page, ".startForm .problem", "Write the whole path")
        yield* Effect.promise(() => page.getByLabel("Program", { exact: true }).fill(join(folder, "app")))
        yield* Effect.promise(() => page.getByLabel("Arguments", { exact: true }).fill('one "two words"'))
        yield* Effect.promise(() => page.getByLabel("Stop at", { exact: true }).fill("app.c:14"))
        yield* shows(page, ".startCommand", "--break app.c:14 -- one 'two words'")
        yield* button(page, "Start$")
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        yield* shows(page, ".sentence", "breakpoint 1, 1st hit · sum_scores at app.c:14")
        yield* shows(page, ".command", "sigtrap start")

        // Breakpoints: a click left of a line number, and a right click for a condition.
        yield* click(page, "#line-16 .sign")
        yield* shows(page, ".row.breakpoint", "app.c:16")
        yield* shows(page, ".command", "sigtrap break app.c:16")
        yield* click(page, "#line-16 .sign", { button: "right" })
        yield* Effect.promise(() => page.getByLabel("Stop when").fill("total > 5"))
        yield* press(page, "Enter")
        yield* shows(page, ".breakpointItem", "when total > 5")
        yield* click(page, ".breakpointItem >> nth=1 >> .sign")
        yield* Effect.promise(() => page.locator(".breakpointItem .sign[aria-pressed=false]").waitFor())

        // The run row, the stops row, and a frame.
        yield* button(page, "Over")
        yield* shows(page, ".pill.now", "2 step")
        yield* shows(page, ".row.value", "was 0")
        yield* click(page, ".pill >> nth=0")
        yield* shows(page, "#state", "Past stop 1")
        yield* button(page, "Back to now")
        yield* shows(page, "#state", "Stopped")
        // The stack is the one of the past stop until the current one is read.
        yield* shows(page, ".line.current .number", "13")
        yield* click(page, ".row.frame >> nth=1")
        yield* shows(page, ".line.current .number", "26")
        assert.include(sigtrap("frame"), "sum_scores", "no other client notices it")
        yield* click(page, ".row.frame >> nth=0")
        yield* shows(page, ".line.current .number", "13")

        // Values: the menu, the value at every stop, and a new value.
        yield* click(page, ".row.value:has-text('total')", { button: "right" })
        yield* Effect.promise(() => page.getByRole("menuitem", { name: /^Watch this/ }).click())
        yield* shows(page, ".row.watch", "total")
        yield* click(page, "[aria-label='total at every stop: from 0 to 10, stops 1 to 2']")
        yield* Effect.promise(() =>
          page.getByRole("img", { name: "total at every stop: from 0 to 10, stops 1 to 2", exact: true }).waitFor()
        )
        const axis = yield* Effect.promise(() => page.locator(".chart .axis").allInnerTexts())
        assert.deepStrictEqual(axis, ["10", "0", "stop 1", "stop 2"])
        yield* shows(page, ".chart figcaption", "most 10 at stop 2 · least 0 at stop 1")
        yield* click(page, ".row.past:has-text('breakpoint'), .row.past >> nth=1")
        yield* shows(page, "#state", "Past stop 1")
        yield* press(page, "Escape")
        yield* click(page, ".row.value:has-text('total')", { button: "right" })
        yield* Effect.promise(() => page.getByRole("menuitem", { name: /^Set value/ }).click())
        yield* Effect.promise(() => page.locator(".setValue").fill("100"))
        yield* press(page, "Enter")
        yield* shows(page, ".row.value", "100")

        // The console: an answer that can be opened, what changes the program, and a command of the debugger.
        yield* click(page, "#console")
        yield* write(page, "items[1]")
        yield* press(page, "Enter")
        yield* click(page, ".answered .opener")
        yield* shows(page, "#lower .row.value", "beta")
        yield* click(page, "#console")
        yield* write(page, "total = 7")
        yield* press(page, "Enter")
        yield* button(page, "Run it anyway")
        yield* shows(page, ".row.value", "7")
        yield* click(page, "#console")
        yield* write(page, "!version")
        yield* shows(page, ".prompt.raw", "needs admin")
        yield* press(page, "Enter")
        yield* shows(page, ".answered", "lldb version")

        // Activity: whose rows, and which kinds.
        yield* Effect.promise(() => page.getByLabel("Show the activity of").selectOption("Agents"))
        yield* Effect.promise(() => page.locator(".row.activity .actor.you").first().waitFor({ state: "detached" }))
        yield* shows(page, ".row.activity", "read frame")
        yield* Effect.promise(() => page.getByLabel("Show the activity of").selectOption("Everyone"))
        yield* click(page, ".kindsButton")
        yield* Effect.promise(() => page.getByLabel("Changes").uncheck())
        yield* Effect.promise(() =>
          page.locator(".row.activity", { hasText: "breakpoint 2" }).first().waitFor({ state: "detached" })
        )
        yield* Effect.promise(() => page.getByLabel("Changes").check())

        // The search: a line, a stop, a file, a function, an action.
        const found = (text: string, choice: string) =>
          Effect.gen(function* () {
            yield* press(page, "Control+k")
            yield* write(page, text)
            yield* shows(page, ".choice", choice)
            yield* click(page, `.choice:has-text('${choice}')`)
          })
        yield* found(":21", "Go to line 21")
        yield* shows(page, ".line.cursor .number", "21")
        yield* found("#1", "Look at stop 1")
        yield* shows(page, "#state", "Past stop 1")
        yield* press(page, "Escape")
        yield* found("app.c", "File app.c")
        yield* shows(page, ".line.cursor .number", "1")
        yield* found("sum_sc", "Function sum_scores")
        // LLDB names the line where the function's code begins.
        yield* shows(page, ".line.cursor .number", "11")

        // The menu: the height of rows.
        const height = (density: string, pixels: number) =>
          Effect.gen(function* () {
            yield* click(page, ".menuButton")
            yield* Effect.promise(() => page.getByLabel(density, { exact: true }).check())
            yield* press(page, "Escape")
            const root = page.locator(`:root[data-density="${density.toLowerCase()}"]`)
            yield* Effect.promise(() => root.waitFor({ state: "attached" }))
            const box = yield* Effect.promise(() => page.locator("#variables .row.value").first().boundingBox())
            assert.strictEqual(Math.round(box?.height ?? 0), pixels)
          })
        yield* height("Roomy", 32)
        yield* height("Compact", 24)

        // Memory: the bytes of the value that is chosen, and of an expression.
        yield* tab(page, "Memory")
        yield* click(page, ".row.value .name:text-is('n')")
        yield* shows(page, ".memory .note", "Marked: n, an int: 3")
        const marked = yield* Effect.promise(() => page.locator(".bytes .marked").allInnerTexts())
        assert.deepStrictEqual(marked, ["03", "00", "00", "00"])
        yield* Effect.promise(() => page.getByLabel("Address or expression").fill("&total"))
        yield* press(page, "Enter")
        yield* shows(page, ".bytes", "07000000")

        // The end of the session, and the debuggers that the daemon finds.
        yield* button(page, "Stop$")
        yield* shows(page, "#state", "Ended")
        yield* button(page, "All sessions")
        yield* shows(page, ".sessionRow", "Ended")
        yield* button(page, "Remove ended sessions")
        yield* shows(page, "h2", "No program is being debugged")
        yield* shows(page, ".connected", /^Connected to the daemon\. .+ found\. Check everything$/)
        yield* button(page, "Check everything")
        yield* shows(page, ".debuggers li", "lldb-dap")
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "explains a paused program, and shows instructions beside the source in a wide window",
    () =>
      Effect.gen(function* () {
        const { open, sigtrap } = yield* prepared
        sigtrap("start", "./loop", "--no-wait", "--session", "loop")
        const { page } = yield* open({ viewport: { width: 1920, height: 1080 } }, "--session", "loop")
        yield* shows(page, "#state", "Running")
        yield* button(page, "Pause")
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".lines", "turns++")
        yield* tab(page, "Disassembly")
        yield* shows(page, ".instructions .current", "")
        yield* shows(page, ".lines", "turns++")
        yield* button(page, "Explain")
        yield* shows(page, ".words", "loop")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "is driven with a finger on a phone",
    () =>
      Effect.gen(function* () {
        const { open, sigtrap } = yield* prepared
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const { messages, page } = yield* open(
          { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
          "--session",
          "app"
        )
        const tap = (name: string) => Effect.promise(() => page.getByRole("button", { name, exact: true }).last().tap())
        // The page compares with what it has read itself.
        yield* shows(page, ".line.current .number", "14")
        // The sentence has two lines; the place is on one of them.
        yield* shows(page, ".sentence", "sum_scores at app.c:14")
        const place = yield* Effect.promise(() => page.locator(".placeWords").boundingBox())
        assert.isAtMost(place?.height ?? 32, 17)
        yield* tap("Over")
        yield* shows(page, ".pill.now", "2 step")
        yield* tap("Values")
        yield* shows(page, ".row.value", "was 0")
        // The buttons of a value do not cover it.
        const items = page.locator(".row.value", { hasText: "items" }).first()
        yield* Effect.promise(() => items.locator(".name").tap())
        const [text, tools] = yield* Effect.promise(() =>
          Promise.all([".valueText", ".valueTools"].map((part) => items.locator(part).boundingBox()))
        )
        assert.isAtMost((text?.x ?? 0) + (text?.width ?? 0), tools?.x ?? 0)
        // A finger has the button of the menu only, which is as large as what is touched.
        const touched = yield* Effect.promise(() =>
          items.locator(".valueTools").evaluate((buttons) => {
            const { x, y } = buttons.getBoundingClientRect()
            const at = [1, 43].flatMap((by) => [
              document.elementFromPoint(x + by, y + 16),
              document.elementFromPoint(x + 22, y + by)
            ])
            return at.map((element) => element?.closest("button")?.getAttribute("aria-label"))
          })
        )
        assert.deepStrictEqual([...new Set(touched)], ["More actions for items"])
        yield* tap("Stack")
        yield* Effect.promise(() => page.locator(".row.frame").nth(1).tap())
        yield* tap("Source")
        yield* shows(page, ".line.current .number", "26")
        yield* Effect.promise(() => page.locator("#line-27 .sign").tap())
        yield* tap("Stack")
        yield* shows(page, ".row.breakpoint", "app.c:27")
        yield* Effect.promise(() => page.locator(".row.breakpoint .name", { hasText: "app.c:27" }).tap())
        yield* shows(page, ".phoneTabs [aria-current]", "Source")
        yield* shows(page, ".line.cursor .number", "27")
        // The sign of a line is beside the middle of its number.
        const middles = yield* Effect.promise(() =>
          page.locator("#line-27").evaluate((line) =>
            [".sign", ".number"].map((part) => {
              const range = document.createRange()
              const element = line.querySelector(part)
              if (element === null) return 0
              range.selectNodeContents(element)
              const { height, top } = part === ".sign" ? element.getBoundingClientRect() : range.getBoundingClientRect()
              return top + height / 2
            })
          )
        )
        assert.isAtMost(Math.abs((middles[0] ?? 0) - (middles[1] ?? 0)), 1, middles.join(", "))
        yield* tap("Activity")
        yield* shows(page, ".row.activity", "set breakpoint 2")
        yield* tap("Console")
        yield* Effect.promise(() => page.locator("#console").tap())
        yield* write(page, "n")
        yield* press(page, "Enter")
        yield* shows(page, ".answered", "3")
        yield* tap("Continue")
        yield* shows(page, ".pill.now", "3 breakpoint 1")
        // A finger that rests on a sign edits its breakpoint, and does not remove it.
        yield* tap("Source")
        yield* Effect.promise(async () => {
          const { x = 0, y = 0 } = (await page.locator("#line-14 .sign").boundingBox()) ?? {}
          const devtools = await page.context().newCDPSession(page)
          const touchPoints = [{ x: x + 12, y: y + 12 }]
          await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints })
          await page.locator(".editor").waitFor()
          await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
        })
        yield* tap("Cancel")
        yield* Effect.promise(() => page.locator(".editor").waitFor({ state: "detached" }))
        yield* tap("Stack")
        yield* shows(page, ".row.breakpoint", "app.c:14")
        yield* tap("Console")
        // Actions of the program and of the panels are at least 44 pixels high, and everything else that is touched 24.
        const small = yield* Effect.promise(() =>
          page.evaluate(
            "[...document.querySelectorAll('button, input, select')].map((one) => [one, one.getBoundingClientRect()]).filter(([one, { height, width }]) => width > 0 && height > 0 && (height < (one.matches('.phoneRun button, .phoneTabs button, .panelHead .button') ? 44 : 24) || width < 24)).map(([one, { height, width }]) => `${one.className} ${one.textContent} ${width}x${height}`).join('; ')"
          )
        )
        assert.strictEqual(small, "")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
