// A stack with more frames than are read at a time, in a real browser: all of them can be shown.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { shows } from "./pageTests.ts"

const source = `static int deep(int n) {
  if (n == 0) return 1;
  return deep(n - 1) + 1;
}
int main(void) { return deep(200) & 1; }
`

describe.runIf(isPresent(Chromium.program, {}))("a deep stack", () => {
  it.live(
    "shows 100 frames, and 100 more until its end",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "deep.c"), source)
        execFileSync("cc", [...flags, "deep.c", "-o", "deep"], { cwd: folder })
        sigtrap("start", "./deep", "--break", "deep if n == 0", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        const more = page.getByRole("button", { name: "Show 100 more" })
        const frames = page.locator("#stack .row.frame")
        for (const count of [100, 200]) {
          yield* shows(page, "#stack .row.folded", `${count} frames are shown`)
          assert.strictEqual(yield* Effect.promise(() => frames.count()), count)
          yield* Effect.promise(() => more.click())
        }
        yield* shows(page, "#stack .row.folded", "of the C library")
        assert.strictEqual(yield* Effect.promise(() => frames.count()), 202)
        assert.include(yield* Effect.promise(() => frames.last().innerText()), "main")
        assert.strictEqual(yield* Effect.promise(() => more.count()), 0)
        // Of an earlier stop only the innermost frames are known, which is said.
        sigtrap("next", "--session", "app")
        yield* shows(page, ".pill.now", "2")
        yield* Effect.promise(() => page.locator(".pill").first().click())
        yield* shows(page, "#state", "Past stop 1")
        yield* shows(page, "#stack .row.folded", /^(?:At least \d+ more|More) frames were not kept\.$/)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
