// The static and global variables of the file of the shown frame, in a real browser: below the local variables, compared with the stop before,
// read only while the panel is visible, and shown at a past stop as they were read there. The values are those that the program computes.
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

const main = `int plain(int n);
int many(int n);
static int counter;
int sums[3];
static void add(int n) {
  counter += n;
  sums[counter % 3] = counter;
  plain(n);
}
int main(void) {
  add(2);
  add(5);
  return many(counter);
}
`
const plain = `int plain(int n) {
  int twice = n * 2;
  return twice;
}
`
const many = `${Array.from({ length: 60 }, (_, at) => `static volatile int value${at} = ${at};`).join("\n")}
int many(int n) {
  return n + ${Array.from({ length: 60 }, (_, at) => `value${at}`).join(" + ")};
}
`

const recordShifts =
  "globalThis.shifts = []; new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) globalThis.shifts.push(one.value) }).observe({ type: 'layout-shift', buffered: false })"

const rowsOf = (page: Page) =>
  Effect.promise(async () => {
    const rows = await page.locator(".statics .row.value").allInnerTexts()
    return rows.map((row) =>
      row
        .split("\n")
        .map((part) => part.trim())
        .filter((part) => part !== "")
        .join(" ")
    )
  })

/** A stopped program of three files, and the address of its page. */
const stopped = Effect.gen(function* () {
  const made = yield* Chromium.machine
  const { folder, sigtrap } = made
  for (const [name, text] of Object.entries({ main, plain, many })) writeFileSync(join(folder, `${name}.c`), text)
  execFileSync("cc", [...flags, "main.c", "plain.c", "many.c", "-o", "files"], { cwd: folder })
  sigtrap("start", "./files", "--break", "main.c:11", "--session", "app")
  for (const place of ["main.c:6", "plain.c:2", "many.c:62"]) sigtrap("break", place, "--session", "app")
  sigtrap("continue", "--session", "app")
  return { ...made, url: sigtrap("web", "--print", "--session", "app", "--allow", "write").trim() }
})

/** Counts the calls that read variables of a file. */
const countCalls = (page: Page) => {
  const counted = { calls: 0 }
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/globals")) counted.calls += 1
  })
  return counted
}

