// What the page says between the event of a stop and the answers that read it: nothing of the stop before is shown as that of now, and no row
// says what another one says a moment later.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { shows } from "./pageTests.ts"

const source = `#include <unistd.h>
static volatile int turns;
int main(void) {
  int n = 1;
  n += 1;
  for (;;) {
    turns++;
    usleep(1000);
  }
  return n;
}
`

/** Records each text that a part of the page has. */
const recordTexts = (page: Page, selector: string) =>
  Effect.promise(() =>
    page.evaluate(`
globalThis.texts = []
const look = () => {
  const text = [...document.querySelectorAll(${JSON.stringify(selector)})].map((part) => part.textContent).join("; ")
  if (globalThis.texts.at(-1) !== text) globalThis.texts.push(text)
  requestAnimationFrame(look)
}
look()`)
  )

const texts = (page: Page) => Effect.promise(() => page.evaluate<ReadonlyArray<string>>("globalThis.texts"))

describe.runIf(isPresent(Chromium.program, {}))("a stop that was not read yet", () => {
  it.live(
    "leaves the stack of the stop before with its number, and has the row of its pause",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "turns.c"), source)
        execFileSync("cc", [...flags, "turns.c", "-o", "turns"], { cwd: folder })
        sigtrap("start", "./turns", "--break", "turns.c:4", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#stack .note", "1 thread")
        let release = (): void => {}
        const held = new Promise<void>((resolve) => (release = resolve))
        yield* Effect.promise(() =>
          page.route("**/v1/context", (route) => held.then(() => route.continue().catch(() => {})))
        )
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".pill.now", "2")
        assert.strictEqual(yield* Effect.promise(() => page.locator("#stack .note").innerText()), "at stop 1")
        release()
        yield* shows(page, "#stack .note", "1 thread")

        sigtrap("continue", "--session", "app", "--as", "claude", "--no-wait")
        yield* shows(page, "#state", "Running")
        yield* recordTexts(page, ".row.activity .what")
        sigtrap("pause", "--session", "app", "--as", "claude")
        yield* shows(page, ".row.activity", "pause → stop 3")
        const joined = (yield* texts(page)).filter((text) => text.includes("continue → stop 3"))
        assert.deepStrictEqual(joined, [])

        yield* recordTexts(page, ".sentence")
        sigtrap("restart", "--session", "app", "--as", "claude")
        yield* shows(page, ".pill.now", "4")
        const since = (yield* texts(page)).filter((text) => text.includes("since “continue”"))
        assert.deepStrictEqual(since, [])
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
