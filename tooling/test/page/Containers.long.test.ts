// A program in C++ with a map on the page, in a real browser: what no expression names is not taken for a variable of the same name,
// the constants of headers are not listed, a value is set, and watched expressions say why they cannot be read.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const source = `#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

static int counted = 3;

static int total(const std::map<std::string, std::vector<int>> &parts) {
  int sum = counted;
  for (const auto &[name, sizes] : parts) sum += (int)sizes.size();
  return sum;
}

int main() {
  std::map<std::string, std::vector<int>> parts{{"bolt", {4, 5}}, {"nut", {6}}};
  auto owner = std::make_shared<int>(counted);
  int first = 1;
  for (int round = 0; round < 3; round++)
    first += total(parts); // mark: loop
  return first + *owner;
}
`
const line = source.split("\n").findIndex((one) => one.includes("mark: loop")) + 1

describe.runIf(isPresent(Chromium.program, {}))("containers on the page", () => {
  it.live(
    "are not mistaken for variables, and values are set and watched",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "parts.cpp"), source)
        execFileSync("cc", ["-std=c++20", "-g", "-O0", "parts.cpp", "-lstdc++", "-o", "parts"], { cwd: folder })
        sigtrap("start", "./parts", "--break", `parts.cpp:${line}`, "--session", "app")
        sigtrap("continue", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app", "--allow", "write").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        const row = (name: string, level: number) =>
          page
            .locator(`#variables .row.value[aria-level="${level}"]`)
            .filter({ has: page.locator(`.name:text-is("${name}")`) })
            .first()
        const open = (name: string, level: number) =>
          Effect.promise(() => row(name, level).locator(".opener").first().click())
        yield* shows(page, ".sentence", "2nd hit")

        // The variable first has a past. The key of an element, which is called first too, has none, and no expression.
        yield* Effect.promise(() => row("first", 1).locator("button.pastLine").waitFor())
        yield* open("parts", 1)
        yield* open("[0]", 2)
        yield* shows(page, '#variables .row.value[aria-level="3"]', '"bolt"')
        assert.strictEqual(yield* Effect.promise(() => row("first", 3).locator("button.pastLine").count()), 0)
        yield* Effect.promise(() => row("first", 3).click({ button: "right" }))
        yield* shows(page, "[role=menu]", "Copy value")
        assert.deepStrictEqual(yield* Effect.promise(() => page.locator("[role=menuitem]").allInnerTexts()), [
          "Copy value"
        ])
        yield* press(page, "Escape")
        yield* Effect.promise(() => row("second", 3).click({ button: "right" }))
        yield* shows(page, "[role=menu]", 'parts["bolt"]')
        yield* press(page, "Escape")

        // Only what the file itself declares.
        yield* shows(page, ".statics .row.value", "counted")
        assert.deepStrictEqual(yield* Effect.promise(() => page.locator(".statics .name").allInnerTexts()), ["counted"])

        // The field replaces the value, and has the place of the buttons.
        yield* Effect.promise(() => row("first", 1).click({ button: "right" }))
        yield* Effect.promise(() => page.getByRole("menuitem", { name: "Set value" }).click())
        yield* Effect.promise(() => page.locator(".setValue").waitFor())
        assert.strictEqual(yield* Effect.promise(() => row("first", 1).locator(".valueTools").count()), 0)
        yield* Effect.promise(() => page.keyboard.type("40"))
        yield* press(page, "Enter")
        yield* shows(page, "#variables .row.value", "was 7")
        assert.include(yield* Effect.promise(() => row("first", 1).innerText()), "40")
        assert.include(sigtrap("print", "first", "--session", "app"), "40")

        // One expression that cannot be read says why; the focus goes back to the button.
        const watch = (expression: string) =>
          Effect.promise(async () => {
            await page.getByRole("button", { name: "Add an expression" }).click()
            await page.keyboard.type(expression)
            await page.keyboard.press("Enter")
          })
        yield* watch("total(parts)")
        yield* shows(page, ".row.watch", "was not evaluated, because it may change the program")
        assert.strictEqual(yield* Effect.promise(() => page.getByLabel("Expression to watch").count()), 0)
        const focused = yield* Effect.promise(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
        assert.include(String(focused), "Add an expression")
        yield* watch("absent")
        yield* shows(page, ".row.watch", "absent")
        yield* watch("first * 2")
        yield* shows(page, ".row.watch", "80")
        // What is inside a watched value is shown, and what it was at the stop before.
        yield* watch("parts")
        const opener = page.getByRole("button", { name: "What is inside parts" })
        yield* Effect.promise(() => opener.click())
        yield* shows(page, '#watch .row.value[aria-level="2"]', "[1]")
        sigtrap("continue", "--session", "app")
        yield* shows(page, ".row.watch", "was 80")
        assert.include(yield* Effect.promise(() => page.locator(".row.watch", { hasText: "first" }).innerText()), "92")
        yield* shows(page, '#watch .row.value[aria-level="2"]', "[1]")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
