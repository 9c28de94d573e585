// Stops that follow each other faster than the page reads them, in a real browser.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { compilerOf, flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import type { Route } from "playwright-core"
import * as Chromium from "./browser.ts"
import { shows } from "./pageTests.ts"

const source = `#include <unistd.h>
int main(void) {
  int total = 1;
  total += 2;
  total += 4;
  for (;;) pause();
}
`

describe.runIf(isPresent(Chromium.program, {}))("a stop that the program leaves before the page has read it", () => {
  it.live(
    "leaves the values and the source of the stop before, which are not live",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "sums.c"), source)
        execFileSync(compilerOf("sums.c"), [...flags, "sums.c", "-o", "sums"], { cwd: folder })
        sigtrap("start", "./sums", "--break", "sums.c:4", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        const row = "#variables .row.value"
        yield* shows(page, `${row} .valueText`, "1")
        yield* shows(page, ".line.current .number", "4")
        const answered = yield* Effect.promise(async () => {
          const { promise, resolve } = Promise.withResolvers<string>()
          const answer = async (route: Route) => {
            sigtrap("continue", "--no-wait", "--session", "app", "--as", "claude")
            const response = await route.fetch()
            await route.fulfill({ response })
            resolve(await response.text())
          }
          await page.route("**/v1/context", answer, { times: 1 })
          sigtrap("next", "--session", "app", "--as", "claude")
          return await promise
        })
        assert.include(answered, '"event":"running"')
        yield* shows(page, "#state", "Running")
        yield* shows(page, "#variables .note", "at stop 1, not live")
        yield* shows(page, `${row} .valueText`, "1")
        yield* shows(page, ".line.kept .number", "4")
        yield* shows(page, ".pills", "2 step")
        assert.notInclude(
          yield* Effect.promise(() => page.locator("#variables").innerText()),
          "This frame has no variables."
        )
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "has no values later, and says that they were not read",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "sums.c"), source)
        execFileSync(compilerOf("sums.c"), [...flags, "sums.c", "-o", "sums"], { cwd: folder })
        sigtrap("start", "./sums", "--break", "sums.c:4", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#variables .row.value", "total")
        // The page reads nothing of the second stop, and the agent asks for no values.
        yield* Effect.promise(() => page.route("**/v1/context", (route) => route.abort()))
        sigtrap("next", "--session", "app", "--as", "claude", "--context", "none")
        yield* shows(page, ".pill.now", "2 step")
        yield* Effect.promise(() => page.unroute("**/v1/context"))
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, ".pill.now", "3 step")
        yield* Effect.promise(() => page.locator(".pill", { hasText: "2 step" }).click())
        yield* shows(page, "#state", "Past stop 2")
        yield* shows(page, "#variables", "The values were not read at this stop.")
        assert.strictEqual(yield* Effect.promise(() => page.getByText("Values were kept for").count()), 0)
        yield* Effect.promise(() => page.locator(".pill", { hasText: "1 breakpoint 1" }).click())
        yield* shows(page, "#variables .row.value", "total")
        yield* shows(page, "#stack .folded", "Values were kept for frame 0 only.")
      }).pipe(Effect.scoped),
    120_000
  )
})
