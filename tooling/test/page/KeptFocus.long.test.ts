// Where the focus is when the program stops in another file or in code without source, in a real browser: it stays in the source, so that
// the same keys go on.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../run/programs.ts"
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
