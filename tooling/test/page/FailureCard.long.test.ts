// A crash near the end of a file, in a real browser: the card below its line is inside of the view, also where the text was scrolled to its end
// before, and Activity names the signal at the end of a run of steps.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const lines = Array.from({ length: 24 }, (_, at) => `  total += ${at};`).join("\n")
const source = `int main(void) {
  volatile int total = 0;
  volatile int *nothing = 0;
${lines}
  *nothing = total;
  return 0;
}
`

describe.runIf(isPresent(Chromium.program, {}))("the card of a crash", () => {
  it.live(
    "is in view below its line",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "end.c"), source)
        execFileSync("cc", [...flags, "end.c", "-o", "end"], { cwd: folder })
        sigtrap("start", "./end", "--break", "end.c:25", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".line.current .number", "25")
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        for (const stop of [2, 3, 4]) {
          yield* press(page, "n")
          yield* shows(page, ".pill.now", `${stop} step`)
        }
        yield* shows(page, ".line.current .number", "28")
        yield* press(page, "n")
        yield* shows(page, ".failure", "SIGSEGV")
        yield* Effect.promise(() =>
          page.waitForFunction(
            "document.querySelector('.failure').getBoundingClientRect().bottom <= document.querySelector('#source .lines').getBoundingClientRect().bottom"
          )
        )
        yield* shows(page, ".row.activity", "next 4 times → stop 5 · SIGSEGV")
        // It begins below the text of the line, also where the gutter has room for a word.
        for (const forcedColors of ["none", "active"] as const) {
          yield* Effect.promise(() => page.emulateMedia({ forcedColors }))
          const [card, text] = yield* Effect.promise(() =>
            Promise.all(
              [".failure", ".line.failed .text > span"].map((part) => page.locator(part).first().boundingBox())
            )
          )
          assert.strictEqual(card?.x, text?.x, forcedColors)
        }
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "says of a null pointer without a name what it is, once",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "null.c"), "int main(void) {\n  *(volatile int *)0 = 1;\n  return 0;\n}\n")
        execFileSync("cc", [...flags, "null.c", "-o", "null"], { cwd: folder })
        assert.include(sigtrap("start", "./null", "--session", "app"), "the pointer is NULL")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".failure .facts", "Fault address 0x0. The pointer is NULL. The program has not received")
      }).pipe(Effect.scoped),
    120_000
  )
})
