// The widths of the window at which the layout changes, in a real browser: at each one the page has the parts of one layout.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { shows } from "./pageTests.ts"

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
            yield* Effect.promise(() =>
              page
                .locator(shown[0] ?? "")
                .first()
                .waitFor()
            )
            const visible = yield* Effect.promise(() =>
              Promise.all(parts.map(async (part) => ((await page.locator(part).first().isVisible()) ? [part] : [])))
            )
            assert.deepStrictEqual(visible.flat(), shown, `${width}`)
            assert.strictEqual(
              yield* Effect.promise(() => page.evaluate("document.documentElement.scrollWidth")),
              width
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
})
