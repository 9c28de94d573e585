// The past of a value in a real browser: a variable of another function that has the same name is another variable, and a variable of the
// file is
// in the list also at the stop at which it was just read.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { shows } from "./pageTests.ts"

const source = `static int calls;
static int part(int n) {
  int sum = n * 100;
  calls++;
  return sum;
}
int main(void) {
  int sum = 0;
  for (int i = 1; i < 6; i++) {
    sum += i;
    part(i);
  }
  return sum > 0;
}
`

describe.runIf(isPresent(Chromium.program, {}))("the past of a value", () => {
  it.live(
    "has no values of a variable of another function",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "parts.c"), source)
        execFileSync("cc", [...flags, "parts.c", "-o", "parts"], { cwd: folder })
        sigtrap("start", "./parts", "--break", "parts.c:11", "--session", "app")
        sigtrap("break", "parts.c:5", "--session", "app")
        for (let stop = 2; stop <= 5; stop++) sigtrap("continue", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".pill.now", "5")
        const line = page.locator("#variables .row[data-path=sum] button.pastLine")
        yield* Effect.promise(() => line.waitFor())
        assert.strictEqual(
          yield* Effect.promise(() => line.getAttribute("aria-label")),
          "sum at every stop: from 1 to 6, stops 1 to 5"
        )
        yield* Effect.promise(() => line.click())
        yield* shows(page, "#watch figcaption", "most 6 at stop 5 · least 1 at stop 1")
        const rows = yield* Effect.promise(() => page.locator("#watch .row.past").allInnerTexts())
        assert.deepStrictEqual(
          rows.map((row) => row.split(/\s+/).join(" ")),
          ["5 6 was 3 continue", "4 200 in part continue", "3 3 was 1 continue", "2 100 in part continue", "1 1 start"]
        )
        yield* Effect.promise(() => page.locator("#watch").getByRole("button", { name: "Close" }).click())

        // A variable of the file is the same one in each function.
        sigtrap("continue", "--session", "app")
        yield* shows(page, ".statics .row.value", "was 2")
        const calls = page.locator(".statics button.pastLine")
        yield* Effect.promise(() => calls.click())
        sigtrap("continue", "--session", "app")
        yield* shows(page, ".pill.now", "7")
        yield* shows(page, "#watch .row.past.chosen", "7")
        yield* Effect.promise(() => page.locator("#watch .row.past.chosen b").waitFor())
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
