// What a stop needs beside its reason, in a real browser: a value that changed without a report of its watchpoint, a condition that could not
// be evaluated, and the fault address of a stop, also after the program has moved on.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { marked } from "../support/fixtures.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const faults = `#include <signal.h>
#include <stdlib.h>
static int *place;
static void leave(int number) { exit(number == SIGSEGV ? 3 : 4); }
int main(void) {
  signal(SIGSEGV, leave);
  *place = 1;
  return 0;
}
`

describe.runIf(isPresent(Chromium.program, {}))("the notes of a stop", () => {
  it.live(
    "say which value changed without a report of its watchpoint, also when the stop is looked at again",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("received")
        sigtrap("start", "./received", "--break", `received.c:${marked("c/received.c", "first")}`, "--session", "app")
        sigtrap("watch", "number", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".pill.now", "1")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".stopNotes").count()), 0)
        sigtrap("next", "--session", "app")
        const words = "number changed from 0 to 41, but watchpoint 2 reported no write."
        yield* shows(page, ".stopNotes", words)
        sigtrap("next", "--session", "app")
        yield* shows(page, ".stopNotes", "number changed from 41 to 42")
        yield* Effect.promise(() => page.locator(".pill", { hasText: "2" }).first().click())
        yield* shows(page, "#state", "Past stop 2")
        yield* shows(page, ".stopNotes", words)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "say that a condition could not be evaluated, at the stops that it caused only",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app", "--allow", "evaluate").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".pill.now", "1")
        yield* Effect.promise(() => page.locator("#line-14 .sign").click({ button: "right" }))
        yield* Effect.promise(() => page.getByLabel("Stop when").fill("nosuch > 1"))
        yield* press(page, "Enter")
        yield* shows(page, ".breakpointItem", "when nosuch > 1")
        yield* shows(page, ".command", "sigtrap breakpoint edit 1 --condition 'nosuch > 1' --session app")
        // The answer warns of it before the program arrives there.
        const unknown = "Breakpoint 1: the debug information has no 'nosuch' there"
        yield* shows(page, ".notice.warning", unknown)
        yield* shows(page, ".breakpointItem .warning", unknown)
        sigtrap("continue", "--session", "app")
        yield* shows(page, ".pill.now", "2")
        yield* shows(page, ".stopNotes", "Condition error: breakpoint 1: use of undeclared identifier 'nosuch'.")
        sigtrap("next", "--session", "app")
        yield* shows(page, ".pill.now", "3")
        yield* Effect.promise(() => page.locator(".stopNotes").waitFor({ state: "detached" }))
        yield* Effect.promise(() => page.locator(".pill", { hasText: "2" }).first().click())
        yield* shows(page, ".stopNotes", "The program stopped because the condition could not be evaluated.")
        // Another condition has no such warning.
        yield* press(page, "Escape")
        yield* Effect.promise(() => page.locator("#line-14 .sign").click({ button: "right" }))
        yield* Effect.promise(() => page.getByLabel("Stop when").fill("total > 1"))
        yield* press(page, "Enter")
        yield* shows(page, ".breakpointItem", "when total > 1")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".breakpointItem .warning").count()), 0)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "say the fault address once, also of a past stop",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "faults.c"), faults)
        execFileSync("cc", [...flags, "faults.c", "-o", "faults"], { cwd: folder })
        sigtrap("start", "./faults", "--session", "app")
        sigtrap("break", "leave", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".failure .facts", "Fault address 0x0.")
        const title = page.locator(".failureTitle")
        assert.notInclude(yield* Effect.promise(() => title.innerText()), "0x0")
        sigtrap("continue", "--session", "app")
        yield* shows(page, ".pill.now", "2 breakpoint 1")
        yield* Effect.promise(() => page.locator(".pill", { hasText: "SIGSEGV" }).click())
        yield* shows(page, "#state", "Past stop 1")
        yield* shows(page, ".failure .facts", "Fault address 0x0.")
        assert.notInclude(yield* Effect.promise(() => title.innerText()), "0x0")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "say what changed at a watchpoint, also of a past stop",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        sigtrap("watch", "total", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".pill.now", "1")
        sigtrap("continue", "--session", "app")
        yield* shows(page, ".sentence", "watchpoint 2, total 0 → 10 · sum_scores at app.c:13")
        // A pill has the number only.
        assert.strictEqual(
          (yield* Effect.promise(() => page.locator(".pill.now").innerText())).replace("\n", " "),
          "2 watchpoint 2"
        )
        sigtrap("continue", "--session", "app")
        yield* shows(page, ".pill.now", "3")
        yield* Effect.promise(() => page.locator(".pill", { hasText: "2 watchpoint 2" }).click())
        yield* shows(page, "#state", "Past stop 2")
        yield* shows(page, ".sentence", "watchpoint 2, total 0 → 10")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