describe.runIf(isPresent(Chromium.program, {}))("the static variables of a file on the page", () => {
  it.live(
    "are below those of the frame, with what they were",
    () =>
      Effect.gen(function* () {
        const { sigtrap, url } = yield* stopped
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        const counted = countCalls(page)
        yield* shows(page, ".line.current .number", "6")
        yield* shows(page, ".statics .groupTitle", "Static, main.c")
        assert.deepStrictEqual(yield* rowsOf(page), ["counter int 0", "sums int[3] {0, 0, 0}"])
        yield* Effect.promise(() => page.locator(".statics .opener svg").first().click())
        yield* shows(page, ".statics .row.value[aria-level='2']", "[2]")
        yield* Effect.promise(() => page.evaluate(recordShifts))
        sigtrap("next", "--as", "claude", "--session", "app")
        yield* shows(page, ".line.current .number", "7")
        yield* shows(page, ".statics .row.value", "was 0")
        assert.include(yield* rowsOf(page), "counter int 2 was 0")
        // What is inside is compared with what was read at the stop before.
        yield* Effect.promise(() => page.locator(".statics .valueBlock.dim").waitFor({ state: "detached" }))
        sigtrap("next", "--as", "claude", "--session", "app")
        yield* shows(page, ".line.current .number", "8")
        yield* shows(page, ".statics .row.value[aria-level='2']", "was 0")
        assert.include(yield* rowsOf(page), "sums int[3] {0, 0, 2} was {0, 0, 0}")
        assert.include(yield* rowsOf(page), "counter int 2")
        assert.strictEqual(yield* Effect.promise(() => page.evaluate("globalThis.shifts.length")), 0)

        // A past stop has what was read there, and only that.
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "[")
        yield* shows(page, "#state", "Past stop")
        yield* shows(page, ".statics .row.value", "was 0")
        assert.include(yield* rowsOf(page), "counter int 2 was 0")
        assert.include(yield* rowsOf(page), "sums: what is inside was not read at this stop.")
        yield* press(page, "[", "[")
        // The stop between has a row with these words too.
        yield* shows(page, "#state", "Past stop 1")
        yield* Effect.promise(() => page.locator(".statics .row.value").nth(1).waitFor({ state: "detached" }))
        assert.deepStrictEqual(yield* rowsOf(page), ["was not read at this stop"])
        yield* press(page, "Escape")
        yield* shows(page, ".statics .row.value[aria-level='2']", "was 0")

        // A file without such variables has no section, and is read once.
        sigtrap("continue", "--as", "claude", "--session", "app")
        yield* shows(page, "#source", "int twice")
        yield* Effect.promise(() => page.locator(".statics").waitFor({ state: "detached" }))
        const { calls } = counted
        sigtrap("next", "--as", "claude", "--session", "app")
        yield* shows(page, ".line.current .number", "3")
        yield* shows(page, "#variables .row.value", "4")
        assert.strictEqual(counted.calls, calls)
        yield* Effect.promise(() => page.locator(".row.frame", { hasText: "main.c:8" }).click())
        yield* shows(page, ".statics .groupTitle", "Static, main.c")
        yield* shows(page, ".statics .row.value", "counter")

        // A page of many variables, and more on request.
        for (const _ of [1, 2, 3]) sigtrap("continue", "--as", "claude", "--session", "app")
        yield* shows(page, ".statics .groupTitle", "Static, many.c")
        yield* shows(page, ".statics .row.more", "50 of 60")
        yield* Effect.promise(() => page.getByRole("button", { name: "Show 10 more" }).click())
        yield* Effect.promise(() => page.locator(".statics .row.more").waitFor({ state: "detached" }))
        assert.lengthOf(yield* rowsOf(page), 60)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "are read on a phone when its values are shown",
    () =>
      Effect.gen(function* () {
        const { url } = yield* stopped
        const viewport = { width: 360, height: 760 }
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport })
        const counted = countCalls(page)
        yield* shows(page, ".line.current .number", "6")
        yield* Effect.sleep("500 millis")
        assert.strictEqual(counted.calls, 0)
        yield* Effect.promise(() => page.locator(".phoneTabs button", { hasText: "Values" }).click())
        yield* shows(page, ".statics .groupTitle", "Static, main.c")
        assert.deepStrictEqual(yield* rowsOf(page), ["counter int 0", "sums int[3] {0, 0, 0}"])
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "are read at the next stop after an answer that the program had been resumed",
    () =>
      Effect.gen(function* () {
        const { sigtrap, url } = yield* stopped
        const opened = yield* Chromium.browser
        const { page } = yield* Chromium.open(opened, "about:blank")
        // As the server answers a read that comes after a resume of which the page does not know yet.
        const error = { code: "NOT_STOPPED", message: "the program runs", hints: [] }
        const body = JSON.stringify({ ok: false, cmd: "globals", error })
        const resumed = { status: 409, contentType: "application/json", body }
        yield* Effect.promise(() => page.route("**/v1/globals", (route) => route.fulfill(resumed), { times: 1 }))
        yield* Effect.promise(() => page.goto(url))
        yield* shows(page, ".line.current .number", "6")
        yield* shows(page, "#variables .row.value", "n")
        sigtrap("next", "--session", "app")
        yield* shows(page, ".statics .row.value", "counter")
        assert.deepStrictEqual(yield* rowsOf(page), ["counter int 2", "sums int[3] {0, 0, 0}"])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "are those around the function for a debugger that lists no files",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        const program = [
          "import collections",
          "limit = 30",
          "n = 1",
          "def check(n):",
          "    global limit",
          "    limit = limit + n",
          "    return limit",
          "check(5)",
          "print(limit, collections)"
        ]
        writeFileSync(join(folder, "around.py"), `${program.join("\n")}\n`)
        sigtrap("start", "around.py", "--break", "around.py:6", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        // Neither a module nor the variable that a local one hides.
        yield* shows(page, ".statics .groupTitle", "Outside of the function")
        assert.deepStrictEqual(yield* rowsOf(page), ["limit int 30"])
        sigtrap("next", "--session", "app")
        yield* shows(page, ".statics .row.value", "was 30")
        assert.deepStrictEqual(yield* rowsOf(page), ["limit int 35 was 30"])
        // The variables of the module are its own there.
        yield* Effect.promise(() => page.locator("#stack .row.frame").nth(1).click())
        yield* shows(page, "#variables .panelHead .note", "<module>")
        yield* Effect.promise(() => page.locator(".statics").waitFor({ state: "detached" }))
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
