// The caller of the function in which a program crashed, in a real browser: its values are below those of the function and above those of the
// file, read by one call, and nothing moves.
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

const source = `#include <stddef.h>
struct node { int value; struct node *next; };
static int depth;
static int third(struct node *node) {
  int before = 7;
  depth += 3;
  return before + node->value;
}
static int second(struct node *node) {
  return third(node->next);
}
int main(void) {
  struct node first = {1, NULL};
  return second(&first);
}
`

/** Records what moves, as the class of the element or of the one that has the text. The lines below the card of a crash move once. */
const recordShifts =
  "globalThis.shifts = []; new PerformanceObserver((list) => { for (const one of list.getEntries()) globalThis.shifts.push(one.sources.map(({ node }) => (node?.className ?? node?.parentElement?.className ?? '?').split(' ')[0])) }).observe({ type: 'layout-shift', buffered: false })"

/** Returns the rows of an element of Variables, without their marks. */
const rowsOf = (page: Page, selector: string) =>
  Effect.promise(async () => {
    const rows = await page.locator(`${selector} .row.value`).allInnerTexts()
    return rows.map((row) =>
      row
        .split(/\s+/)
        .filter((part) => part !== "")
        .join(" ")
    )
  })

describe.runIf(isPresent(Chromium.program, {}))("the caller at a crash", () => {
  it.live(
    "has its values below those of the function that crashed",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "list.c"), source)
        execFileSync("cc", [...flags, "list.c", "-o", "list"], { cwd: folder })
        sigtrap("start", "./list", "--break", "third", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app", "--allow", "write").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, "#variables .row.value", "node")
        assert.deepStrictEqual(yield* rowsOf(page, ".valueGroup.caller"), [])
        yield* Effect.promise(() => page.evaluate(recordShifts))
        yield* shows(page, ".statics .row.value", "depth")
        let calls = 0
        let belowWhileAwaited = 0
        yield* Effect.promise(() =>
          page.route("**/v1/locals", async (route) => {
            calls += 1
            // Time in which the variables of the file could be read.
            await new Promise((resolve) => setTimeout(resolve, 1000))
            belowWhileAwaited += await page.locator(".statics").count()
            await route.continue()
          })
        )

        sigtrap("continue", "--as", "claude")
        yield* shows(page, "#state", "Crashed")
        yield* shows(page, ".groupTitle", "Caller: second, frame 1")
        yield* shows(page, ".valueGroup.caller .row.value", "node")
        assert.strictEqual(calls, 1)
        assert.deepStrictEqual(yield* rowsOf(page, ".valueGroup.caller"), ["node node * → {value:1, next:0x0}"])
        // The variables of the file come after them, so that they are not pushed down.
        assert.strictEqual(belowWhileAwaited, 0)
        yield* Effect.promise(() => page.unroute("**/v1/locals"))
        yield* shows(page, ".statics .row.value", "was 0")
        assert.deepStrictEqual(yield* rowsOf(page, ".statics"), ["depth int 3 was 0"])

        // What an agent reads of the caller is marked there only.
        sigtrap("print", "node", "--frame", "1", "--session", "app", "--as", "claude")
        yield* Effect.promise(() => page.locator(".valueGroup.caller .readMark svg").waitFor())
        assert.strictEqual(yield* Effect.promise(() => page.locator("#variables .marks .readMark svg").count()), 1)
        const read = page.getByRole("treeitem", { name: "agent read this at this stop" })
        assert.strictEqual(yield* Effect.promise(() => read.count()), 1)
        // Who caused a stop is a word too.
        assert.include(
          yield* Effect.promise(() => page.locator(".pill.now").getAttribute("title")),
          "after “continue” by agent"
        )
        const shifts = yield* Effect.promise(() =>
          page.evaluate("globalThis.shifts.map((all) => [...new Set(all)].join())")
        )
        // The card of the crash moves no element either: the lines below it are put in their places.
        assert.deepStrictEqual(shifts, [])

        // What is inside is read in the frame of the caller, and so is what is done with it.
        yield* Effect.promise(() => page.locator(".valueGroup.caller .opener").first().click())
        yield* shows(page, ".valueGroup.caller .row.value[aria-level='2']", "value")
        assert.include(yield* rowsOf(page, ".valueGroup.caller"), "value int 1")
        yield* Effect.promise(() => page.locator(".valueGroup.caller .row.value[aria-level='2']").first().focus())
        yield* shows(page, "footer", "--frame 1 --session app")

        // Another frame has its own values; the stop before has none of a caller.
        yield* Effect.promise(() => page.locator(".row.frame", { hasText: "main" }).click())
        yield* shows(page, "#variables", "main, frame 2")
        assert.deepStrictEqual(yield* rowsOf(page, ".valueGroup.caller"), [])
        yield* Effect.promise(() => page.locator(".row.frame", { hasText: "third" }).click())
        yield* shows(page, ".groupTitle", "Caller: second, frame 1")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
