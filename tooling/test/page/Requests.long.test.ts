// A call of an agent that waits for consent, in a real browser: it is said, takes no focus, shows all that is asked for, and a denied one is
// in Activity.
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
        const ask = (expression: string) =>
          Effect.promise(() =>
            fetch(new URL("/v1/eval", url), {
              method: "POST",
              headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
              body: JSON.stringify({ session: "app", expression })
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
        yield* press(page, "n")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".askCard").count()), 1)
        yield* Effect.promise(() => page.locator(".requests").click())
        yield* Effect.promise(() => page.locator("#ask:focus").waitFor())
        yield* press(page, "n")
        yield* Effect.promise(() => page.locator(".askCard").waitFor({ state: "detached" }))
        assert.isTrue(yield* focused("#activity .rows"))
        assert.deepInclude(yield* Fiber.join(denied), { ok: false })
        yield* shows(page, "#activity .row", "refused")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
