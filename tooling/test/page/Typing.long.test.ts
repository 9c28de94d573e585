// What a person writes while the program stops, in a real browser: it stays where it is written, and no letter of it acts as a command.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const files = {
  "main.c":
    "int other(int n);\nint main(void) {\n  int count = 1;\n  count += other(count);\n  count += other(count);\n  return count;\n}\n",
  "other.c": "int other(int n) {\n  int twice = n * 2;\n  twice += 1;\n  return twice;\n}\n"
}

/** What has the focus: its name, and the text of a field. */
const focused = (page: Page) =>
  Effect.promise(() =>
    page.evaluate<string>(
      "`${document.activeElement.closest('label')?.textContent ?? document.activeElement.getAttribute('aria-label')}: ${document.activeElement.value}`"
    )
  )

/** Writes letters as a person does. */
const write = (page: Page, text: string) => Effect.promise(() => page.keyboard.type(text, { delay: 20 }))

const stops = (sigtrap: (...words: ReadonlyArray<string>) => string) =>
  Number(/#(\d+)/.exec(sigtrap("status", "--session", "app"))?.[1])

/** A program of two files that is stopped in the first one, and its page. */
const started = Effect.gen(function* () {
  const { folder, sigtrap } = yield* Chromium.machine
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  execFileSync("cc", [...flags, ...Object.keys(files), "-o", "app"], { cwd: folder })
  sigtrap("start", "./app", "--break", "main.c:4", "--session", "app")
  const url = sigtrap("web", "--print", "--session", "app", "--allow", "evaluate,write").trim()
  const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
  yield* shows(page, ".line.current .number", "4")
  return { messages, page, sigtrap }
})

describe.runIf(isPresent(Chromium.program, {}))("what is written while the program stops", () => {
  it.live(
    "stays in the editor of a breakpoint, and the source follows the stop once it is closed",
    () =>
      Effect.gen(function* () {
        const { messages, page, sigtrap } = yield* started
        yield* Effect.promise(() =>
          page.getByRole("button", { name: "Set a breakpoint on line 6" }).click({ button: "right" })
        )
        yield* write(page, "of line 6")
        // The editor of another line is another one.
        yield* Effect.promise(() =>
          page.getByRole("button", { name: "Set a breakpoint on line 5" }).click({ button: "right" })
        )
        assert.strictEqual(yield* focused(page), "Stop when: ")
        yield* Effect.promise(() =>
          page.getByRole("button", { name: "Set a breakpoint on line 6" }).click({ button: "right" })
        )
        yield* write(page, "cou")
        sigtrap("step", "--session", "app", "--as", "claude")
        yield* shows(page, ".unseen", "Stopped after a step, other.c:2")
        yield* write(page, "nt > 3")
        assert.strictEqual(yield* focused(page), "Stop when: count > 3")
        assert.strictEqual(stops(sigtrap), 2)
        // Another stop, twice Enter: one breakpoint where it was asked for.
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, ".pill.now", "3")
        yield* press(page, "Enter", "Enter")
        yield* shows(page, "#breakpoints li", "2 main.c:6")
        yield* shows(page, "#source [role=tab]", "other.c")
        yield* shows(page, ".line.current .number", "3")
        const list = sigtrap("breakpoint", "list", "--session", "app")
        assert.match(list, /^2 .*main\.c:6 .*if count > 3$/m)
        assert.notMatch(list, /^3 /m)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "sets no value of another stop without asking, and acts as no command when its field has gone",
    () =>
      Effect.gen(function* () {
        const { messages, page, sigtrap } = yield* started
        sigtrap("break", "other.c:3", "--session", "app")
        sigtrap("continue", "--session", "app", "--as", "claude")
        yield* shows(page, "#variables .row[data-path=twice] .valueText", "2")
        const edit = Effect.gen(function* () {
          yield* Effect.promise(() => page.locator("#variables .row[data-path=twice]").focus())
          yield* press(page, "m", "ArrowUp", "Enter")
          yield* Effect.promise(() => page.locator(".setValue").waitFor())
        })
        yield* edit
        yield* write(page, "4")
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, ".line.current .number", "4")
        assert.strictEqual(yield* focused(page), "New value of twice: 4")
        yield* press(page, "Enter")
        yield* shows(
          page,
          ".notice",
          "The program has stopped again: twice is 3 at stop 3. Press Enter to set twice there."
        )
        assert.match(sigtrap("print", "twice", "--session", "app"), /\b3\b/)
        yield* press(page, "Enter")
        yield* shows(page, "#variables .row[data-path=twice] .valueText", "4")
        yield* edit
        yield* write(page, "n")
        sigtrap("finish", "--session", "app", "--as", "claude")
        yield* shows(page, ".pill.now", "4")
        yield* shows(page, "#variables .row.value", "count")
        yield* write(page, " + ncs")
        assert.strictEqual(stops(sigtrap), 4)
        // They are commands again after another key.
        yield* press(page, "Alt+2", "n")
        yield* shows(page, ".pill.now", "5")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "stays in the line for the input of the program, also when it could not be sent",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        copyFileSync(fileURLToPath(new URL("../../fixtures/c/loop.c", import.meta.url)), join(folder, "loop.c"))
        execFileSync("cc", [...flags, "loop.c", "-o", "loop"], { cwd: folder })
        sigtrap("start", "./loop", "--no-wait", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#state", "Running")
        yield* Effect.promise(() => page.getByRole("tab", { name: /^Output/ }).click())
        yield* Effect.promise(() => page.getByLabel("Line for the input of the program").focus())
        yield* write(page, "two ")
        sigtrap("pause", "--session", "app", "--as", "claude")
        yield* shows(page, "#state", "Stopped")
        yield* write(page, "words")
        assert.strictEqual(yield* focused(page), "Line for the input of the program: two words")
        yield* Effect.promise(() => page.route("**/v1/input", (route) => route.abort()))
        yield* press(page, "Enter")
        yield* shows(page, ".notice", /./)
        assert.strictEqual(yield* focused(page), "Line for the input of the program: two words")
      }).pipe(Effect.scoped),
    120_000
  )
})
