// Programs in C++ on the page in a real browser: classes, containers and templates, and eight threads; with the mouse, with the keyboard
// only, and with a finger on a phone. What is shown is compared with the source of the program and with GDB.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { compilerOf, flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const fixtures = fileURLToPath(new URL("../../fixtures/page", import.meta.url))

/** Returns a place by the mark in its source: `shop.cpp:58`. */
const marked = (name: string, mark: string): string => {
  const lines = readFileSync(join(fixtures, `${name}.cpp`), "utf8").split("\n")
  return `${name}.cpp:${lines.findIndex((line) => line.includes(`mark: ${mark}`)) + 1}`
}

/** A program that stopped at a mark, and its page. */
const stoppedAt = (name: string, mark: string, options = {}) =>
  Effect.gen(function* () {
    const machine = yield* Chromium.machine
    copyFileSync(join(fixtures, `${name}.cpp`), join(machine.folder, `${name}.cpp`))
    execFileSync(compilerOf(`${name}.cpp`), [...flags, `${name}.cpp`, "-o", name], { cwd: machine.folder })
    machine.sigtrap("start", `./${name}`, "--break", marked(name, mark), "--session", name)
    const url = machine.sigtrap("web", "--print", "--session", name, "--allow", "evaluate,write").trim()
    const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url, options)
    yield* shows(page, "#state", "Stopped")
    yield* shows(page, ".line.current .number", marked(name, mark).split(":")[1] ?? "")
    return { ...machine, messages, page }
  })

/** Returns the rows of the variables: name, type and value. Chromium does not always put line breaks into the text of a whole row. */
const values = (page: Page) =>
  Effect.promise(() =>
    page
      .locator("#variables .row.value")
      .evaluateAll((rows) =>
        rows.map((row) =>
          [".name", ".type", ".valueText"].map((part) => row.querySelector(part)?.textContent?.trim() ?? "")
        )
      )
  )

const valueOf = (rows: ReadonlyArray<ReadonlyArray<string>>, name: string): string =>
  rows.find(([first]) => first === name)?.[2] ?? "not shown"

/** Opens a value with the mouse. */
const openValue = (page: Page, name: string) =>
  Effect.promise(() =>
    page
      .locator("#variables .row.value")
      .filter({ has: page.locator(".name", { hasText: new RegExp(`^${name}$`) }) })
      .first()
      .locator(".opener")
      .click()
  )

const button = (page: Page, name: string) =>
  Effect.promise(() =>
    page
      .getByRole("button", { name: new RegExp(`^${name}`) })
      .first()
      .click()
  )

/** Returns what GDB prints for expressions at a place. */
const gdb = (folder: string, program: string, place: string, expressions: ReadonlyArray<string>) =>
  execFileSync(
    "gdb",
    [
      "-nx",
      "-batch",
      "-ex",
      `break ${place}`,
      "-ex",
      "run",
      ...expressions.flatMap((one) => ["-ex", `output ${one}`, "-ex", "echo \\n"]),
      program
    ],
    { cwd: folder, encoding: "utf8" }
  )
    .trimEnd()
    .split("\n")
    .slice(-expressions.length)

