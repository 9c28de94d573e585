// Values with text from right to left in a real browser: where one has no room, its first word is in view and not its last one.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const source = `struct Text { const char *words; };
int main(void) {
  const char *greeting = "שלום אחת שתיים שלוש ארבע חמש שש שבע שמונה תשע עשר סוף";
  struct Text text = {greeting};
  return greeting[0] + text.words[0];
}
`

/** Returns whether the first word and the last one are visible in an element, by the places of their letters. */
const seen = (element: Element): ReadonlyArray<boolean> => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const box = element.getBoundingClientRect()
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent ?? ""
    if (!text.includes("שלום")) continue
    return ["שלום", "סוף"].map((word) => {
      const at = text.indexOf(word)
      if (at === -1) return false
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + word.length)
      const { bottom, left, right, top } = range.getBoundingClientRect()
      return left >= box.left - 1 && right <= box.right + 1 && top >= box.top - 2 && bottom <= box.bottom + 2
    })
  }
  return []
}

describe.runIf(isPresent(Chromium.program, {}))("a value with text from right to left", () => {
  it.live(
    "shows its first word where it has no room, also inside another value",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "words.c"), source)
        execFileSync("cc", [...flags, "words.c", "-o", "words"], { cwd: folder })
        sigtrap("start", "./words", "--break", "words.c:5", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#variables .valueText", "שלום")
        yield* shows(page, ".line .inline", "שלום")
        yield* Effect.promise(() => page.locator("#console").fill("greeting"))
        yield* press(page, "Enter")
        yield* shows(page, ".answered", "שלום")
        for (const selector of ["#variables .valueText", ".line .inline", ".entry .answered"]) {
          const all = yield* Effect.promise(() => page.locator(selector).filter({ hasText: "שלום" }).all())
          assert.isAtLeast(all.length, 1, selector)
          for (const one of all) {
            const [first] = yield* Effect.promise(() => one.evaluate(seen))
            assert.isTrue(first, `${selector}: ${yield* Effect.promise(() => one.innerText())}`)
          }
        }
        const [, last] = yield* Effect.promise(() => page.locator("#variables .valueText").first().evaluate(seen))
        assert.isFalse(last)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
