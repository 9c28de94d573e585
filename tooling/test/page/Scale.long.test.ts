// The page in a real browser with much to show: eight tabs, a file of 100,000 lines, an array of 10,000 elements, and 1 MB of output.
// Elements, requests and rows are counted; times belong to the measurements.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

/** Most elements of the page, whatever the program has: those of a list are the visible ones and their neighbours. */
const mostElements = 5000

/** Most elements that a list of values adds to the page. */
const mostAdded = 3500

const elements = (page: Page) => Effect.promise(() => page.locator("*").count())

/** Waits until a list has added so few elements: what is no longer visible is removed when the page is drawn again. */
const addsFew = (page: Page, before: number, most = mostAdded) =>
  Effect.repeat(elements(page), {
    until: (now) => now - before < most,
    schedule: Schedule.spaced("50 millis")
  })

/** A program of 100,000 lines with an array of 10,000 elements, which writes 1 MB after its first stop. */
const large = [
  "#include <stdio.h>",
  "static int squares[10000];",
  ...Array.from({ length: 99_960 }, (_, at) => `/* ${at + 3} */`),
  "int main(void) {",
  "  for (int i = 0; i < 10000; i++) squares[i] = i * i;",
  "  int *p = squares;",
  "  int (*all)[10000] = &squares;",
  "  int total = p[3] + (*all)[4]; /* first */",
  '  for (int i = 0; i < 16384; i++) printf("%-62d.\\n", i);',
  "  fflush(stdout);",
  "  total += 1; /* second */",
  "  return total == 26 ? 0 : 1;",
  "}"
]
const lineOf = (mark: string) => large.findIndex((line) => line.includes(`/* ${mark} */`)) + 1

