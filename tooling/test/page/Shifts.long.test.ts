// From stop to stop nothing on the page moves, also when the list of stops, the numbers and the events get longer, and no open value is asked
// for by a reference of the stop before.
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

const source = `struct Rate { double value; int uses; };
struct Account { int total; struct Rate rate; };
static int visits;
static void add(Account *account, int amount) {
  account->total += amount;
  account->rate.uses++;
  visits++;
}
int main() {
  Account account = {100, {0.1, 0}};
  for (int month = 1; month < 40; month++) add(&account, month);
}
`

const calls = `static int visits;
static int deeper(int n) {
  int twice = n * 2;
  visits += twice;
  return twice;
}
static int helper(int n) {
  int part = deeper(n);
  int other = part + 1;
  return other;
}
static int add(int amount) {
  int before = visits;
  visits++;
  int got = helper(amount);
  return got - before;
}
int main() {
  int sum = 0;
  for (int month = 1; month < 40; month++) {
    int result = add(month);
    sum += result;
  }
  return sum > 0;
}
`

/** The stops and commands of which only a part is in view. */
const cutIn = (page: Page) =>
  Effect.promise(() =>
    page.locator(".pills").evaluate((pills) => {
      const { left, right } = pills.getBoundingClientRect()
      return [...pills.querySelectorAll(".pill, .between")].flatMap((part) => {
        const box = part.getBoundingClientRect()
        const isPartly = box.right > left + 1 && box.left < right - 1 && (box.left < left - 1 || box.right > right + 1)
        return isPartly && getComputedStyle(part).opacity !== "0" ? [part.textContent] : []
      })
    })
  )

const recordShifts =
  "globalThis.shifts = []; new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) globalThis.shifts.push(one.sources.map(({ node }) => node?.className ?? node?.parentElement?.className ?? '?').join()) }).observe({ type: 'layout-shift', buffered: false })"

/** Lets a page hold what it reads of streams: while `globalThis.held` is a promise, the pieces are collected, then read as one. */
const holdStreams = () => {
  const { prototype } = ReadableStreamDefaultReader
  const read: (this: ReadableStreamDefaultReader) => Promise<ReadableStreamReadResult<Uint8Array>> = prototype.read
  const reading = new WeakMap<ReadableStreamDefaultReader, ReturnType<typeof read>>()
  Reflect.set(prototype, "read", async function (this: ReadableStreamDefaultReader) {
    const first = await (reading.get(this) ?? read.call(this))
    reading.delete(this)
    const held: unknown = Reflect.get(globalThis, "held")
    if (!(held instanceof Promise) || first.value === undefined) return first
    const pieces = [...first.value]
    for (let isOpen = true; isOpen;) {
      const next = read.call(this)
      reading.set(this, next)
      const piece: unknown = await Promise.race([held, next.then(({ value }) => value)])
      if (piece instanceof Uint8Array) pieces.push(...piece)
      else isOpen = false
    }
    return { done: false, value: Uint8Array.from(pieces) }
  })
}

