// A long notice in a real browser: all of it can be read at once, in the row of the stops, below it or, on a phone, above it, and the
// newest stop stays where it is. It covers no stop.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const boxOf = (page: Page, selector: string) =>
  Effect.promise(async () => {
    const box = await page.locator(selector).last().boundingBox()
    assert.isNotNull(box)
    const { height, width, x, y } = box
    return { left: x, right: x + width, top: y, bottom: y + height }
  })

/** How much of the text of a notice is cut at its right and at its end, in pixels. */
const cutOf = (page: Page) =>
  Effect.promise(() =>
    page
      .locator(".noticeText")
      .evaluate(({ clientHeight, clientWidth, scrollHeight, scrollWidth }) => [
        scrollWidth - clientWidth,
        scrollHeight - clientHeight
      ])
  )

describe.runIf(isPresent(Chromium.program, {}))("a notice", () => {
  it.live(
    "is whole, and covers no stop",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        for (let step = 0; step < 4; step++) sigtrap("next", "--session", "app")
        const opened = yield* Chromium.browser
        for (const [width, height] of [
          [1280, 800],
          [768, 1024],
          [360, 760]
        ] as const) {
          const url = sigtrap("web", "--print", "--session", "app").trim()
          const viewport = { width, height }
          const { messages, page } = yield* Chromium.open(opened, url, { viewport })
          yield* shows(page, ".pill.now", "5")
          yield* Effect.promise(() => page.locator("#source .lines").focus())
          yield* press(page, "t")
          yield* shows(page, ".lease", "you drive")
          const row = yield* boxOf(page, ".stopsRow")
          const pill = yield* boxOf(page, ".pill.now")
          sigtrap("continue", "--session", "app", "--as", "claude")
          yield* shows(page, ".notice", "agent wanted to continue and was refused. You drive since")

          const check = (selector: string) =>
            Effect.gen(function* () {
              const [notice, pills, shown] = [
                yield* boxOf(page, ".notice"),
                yield* boxOf(page, ".pills"),
                yield* boxOf(page, selector)
              ]
              const words = JSON.stringify({ width, selector, notice, pills, shown })
              const isOutside = notice.top >= row.bottom - 1.5
              // It is behind the stops, or below the row: it covers neither who drives nor the state.
              assert.strictEqual(isOutside, width !== 1280, words)
              assert.isTrue(isOutside || shown.right <= notice.left, words)
              assert.isAtLeast(shown.left, pills.left - 0.5, words)
              assert.isAtMost(shown.right, pills.right + 0.5, words)
              assert.isAtLeast(notice.top, row.top, words)
              assert.isTrue(isOutside || notice.bottom <= row.bottom, words)
              assert.isAtLeast(notice.left, 0, words)
              assert.isAtMost(notice.right, width, words)
              assert.strictEqual(shown.right - shown.left, pill.right - pill.left, words)
            })
          yield* check(".pill.now")
          if (width === 1280) {
            // It is in the row, in two lines, beside five stops.
            const [notice, row] = [yield* boxOf(page, ".notice"), yield* boxOf(page, ".stopsRow")]
            assert.isAtMost(notice.bottom, row.bottom)
            const hidden = Effect.promise(() => page.locator(".pill[data-cut], .between[data-cut]").count())
            assert.strictEqual(yield* hidden, 0)
            for (const number of [1, 2, 3, 4])
              assert.isAtMost((yield* boxOf(page, `.pill:has(b:text-is("${number}"))`)).right, notice.left)
          }
          // The menu can be reached beside it.
          const [notice, menu] = [yield* boxOf(page, ".notice"), yield* boxOf(page, ".menuButton")]
          assert.isTrue(
            notice.right <= menu.left || notice.top >= menu.bottom,
            `the notice is over the menu at ${width}`
          )
          yield* Effect.promise(() => page.locator(".menuButton").click())
          yield* shows(page, ".menu", "Theme")
          yield* press(page, "Escape")
          assert.deepStrictEqual(yield* boxOf(page, ".stopsRow"), row)
          const text = page.locator(".noticeText")
          assert.deepStrictEqual(yield* cutOf(page), [0, 0], `${width}`)
          assert.strictEqual(
            yield* Effect.promise(() => text.getAttribute("title")),
            yield* Effect.promise(() => text.textContent())
          )
          yield* Effect.promise(() => page.locator(".notice").getByRole("button", { name: "Give back" }).click())
          yield* Effect.promise(() => page.locator(".lease", { hasText: "you drive" }).waitFor({ state: "detached" }))
          assert.deepStrictEqual(messages, [])
          yield* Effect.promise(() => page.context().close())
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows its command whole, and gives the focus back when it goes",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        for (let step = 0; step < 4; step++) sigtrap("next", "--session", "app")
        const opened = yield* Chromium.browser
        const command = "sigtrap web --allow write"
        for (const [width, height] of [
          [1280, 800],
          [640, 800],
          [360, 760]
        ] as const) {
          const url = sigtrap("web", "--print", "--session", "app").trim()
          const viewport = { width, height }
          const { messages, page } = yield* Chromium.open(opened, url, { viewport })
          const button = (name: string) => page.locator(".notice").getByRole("button", { name, exact: true })
          yield* shows(page, ".pill.now", "5")
          if (width === 360)
            yield* Effect.promise(() => page.locator(".phoneTabs button", { hasText: "Values" }).click())
          yield* Effect.promise(() => page.locator("#variables .row.value", { hasText: "total" }).first().focus())
          yield* press(page, "m", "ArrowUp", "Enter")
          yield* shows(page, ".notice", "Setting values needs the tier “write”.")
          const title = yield* Effect.promise(() => page.locator(".noticeText").getAttribute("title"))
          assert.isTrue(title?.endsWith(`Allow it in a terminal: ${command}`))
          const code = yield* Effect.promise(() =>
            page
              .locator(".notice code")
              .evaluate(({ clientWidth, scrollWidth, textContent }) => ({ clientWidth, scrollWidth, textContent }))
          )
          assert.deepStrictEqual(code, { ...code, textContent: command, clientWidth: code.scrollWidth })
          assert.deepStrictEqual(yield* cutOf(page), [0, 0], `${width}`)
          assert.isFalse(yield* Effect.promise(() => button("Show").isVisible()))
          const [notice, shown] = [yield* boxOf(page, ".notice"), yield* boxOf(page, ".notice code")]
          if (width === 360) assert.isAtLeast(notice.top, (yield* boxOf(page, ".stopsRow")).bottom - 1.5)
          assert.isAtMost(shown.right, notice.right)
          assert.isAtLeast(shown.left, notice.left)
          yield* Effect.promise(() => page.locator("#variables .row.value", { hasText: "total" }).first().focus())
          yield* Effect.promise(() => button("Close").click())
          yield* Effect.promise(() => page.locator(".notice").waitFor({ state: "detached" }))
          assert.isTrue(
            yield* Effect.promise(() =>
              page.evaluate<boolean>("document.activeElement.matches('#variables .row.value')")
            )
          )
          assert.deepStrictEqual(messages, [])
          yield* Effect.promise(() => page.context().close())
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "is in view over a list that covers the page, and over the list of all sessions",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        for (const name of ["app", "other"]) sigtrap("start", "./app", "--break", "app.c:14", "--session", name)
        const opened = yield* Chromium.browser
        for (const width of [1280, 360]) {
          const url = sigtrap("web", "--print", "--session", "app").trim()
          const { messages, page } = yield* Chromium.open(opened, url, { viewport: { width, height: 760 } })
          /** What is at the middle of the notice, and how much of it is outside of the window. */
          const seen = () =>
            Effect.promise(() =>
              page.locator(".notice").evaluate((notice) => {
                const { bottom, height, left, right, top, width: wide } = notice.getBoundingClientRect()
                const shown = document.elementFromPoint(left + wide / 2, top + height / 2)
                const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
                return isInside && notice.contains(shown)
              })
            )
          yield* shows(page, ".pill.now", "1")
          yield* Effect.promise(() => page.locator("#source .lines").focus())
          yield* press(page, "t")
          yield* shows(page, ".lease", "you drive")
          yield* Effect.promise(() => page.locator(".sessionButton").click())
          yield* shows(page, ".overlay .sessionRow", "app")
          sigtrap("continue", "--session", "app", "--as", "claude")
          yield* shows(page, ".overlay .notice", "agent wanted to continue and was refused.")
          assert.isTrue(yield* seen(), `over the list at ${width}`)
          assert.strictEqual(yield* Effect.promise(() => page.locator(".notice").count()), 1)
          yield* press(page, "Escape")
          yield* shows(page, ".stopsRow .notice", "agent wanted to continue and was refused.")
          yield* Effect.promise(() => page.locator(".notice").getByRole("button", { name: "Give back" }).click())
          yield* Effect.promise(() => page.locator(".lease", { hasText: "you drive" }).waitFor({ state: "detached" }))
          assert.deepStrictEqual(messages, [])
          yield* Effect.promise(() => page.context().close())
        }

        // The footer, whose button copies the command, is there in a wide window only.
        const { page } = yield* Chromium.open(opened, sigtrap("web", "--print").trim())
        yield* shows(page, ".sessionTable .sessionRow", "other")
        yield* Effect.promise(() => page.locator(".footer").getByRole("button", { name: "Copy" }).click())
        yield* Effect.promise(() => page.locator(".screen .notice").waitFor())
        for (const width of [1280, 360]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 760 }))
          assert.isTrue(yield* Effect.promise(() => page.locator(".screen .notice").isVisible()), `${width}`)
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "goes when it is not true any more",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("loop")
        sigtrap("start", "./loop", "--break", "loop.c:8", "--session", "app")
        sigtrap("breakpoint", "remove", "all", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".line.current .number", "8")
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "c")
        yield* shows(page, "#state", "Running")
        yield* press(page, "s")
        yield* shows(page, ".notice", "The program runs. Pause it first.")
        yield* press(page, "p")
        yield* shows(page, "#state", "Stopped")
        yield* Effect.promise(() => page.locator(".notice").waitFor({ state: "detached", timeout: 2000 }))
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
