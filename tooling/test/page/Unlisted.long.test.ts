// Frames that LLDB does not find, in a real browser: gcc splits `run` into a hot and a cold part, where an assertion fails. The callers and
// their variables are read with the call frame information. The page says that their registers are unknown.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const source = `#include <cassert>
#include <cstdlib>
#include <map>
#include <string>
static int counted = 3;
int prices[3] = {1, 2, 3};
__attribute__((noinline)) int run(std::map<int, std::string> &all, int mode) {
  int s = prices[mode % 3] - counted++;
  std::string why = "mode" + std::to_string(mode);
  for (auto &[id, name] : all) {
    assert(mode != 2 || id < 2);
    s += (int)name.size();
  }
  return s + (int)why.size();
}
int main(int argc, char **argv) {
  std::map<int, std::string> all;
  int mode = argc > 1 ? atoi(argv[1]) : 0;
  for (int i = 0; i < 4; i++) all[i] = "order" + std::to_string(i);
  return run(all, mode);
}
`

const raised = `#include <signal.h>
static void ignore(int number) { (void)number; }
static int twice(int n) {
  raise(SIGUSR1);
  return 2 * n;
}
int main(void) {
  signal(SIGUSR1, ignore);
  int n = twice(4);
  return n - 8;
}
`

describe.runIf(isPresent(Chromium.program, {}))("a frame that the debugger does not find", () => {
  it.live(
    "says the same of it on a phone, under the command line of LLDB, and at a past stop shows no memory of another one",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "orders.cpp"), source)
        execFileSync("cc", ["-std=c++17", "-g", "-O2", "orders.cpp", "-lstdc++", "-o", "orders"], { cwd: folder })
        sigtrap("start", "./orders", "--backend", "lldb-cli", "--break", "run", "--session", "app", "--", "2")
        sigtrap("continue", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const viewport = { width: 360, height: 760 }
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport })
        const panel = (name: string) =>
          Effect.promise(() => page.locator(".phoneTabs button", { hasText: name }).click())
        const tab = (name: string) => Effect.promise(() => page.getByRole("tab", { name }).first().click())
        yield* shows(page, "#state", "Crashed")
        yield* panel("Values")
        yield* shows(page, "#variables .row.value", '"mode2"')
        yield* shows(page, ".statics .row.value", "{1, 2, 3}")
        yield* panel("Console")
        yield* tab("Registers")
        yield* shows(page, "#lower", "The debugger does not find this frame, so its registers are unknown.")
        yield* tab("Memory")
        yield* Effect.promise(() => page.getByLabel("Address or expression").fill("$pc"))
        yield* press(page, "Enter")
        yield* Effect.promise(() => page.locator(".memory .bytes, .memory .empty").first().waitFor())
        yield* Effect.promise(() => page.locator(".pill").first().click())
        yield* shows(page, "#state", "Past stop 1")
        yield* shows(page, ".memory .empty", "Memory was not read at this stop.")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".memory .bytes").count()), 0)
        yield* panel("Values")
        yield* shows(page, "#variables .row.value", "mode")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "has its variables and no registers on the page",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "orders.cpp"), source)
        execFileSync("cc", ["-std=c++17", "-g", "-O2", "orders.cpp", "-lstdc++", "-o", "orders"], { cwd: folder })
        sigtrap("start", "./orders", "--session", "app", "--", "2")
        const url = sigtrap("web", "--print", "--session", "app", "--allow", "write").trim()
        const viewport = { width: 1920, height: 1080 }
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url, { viewport })
        const row = (name: string) => page.locator(".row.frame", { hasText: name })
        yield* shows(page, "#state", "Crashed")
        yield* shows(page, ".line.failed .number", "11")
        yield* shows(page, "#variables", "run, frame")
        yield* shows(page, "#variables .row.value", '"mode2"')
        // A variable of the file is evaluated in another frame.
        yield* shows(page, ".statics .row.value", "{1, 2, 3}")
        yield* shows(page, ".statics .row.value", "counted")
        yield* shows(page, "#registers", "The debugger does not find this frame, so its registers are unknown.")

        yield* Effect.promise(() => row("main").click())
        yield* shows(page, ".line.current .number", "20")
        yield* shows(page, "#variables", "main, frame")
        yield* shows(page, "#variables .row.value", "order3")
        yield* shows(page, ".statics .row.value", "{1, 2, 3}")

        // A name of another frame is not read.
        yield* press(page, "Alt+1")
        yield* Effect.promise(() => page.keyboard.type("why"))
        yield* press(page, "Enter")
        yield* shows(page, ".answered.problem", "this frame has no variable why")

        // A function without debug information may have variables too.
        yield* Effect.promise(() => page.locator("#stack .folded button").click())
        yield* Effect.promise(() => row("raise").click())
        yield* shows(page, "#variables .empty", "This function has no debug information, so its variables are unknown.")
        yield* shows(page, "#registers", "rip")
        yield* Effect.promise(() => row("run").first().click())
        yield* shows(page, "#variables .row.value", '"mode2"')

        // Its instructions and its memory are there.
        yield* Effect.promise(() => page.getByRole("tab", { name: "Disassembly" }).first().click())
        yield* shows(page, ".instructions .current", "")
        yield* Effect.promise(() => page.getByLabel("Address or expression").fill("&why"))
        yield* press(page, "Enter")
        yield* Effect.promise(() => page.locator(".memory .bytes").first().waitFor())

        // The last stop of a program that has ended shows the same values.
        sigtrap("continue", "--session", "app")
        yield* shows(page, "#state", "Ended")
        yield* shows(page, "#variables .note", "at stop 1, not live")
        yield* shows(page, "#variables .row.value", '"mode2"')
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})

describe.runIf(isPresent(Chromium.program, {}))("a frame of a library", () => {
  it.live(
    "is not named as the one whose values were kept at a past stop",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "raised.c"), raised)
        execFileSync("cc", ["-g", "raised.c", "-o", "raised"], { cwd: folder })
        assert.include(sigtrap("start", "./raised", "--break", "raised.c:9", "--session", "app"), "stopped #1")
        assert.include(sigtrap("continue", "--session", "app"), "SIGUSR1")
        sigtrap("finish", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".pill.now", "3")
        yield* Effect.promise(() => page.locator(".pill").nth(1).click())
        yield* shows(page, "#state", "Past stop 2")
        yield* shows(page, "#variables .row.value", "n")
        // Until the stop is read, the frames of the current one stay.
        yield* shows(page, "#stack .folded", /Values were kept for frame [1-9]\d* only\./)
        const [index = ""] = yield* Effect.promise(() => page.locator("#stack .frame.chosen .index").allInnerTexts())
        assert.notStrictEqual(index, "0")
        yield* shows(page, "#stack .folded", `Values were kept for frame ${index} only.`)
      }).pipe(Effect.scoped),
    120_000
  )
})
