// A container that is open in Variables gets more and fewer elements from stop to stop: its rows come and go together with the values, the
// rows below are drawn at their new places, and the row that the user looks at stays where it is.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { compilerOf, flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const source = `#include <vector>
struct Shop { int id; std::vector<int> prices; int sold; };
static void look() {}
int main() {
  std::vector<int> sizes = {7};
  Shop shop = {1, {3}, 0};
  int total = 0;
  int more[20] = {};
  for (int i = 1; i < 40; i++) {
    if (i % 4 == 0) sizes.pop_back();
    else sizes.push_back(i);
    shop.prices.push_back(i);
    total += i;
    more[i % 20] = i;
    look();
  }
  return total + more[0];
}
`

/** Holds back what is inside of values, so that the values of a stop are shown before it. */
const holdMembers = (page: Page) =>
  Effect.promise(() =>
    page.route("**/v1/expand", (route) =>
      new Promise((resolve) => setTimeout(resolve, 700)).then(() => route.continue().catch(() => {}))
    )
  )

/** Records the moves of elements, and the number of rows at each of their values. */
const recordRows = `
globalThis.shifts = []
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) globalThis.shifts.push(one.sources.map(({ node }) => node?.textContent).join())
}).observe({ type: "layout-shift", buffered: false })
globalThis.seen = []
const look = () => {
  const total = document.querySelector("#variables .row[data-path=total] .valueText")?.textContent
  const at = Math.round(document.querySelector("#variables .row[data-path=total]")?.getBoundingClientRect().y ?? 0)
  if (globalThis.seen.at(-1) !== total + " " + at) globalThis.seen.push(total + " " + at)
  requestAnimationFrame(look)
}
look()`

const opener = (page: Page, path: string) =>
  Effect.promise(() => page.locator(`#variables .row[data-path="${path}"] .opener`).click())

describe.runIf(isPresent(Chromium.program, {}))("a container that is open while it changes its size", () => {
  const stoppedAt = Effect.fnUntraced(function* (height: number) {
    const { folder, sigtrap } = yield* Chromium.machine
    writeFileSync(join(folder, "sizes.cpp"), source)
    execFileSync(compilerOf("sizes.cpp"), [...flags, "sizes.cpp", "-o", "sizes"], { cwd: folder })
    sigtrap("start", "./sizes", "--break", "sizes.cpp:15", "--session", "app")
    const url = sigtrap("web", "--print", "--session", "app").trim()
    const viewport = { width: 1280, height }
    const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport })
    yield* shows(page, "#variables .row.value", "sizes")
    yield* opener(page, "sizes")
    yield* shows(page, "#variables .row.value[aria-level='2']", "[1]")
    return { messages, page, sigtrap }
  })

  it.live(
    "changes its rows together with the values of the stop, and moves no element",
    () =>
      Effect.gen(function* () {
        const { messages, page, sigtrap } = yield* stoppedAt(1200)
        // Open values below it. The focus stays in the row above them.
        yield* opener(page, "shop")
        yield* opener(page, "more")
        yield* shows(page, "#variables .row.value[aria-level='2']", "[19]")
        yield* Effect.promise(() => page.locator("#variables .row[data-path=sizes]").focus())
        yield* holdMembers(page)
        const reads: Array<string> = []
        page.on("request", (request) => void (request.url().endsWith("/v1/expand") && reads.push(request.url())))
        yield* Effect.promise(() => page.mouse.move(640, 10))
        yield* Effect.promise(() => page.evaluate(recordRows))
        const [first = ""] = yield* Effect.promise(() => page.evaluate<ReadonlyArray<string>>("globalThis.seen"))
        const top = Number(first.split(" ")[1])
        let [total, size] = [1, 2]
        const expected = [`1 ${top}`]
        for (let i = 2; i <= 6; i++) {
          sigtrap("continue", "--session", "app", "--as", "claude")
          size += i % 4 === 0 ? -1 : 1
          total += i
          expected.push(`${total} ${top + (size - 2) * 24}`)
          yield* shows(page, "#variables .row[data-path=total]", `${total}`)
          yield* shows(page, `#variables .row[data-path="sizes/[${size - 1}]"] .valueText`, /\d/)
          yield* shows(page, `#variables .row[data-path="more/[${i}]"] .valueText`, `${i}`)
        }
        assert.deepStrictEqual(yield* Effect.promise(() => page.evaluate("globalThis.seen")), expected)
        assert.deepStrictEqual(yield* Effect.promise(() => page.evaluate("globalThis.shifts")), [])
        assert.strictEqual(reads.length, 3 * 5, "each open value is read once at a stop")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "keeps the row in place that has the focus, and the first one in view without",
    () =>
      Effect.gen(function* () {
        const { messages, page, sigtrap } = yield* stoppedAt(640)
        yield* opener(page, "shop")
        yield* shows(page, "#variables .row.value[aria-level='2']", "prices")
        yield* opener(page, "shop/prices")
        yield* opener(page, "more")
        yield* shows(page, "#variables .row.value[aria-level='2']", "[19]")
        const place = (path: string) =>
          Effect.promise(() =>
            page
              .locator(`#variables .row[data-path="${path}"]`)
              .evaluate((row) => Math.round(row.getBoundingClientRect().y))
          )
        const steady = Effect.fnUntraced(function* (path: string, from: number) {
          const before = yield* place(path)
          for (let i = from; i < from + 3; i++) {
            sigtrap("continue", "--session", "app", "--as", "claude")
            yield* shows(page, `#variables .row[data-path="shop/prices/[${i}]"] .valueText`, `${i}`)
            assert.strictEqual(yield* place(path), before, `${path} at ${i}`)
          }
        })
        yield* press(page, "Alt+3")
        yield* Effect.promise(() => page.locator("#variables .row[data-path=total]").focus())
        yield* steady("total", 2)
        assert.isTrue(
          yield* Effect.promise(() => page.evaluate("document.activeElement?.dataset.path === 'total'")),
          "the focus was moved"
        )
        // Without focus and pointer in the list.
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* Effect.promise(() => page.mouse.move(640, 10))
        yield* Effect.promise(() =>
          page.locator("#variables > .scroll").evaluate((box) => {
            box.scrollTop = 24 * 12
          })
        )
        const path = yield* Effect.promise(() =>
          page.evaluate<string>(
            "[...document.querySelectorAll('#variables [data-path]')].find((row) => row.getBoundingClientRect().y >= row.closest('.scroll').getBoundingClientRect().y).dataset.path"
          )
        )
        yield* steady(path, 5)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
