// Texts and targets in little room, in a real browser: parts of the sentence give way as a whole, and fingers reach what they touch.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

describe.runIf(isPresent(Chromium.program, {}))("the page in little room", () => {
  it.live(
    "leaves out parts of the sentence, and never the end of a word",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".sentence", "after “start” by")
        const sentence = page.locator(".sentence")
        const state = () =>
          Effect.promise(() =>
            sentence.evaluate((element) => ({
              isCut: element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight + 1,
              title: element.getAttribute("title"),
              text: element.textContent
            }))
          )
        for (const width of [1920, 1280, 1100, 1024, 900, 768, 700, 639, 400, 360]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
          yield* Effect.promise(() =>
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
          )
          const { isCut, text, title } = yield* state()
          assert.isFalse(isCut, `${width}`)
          yield* shows(page, ".sentence", "app.c:14")
          // What is left out can be read on hover.
          const left = yield* Effect.promise(() => sentence.locator(".after").isHidden())
          if (left) assert.strictEqual(title, text)
        }
        // In the least room of a row the cause of the stop is whole; the facts of a session give way before its name, and no tab is cut.
        yield* Effect.promise(() => page.setViewportSize({ width: 640, height: 800 }))
        yield* Effect.promise(() => page.waitForFunction("document.querySelector('#lower .tabs').clientWidth < 640"))
        assert.isFalse((yield* state()).isCut)
        const cut = yield* Effect.promise(() =>
          page.evaluate(() =>
            [".sessionButton strong", "#lower .tabs"].filter((part) => {
              const { clientWidth = 0, scrollWidth = 0 } = document.querySelector(part) ?? {}
              return scrollWidth > clientWidth
            })
          )
        )
        assert.deepStrictEqual(cut, [])
        yield* Effect.promise(() => page.setViewportSize({ width: 768, height: 800 }))
        yield* Effect.promise(() => sentence.locator(".after").waitFor({ state: "hidden" }))
        yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 800 }))
        yield* Effect.promise(() => sentence.locator(".after").waitFor({ state: "visible" }))
        // So is why an expression cannot be read.
        yield* Effect.promise(() => page.getByRole("button", { name: "Add an expression" }).click())
        yield* Effect.promise(() => page.keyboard.type("by_name"))
        yield* press(page, "Enter")
        yield* shows(page, "#watch .none", "no variable of this name here")
        const missing = yield* Effect.promise(() =>
          page.locator("#watch .none").evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)
        )
        assert.strictEqual(missing, 0)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows a whole ellipsis before the stops, and times in the Activity of a phone",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app", "--as", "claude")
        for (const _ of "123") sigtrap("next", "--session", "app", "--as", "claude")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url, {
          hasTouch: true,
          isMobile: true,
          viewport: { width: 360, height: 760 }
        })
        yield* shows(page, ".pill.now", "4 step")
        const room = () =>
          Effect.promise(() =>
            page.locator(".pill[data-more]").evaluate((pill) => {
              const row = pill.closest(".pills")?.getBoundingClientRect()
              return pill.getBoundingClientRect().left - (row?.left ?? 0)
            })
          )
        assert.isAtLeast(yield* room(), 19)
        // A finger reaches a stop in the whole height of its row.
        const touched = yield* Effect.promise(() =>
          page.locator(".pill.now").evaluate((pill) => {
            const { bottom, left, top } = pill.getBoundingClientRect()
            return [top - 8, bottom + 8].map((y) => pill.contains(document.elementFromPoint(left + 8, y)))
          })
        )
        assert.deepStrictEqual(touched, [true, true])
        const tab = (name: string) =>
          Effect.promise(() => page.locator(".phoneTabs").getByRole("button", { name }).tap())
        yield* tab("Activity")
        yield* shows(page, ".row.activity", "started app")
        const first = page.locator(".row.activity").first()
        assert.match(yield* Effect.promise(() => first.locator("time").innerText()), /^\d\d:\d\d$/)
        assert.isTrue(yield* Effect.promise(() => first.locator(".seq").isHidden()))
        // The shape says that it is an agent; its name is for screen readers.
        assert.match(yield* Effect.promise(() => first.innerText()), /agent/)
        yield* tab("Console")
        const size = yield* Effect.promise(() =>
          page.locator("#console").evaluate((field) => getComputedStyle(field).fontSize)
        )
        assert.strictEqual(size, "16px")
        const heights = yield* Effect.promise(() =>
          page.locator("#console").evaluate((field) => [field.clientHeight, field.closest(".prompt")?.clientHeight])
        )
        assert.deepStrictEqual(heights, [44, 43])
        yield* tab("Stack")
        const opacity = yield* Effect.promise(() =>
          page.getByRole("button", { name: "Remove breakpoint 1" }).evaluate((one) => getComputedStyle(one).opacity)
        )
        assert.strictEqual(opacity, "1")
        yield* press(page, "Escape")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
