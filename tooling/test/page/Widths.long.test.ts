// The widths of the window at which the layout changes, in a real browser: at each one the page has the parts of one layout.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

/** The parts of each layout: tabs of a phone, the follow switch, the words of the run buttons, breakpoints and Activity side by side. */
const parts = [".phoneTabs", ".switch", ".runButtons .quiet .label", "#breakpoints", "#activity"]

const layouts = [
  { widths: [360, 639], shown: [".phoneTabs"] },
  { widths: [640, 1023], shown: ["#activity"] },
  { widths: [1024, 1679], shown: [".switch", ".runButtons .quiet .label", "#breakpoints", "#activity"] }
]

describe.runIf(isPresent(Chromium.program, {}))("the layout of the page", () => {
  it.live(
    "has the parts of one width at its first and at its last pixel",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".line.current .number", "14")
        for (const { shown, widths } of layouts) {
          for (const width of widths) {
            yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
            // Style sheets apply before the page has drawn its other parts.
            yield* Effect.forEach(parts, (part) =>
              Effect.promise(() =>
                page
                  .locator(part)
                  .first()
                  .waitFor({ state: shown.includes(part) ? "visible" : "hidden" })
              )
            )
            const visible = yield* Effect.promise(() =>
              Promise.all(parts.map(async (part) => ((await page.locator(part).first().isVisible()) ? [part] : [])))
            )
            assert.deepStrictEqual(visible.flat(), shown, `${width}`)
            assert.strictEqual(
              yield* Effect.promise(() => page.evaluate("document.documentElement.scrollWidth")),
              width
            )
            // Nothing that gets the focus scrolls the page.
            assert.strictEqual(
              yield* Effect.promise(() => page.evaluate("document.documentElement.scrollHeight")),
              800,
              `${width}`
            )
          }
        }
        // The buttons of a row do not cover its value in the narrowest column.
        yield* Effect.promise(() => page.setViewportSize({ width: 768, height: 800 }))
        sigtrap("next", "--session", "app")
        sigtrap("next", "--session", "app")
        const row = page.locator("#variables .row.value", { hasText: "total" })
        yield* Effect.promise(() => row.locator("button.pastLine").waitFor())
        yield* Effect.promise(() => row.hover())
        const [value, tools] = yield* Effect.promise(() =>
          Promise.all([".valueText", ".valueTools"].map((part) => row.locator(part).boundingBox()))
        )
        assert.isAtMost((value?.x ?? 0) + (value?.width ?? 0), tools?.x ?? 0)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "has room for the list of a value at every stop, and opens the lower pane of a low window",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        sigtrap("next", "--session", "app")
        sigtrap("next", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        const row = page.locator("#variables .row.value", { hasText: "total" })
        yield* Effect.promise(() => row.locator("button.pastLine").click())
        /** The part of the list below or beside the chart that is in view. */
        const listHeight = () =>
          Effect.promise(async () => {
            const list = await page.locator("#watch .scroll ul").boundingBox()
            const box = await page.locator("#watch .scroll").boundingBox()
            return (box?.y ?? 0) + (box?.height ?? 0) - (list?.y ?? 0)
          })
        yield* shows(page, ".row.past", "next")
        for (const [width, height] of [
          [1280, 800],
          [768, 800],
          [360, 760]
        ] as const) {
          yield* Effect.promise(() => page.setViewportSize({ width, height }))
          if (width === 360) yield* press(page, "Alt+3")
          yield* Effect.promise(() => page.locator("#watch .chart").waitFor())
          // Four rows.
          assert.isAtLeast(yield* listHeight(), 96, `${width}`)
        }
        // Each tab opens the folded pane; the chosen one folds it.
        for (const width of [1280, 768]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 560 }))
          const pane = () =>
            Effect.promise(() =>
              page.locator("#lower").evaluate(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight])
            )
          const tab = page.locator("#lower").getByRole("tab", { name: "Registers" })
          yield* Effect.promise(() => tab.click())
          yield* shows(page, "#lower", "rip")
          const [height = 0, content = 0] = yield* pane()
          assert.isAtLeast(height, 160)
          assert.strictEqual(content, height)
          yield* Effect.promise(() => tab.click())
          assert.deepStrictEqual(yield* pane(), [32, 32])
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows 12 frames and 14 variables at 1280 pixels without scrolling, beside a breakpoint",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        const names = Array.from({ length: 14 }, (_, at) => `local${at}`)
        const inner = `int level11(int n) { ${names.map((name, at) => `int ${name} = n + ${at};`).join(" ")}
  return ${names.join(" + ")};
}`
        const outer = Array.from(
          { length: 10 },
          (_, at) => `int level${10 - at}(int n) { return level${11 - at}(n + 1) + 1; }`
        )
        writeFileSync(
          join(folder, "deep.c"),
          [inner, ...outer, "int main(void) { return level1(1) & 1; }\n"].join("\n")
        )
        execFileSync("cc", [...flags, "deep.c", "-o", "deep"], { cwd: folder })
        sigtrap("start", "./deep", "--break", "deep.c:2", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#breakpoints", "deep.c:2")
        yield* shows(page, "#variables .row.value", "local13")
        yield* shows(page, "#stack .row.frame", "main")
        const inView = (panel: string, row: string) =>
          Effect.promise(() =>
            page.locator(`${panel} .scroll`).evaluate((box, rows) => {
              const { bottom, top } = box.getBoundingClientRect()
              return [...box.querySelectorAll(rows)].filter((one) => {
                const place = one.getBoundingClientRect()
                return place.top >= top - 1 && place.bottom <= bottom + 1
              }).length
            }, row)
          )
        assert.strictEqual(yield* inView("#stack", ".row.frame"), 12)
        assert.isAtLeast(yield* inView("#variables", ".row.value"), 14)
        assert.strictEqual(yield* inView("#breakpoints", ".row"), 1)
        // More breakpoints and watched expressions take up to half of their columns.
        for (const level of [4, 5, 6, 7, 8, 9, 10]) sigtrap("break", `deep.c:${level}`, "--session", "app")
        yield* shows(page, "#breakpoints", "deep.c:10")
        assert.strictEqual(yield* inView("#breakpoints", ".row"), 7)
        for (const at of [1, 2, 3, 4, 5, 6]) {
          yield* Effect.promise(() => page.locator("#watch .tools button").first().click())
          yield* press(page, ...`local${at}`, "Enter")
          yield* shows(page, "#watch .row", `local${at}`)
        }
        assert.strictEqual(yield* inView("#watch", ".row"), 6)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows the verdict of a long command, all values beside no watched expression, and run buttons inside of their row",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url, {
          hasTouch: true,
          isMobile: true,
          viewport: { width: 360, height: 760 }
        })
        yield* shows(page, ".line.current .number", "14")
        const tab = (name: string) =>
          Effect.promise(() => page.locator(".phoneTabs").getByRole("button", { name }).tap())
        const boxOf = (selector: string) => Effect.promise(() => page.locator(selector).first().boundingBox())
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "t")
        yield* shows(page, ".lease", "you drive")
        sigtrap("set", "total", "1234567890 + 1234567890 + 1234567890", "--session", "app", "--as", "claude")
        yield* tab("Activity")
        yield* shows(page, ".row.activity.refused", "refused")
        const cut = yield* Effect.promise(() =>
          page.locator(".row.activity.refused .verdict").evaluate((part) => part.scrollWidth - part.clientWidth)
        )
        const [row, verdict] = [yield* boxOf(".row.activity.refused"), yield* boxOf(".refused .verdict")]
        assert.strictEqual(cut, 0)
        assert.isAtMost((verdict?.x ?? 0) + (verdict?.width ?? 0), (row?.x ?? 0) + (row?.width ?? 0))
        yield* tab("Values")
        yield* shows(page, "#watch", "Add an expression to see it at every stop.")
        const [values, watch] = [yield* boxOf("#variables"), yield* boxOf("#watch")]
        assert.isAbove(values?.height ?? 0, 3 * (watch?.height ?? 0))
        yield* Effect.promise(() => page.setViewportSize({ width: 768, height: 1024 }))
        const [run, button] = [yield* boxOf(".runRow"), yield* boxOf(".mainButton .button")]
        assert.isAtLeast(button?.y ?? 0, run?.y ?? 0)
        assert.isAtMost((button?.y ?? 0) + (button?.height ?? 0), (run?.y ?? 0) + (run?.height ?? 0))
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "keeps the banner of a lost connection in view at 400 % zoom",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport: { width: 320, height: 256 } })
        yield* shows(page, ".line.current .number", "14")
        process.kill(Number(/pid (\d+)/.exec(sigtrap("daemon", "status"))?.[1]), "SIGKILL")
        yield* shows(page, ".banner", "Connection lost at")
        for (const top of [0, 1000]) {
          yield* Effect.promise(() => page.evaluate((to) => document.body.scrollTo(0, to), top))
          const place = yield* Effect.promise(() => page.locator(".banner").boundingBox())
          assert.strictEqual(place?.width, 320)
          assert.isAtLeast(place?.y ?? -1, 0)
          assert.isAtMost((place?.y ?? 256) + (place?.height ?? 0), 256)
        }
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "shows its menus, the search and notices inside of the window when it is enlarged four times",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        for (const _ of "12") sigtrap("next", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const viewport = { width: 320, height: 200 }
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport })
        yield* shows(page, ".pill.now", "3")
        /** Asserts that an element is inside of the window. */
        const isInside = (selector: string) =>
          Effect.promise(async () => {
            const box = await page.locator(selector).boundingBox()
            assert.isNotNull(box)
            const words = `${selector} ${JSON.stringify(box)}`
            assert.isTrue(box.y >= 0 && box.y + box.height <= viewport.height, words)
            assert.isTrue(box.x >= 0 && box.x + box.width <= viewport.width, words)
          })
        yield* press(page, "Alt+3", "ArrowDown", "ArrowDown", "ArrowDown", "m")
        yield* isInside(".valueMenu")
        yield* press(page, "End")
        yield* isInside(".menuItem:focus")
        yield* press(page, "Escape", "Control+k")
        yield* isInside(".overlay")
        for (const at of [1, 2, 3]) yield* isInside(`.choice >> nth=${at - 1}`)
        yield* press(page, "Escape", "t")
        yield* shows(page, ".lease", "you drive")
        yield* press(page, "Alt+4")
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, ".notice", "agent wanted to step and was refused.")
        yield* isInside(".notice")
        // The program and who drives it stay in view.
        yield* Effect.promise(() => page.evaluate("document.body.scrollTo(0, 1000)"))
        for (const part of [".sessionButton", ".lease", ".notice"]) yield* isInside(part)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
