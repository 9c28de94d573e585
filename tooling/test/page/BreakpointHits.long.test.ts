// The hits of breakpoints, in a real browser: they are those of now, also beside a past stop and after a restart.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

describe.runIf(isPresent(Chromium.program, {}))("the hits of a breakpoint", () => {
  it.live(
    "are counted beside a past stop, and from the start of the program",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        const agent = (...words: ReadonlyArray<string>) => sigtrap(...words, "--session", "app", "--as", "claude")
        agent("start", "./app", "--break", "app.c:14")
        agent("next")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".pill.now", "2 step")
        yield* shows(page, "#breakpoints .hits", "1 hit, the last one is stop 1")
        yield* press(page, "Alt+2", "[")
        yield* shows(page, "#state", "Past stop 1")
        agent("continue")
        yield* shows(page, "#breakpoints .hits", "2 hits, the last one is stop 3")
        yield* shows(page, "#state", "Past stop 1")
        yield* press(page, "Escape")
        yield* shows(page, ".sentence", "breakpoint 1, 2nd hit")
        // The program runs once more, without a stop.
        agent("breakpoint", "disable", "1")
        agent("continue")
        agent("restart")
        yield* shows(page, "#breakpoints .hits", /^0 hits$/)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