describe.runIf(isPresent(Chromium.program, {}))("a program in C++ on the page", () => {
  it.live(
    "shows classes, containers and templates as the source and GDB have them",
    () =>
      Effect.gen(function* () {
        const { folder, messages, page, sigtrap } = yield* stoppedAt("shop", "print")
        yield* openValue(page, "cart")
        yield* openValue(page, "items")
        yield* openValue(page, "counts")
        yield* openValue(page, "prices")
        // The previews of the opened values have these words before their rows are there.
        yield* shows(page, "#variables .row.value", "rate_:0.25")
        yield* shows(page, "#variables .row.value", '{"coffee":3}')
        yield* Effect.promise(() => page.locator("#variables .row.value .name", { hasText: /^low$/ }).first().waitFor())
        const rows = yield* values(page)
        assert.strictEqual(valueOf(rows, "best"), "9")
        assert.strictEqual(valueOf(rows, "sum"), "17")
        assert.match(valueOf(rows, "numbers"), /^3 \{3, ?9, ?4\}$/)
        assert.strictEqual(valueOf(rows, "low"), "2.5")
        assert.strictEqual(valueOf(rows, "high"), "4")
        const text = rows.map((row) => row.join(" ")).join("\n")
        for (const part of ['{"café <b>au lait</b>":1}', '{"coffee":3}', '{"tea":2}', 'name_:"coffee"', "rate_:0.25"])
          assert.include(text, part)
        if (isPresent("gdb", { PATH: process.env["PATH"] ?? "" })) {
          assert.deepStrictEqual(
            gdb(folder, "./shop", marked("shop", "print"), ["best", "sum", "cart.prices.low", "cart.prices.high"]),
            ["9", "17", "2.5", "4"]
          )
        }
        // A method of a class that overrides another one, from a breakpoint that is set with the mouse.
        const [, line] = marked("shop", "virtual").split(":")
        yield* Effect.promise(() => page.locator(".lines").evaluate((element) => element.scrollTo(0, 0)))
        yield* Effect.promise(() => page.locator(`#line-${line ?? ""} .sign`).click())
        yield* shows(page, ".row.breakpoint", marked("shop", "virtual"))
        sigtrap("breakpoint", "remove", "1", "--session", "shop")
        yield* button(page, "Restart")
        yield* shows(page, ".sentence", `Discounted::cost at ${marked("shop", "virtual")}`)
        yield* shows(page, "#stack .row.frame", "total")
        yield* shows(page, "#variables .row.value", "whole")
        const inside = yield* values(page)
        assert.deepStrictEqual([valueOf(inside, "count"), valueOf(inside, "whole")], ["3", "12"])
        // The frame of a caller, and its values.
        yield* Effect.promise(() => page.locator("#stack .row.frame", { hasText: "total" }).click())
        yield* shows(page, "#variables", "total, frame 1")
        yield* Effect.promise(() => page.locator("#variables .row.value .name", { hasText: /^sum$/ }).first().waitFor())
        assert.strictEqual(valueOf(yield* values(page), "sum"), "5")
        // An instance of a template is named without its types of return and parameters.
        sigtrap("breakpoint", "remove", "all", "--session", "shop")
        sigtrap("break", marked("shop", "template"), "--session", "shop")
        yield* button(page, "Restart")
        yield* shows(page, ".sentence", `largest<int> at ${marked("shop", "template")}`)
        assert.strictEqual(valueOf(yield* values(page), "best"), "3")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "opens its containers with the keyboard only",
    () =>
      Effect.gen(function* () {
        const { messages, page } = yield* stoppedAt("shop", "print")
        yield* shows(page, "#variables .row.value", "cart")
        yield* press(page, "Alt+3")
        const focused = () =>
          Effect.promise(() =>
            page.evaluate(
              "document.activeElement.matches('.row') && document.activeElement.querySelector('.name').textContent"
            )
          )
        while ((yield* focused()) !== "cart") yield* press(page, "ArrowDown")
        yield* press(page, "ArrowRight")
        yield* shows(page, "#variables .row.value", "counts")
        while ((yield* focused()) !== "counts") yield* press(page, "ArrowDown")
        yield* press(page, "ArrowRight")
        yield* shows(page, "#variables .row.value", '{"tea":2}')
        yield* press(page, "Alt+1")
        yield* Effect.promise(() => page.keyboard.type("cart.prices.high"))
        yield* press(page, "Enter")
        yield* shows(page, ".answered", "4 double")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  const inEachThread = (page: Page, sigtrap: (...words: ReadonlyArray<string>) => string, act: "click" | "tap") =>
    Effect.gen(function* () {
      const found: Array<string> = []
      for (let at = 0; at < 9; at++) {
        const group = page.locator("#stack .threads > li").nth(at)
        const row = group.locator(".row.thread")
        if ((yield* Effect.promise(() => row.getAttribute("aria-expanded"))) === "false")
          yield* Effect.promise(() => row[act]())
        const frame = group.locator(".row.frame", { hasText: /work|main/ }).first()
        const [index = "", name] = (yield* Effect.promise(() => frame.innerText())).trim().split(/\s+/)
        if (name === "main") continue
        const [thread = ""] = (yield* Effect.promise(() => row.innerText())).trim().split(/\s+/)
        const words = ["print", "number", "--thread", thread, "--frame", index, "--session", "crowd"]
        const said = /number = (\d+)/.exec(sigtrap(...words))?.[1] ?? "no number"
        yield* Effect.promise(() => frame[act]())
        if (act === "tap") yield* Effect.promise(() => page.getByRole("button", { name: "Values", exact: true }).tap())
        const value = page
          .locator("#variables .row.value")
          .filter({ hasText: new RegExp(`^\\s*number\\s*int\\s*${said}\\b`) })
        yield* Effect.promise(() => value.first().waitFor({ timeout: 30_000 }))
        if (act === "tap") yield* Effect.promise(() => page.getByRole("button", { name: "Stack", exact: true }).tap())
        found.push(said)
      }
      return found.toSorted().join(" ")
    })

  it.live(
    "has a stack and values for each of its threads, and counts its hits",
    () =>
      Effect.gen(function* () {
        const { messages, page, sigtrap } = yield* stoppedAt("crowd", "add")
        yield* shows(page, "#stack .note", "9, all stopped")
        assert.strictEqual(yield* inEachThread(page, sigtrap, "click"), "0 1 2 3 4 5 6 7")
        // Each of the eight threads passes the line three times; several can stop together.
        while (sigtrap("continue", "--session", "crowd").includes("stopped #")) {}
        yield* shows(page, "#state", "Ended")
        const listed = /hits (\d+)/.exec(sigtrap("breakpoint", "list", "--session", "crowd"))?.[1]
        assert.strictEqual(listed, "24")
        yield* shows(page, ".row.breakpoint", "24 hits")
        yield* Effect.promise(() => page.getByRole("tab", { name: "Output" }).click())
        yield* shows(page, ".outputLine", "sum=168")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "has its threads on a phone",
    () =>
      Effect.gen(function* () {
        const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }
        const { messages, page, sigtrap } = yield* stoppedAt("crowd", "add", phone)
        yield* Effect.promise(() => page.getByRole("button", { name: "Stack", exact: true }).tap())
        assert.strictEqual(yield* inEachThread(page, sigtrap, "tap"), "0 1 2 3 4 5 6 7")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    180_000
  )
})
