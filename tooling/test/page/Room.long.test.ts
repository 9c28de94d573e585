// Words that need their room, in a real browser: with wide fonts, and in a window as narrow as a phone.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

describe.runIf(isPresent(Chromium.program, {}))("words of the page", () => {
  it.live(
    "leave out the rest of a note as a whole where wide letters have no room",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("threads")
        sigtrap("start", "./threads", "--break", "work", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#stack .note", "4, all stopped")
        const note = page.locator("#stack .panelHead .note")
        const isCut = () => Effect.promise(() => note.evaluate((one) => one.scrollWidth > one.clientWidth))
        const rest = () =>
          Effect.promise(() =>
            note.evaluate((one) => {
              const part = one.querySelector(".noteRest")?.getBoundingClientRect()
              return (part?.top ?? 0) >= one.getBoundingClientRect().bottom ? "left out" : "shown"
            })
          )
        for (const [spacing, expected] of [
          ["-0.5px", "shown"],
          ["1.5px", "left out"]
        ] as const) {
          yield* Effect.promise(() => page.evaluate(`document.documentElement.style.letterSpacing = "${spacing}"`))
          assert.strictEqual(yield* rest(), expected, spacing)
          if (expected === "shown") assert.isFalse(yield* isCut(), spacing)
        }
        // The sentence in the title of an empty panel takes a second line.
        const sentence = page.locator("#watch .panelHead .note")
        assert.deepStrictEqual(
          yield* Effect.promise(() =>
            sentence.evaluate((one) => [one.scrollWidth > one.clientWidth, one.scrollHeight > one.clientHeight])
          ),
          [false, false]
        )
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "say on a phone who drives in the row of a refused call, and take two lines when the connection is lost",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app", "--as", "claude")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const viewport = { width: 360, height: 760 }
        const { page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport })
        yield* shows(page, ".line.current .number", "14")
        yield* press(page, "Alt+2", "t")
        yield* shows(page, ".lease", "you drive")
        sigtrap("continue", "--session", "app", "--as", "claude")
        yield* press(page, "Alt+4")
        const reason = page.locator(".row.activity.refused .reason")
        yield* Effect.promise(() => reason.filter({ hasText: "· you drive" }).waitFor())
        assert.isFalse(
          yield* Effect.promise(() => reason.evaluate((one) => one.scrollWidth > one.clientWidth)),
          "who drives is cut"
        )
        sigtrap("daemon", "stop", "--force")
        yield* shows(page, "#state", "Not connected")
        yield* shows(page, ".runRow .sentence", "The program may have gone on.")
        const height = yield* Effect.promise(() =>
          page.locator(".runRow .sentence").evaluate((one) => one.clientHeight)
        )
        assert.isAtMost(height, 32)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "say in a narrow window that a call was refused without covering a row",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app", "--as", "claude")
        for (const command of ["next", "continue", "next", "continue"])
          sigtrap(command, "--session", "app", "--as", "claude")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const viewport = { width: 768, height: 1024 }
        const { page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport })
        yield* shows(page, ".pill.now", "5 breakpoint 1")
        yield* press(page, "Alt+2", "t")
        yield* shows(page, ".lease", "you drive")
        sigtrap("continue", "--session", "app", "--as", "claude")
        yield* shows(page, ".notice", "agent wanted to continue and was refused. You drive since")
        const [notice, row] = yield* Effect.promise(() =>
          Promise.all([page.locator(".notice").boundingBox(), page.locator("#stack .row").first().boundingBox()])
        )
        assert.isAtMost((notice?.y ?? 0) + (notice?.height ?? 0), row?.y ?? 0)
      }).pipe(Effect.scoped),
    120_000
  )
})
