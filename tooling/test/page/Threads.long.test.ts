// A program with more threads than the page reads at a stop, in a real browser: all are counted, those that were not read are shown on request,
// and a line at which many are names only some.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

/** 120 threads that hold until each other one has come, and stay. */
const source = `#include <pthread.h>
static pthread_barrier_t all;
static volatile int stay = 1;
static void *work(void *unused) {
  pthread_barrier_wait(&all);
  while (stay) {}
  return unused;
}
int main(void) {
  pthread_t threads[120];
  pthread_barrier_init(&all, 0, 122);
  for (int i = 0; i < 120; i++) pthread_create(&threads[i], 0, work, 0);
  return 0;
}
`

/** Three threads that stay on one line once all of them run. */
const spinning = `#include <pthread.h>
static volatile int ready, one;
static void started(void) {}
static void *work(void *arg) {
  int number = 0, other = __sync_fetch_and_add(&ready, 1);
  for (;;) number += one + other;
  return arg;
}
int main(void) {
  pthread_t threads[3];
  for (int at = 0; at < 3; at++) pthread_create(&threads[at], 0, work, 0);
  while (ready < 3) continue;
  started();
  return pthread_join(threads[0], 0);
}
`

/** Two threads that stay on one line, and a main thread that stops before and after a time. */
const waiting = spinning
  .replace("<pthread.h>", "<pthread.h>\n#include <unistd.h>")
  .replaceAll("3;", "2;")
  .replace("< 3)", "< 2)")
  .replace("  started();", "  started();\n  sleep(3);\n  started();")

describe.runIf(isPresent(Chromium.program, {}))("many threads on the page", () => {
  it.live(
    "keep their places at their lines while the program runs",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "waits.c"), waiting)
        execFileSync("cc", [...flags, "-pthread", "waits.c", "-o", "waits"], { cwd: folder })
        sigtrap("start", "./waits", "--break", "started", "--session", "app")
        const opened = yield* Chromium.browser
        const url = () => sigtrap("web", "--print", "--session", "app").trim()
        // A narrow window has the threads below their line, where they would move the lines after it.
        const { messages, page } = yield* Chromium.open(opened, url(), { viewport: { width: 360, height: 760 } })
        const beside = yield* Chromium.open(opened, url())
        yield* shows(page, ".noteBelow:not(.old)", "threads 2, 3 are here")
        yield* shows(beside.page, ".frameNote:not(.old)", "threads 2, 3 are here")
        const tops = () =>
          Effect.promise(() =>
            page.locator(".line").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
          )
        const before = yield* tops()
        sigtrap("continue", "--no-wait", "--session", "app")
        yield* shows(page, "#state", "Running")
        yield* shows(page, ".noteBelow.old", "threads 2, 3 are here")
        yield* shows(beside.page, ".frameNote.old", "threads 2, 3 are here")
        assert.deepStrictEqual(yield* tops(), before)
        yield* shows(page, ".pill.now", "2 breakpoint 1")
        yield* shows(page, ".noteBelow:not(.old)", "threads 2, 3 are here")
        assert.deepStrictEqual(yield* tops(), before)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "are beside the values of their line and do not cover them",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "spins.c"), spinning)
        execFileSync("cc", [...flags, "-pthread", "spins.c", "-o", "spins"], { cwd: folder })
        sigtrap("start", "./spins", "--break", "started", "--session", "app")
        sigtrap("break", "spins.c:6", "--session", "app")
        sigtrap("continue", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".line.current .frameNote", "are here")
        yield* shows(page, ".line.current .inline", "number")
        const [values, note] = yield* Effect.promise(() =>
          Promise.all([".inline", ".frameNote"].map((part) => page.locator(`.line.current ${part}`).boundingBox()))
        )
        assert.isAtMost((values?.x ?? 0) + (values?.width ?? 0), note?.x ?? 0)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "are counted, and are read on request",
    () =>
      Effect.gen(function* () {
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "many.c"), source)
        execFileSync("cc", [...flags, "-pthread", "many.c", "-o", "many"], { cwd: folder })
        sigtrap("start", "./many", "--break", "many.c:13", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#stack header", "121 threads")
        const rows = Effect.promise(() => page.locator(".row.thread").count())
        assert.strictEqual(yield* rows, 100)
        yield* Effect.promise(() =>
          page.locator("#stack .folded", { hasText: "21 more threads" }).getByRole("button").click()
        )
        yield* shows(page, "#stack header", "121, all stopped")
        assert.strictEqual(yield* rows, 121)
        const named = yield* Effect.promise(() => page.locator(".line", { hasText: "more are here" }).allInnerTexts())
        // A narrow window has them below the line, so that the code is not covered.
        yield* Effect.promise(() => page.setViewportSize({ width: 360, height: 760 }))
        yield* shows(page, ".noteBelow", "more are here")
        const beside = page.locator(".frameNote", { hasText: "here" })
        assert.strictEqual(yield* Effect.promise(() => beside.count()), 0)
        const tops = yield* Effect.promise(() =>
          page.locator(".line").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
        )
        assert.strictEqual(new Set(tops).size, tops.length)
        yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 800 }))
        yield* Effect.promise(() => beside.first().waitFor())
        for (const line of named) assert.match(line, /threads \d+, \d+, \d+, \d+ and \d+ more are here/)

        // What the console cannot do is said once, beside the line that asked for it.
        yield* Effect.promise(() => page.locator("#console").fill("!version"))
        yield* Effect.promise(() => page.locator("#console").focus())
        yield* press(page, "Enter")
        yield* shows(page, "#lower", "needs the tier “admin”. This page may")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".notice").count()), 0)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
