// The page with the keyboard alone in a real browser: the order in which Tab leads through it, the focus that is always visible and
// never taken, keys that follow each other without a pause, and what is reached by keys only.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const started = (options = {}) =>
  Effect.gen(function* () {
    const machine = yield* Chromium.machine
    machine.compile("app")
    assert.include(machine.sigtrap("start", "./app", "--break", "app.c:14", "--session", "app"), "stopped #1")
    machine.sigtrap("next", "--session", "app", "--as", "claude")
    const opened = yield* Chromium.browser
    const url = machine.sigtrap("web", "--print", "--session", "app", "--allow", "write").trim()
    const { messages, page } = yield* Chromium.open(opened, url, options)
    yield* shows(page, ".pill.now", "2 step")
    yield* shows(page, ".row.value", "total")
    yield* shows(page, ".row.activity.now", "stop 2")
    // Keys lead to the source only once it is there.
    yield* shows(page, ".line.current", "")
    return { ...machine, messages, page }
  })

/** Sends keys in one task of the page: neither timers nor frames run between them. */
const withoutPause = (
  page: Page,
  ...keys: ReadonlyArray<{ readonly key: string; readonly altKey?: boolean; readonly ctrlKey?: boolean }>
) =>
  Effect.promise(() =>
    page.evaluate(`(async () => {
      for (const init of ${JSON.stringify(keys)}) {
        const target = document.activeElement ?? document.body
        target.dispatchEvent(new KeyboardEvent("keydown", { ...init, bubbles: true, cancelable: true }))
        for (let turn = 0; turn < 8; turn++) await undefined
      }
      const element = document.activeElement
      return (element.getAttribute("aria-label") ?? element.textContent).trim()
    })()`)
  )

