// Where the focus is when the program stops in another file or in code without source, in a real browser: it stays in the source, so that
// the same keys continue to act.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const files = {
  "main.c": "int other(int n);\nint main(void) {\n  int n = other(1);\n  return n;\n}\n",
  "other.c": "int other(int n) {\n  n += 1;\n  return n;\n}\n"
}

describe.runIf(isPresent(Chromium.program, {}))("the focus in the source", () => {
  it.live(
    "stays there when another file or instructions take its place",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
        execFileSync("cc", [...flags, "main.c", "other.c", "-o", "app"], { cwd: folder })
        sigtrap("start", "./app", "--break", "main.c:3", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        const focused = () => Effect.promise(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
        yield* shows(page, ".line.current .number", "3")
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "s")
        yield* shows(page, "#source [role=tab]", "other.c")
        yield* shows(page, ".line.current .number", "2")
        assert.strictEqual(yield* focused(), "other.c, line 2")
        yield* press(page, "f")
        yield* shows(page, "#source [role=tab]", "main.c")
        yield* shows(page, ".pill.now", "3")
        assert.match(String(yield* focused()), /^main\.c, line/)
        // The function that called main has no source.
        yield* press(page, "f")
        yield* shows(page, "#source .card h3", "has no source here")
        yield* shows(page, ".instructions .current", "")
        assert.strictEqual(yield* focused(), "Instructions")
        yield* press(page, "[")
        yield* shows(page, "#state", "Past stop 3")
        yield* shows(page, ".line.past .number", "")
        assert.match(String(yield* focused()), /^main\.c, line/)
        yield* press(page, "Escape")
        yield* shows(page, "#state", "Stopped")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})

const calls = `static int part(int n) {
  int twice = n * 2;
  return twice;
}
int main(void) {
  int sum = 0;
  for (int i = 1; i < 20; i++) {
    sum += part(i);
  }
  return sum > 0;
}
`

describe.runIf(isPresent(Chromium.program, {}))("the focus in a list", () => {
  it.live(
    "stays at its row at each stop, and goes to another one when the row goes",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "calls.c"), calls)
        execFileSync("cc", [...flags, "calls.c", "-o", "calls"], { cwd: folder })
        sigtrap("start", "./calls", "--break", "calls.c:3", "--session", "app")
        sigtrap("break", "calls.c:8", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        const focused = () =>
          Effect.promise(() =>
            page.evaluate("document.activeElement.textContent.replaceAll(/\\s+/g, ' ').slice(0, 20)")
          )
        yield* shows(page, "#stack .row.frame.chosen", "part")
        // The letters act at each stop.
        yield* press(page, "Alt+5", "ArrowDown")
        assert.strictEqual(yield* focused(), "1maincalls.c:8")
        yield* press(page, "n")
        yield* shows(page, ".pill.now", "2")
        yield* shows(page, ".sentence", "calls.c:4")
        assert.strictEqual(yield* focused(), "1maincalls.c:8")
        yield* press(page, "c")
        yield* shows(page, ".pill.now", "3")
        yield* shows(page, "#stack .row.frame.chosen", "main")
        assert.strictEqual(yield* focused(), "0maincalls.c:8")
        yield* press(page, "c")
        yield* shows(page, ".pill.now", "4")
        yield* shows(page, "#stack .row.frame.chosen", "part")

        yield* press(page, "Alt+3", "ArrowDown")
        assert.strictEqual(yield* focused(), "nint2")
        yield* press(page, "c")
        yield* shows(page, ".pill.now", "5")
        yield* shows(page, "#variables .row.value", "sum")
        assert.isTrue(
          yield* Effect.promise(() => page.evaluate("document.activeElement.matches('#variables [role=tree]')"))
        )
        yield* press(page, "c")
        yield* shows(page, ".pill.now", "6")

        const remove = page.locator("#breakpoints").getByRole("button", { name: "Remove breakpoint" })
        yield* Effect.promise(() => remove.first().focus())
        yield* press(page, "Enter")
        yield* Effect.promise(() =>
          page.locator("#breakpoints").getByText("1 calls.c:3").waitFor({ state: "detached" })
        )
        assert.strictEqual(
          yield* Effect.promise(() => page.evaluate("document.activeElement.getAttribute('aria-label')")),
          "Remove breakpoint 2"
        )
        // A stop that gets older keeps the focus at its place in the row of stops.
        yield* Effect.promise(() => page.locator(".pill").first().focus())
        assert.strictEqual(yield* focused(), "2 step")
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, ".pill.now", "7")
        yield* Effect.promise(() => page.locator(".tick:focus").waitFor())

        // The focus that left a list is not fetched back.
        yield* Effect.promise(() => page.evaluate("document.activeElement.blur()"))
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, ".pill.now", "8")
        assert.strictEqual(yield* Effect.promise(() => page.evaluate("document.activeElement.tagName")), "BODY")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
