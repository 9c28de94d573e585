// Lines of output in a real browser: long ones are broken at the edge of the panel, are copied as the program wrote them, and the list is as
// high as its lines. The messages of logpoints are among them.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { shows } from "./pageTests.ts"

const source = `#include <stdio.h>
static void line(int count) {
  printf("%03d", count);
  for (int i = 0; i < count; i++) printf(i % 7 == 0 ? "  word" : i % 11 == 0 ? "\\tx" : "%d", i % 10);
  printf("\\n");
}
int main(void) {
  for (int count = 0; count < 300; count++) line(count);
  printf("last\\n");
  fflush(stdout);
  return 0;
}
`

const manyLines = `#include <stdio.h>
static int count;
static void upto(int most) {
  for (; count < most; count++) printf("line %d\\n", count);
}
int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int most = 10; most <= 100000; most *= 10) upto(most - 1);
  return 0;
}
`

/** The line that the program writes. */
const lineOf = (count: number): string =>
  String(count).padStart(3, "0") +
  Array.from({ length: count }, (_, i) => (i % 7 === 0 ? "  word" : i % 11 === 0 ? "\tx" : String(i % 10))).join("")

describe.runIf(isPresent(Chromium.program, {}))("lines of output", () => {
  it.live(
    "that are long are broken at the edge, and are copied whole",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "lines.c"), source)
        execFileSync("cc", [...flags, "lines.c", "-o", "lines"], { cwd: folder })
        sigtrap("start", "./lines", "--break", "lines.c:11", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* Effect.promise(() => page.getByRole("tab", { name: "Output" }).click())
        yield* shows(page, ".outputLine", "last")
        for (const width of [1280, 700]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
          if (width < 1024) yield* Effect.promise(() => page.getByRole("tab", { name: "Output" }).click())
          yield* shows(page, ".outputLine", "last")
          // The newest line is visible, and nothing is beside the panel.
          const end = yield* Effect.promise(() =>
            page.locator(".output .rows").evaluate((rows) => {
              const box = rows.getBoundingClientRect()
              const last = [...rows.querySelectorAll(".outputLine")].find(({ textContent }) => textContent === "last")
              return {
                sideways: rows.scrollWidth - rows.clientWidth,
                isVisible: (last?.getBoundingClientRect().bottom ?? Infinity) <= box.bottom + 1
              }
            })
          )
          assert.deepStrictEqual(end, { sideways: 0, isVisible: true })
          // Each row is where the list expects it: the place of a line does not depend on the rows that exist.
          const found = yield* Effect.promise(() =>
            page.locator(".output .rows").evaluate(async (rows) => {
              const places = new Map<string, number>()
              const wrong: Array<string> = []
              for (let top = 0; top <= rows.scrollHeight; top += 100) {
                rows.scrollTop = top
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
                for (const line of rows.querySelectorAll("p.outputLine")) {
                  const text = line.textContent ?? ""
                  const place = line.getBoundingClientRect().top - rows.getBoundingClientRect().top + rows.scrollTop
                  const known = places.get(text) ?? place
                  if (Math.abs(known - place) > 0.5) wrong.push(`${text.slice(0, 3)} at ${place}, was at ${known}`)
                  places.set(text, place)
                }
              }
              return { wrong: wrong.slice(0, 3), count: places.size }
            })
          )
          assert.deepStrictEqual(found, { wrong: [], count: 301 })
          const copied = yield* Effect.promise(() =>
            page.locator(".output .rows").evaluate((rows) => {
              const line = [...rows.querySelectorAll("p.outputLine")].find(({ textContent }) =>
                textContent?.startsWith("299")
              )
              const selection = getSelection()
              if (line !== undefined) selection?.selectAllChildren(line)
              return { text: selection?.toString(), height: line?.clientHeight ?? 0 }
            })
          )
          assert.strictEqual(copied.text, lineOf(299))
          assert.isAtLeast(copied.height, 32)
        }
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "that are counted move no tab, nor does a call that waits for consent",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "many.c"), manyLines)
        execFileSync("cc", [...flags, "many.c", "-o", "many"], { cwd: folder })
        sigtrap("start", "./many", "--break", "many.c:5", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport: { width: 1000, height: 800 } })
        yield* shows(page, "#lower [role=tab]", "Modules")
        yield* shows(page, "#lower .tabs", "9 lines")
        const places = () =>
          Effect.promise(() =>
            page
              .locator("#lower [role=tab]")
              .evaluateAll((tabs) =>
                tabs.map((tab) => `${tab.textContent?.slice(0, 4) ?? ""} ${tab.getBoundingClientRect().x}`)
              )
          )
        const before = yield* places()
        for (const words of ["99 lines", "999 lines", "9.9k lines", "99k lines"]) {
          sigtrap("continue", "--session", "app")
          yield* shows(page, "#lower .tabs", words)
          assert.deepStrictEqual(yield* places(), before, words)
        }
        const token = sigtrap("grant", "--tier", "observe,control", "--ask", "evaluate", "--print").trim()
        const asked = yield* Effect.forkChild(
          Effect.promise((signal) =>
            fetch(new URL("/v1/eval", url), {
              method: "POST",
              headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
              body: JSON.stringify({ session: "app", expression: "count = 7" }),
              signal
            }).catch(() => undefined)
          )
        )
        yield* shows(page, ".requests", "1 request")
        assert.deepStrictEqual(yield* places(), before)
        yield* Fiber.interrupt(asked)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "are between the messages of logpoints, which have a sign and a name",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:12", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".line.current .number", "12")
        sigtrap("break", "app.c:14", "--log", "i is {i}", "--session", "app")
        sigtrap("break", "app.c:16", "--session", "app")
        sigtrap("continue", "--session", "app")
        yield* shows(page, ".line.current .number", "16")
        yield* Effect.promise(() => page.getByRole("tab", { name: "Output" }).click())
        yield* shows(page, ".outputLine.log", "i is 2")
        const lines = page.locator("p.outputLine")
        assert.deepStrictEqual(yield* Effect.promise(() => lines.allInnerTexts()), [
          "hello from app, argc=1",
          "i is 0",
          "i is 1",
          "i is 2"
        ])
        yield* shows(page, "#lower .tabs", "4 lines")
        assert.strictEqual(yield* Effect.promise(() => lines.last().getAttribute("title")), "logpoint")
        // An expression that is being written finds its text until it is valid, and the page says so.
        const filter = page.getByLabel("Filter the output")
        yield* Effect.promise(() => filter.fill("argc=["))
        yield* shows(page, ".output .note", "0 of 4 lines · not a regular expression, searched as text")
        yield* Effect.promise(() => filter.fill("argc=[0-9]"))
        yield* shows(page, ".output .note", /^1 of 4 lines$/)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
