// A call of an agent that waits for consent, in a real browser: it is said, takes no focus, shows all that is asked for and in which function,
// and a denied one is in Activity.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const long = `puts("${"long ".repeat(40)}end")`

describe.runIf(isPresent(Chromium.program, {}))("a request on the page", () => {
  it.live(
    "is answered by keys in its card, and leaves the focus in Activity",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app", "--allow", "evaluate").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".line.current .number", "14")
        const token = sigtrap("grant", "--tier", "observe,control", "--ask", "evaluate", "--print").trim()
        const ask = (expression: string, place: { readonly frame?: number } = {}) =>
          Effect.promise(() =>
            fetch(new URL("/v1/eval", url), {
              method: "POST",
              headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
              body: JSON.stringify({ session: "app", expression, ...place })
            }).then((answer) => answer.json())
          )
        const focused = (selector: string) =>
          Effect.promise(() => page.evaluate((one) => document.activeElement?.matches(one) === true, selector))
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        const denied = yield* Effect.forkChild(ask(long), { startImmediately: true })
        yield* shows(page, ".askCard", "agent asks to run code in the program")
        yield* shows(page, ".hiddenName[role=status]", "agent asks to run code in the program")
        assert.isTrue(yield* focused("#source .lines"))
        const hidden = yield* Effect.promise(() =>
          page.locator(".askCard pre").evaluate((box) => box.scrollWidth - box.clientWidth)
        )
        assert.strictEqual(hidden, 0)
        const words = (selector: string) => Effect.promise(() => page.locator(selector).innerText())
        assert.strictEqual(yield* words(".askCard pre"), long)
        assert.strictEqual(yield* words(".askButtons .note"), "In sum_scores. It can change the program.")
        yield* press(page, "n")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".askCard").count()), 1)
        yield* Effect.promise(() => page.locator(".requests").click())
        yield* Effect.promise(() => page.locator("#ask:focus").waitFor())
        yield* press(page, "n")
        yield* Effect.promise(() => page.locator(".askCard").waitFor({ state: "detached" }))
        assert.isTrue(yield* focused("#activity .rows"))
        assert.deepInclude(yield* Fiber.join(denied), { ok: false })
        yield* shows(page, "#activity .row", "refused")

        // On a phone it is a sheet above the tabs, whatever panel is shown. It names the function of the frame that the agent chose.
        yield* Effect.promise(() => page.setViewportSize({ width: 360, height: 760 }))
        yield* shows(page, ".phoneTabs [aria-current]", "Activity")
        yield* Effect.promise(() => page.locator(".phoneTabs button", { hasText: "Source" }).click())
        const other = yield* Effect.forkChild(ask("argc++", { frame: 1 }), { startImmediately: true })
        yield* shows(page, ".askSheet .askCard", "agent asks to run code in the program")
        assert.strictEqual(yield* words(".askCard pre"), "argc++")
        assert.strictEqual(yield* words(".askButtons .note"), "In main. It can change the program.")
        assert.isTrue(yield* Effect.promise(() => page.locator("#source .line.current").first().isVisible()))
        const bottomOf = (selector: string) =>
          Effect.promise(() => page.locator(selector).evaluate((box) => box.getBoundingClientRect().bottom))
        const topOf = (selector: string) =>
          Effect.promise(() => page.locator(selector).evaluate((box) => box.getBoundingClientRect().top))
        assert.strictEqual(yield* bottomOf(".askSheet"), yield* topOf(".phoneRun"))
        yield* Effect.promise(() => page.locator(".requests").click())
        yield* Effect.promise(() => page.locator("#ask:focus").waitFor())
        yield* press(page, "y")
        assert.deepInclude(yield* Fiber.join(other), { ok: true })
        assert.deepStrictEqual(messages, [])

        // What waits is not known without a connection, and cannot be answered.
        const lost = yield* Effect.forkChild(Effect.ignoreCause(ask("argc--")), { startImmediately: true })
        yield* shows(page, ".askCard", "argc--")
        sigtrap("daemon", "stop", "--force")
        yield* shows(page, ".banner", "Connection lost at")
        yield* Effect.promise(() => page.locator(".askCard, .requests").first().waitFor({ state: "detached" }))
        yield* Fiber.interrupt(lost)
      }).pipe(Effect.scoped),
    120_000
  )
})