/** What has the focus: the part of the page, its name, and why the focus is not visible. */
const focused = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return "end"
  const style = getComputedStyle(element)
  const box = element.getBoundingClientRect()
  const part = element.closest("section, .header, nav, footer, [role=separator]")
  const faults = []
  // The ring of the source is drawn above its lines.
  const above = element.matches(".lines") && getComputedStyle(element.parentElement, "::after").borderTopWidth === "2px"
  if (!above && (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)) faults.push("has no ring")
  if (box.width < 1 || box.height < 1 || box.right < 0 || box.bottom < 0 || box.left > innerWidth || box.top > innerHeight) faults.push("is not visible")
  // How far the ring is outside of the element: no side of it is cut by what scrolls or by the edge of the window.
  const out = parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth)
  const ring = { left: box.left - out, right: box.right + out, top: box.top - out, bottom: box.bottom + out }
  for (let box = element.parentElement; box !== null && !above; box = box.parentElement) {
    if (box !== document.documentElement && getComputedStyle(box).overflow === "visible") continue
    const edge = box === document.documentElement ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : box.getBoundingClientRect()
    const cut = Math.max(edge.left - ring.left, edge.top - ring.top, ring.right - edge.right, ring.bottom - edge.bottom)
    if (cut > 0.5) { faults.push("has a ring that is cut"); break }
  }
  return [part?.id || part?.className.split(" ")[0] || "page", (element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 40), ...faults].join(" | ")
})()`

const focusOf = (page: Page) => Effect.promise(async () => String(await page.evaluate(focused)))

describe.runIf(isPresent(Chromium.program, {}))("the page with the keyboard alone", () => {
  it.live(
    "Tab leads through every part in the order of the layout, with a visible ring, and out again",
    () =>
      Effect.gen(function* () {
        const { page } = yield* started()
        const stations: Array<string> = []
        for (;;) {
          yield* press(page, "Tab")
          const station = yield* focusOf(page)
          if (station === "end" || stations.length > 80 || station === stations[0]) break
          stations.push(station)
        }
        assert.deepStrictEqual(
          stations.filter((station) => /has no ring|has a ring that is cut|is not visible/.test(station)),
          []
        )
        const parts = stations.map((station) => station.split(" | ")[0])
        assert.deepStrictEqual(
          parts.filter((part, at) => part !== parts[at - 1]),
          [
            "header",
            "runRow",
            "stopsRow",
            "stack",
            "breakpoints",
            "source",
            "variables",
            "watch",
            "activity",
            "lower",
            "divider",
            "footer"
          ]
        )
        // A list is one station: arrow keys move in it.
        for (const [part, count] of [
          ["stopsRow", 1],
          ["variables", 1]
        ] as const)
          assert.strictEqual(parts.filter((one) => one === part).length, count, part)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "keys that follow each other without a pause are not lost",
    () =>
      Effect.gen(function* () {
        const { page } = yield* started()
        const [down, values] = [{ key: "ArrowDown" }, { key: "3", altKey: true }]
        assert.include(String(yield* withoutPause(page, values, down, down, { key: "m" })), "Watch this")
        yield* press(page, "Escape")
        assert.include(String(yield* withoutPause(page, { key: "k", ctrlKey: true })), "Action, line")
        yield* press(page, "Escape")
        assert.include(String(yield* withoutPause(page, { key: "2", altKey: true }, { key: "/" })), "Find in this file")
        yield* press(page, "Escape")
        yield* press(page, "Alt+3", "/")
        yield* shows(page, "#variables .find .note", "of 4")
        yield* press(page, "t", "o", "Escape")
        assert.include(String(yield* focusOf(page)), "Variables")
        assert.include(String(yield* withoutPause(page, { key: "1", altKey: true })), "Expression to read")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "frames, rows of Activity, past values, tabs, the menu and the palette are reached by keys, and the focus comes back",
    () =>
      Effect.gen(function* () {
        const { messages, page, sigtrap } = yield* started()
        // A frame.
        yield* press(page, "Alt+5", "ArrowDown", "Enter")
        yield* shows(page, ".line.current .number", "26")
        yield* shows(page, ".row.value", "argc")
        // What the agent looked at, without its moving anything here.
        sigtrap("locals", "--frame", "1", "--session", "app", "--as", "claude")
        yield* Effect.promise(() => page.locator(".row.frame .shape.agent").waitFor())
        yield* shows(page, ".row.frame:focus", "main")
        yield* press(page, "ArrowUp", "Enter")
        yield* shows(page, ".line.current .number", "13")
        // A row of Activity leads to its stop.
        yield* press(page, "Alt+4", "ArrowUp", "ArrowUp")
        yield* shows(page, ".row.activity:focus", "next")
        yield* press(page, "ArrowUp", "Enter")
        yield* shows(page, "#state", "Past stop 1")
        yield* press(page, "Escape")
        yield* shows(page, "#state", "Stopped")
        // A value: its menu, and its past.
        yield* press(page, "Alt+3", "ArrowDown", "ArrowDown", "ArrowDown")
        yield* shows(page, ".row.value:focus", "total")
        yield* Effect.promise(() => page.getByRole("button", { name: "total at every stop" }).first().waitFor())
        yield* press(page, "m", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown")
        yield* shows(page, "[role=menuitem]:focus", "Value at every stop")
        yield* press(page, "Enter")
        yield* shows(page, "#watch", "at every stop")
        yield* shows(page, ".row.value:focus", "total")
        // The tabs below.
        yield* press(page, "Alt+1", "Shift+Tab", "Shift+Tab")
        yield* shows(page, "[role=tab]:focus", "Console")
        yield* press(page, "ArrowRight")
        yield* shows(page, "[role=tab]:focus", "Output")
        // The menu; Tab closes it, Esc too.
        yield* Effect.promise(() => page.locator(".menuButton").focus())
        yield* press(page, "Enter")
        yield* Effect.promise(() => page.locator(".menu").waitFor())
        yield* press(page, "Escape")
        yield* Effect.promise(() => page.locator(".menu").waitFor({ state: "detached" }))
        yield* shows(page, ".menuButton:focus", "")
        // The palette, by its words; Tab stays inside.
        yield* press(page, "Alt+2", "Control+k", "Tab")
        yield* Effect.promise(() => page.keyboard.type("not follow"))
        yield* press(page, "Enter")
        yield* Effect.promise(() => page.locator(".switch [aria-checked=false], .switch[aria-checked=false]").waitFor())
        yield* shows(page, ".lines:focus", "int main")
        // Enter in a field does not press the button that gets the focus when the field goes.
        yield* Effect.promise(() => page.locator(".runRow .mainButton .button").focus())
        yield* press(page, "Control+k")
        yield* Effect.promise(() => page.keyboard.type("take or give"))
        yield* press(page, "Enter")
        yield* shows(page, ".lease", "you drive")
        yield* shows(page, ".runRow .mainButton .button:focus", "Continue")
        yield* Effect.promise(() => page.getByRole("button", { name: "Add a breakpoint" }).click())
        yield* Effect.promise(() => page.keyboard.type("main"))
        yield* press(page, "Enter")
        yield* shows(page, ".breakpointItem", "2 app.c:")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".breakpointItem").count()), 2)
        yield* shows(page, ".pill.now", "2 step")
        yield* Effect.promise(() => page.getByRole("button", { name: "Give back" }).click())
        yield* shows(page, ".lease", "Take control")
        yield* press(page, "Alt+2")
        // A stop takes no focus.
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, ".pill.now", "3 breakpoint 1")
        yield* shows(page, ".lines:focus", "int main")
        // In a field letters are typed; function keys and combinations act.
        yield* press(page, "Alt+1", "n", "F10")
        yield* shows(page, ".pill.now", "4 step")
        assert.strictEqual(yield* Effect.promise(() => page.locator("#console:focus").inputValue()), "n")
        yield* press(page, "Control+k")
        yield* Effect.promise(() => page.keyboard.type("run to"))
        yield* shows(page, ".choice", "Run to the chosen line")
        yield* press(page, "Escape", "Alt+3")
        yield* shows(page, "#variables [role=tree]:focus", "total")
        yield* press(page, "ArrowRight")
        yield* shows(page, ".row.value:focus", "items")
        yield* press(page, "End")
        yield* shows(page, ".row.value:focus", "i")
        yield* press(page, "Home")
        yield* shows(page, ".row.value:focus", "items")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "the search goes to a line before it offers to run there, and puts the focus to what it opens",
    () =>
      Effect.gen(function* () {
        const { messages, page } = yield* started()
        const search = (text: string, choice: string, ...keys: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            yield* press(page, "Alt+3", "Control+k")
            yield* Effect.promise(() => page.keyboard.type(text))
            // Before what the daemon finds is there.
            yield* press(page, ...keys)
            yield* shows(page, ".choice[aria-selected=true]", choice)
            yield* press(page, "Enter")
          })
        yield* search(":18", "Go to line 18")
        yield* shows(page, ".lines:focus", "int main")
        yield* shows(page, ".line.cursor .number", "18")
        yield* shows(page, ".pill.now", "2 step")
        yield* search("sum_sc", "Function sum_scores", "ArrowDown")
        yield* shows(page, ".lines:focus", "int main")
        yield* shows(page, ".line.cursor .number", "11")
        yield* press(page, "Alt+3", "Control+k")
        yield* Effect.promise(() => page.keyboard.type("app.c"))
        // No choice that runs the program has the name of a file.
        yield* shows(page, ".choice[aria-selected=true]", "File app.c")
        yield* press(page, "Enter")
        yield* shows(page, ".line.cursor .number", "1")
        yield* shows(page, ".pill.now", "2 step")
        // Panels, too.
        yield* search("registers", "Show Registers")
        yield* shows(page, "[role=tab]:focus", "Registers")
        yield* shows(page, ".register", "rax")
        yield* search("disass", "Show Disassembly")
        yield* Effect.promise(() => page.locator("#source .instructions:focus").waitFor())
        yield* search("show source", "Show Source")
        yield* shows(page, ".lines:focus", "int main")
        yield* search("stop 1", "Look at stop 1")
        yield* shows(page, "#state", "Past stop 1")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "arrow keys lead into a value and out of it, and a menu has first and last keys",
    () =>
      Effect.gen(function* () {
        const { messages, page } = yield* started()
        yield* press(page, "Alt+3", "Home", "ArrowRight")
        yield* shows(page, ".row.value[aria-level='2']", "score")
        yield* press(page, "ArrowRight")
        yield* shows(page, ".row.value:focus", "id")
        yield* press(page, "ArrowDown", "ArrowLeft")
        yield* shows(page, ".row.value:focus[aria-expanded=true]", "items")
        yield* press(page, "ArrowLeft")
        yield* shows(page, ".row.value:focus[aria-expanded=false]", "items")
        yield* press(page, "ArrowLeft", "End", "Shift+F10", "End")
        yield* shows(page, ".menuItem:focus", "Set value")
        yield* press(page, "Home")
        yield* shows(page, ".menuItem:focus", "Watch this")
        yield* press(page, "End", "Enter")
        yield* Effect.promise(() => page.getByLabel("New value of i").waitFor())
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "keys act, or say why not, before the source has arrived",
    () =>
      Effect.gen(function* () {
        const { messages, page } = yield* started()
        let answer = () => {}
        const held = new Promise<void>((resolve) => (answer = resolve))
        yield* Effect.promise(async () => {
          await page.route("**/v1/source", async (route) => {
            await held
            await route.continue()
          })
          await page.reload()
        })
        yield* shows(page, "#stack .row.frame", "sum_scores")
        yield* press(page, "F9")
        yield* shows(page, ".stopsRow", "The source has not arrived yet. Press the key again.")
        yield* press(page, "Alt+2", "n")
        yield* shows(page, ".pill.now", "3 breakpoint 1")
        answer()
        yield* shows(page, ".line.current .number", "14")
        yield* shows(page, ".lines:focus", "int main")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