describe.runIf(isPresent(Chromium.program, {}))("a page with much to show", () => {
  it.live(
    "eight tabs share one stream, also after the leading one is closed",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app", "--as", "claude")
        const opened = yield* Chromium.browser
        const context = yield* Effect.promise(() => opened.newContext({ viewport: { width: 1280, height: 800 } }))
        const streams = new Map<Page, number>()
        const tabs = yield* Effect.promise(async () => {
          const found: Array<Page> = []
          for (let tab = 0; tab < 8; tab++) {
            const page = await context.newPage()
            page.on("request", (request) => {
              if (/\/v1\/(?:stream|events)/.test(request.url())) streams.set(page, (streams.get(page) ?? 0) + 1)
            })
            await page.goto(sigtrap("web", "--print", "--session", "app").trim())
            found.push(page)
          }
          return found
        })
        for (const page of tabs) yield* shows(page, ".pill.now", "1 breakpoint 1")
        sigtrap("next", "--session", "app", "--as", "claude")
        for (const page of tabs) yield* shows(page, ".pill.now", "2 step")
        assert.strictEqual(streams.size, 1)
        const leading = [...streams.keys()][0]
        assert(leading !== undefined)
        yield* Effect.promise(() => leading.close())
        sigtrap("next", "--session", "app", "--as", "claude")
        const rest = tabs.filter((page) => page !== leading)
        for (const page of rest) yield* shows(page, ".pill.now", "3 breakpoint 1")
        assert.strictEqual(streams.size, 2)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "10,000 elements that are all shown, here and there opened, keep the page small, also at the next stop and at their end",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        const text = [
          "struct pair { int a, b; };",
          "static struct pair pairs[10000];",
          "int main(void) {",
          "  struct pair (*all)[10000] = &pairs;",
          "  for (int i = 0; i < 10000; i++) pairs[i].a = i;",
          "  (*all)[9999].b = 7; /* first */",
          "  return (*all)[9999].b; /* second */",
          "}"
        ]
        writeFileSync(join(folder, "pairs.c"), `${text.join("\n")}\n`)
        execFileSync("cc", [...flags, "pairs.c", "-o", "pairs"], { cwd: folder })
        sigtrap("start", "./pairs", "--break", "pairs.c:6", "--session", "app")
        const opened = yield* Chromium.browser
        const { messages, page } = yield* Chromium.open(opened, sigtrap("web", "--print", "--session", "app").trim())
        yield* shows(page, ".line.current .number", "6")
        const before = yield* elements(page)
        yield* Effect.promise(() => page.locator(".row.value", { hasText: "all" }).first().locator(".opener").click())
        for (let shown = 100; shown < 10_000; shown += 100) {
          yield* shows(page, ".row.more .note", shown.toLocaleString("en"))
          // Every tenth page has an open element.
          if (shown % 1000 === 0)
            yield* Effect.promise(() =>
              page.locator(".row.value[aria-level='2']").last().locator(".opener").click({ timeout: 10_000 })
            )
          yield* Effect.promise(() => page.getByRole("button", { name: "Show 100 more" }).click())
          yield* addsFew(page, before)
        }
        yield* Effect.promise(() => page.getByRole("button", { name: "Show 100 more" }).waitFor({ state: "detached" }))
        const scroll = (to: string) =>
          Effect.promise(() =>
            page.evaluate(
              `(() => { const box = document.querySelector("#variables .scroll"); box.scrollTo(0, ${to}) })()`
            )
          )
        yield* scroll("0")
        yield* shows(page, ".row.value", "[0]")
        // A row stays while it has the focus, and goes with it.
        const row = page.locator(".row.value[aria-level='2']", { hasText: /^\[0\]/ })
        yield* Effect.promise(() => row.focus())
        yield* scroll("box.scrollHeight")
        yield* shows(page, ".row.value", "[9999]")
        yield* Effect.promise(() =>
          page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        )
        assert.strictEqual(yield* Effect.promise(() => row.count()), 1)
        yield* Effect.promise(() => page.evaluate("document.activeElement.blur()"))
        yield* Effect.promise(() => row.waitFor({ state: "detached" }))
        yield* press(page, "F10")
        yield* shows(page, ".line.current .number", "7")
        yield* addsFew(page, before)
        yield* scroll("0")
        yield* shows(page, ".row.value", "[0]")
        yield* addsFew(page, before)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "a long file, a large array and much output keep the page small",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "large.c"), `${large.join("\n")}\n`)
        execFileSync("cc", [...flags, "large.c", "-o", "large"], { cwd: folder })
        const [first, second] = [lineOf("first"), lineOf("second")]
        sigtrap("start", "./large", "--break", `large.c:${first}`, "--session", "app")
        sigtrap("break", `large.c:${second}`, "--session", "app")
        const opened = yield* Chromium.browser
        const { messages, page } = yield* Chromium.open(opened, sigtrap("web", "--print", "--session", "app").trim())
        yield* shows(page, ".line.current .number", `${first}`)
        assert.isBelow(yield* elements(page), mostElements)
        // A number of six digits covers neither the code beside it nor the sign of a breakpoint.
        const edges = yield* Effect.promise(() =>
          page.locator(".line.current").evaluate((line) => {
            const range = document.createRange()
            range.selectNodeContents(line.querySelector(".number") ?? line)
            const { left, right } = range.getBoundingClientRect()
            const [sign, code] = [line.querySelector(".gutter"), line.querySelector(".text > span")]
            return [sign?.getBoundingClientRect().right ?? 0, left, right, code?.getBoundingClientRect().left ?? 0]
          })
        )
        assert.deepStrictEqual(
          edges,
          edges.toSorted((a, b) => a - b)
        )

        const row = page.locator(".row.value", { hasText: "all" }).first()
        yield* Effect.promise(() => row.locator(".opener").click())
        yield* Effect.promise(() => page.locator(".row.value", { hasText: "[99]" }).first().waitFor())
        yield* shows(page, ".statics .row.value", "squares")
        const before = yield* elements(page)
        for (let shown = 200; shown <= 600; shown += 100) {
          yield* Effect.promise(() => page.getByRole("button", { name: "Show 100 more" }).click())
          yield* shows(page, ".row.more .note", `${shown}`)
        }
        // Elements that are far from what is visible are left out.
        yield* addsFew(page, before, 500)
        yield* Effect.promise(async () => {
          await page.getByLabel("Go to an index").fill("9990")
          await page.keyboard.press("Enter")
        })
        yield* shows(page, ".row.value", "99980001")
        assert.isBelow(yield* elements(page), mostElements)

        // With following off, the source stays where it is.
        yield* Effect.promise(() => page.locator(".switch").first().click())
        yield* Effect.promise(() => page.evaluate("document.querySelector('#source .lines').scrollTop = 0"))
        yield* press(page, "F8")
        yield* shows(page, ".unseen", `large.c:${second}`)
        yield* shows(page, ".line .number", "1")
        yield* Effect.promise(() => page.locator(".unseen button").click())
        yield* shows(page, ".line.current .number", `${second}`)
        // A stop that is in view has no note.
        yield* press(page, "F10")
        yield* shows(page, ".line.current .number", `${second + 1}`)
        yield* Effect.promise(() => page.locator(".unseen").waitFor({ state: "detached" }))
        // Nor has one whose line is scrolled into view.
        const lines = page.locator("#source .lines")
        const top = yield* Effect.promise(() => lines.evaluate((box) => box.scrollTop))
        yield* Effect.promise(() => lines.evaluate((box) => box.scrollTo(0, 0)))
        yield* press(page, "F10")
        yield* shows(page, ".unseen", `large.c:${second + 2}`)
        yield* Effect.promise(() => lines.evaluate((box, to) => box.scrollTo(0, to), top))
        yield* Effect.promise(() => page.locator(".unseen").waitFor({ state: "detached", timeout: 5000 }))

        yield* Effect.promise(() => page.getByRole("tab", { name: "Output" }).click())
        yield* shows(page, "#lower", "16383")
        assert.isBelow(yield* elements(page), mostElements)
        assert.strictEqual(messages.join("; "), "")
      }).pipe(Effect.scoped),
    120_000
  )
})
