// Who drives, in a real browser: what the page says of it goes when it changes.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

describe.runIf(isPresent(Chromium.program, {}))("who drives", () => {
  it.live(
    "is in the sentence about a refused call, which goes when control is given back",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".line.current .number", "14")
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "t")
        yield* shows(page, ".lease", "you drive")
        assert.include(sigtrap("control", "take", "--session", "app", "--as", "claude"), "LEASE_HELD")
        yield* shows(page, ".notice", "agent wanted to take control and was refused. You drive since")
        yield* shows(page, "#activity", "refused · you drive")
        yield* press(page, "t")
        yield* Effect.promise(() => page.locator(".notice").waitFor({ state: "detached", timeout: 3000 }))

        sigtrap("control", "take", "--session", "app", "--as", "claude")
        yield* shows(page, ".lease", "agent drives")
        yield* press(page, "n")
        yield* shows(page, ".notice", "agent drives. Take control to step.")
        yield* press(page, "t")
        yield* shows(page, ".lease", "you drive")
        yield* Effect.promise(() => page.locator(".notice").waitFor({ state: "detached", timeout: 3000 }))
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
