// The daemon is killed under an open page: the page says that it knows nothing new, connects to the next daemon, says what is gone, and
// brings the session back.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

describe.runIf(isPresent(Chromium.program, {}))("the page of a daemon that was killed", () => {
  it.live(
    "tells what it knows, connects again, and starts the session again with its breakpoints",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        for (const _ of "12") sigtrap("continue", "--session", "app")
        const { page } = yield* Chromium.open(
          yield* Chromium.browser,
          sigtrap("web", "--print", "--session", "app", "--allow", "admin").trim()
        )
        yield* shows(page, ".line.current .number", "14")
        yield* shows(page, ".row.value", "total")
        yield* Effect.promise(() => page.getByLabel("Expression to read").fill("items[1]"))
        yield* Effect.promise(() => page.getByLabel("Expression to read").press("Enter"))
        yield* shows(page, ".entry .answered", "beta")
        yield* shows(page, ".entry .opener", "")
        // The token of the page names the session as it was called.
        sigtrap("session", "rename", "app", "renamed")
        yield* shows(page, ".sessionButton", "renamed")
        yield* shows(page, ".entry .answered", "beta")
        yield* shows(page, ".line.current .number", "14")
        const port = new URL(page.url()).port
        const daemon = Number(/pid (\d+)/.exec(sigtrap("daemon", "status"))?.[1])
        process.kill(daemon, "SIGKILL")

        yield* shows(page, ".banner", "Connection lost at")
        yield* shows(page, ".banner", "The program may have gone on.")
        yield* shows(page, "#state", "Not connected")
        yield* shows(page, ".sentence", "last known: stopped at breakpoint 1 · app.c:14 · event")
        yield* shows(page, ".lease", "Not connected")
        yield* shows(page, ".footer", ", not live")
        yield* shows(page, ".footer .command", `sigtrap web --port ${port}`)
        const enabled = yield* Effect.promise(() => page.locator(".runButtons .button:not([aria-disabled])").count())
        assert.strictEqual(enabled, 0)

        // All of it is readable at each width: what is true, that the page tries again, and the button.
        const cut = (selector: string) =>
          Effect.promise(() =>
            page
              .locator(selector)
              .evaluateAll(
                (all) =>
                  all.filter(
                    ({ clientHeight, clientWidth, scrollHeight, scrollWidth }) =>
                      scrollHeight > clientHeight + 1 || (clientWidth > 0 && scrollWidth > clientWidth + 1)
                  ).length
              )
          )
        for (const width of [1280, 768, 640, 360]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 760 }))
          yield* shows(page, ".banner", "Trying again in")
          yield* shows(page, width === 360 ? ".sentence" : ".banner", "The program may have gone on.")
          assert.strictEqual(yield* cut(`.banner, .banner > span${width === 360 ? ", .sentence" : ""}`), 0, `${width}`)
          assert.isTrue(yield* Effect.promise(() => page.locator(".banner .button").isVisible()))
          // On a touch screen, too.
          const screen = yield* Effect.promise(() => page.context().newCDPSession(page))
          yield* Effect.promise(() => screen.send("Emulation.setTouchEmulationEnabled", { enabled: true }))
          yield* Effect.promise(() => page.waitForFunction("matchMedia('(pointer: coarse)').matches"))
          const [banner, button] = yield* Effect.promise(() =>
            Promise.all([".banner", ".banner .button"].map((part) => page.locator(part).boundingBox()))
          )
          assert.isAtMost(button?.height ?? 0, (banner?.height ?? 0) - 4, `touched at ${width}`)
          yield* Effect.promise(() => screen.send("Emulation.setTouchEmulationEnabled", { enabled: false }))
          yield* Effect.promise(() => page.waitForFunction("!matchMedia('(pointer: coarse)').matches"))
        }
        yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 800 }))
        // The banner has the place of the notices.
        yield* press(page, "F10")
        yield* shows(page, ".notice", "Not connected.")
        assert.isTrue(yield* Effect.promise(() => page.locator(".notice").isVisible()))

        // The next daemon serves the page at the same address. Its stops are read late.
        const late = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
        yield* Effect.promise(() =>
          page.route("**/v1/stops", (route) => late(1500).then(() => route.continue().catch(() => {})))
        )
        assert.include(sigtrap("web", "--print", "--port", port), `:${port}/`)
        yield* shows(page, "#state", "Ended")
        yield* shows(page, ".failure", "The daemon that kept it ended unexpectedly")
        yield* shows(page, ".notice", "Connected again.")
        // Stops that cannot be looked at any more are not offered.
        yield* shows(page, ".pills", "the daemon that kept it ended unexpectedly")
        const pills = () => Effect.promise(() => page.locator(".pill b").allInnerTexts())
        assert.deepStrictEqual(yield* pills(), [])
        // The answer stays. What is inside it cannot be read any more.
        yield* shows(page, ".entry .answered", "beta")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".entry .opener").count()), 0)
        const begun = yield* Effect.promise(() => page.locator(".row.activity", { hasText: "started" }).allInnerTexts())
        assert.isFalse(begun.some((row) => row.includes("debugger")))
        yield* Effect.promise(() => page.getByRole("button", { name: "Start again with 1 breakpoint" }).click())
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".sentence", "breakpoint 1")
        yield* shows(page, ".line.current .number", "14")
        yield* shows(page, ".pill.now", "4 breakpoint 1")
        assert.deepStrictEqual(yield* pills(), ["4"])
        yield* shows(page, ".entry .answered", "beta")

        // What was said of the last connection is not true of the next loss.
        sigtrap("daemon", "stop", "--force")
        yield* shows(page, ".banner", "Connection lost at")
        const notices = () => Effect.promise(() => page.locator(".notice").allInnerTexts())
        assert.isFalse((yield* notices()).some((notice) => notice.includes("Connected again")))
      }).pipe(Effect.scoped),
    120_000
  )
})
