// Double clicks in a real browser: the second click undoes and repeats nothing.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const source = `volatile int turns = 0;
int main(void) {
  for (;;) {
    turns++;
  }
}
`

const twice = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("button", { name }).first().dblclick({ delay: 20 }))

/** Presses keys in one task of the page: the program cannot stop between them. With `held`, the others are repeats of the first. */
const pressAtOnce = (page: Page, keys: ReadonlyArray<string>, held = false) =>
  Effect.promise(() =>
    page.evaluate(
      ([pressed, repeats]) => {
        for (const [at, key] of pressed.entries()) {
          const repeat = repeats && at > 0
          const event = new KeyboardEvent("keydown", { key, repeat, bubbles: true, cancelable: true })
          document.activeElement?.dispatchEvent(event)
        }
      },
      [keys, held] as const
    )
  )

describe.runIf(isPresent(Chromium.program, {}))("a double click", () => {
  it.live(
    "takes control, runs an expression and continues as one click does",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "turns.c"), source)
        execFileSync("cc", [...flags, "turns.c", "-o", "turns"], { cwd: folder })
        sigtrap("start", "./turns", "--break", "turns.c:4", "--session", "app", "--as", "claude")
        sigtrap("breakpoint", "remove", "all", "--session", "app", "--as", "claude")
        const url = sigtrap("web", "--print", "--session", "app", "--allow", "evaluate,write").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        const rows = (text: string) => Effect.promise(() => page.locator(".row.activity", { hasText: text }).count())
        yield* shows(page, ".line.current .number", "4")
        yield* press(page, "Alt+1")
        yield* Effect.promise(() => page.keyboard.type("turns += 5"))
        yield* press(page, "Enter")
        yield* twice(page, "Run it anyway")
        yield* shows(page, ".row.activity", "evaluated turns += 5")
        // Two clicks a second apart are two.
        yield* Effect.promise(() => page.waitForTimeout(600))
        assert.strictEqual(yield* rows("evaluated turns += 5"), 1)
        assert.match(sigtrap("print", "turns", "--session", "app"), /\b5\b/)

        yield* twice(page, "Take control")
        yield* shows(page, ".row.activity", "took control")
        yield* twice(page, "Continue")
        yield* shows(page, ".row.activity", "continue")
        yield* Effect.promise(() => page.waitForTimeout(600))
        assert.strictEqual(yield* rows("gave control back"), 0)
        yield* shows(page, "#state", "Running")
        yield* shows(page, ".lease", "you drive")
        yield* Effect.promise(() => page.getByRole("button", { name: "Pause" }).first().click())
        yield* shows(page, "#state", "Stopped")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "steps twice, also by keys, stops at a breakpoint between, and starts the program again once",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:25", "--session", "app", "--as", "claude")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        const refused = Effect.promise(() => page.locator(".notice, .row.activity.refused").allInnerTexts())
        yield* shows(page, ".line.current .number", "25")
        yield* twice(page, "Into")
        yield* shows(page, ".pill.now", "3 step")
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        // The steps are made one after the other.
        yield* pressAtOnce(page, ["n", "n"])
        yield* shows(page, ".pill.now", "5 step")
        // A key that is held down makes no step while one runs.
        yield* pressAtOnce(page, ["n", "n", "n", "n"], true)
        yield* shows(page, ".pill.now", "6 step")
        yield* pressAtOnce(page, ["n"])
        yield* shows(page, ".pill.now", "7 step")
        assert.deepStrictEqual(yield* refused, [])
        // The steps that were pressed are not made after another stop, and the page says so.
        sigtrap("break", "app.c:14", "--session", "app", "--as", "claude")
        yield* shows(page, "#breakpoints li", "2 app.c:14")
        yield* pressAtOnce(page, ["f", "n", "n"])
        yield* shows(page, ".pill.now", "8 breakpoint 2")
        yield* shows(page, ".notice", "Stopped at breakpoint 2. 2 more steps were not made.")
        yield* Effect.promise(() => page.getByRole("button", { name: "Close" }).click())
        yield* Effect.promise(() => page.getByRole("button", { name: "Stop", exact: true }).click())
        yield* shows(page, "#state", "Ended")
        yield* twice(page, "Start again")
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".row.activity", "restarted app")
        assert.strictEqual(
          yield* Effect.promise(() => page.locator(".row.activity", { hasText: "restarted app" }).count()),
          1
        )
        assert.deepStrictEqual(yield* refused, [])
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
