// What is inside a variable on the page: while it is open, its members are compared with the stop before, are shown beside their names in the
// source, and nothing moves from stop to stop. The values are those that the program computes.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { compilerOf, flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const source = `#include <cstdio>
struct Account {
  int total = 100;
  int deposits = 0;
  void add(int amount) {
    total += amount;
    deposits++;
    std::printf("%d\\n", total);
  }
};
int main() {
  Account account;
  for (int month = 1; month < 5; month++) account.add(month * 10);
}
`

const recordShifts =
  "globalThis.shifts = []; new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) globalThis.shifts.push(one.sources.map(({ node, previousRect, currentRect }) => `${node?.className ?? node?.parentElement?.className}: ${JSON.stringify([previousRect, currentRect])}`).join()) }).observe({ type: 'layout-shift', buffered: false })"

describe.runIf(isPresent(Chromium.program, {}))("the members of an open variable", () => {
  it.live(
    "are compared with the stop before, and are shown in the source",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "account.cpp"), source)
        execFileSync(compilerOf("account.cpp"), [...flags, "account.cpp", "-o", "account"], { cwd: folder })
        sigtrap("start", "./account", "--break", "account.cpp:6", "--session", "app")
        sigtrap("continue", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        const inside = () =>
          Effect.promise(async () => {
            const rows = await page.locator("#variables .row.value[aria-level='2']").allInnerTexts()
            return rows.map((row) =>
              row
                .split("\n")
                .map((part) => part.trim())
                .filter((part) => part !== "")
                .join(" ")
            )
          })
        yield* shows(page, ".line.current .number", "6")
        yield* Effect.promise(() => page.locator("#variables .opener").first().click())
        yield* shows(page, "#variables .row.value[aria-level='2']", "total")
        assert.deepStrictEqual(yield* inside(), ["total int 110", "deposits int 1"])
        yield* shows(page, ".line.current .inline", "total = 110")
        yield* Effect.promise(() => page.evaluate(recordShifts))

        sigtrap("next", "--as", "claude")
        yield* shows(page, ".line.current .number", "7")
        yield* shows(page, "#variables .row.value[aria-level='2']", "was 110")
        assert.deepStrictEqual(yield* inside(), ["total int 130 was 110", "deposits int 1"])
        // On the last line above the current one where its name is.
        yield* shows(page, ".line .inline", "total = 130 was 110")
        yield* shows(page, ".line.current .inline", "deposits = 1")

        sigtrap("next", "--as", "claude")
        yield* shows(page, ".line.current .number", "8")
        yield* shows(page, "#variables .row.value[aria-level='2']", "was 1")
        // What is inside keeps its place until it is read at this stop.
        yield* Effect.promise(() => page.locator("#variables .row.value", { hasText: /deposits.*was 1$/s }).waitFor())
        assert.deepStrictEqual(yield* inside(), ["total int 130", "deposits int 2 was 1"])

        assert.deepStrictEqual(yield* Effect.promise(() => page.evaluate("globalThis.shifts")), [])

        // A past stop has what was read inside there, and says that nothing was.
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "[")
        yield* shows(page, "#state", "Past stop 3")
        yield* shows(page, "#variables .row.value[aria-level='2']", "130")
        assert.deepStrictEqual(
          (yield* inside()).map((row) => row.replace(/ was .*/, "")),
          ["total int 130", "deposits int 1"]
        )
        // The source has them too, not those of the current stop.
        const inline = () => Effect.promise(() => page.locator(".line .inline").allInnerTexts())
        assert.include((yield* inline()).join(" "), "deposits = 1")
        // Nothing is read, and no watchpoint is set, of a stop that is past.
        yield* press(page, "Alt+1")
        yield* Effect.promise(() => page.keyboard.type("amount"))
        yield* press(page, "Enter")
        yield* shows(page, ".answered.problem", "You look at a past stop. Go back to now to read expressions.")
        yield* press(page, "Alt+3", "ArrowDown", "m")
        const item = page.getByRole("menuitem", { name: "Stop when it changes" })
        assert.strictEqual(yield* Effect.promise(() => item.getAttribute("aria-disabled")), "true")
        yield* press(page, "Escape")
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "[", "[")
        yield* shows(page, "#state", "Past stop 1")
        yield* shows(page, "#variables .row.value.empty", "this: what is inside was not read at this stop.")
        assert.notInclude((yield* inline()).join(" "), "deposits")
        yield* press(page, "Escape")
        yield* shows(page, "#variables .row.value[aria-level='2']", "deposits")

        yield* Effect.promise(() => page.locator("#variables .opener").first().click())
        yield* Effect.promise(() => page.locator(".line.current .inline").waitFor({ state: "detached" }))
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