describe.runIf(isPresent(Chromium.program, {}))("the page from stop to stop", () => {
  it.live(
    "moves nothing when it is opened, and when the instructions are shown",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const opened = yield* Chromium.browser
        for (const width of [1280, 1920]) {
          const url = sigtrap("web", "--print", "--session", "app").trim()
          const context = yield* Effect.promise(() => opened.newContext({ viewport: { width, height: 800 } }))
          const page = yield* Effect.promise(() => context.newPage())
          yield* Effect.promise(() => page.addInitScript(recordShifts))
          yield* Effect.promise(() => page.goto(url))
          yield* shows(page, ".line.current .number", "14")
          yield* shows(page, ".row.thread", "app")
          // Moves soon after a click are not counted as shifts of the page: the instructions come later.
          yield* Effect.promise(() =>
            page.route("**/v1/disassemble", (route) =>
              new Promise((resolve) => setTimeout(resolve, 1000)).then(() => route.continue())
            )
          )
          yield* Effect.promise(() => page.getByRole("tab", { name: "Disassembly" }).first().click())
          yield* shows(page, ".instructions .current", "")
          // A frame without source has its instructions where those of the others are.
          const placeOf = () =>
            Effect.promise(() => page.locator(".instructions").evaluate((box) => box.getBoundingClientRect().top))
          const top = yield* placeOf()
          yield* Effect.promise(() => page.locator(".row.folded button").first().click())
          yield* shows(page, ".row.frame", "_start")
          yield* Effect.promise(() => page.locator(".row.frame").last().click())
          yield* shows(page, ".card h3", "has no source here")
          assert.strictEqual(yield* placeOf(), top)
          yield* Effect.promise(() => page.locator(".row.frame").first().click())
          yield* Effect.promise(() => page.locator(".card").waitFor({ state: "detached" }))
          assert.deepStrictEqual(yield* Effect.promise(() => page.evaluate("globalThis.shifts")), [], String(width))
          yield* Effect.promise(() => context.close())
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "moves nothing, and asks for no value of the stop before",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "account.cpp"), source)
        execFileSync(compilerOf("account.cpp"), [...flags, "account.cpp", "-o", "account"], { cwd: folder })
        sigtrap("start", "./account", "--break", "account.cpp:5", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".statics .row.value", "visits")
        yield* Effect.promise(() => page.locator("#variables .opener svg").first().click())
        yield* shows(page, "#variables .row.value[aria-level='2']", "rate")
        yield* Effect.promise(() => page.locator("#variables .row.value[aria-level='2'] .opener svg").first().click())
        yield* shows(page, "#variables .row.value[aria-level='3']", "uses")
        assert.include(
          yield* Effect.promise(() => page.locator(".row.value[aria-level='3']").first().innerText()),
          "0.1"
        )
        const refused: Array<string> = []
        page.on("response", (response) => {
          if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`)
        })
        // The past of the numbers is asked for at the first stops, and their lines appear.
        for (let stop = 2; stop <= 13; stop++) {
          if (stop === 4) yield* Effect.promise(() => page.evaluate(recordShifts))
          sigtrap("continue", "--as", "claude")
          yield* shows(page, ".pill.now", `${stop} breakpoint 1`)
          yield* shows(page, "#variables .row.value[aria-level='3']", `was ${stop - 2}`)
          yield* shows(page, ".statics .row.value", `was ${stop - 2}`)
        }
        yield* shows(page, ".stopsTitle", "13 stops")
        assert.deepStrictEqual(yield* Effect.promise(() => page.evaluate("globalThis.shifts")), [])
        assert.deepStrictEqual(refused, [])
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "moves nothing on a phone, also when the row of older stops is full, and shows no parts of stops",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "account.cpp"), source)
        execFileSync(compilerOf("account.cpp"), [...flags, "account.cpp", "-o", "account"], { cwd: folder })
        sigtrap("start", "./account", "--break", "account.cpp:5", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport: { width: 360, height: 760 } })
        yield* shows(page, ".pill.now", "1")
        // Below the current line of the source are its values, and the lines below give way.
        yield* press(page, "Alt+3")
        yield* shows(page, "#variables .row.value", "amount")
        yield* shows(page, "#variables .statics .row.value", "visits")
        yield* Effect.promise(() => page.evaluate(recordShifts))
        for (let stop = 2; stop <= 28; stop++) {
          sigtrap(stop % 3 === 0 ? "continue" : "next", "--as", "claude")
          yield* shows(page, ".pill.now b", `${stop}`)
          assert.deepStrictEqual(yield* cutIn(page), [], `${stop}`)
        }
        yield* shows(page, ".stopsTitle", "28 stops")
        assert.deepStrictEqual(yield* Effect.promise(() => page.evaluate("globalThis.shifts")), [])
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "shows no part of a stop on a phone where the list of stops is read before the stream tells of the newest",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "account.cpp"), source)
        execFileSync(compilerOf("account.cpp"), [...flags, "account.cpp", "-o", "account"], { cwd: folder })
        sigtrap("start", "./account", "--break", "account.cpp:5", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, "data:,", {
          viewport: { width: 360, height: 760 }
        })
        yield* Effect.promise(() => page.addInitScript(holdStreams))
        yield* Effect.promise(() => page.goto(url))
        yield* shows(page, ".pill.now", "1")
        for (let stop = 2; stop <= 25; stop++) sigtrap("next", "--as", "claude")
        yield* shows(page, ".stopsTitle", "25 stops")
        const isRead = Promise.withResolvers<void>()
        yield* Effect.promise(() =>
          page.route(
            "**/v1/stops",
            async (route) => {
              await page.evaluate(
                "const { promise, resolve } = Promise.withResolvers(); globalThis.held = promise; globalThis.release = () => { globalThis.held = undefined; resolve() }"
              )
              sigtrap("next", "--as", "claude")
              await route.fulfill({ response: await route.fetch() })
              // Later reads of the list get no answer.
              await page.route("**/v1/stops", (later) => later.abort())
              isRead.resolve()
            },
            { times: 1 }
          )
        )
        sigtrap("next", "--as", "claude")
        yield* Effect.promise(() => isRead.promise)
        yield* shows(page, ".pill b", "27")
        assert.include(yield* Effect.promise(() => page.locator(".stopsTitle").innerText()), "26")
        yield* Effect.promise(() => page.evaluate("globalThis.release()"))
        yield* shows(page, ".pill.now b", "27")
        assert.deepStrictEqual(yield* cutIn(page), [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows no part of the newest stop beside a past one on a phone",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        for (const command of ["next", "continue", "next", "continue"]) sigtrap(command, "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport: { width: 360, height: 760 } })
        yield* shows(page, ".pill.now", "5")
        // An ellipsis, and no command, leads to the first stop in view.
        const first = page.locator(".pill:not([data-cut])").first()
        assert.strictEqual(
          yield* Effect.promise(() => first.evaluate((pill) => getComputedStyle(pill, "::before").content)),
          '"…"'
        )
        const hidden = yield* Effect.promise(() =>
          first.evaluate((pill) => pill.parentElement?.querySelector(".between")?.hasAttribute("data-cut"))
        )
        assert.isTrue(hidden)
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        for (const stop of [4, 3, 2, 1]) {
          yield* press(page, "[")
          yield* shows(page, "#state", `Past stop ${stop}`)
          yield* shows(page, ".pill.looked", `${stop}`)
          assert.deepStrictEqual(yield* cutIn(page), [], `${stop}`)
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "moves nothing beside a value that is opened, and beside who drives, at each width",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "account.cpp"), source)
        execFileSync(compilerOf("account.cpp"), [...flags, "account.cpp", "-o", "account"], { cwd: folder })
        sigtrap("start", "./account", "--break", "account.cpp:5", "--session", "app")
        for (let stop = 2; stop <= 7; stop++) sigtrap("continue", "--as", "claude")
        const opened = yield* Chromium.browser
        for (const width of [1280, 768, 360]) {
          const { page } = yield* Chromium.open(opened, sigtrap("web", "--print", "--session", "app").trim(), {
            viewport: { width, height: 760 }
          })
          /** Where the parts are that must not move. */
          const places = () =>
            Effect.promise(() =>
              page.evaluate(() =>
                [".sessionButton", ".lease", "#variables", "#stack", ".phoneRun .button", ".pill.now"].map((part) => {
                  const { height, width: wide, x, y } = document.querySelector(part)?.getBoundingClientRect() ?? {}
                  return [part, x, y, wide, height].join(" ")
                })
              )
            )
          yield* shows(page, ".line.current .number", "5")
          if (width === 360) yield* press(page, "Alt+3")
          yield* shows(page, "#variables .statics .row.value", "visits")
          const before = yield* places()
          yield* Effect.promise(() => page.locator("#variables .opener svg").first().click())
          yield* shows(page, "#variables .row.value[aria-level='2']", "rate")
          assert.deepStrictEqual(yield* places(), before, `a value opened at ${width}`)
          yield* press(page, "Alt+3", "t")
          yield* shows(page, ".lease", "you drive")
          assert.deepStrictEqual(yield* places(), before, `control taken at ${width}`)
          sigtrap("continue", "--as", "claude")
          yield* shows(page, ".notice", "refused")
          assert.deepStrictEqual(yield* places(), before, `an agent refused at ${width}`)
          yield* press(page, "t")
          yield* shows(page, ".lease", "agent drives")
          yield* Effect.promise(() => page.context().close())
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "moves nothing at each width while the stack and the variables get longer and shorter",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "calls.cpp"), calls)
        execFileSync(compilerOf("calls.cpp"), [...flags, "calls.cpp", "-o", "calls"], { cwd: folder })
        const opened = yield* Chromium.browser
        for (const [width, panel] of [
          [1280, "Source"],
          [768, "Source"],
          [360, "Source"],
          [360, "Stack"]
        ] as const) {
          sigtrap("start", "./calls", "--break", "calls.cpp:14", "--session", "app", "--replace")
          const url = sigtrap("web", "--print", "--session", "app").trim()
          const { page } = yield* Chromium.open(opened, url, { viewport: { width, height: 760 } })
          yield* shows(page, ".pill.now", "1")
          if (width === 360) yield* Effect.promise(() => page.locator(".phoneTabs button", { hasText: panel }).click())
          else yield* shows(page, "#variables .statics .row.value", "visits")
          if (panel === "Source") yield* shows(page, "#source .line.current .number", "14")
          else yield* shows(page, "#stack .folded", "of the C library")
          yield* Effect.promise(() => page.evaluate(recordShifts))
          let stop = 1
          for (const [command, functionName] of [
            ["next", "add"],
            ["step", "helper"],
            ["step", "deeper"],
            ["next", "deeper"],
            ["next", "deeper"],
            ["finish", "helper"],
            ["finish", "add"],
            ["next", "add"],
            ["next", "add"],
            ["next", "main"]
          ] as const) {
            sigtrap(command, "--session", "app", "--as", "claude")
            stop += 1
            yield* shows(page, ".pill.now b", `${stop}`)
            yield* shows(page, ".sentence", functionName)
            if (panel === "Source") yield* shows(page, "#source .line.current", "here")
            else yield* shows(page, "#stack .row.frame.chosen", functionName)
          }
          assert.deepStrictEqual(
            yield* Effect.promise(() => page.evaluate("globalThis.shifts")),
            [],
            `${panel} at ${width}`
          )
          yield* Effect.promise(() => page.context().close())
        }
      }).pipe(Effect.scoped),
    180_000
  )
})
