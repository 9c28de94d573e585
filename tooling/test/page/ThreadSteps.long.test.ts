// A step while another thread than the stopped one is shown, in a real browser: the shown thread makes it.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

/** Two threads that run in functions of their own. */
const source = `#include <pthread.h>
static volatile int ready;
static volatile long first_turns, second_turns;
static void *first(void *arg) {
  for (;;) {
    first_turns++;
    if (ready) first_turns--;
  }
  return arg;
}
static void *second(void *arg) {
  ready = 1;
  for (;;) {
    second_turns++;
    if (!ready) second_turns--;
  }
  return arg;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[1], 0, second, 0);
  while (!ready) continue;
  pthread_create(&threads[0], 0, first, 0);
  return pthread_join(threads[0], 0);
}
`

/** A function that takes an hour. */
const slow = `#include <unistd.h>
static int slow(void) { for (int i = 0; i < 3600; i++) sleep(1); return 0; }
int main(void) { return slow(); }
`

describe.runIf(isPresent(Chromium.program, {}))("a step on the page", () => {
  it.live(
    "is one of the shown thread",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "turns.c"), source)
        execFileSync("cc", [...flags, "-pthread", "turns.c", "-o", "turns"], { cwd: folder })
        sigtrap("start", "./turns", "--break", "turns.c:7", "--session", "app")
        sigtrap("breakpoint", "remove", "all", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".sentence", "first at turns.c:7")
        const row = page.locator("#stack .row.thread", { hasText: "in second" })
        const thread = /\d{2,}/.exec(yield* Effect.promise(() => row.innerText()))?.[0] ?? ""
        yield* Effect.promise(() => row.click())
        yield* Effect.promise(() => page.locator("#stack .row.frame", { hasText: "second" }).click())
        yield* shows(page, "#variables header", "second, frame 0")
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "n")
        yield* shows(page, ".pill.now", "2 step")
        yield* shows(page, ".sentence", "second at turns.c:")
        yield* shows(page, ".command", `sigtrap next --thread ${thread} --session app`)
        assert.include(sigtrap("status", "--session", "app"), "#2 step")
        // The next one is in the same thread.
        yield* press(page, "n")
        yield* shows(page, ".pill.now", "3 step")
        yield* shows(page, ".sentence", "second at turns.c:")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "says what the function returned that it has left, for each client that makes it",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "sum_scores", "--session", "app", "--as", "claude")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        sigtrap("finish", "--session", "app", "--as", "claude")
        yield* shows(page, ".sentence", /^finish, returned 60 · main at app\.c:26 · after “finish” by agent$/)
        sigtrap("restart", "--session", "app", "--as", "claude")
        yield* shows(page, ".pill.now", "3 breakpoint 1")
        yield* press(page, "Alt+2", "f")
        yield* shows(page, ".sentence", /^finish, returned 60 · main at app\.c:26 · after “finish” by you$/)
        // It is of this stop only.
        yield* press(page, "n")
        yield* shows(page, ".sentence", /^step · main at app\.c:27/)
        yield* press(page, "[")
        yield* shows(page, ".sentence", "finish, returned 60 · main")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "that still runs when the connection is lost says nothing beside the banner",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "slow.c"), slow)
        execFileSync("cc", [...flags, "slow.c", "-o", "slow"], { cwd: folder })
        sigtrap("start", "./slow", "--break", "slow", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        yield* press(page, "Alt+2", "f")
        yield* shows(page, "#state", "Running")
        const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/v1/finish"))
        sigtrap("daemon", "stop", "--force")
        yield* Effect.promise(() => failed)
        yield* shows(page, ".banner", "Connection lost at")
        assert.deepStrictEqual(yield* Effect.promise(() => page.locator(".notice").allInnerTexts()), [])
      }).pipe(Effect.scoped),
    120_000
  )
})
