// Text of a program, of a file and of another client that tries to become part of the page, in a real browser: markup, marks that turn
// the direction of a text, escape sequences and names of any length, in every panel. All of it stays text, and nothing is hidden.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const markup = `<img src=x onerror=globalThis.hit=1><script>globalThis.hit=2</script><b class=injected>`
const file = "<img src=x onerror=globalThis.hit=3>.py"

/** The program: its values, its output, its names and its exception are such texts. */
const program = [
  "import sys, threading",
  `MARKUP = ${JSON.stringify(markup)}`,
  'TURNED = "safe\\u202egnp.exe\\u2066 \\u200bhidden"',
  'ESCAPES = "\\x1b]0;title\\x07\\x1b[31m\\x9b2J"',
  `QUOTED = "it's '; exit 3; '"`,
  "class Holder:",
  "    def __repr__(self): return TURNED",
  "def stop(markup, turned, escapes, table, holder):",
  "    print(markup); print(turned); print(escapes, file=sys.stderr)",
  "    sys.stdout.flush()",
  "    return len(table), holder  # stopped",
  "holder = Holder()",
  'setattr(holder, "n" * 3000, "v" * 3000)',
  "setattr(holder, MARKUP, MARKUP)",
  "threading.current_thread().name = MARKUP + TURNED",
  "stop(MARKUP, TURNED, ESCAPES, {QUOTED: 1, MARKUP: TURNED, TURNED: ESCAPES}, holder)",
  "raise ValueError(MARKUP + TURNED + ESCAPES)"
]
const line = program.findIndex((text) => text.includes("# stopped")) + 1

/** What such a text did to the page; empty if it stayed text. */
const faults = `(() => {
  const found = []
  if (globalThis.hit !== undefined) found.push("a script ran")
  for (const element of document.querySelectorAll("#page img, #page script, #page iframe, .injected")) found.push(element.outerHTML)
  const hidden = /(?![\\n\\t\\r])[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]/u
  const walker = document.createTreeWalker(document.querySelector("#page"), NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  for (let node = walker.currentNode; node !== null; node = walker.nextNode()) {
    const texts = node.nodeType === 3 ? [node.data] : [node.title ?? "", node.getAttribute?.("aria-label") ?? ""]
    for (const text of texts) if (hidden.test(text)) found.push("hides: " + JSON.stringify(text.slice(0, 80)))
  }
  const wide = document.documentElement.scrollWidth - innerWidth
  if (wide > 0) found.push("scrolls sideways by " + wide)
  for (const row of document.querySelectorAll(".row")) {
    const { height } = row.getBoundingClientRect()
    if (height > 0 && height !== 24) found.push("a row of " + height + " pixels: " + row.className)
  }
  return found.join("\\n")
})()`

const check = (page: Page, where: string) =>
  Effect.promise(async () => assert.strictEqual(String(await page.evaluate(faults)), "", where))

describe.runIf(isPresent(Chromium.program, {}))("text that is not the page's own", () => {
  it.live(
    "stays text in every panel, with everything in it visible",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, file), `${program.join("\n")}\n`)
        const report = sigtrap(
          "start",
          file,
          "--break",
          `${file}:${line}`,
          "--session",
          "app",
          "--as",
          "<b class=injected>agent</b>"
        )
        assert.include(report, "stopped #1")
        sigtrap("print", "markup", "turned", "table", "--session", "app", "--as", "<b class=injected>agent</b>")
        const opened = yield* Chromium.browser
        const url = sigtrap("web", "--print", "--session", "app", "--allow", "evaluate,write,admin").trim()
        const { foreign, messages, page } = yield* Chromium.open(opened, url)
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".row.value", "onerror")
        yield* check(page, "stopped")

        for (const name of ["table", "holder"])
          yield* Effect.promise(() =>
            page.locator(".row.value[aria-level='1']", { hasText: name }).first().locator(".opener").click()
          )
        yield* shows(page, ".row.value[aria-level='2']", "nnnn")
        yield* check(page, "opened values")
        // The command that reads a value is one line of a shell, whatever the program calls the value.
        yield* Effect.promise(() => page.locator(".row.value[aria-level='2']", { hasText: "exit 3" }).first().click())
        yield* shows(page, ".footer .command", "exit 3")
        const command = yield* Effect.promise(() => page.locator(".footer .command").textContent())
        const words = execFileSync(
          "sh",
          ["-c", `sigtrap() { printf '%s|' "$#" "$@"; }; ${command?.replace("$ ", "")}`],
          {
            encoding: "utf8"
          }
        )
        assert.match(words, /^[46]\|print\|table\[.*exit 3.*\]\|(?:--frame\|.*\|)?--session\|app\|$/)
        yield* press(page, "Alt+3", "ArrowDown", "m")
        yield* shows(page, "[role=menuitem]:focus", "Watch this")
        yield* press(page, "Enter")
        yield* check(page, "a menu and Watch")

        yield* press(page, "Alt+1")
        for (const text of ["markup", "turned", "table", `'${markup}'`, "nosuch\u202eexe"]) {
          yield* Effect.promise(() => page.keyboard.insertText(text))
          yield* press(page, "Enter")
        }
        yield* shows(page, ".answered.problem", "nosuch")
        yield* check(page, "the console")
        yield* press(page, "Control+k")
        yield* Effect.promise(() => page.keyboard.insertText(file.slice(0, 4)))
        yield* check(page, "the palette")
        yield* press(page, "Escape")

        for (const name of ["Output", "Modules"]) {
          yield* Effect.promise(() => page.getByRole("tab", { name }).click())
          yield* check(page, name)
        }
        // A call that asks for consent shows the code as it is.
        const token = sigtrap("grant", "--tier", "observe,control", "--ask", "evaluate", "--print").trim()
        void fetch(new URL("/v1/eval", url), {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ session: "app", expression: `'${markup}' # \u202e harmless` })
        }).catch(() => undefined)
        yield* shows(page, ".askCard pre", "onerror")
        yield* check(page, "a call that asks")
        yield* Effect.promise(() => page.locator(".requests").click())
        yield* press(page, "n")

        // A condition and a message, and the exception.
        sigtrap("break", `${file}:${line + 5}`, "--if", `'${markup}' == ''`, "--session", "app")
        yield* shows(page, ".breakpointItem", "onerror")
        yield* check(page, "breakpoints")
        yield* press(page, "F8")
        yield* shows(page, "#state", "Crashed")
        yield* shows(page, ".failure", "onerror")
        yield* check(page, "the exception")
        yield* Effect.promise(() => page.getByRole("tab", { name: "Output" }).click())
        yield* shows(page, ".outputLine", "onerror")
        yield* check(page, "the output")
        yield* press(page, "Alt+2", "[")
        yield* shows(page, "#state", "Past stop")
        yield* check(page, "a past stop")
        yield* Effect.promise(() => page.locator(".sessionButton").click())
        yield* check(page, "the list of sessions")
        assert.deepStrictEqual(messages, [])
        assert.deepStrictEqual(foreign, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
