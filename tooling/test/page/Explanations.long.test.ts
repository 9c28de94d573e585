// Why a program crashed or hangs, in a real browser: the page shows the lines that `sigtrap explain` prints.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

/** Ten threads: eight sleep, and two wait for each other. */
const deadlock = [
  "#include <pthread.h>",
  "#include <stddef.h>",
  "#include <unistd.h>",
  "static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;",
  "static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;",
  "static pthread_barrier_t both;",
  "static void *first(void *unused) {",
  "  pthread_mutex_lock(&left);",
  "  pthread_barrier_wait(&both);",
  "  pthread_mutex_lock(&right);",
  "  return unused;",
  "}",
  "static void *second(void *unused) {",
  "  pthread_mutex_lock(&right);",
  "  pthread_barrier_wait(&both);",
  "  pthread_mutex_lock(&left);",
  "  return unused;",
  "}",
  "static void *idle(void *unused) {",
  "  for (;;) pause();",
  "  return unused;",
  "}",
  "int main(void) {",
  "  pthread_t threads[10];",
  "  pthread_barrier_init(&both, NULL, 2);",
  "  for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, idle, NULL);",
  "  pthread_create(&threads[8], NULL, first, NULL);",
  "  pthread_create(&threads[9], NULL, second, NULL);",
  "  for (int i = 8; i < 10; i++) pthread_join(threads[i], NULL);",
  "  return 0;",
  "}",
  ""
].join("\n")

/** Returns the lines of a text without those that name what to call next. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("sigtrap "))

describe.runIf(isPresent(Chromium.program, {}))("the explanation on the page", () => {
  it.live(
    "of a crash is in the card below its line, as the command line prints it",
    () =>
      Effect.gen(function* () {
        const machine = yield* Chromium.machine
        machine.compile("crash")
        machine.sigtrap("start", "./crash", "--session", "app")
        const url = machine.sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#state", "Crashed")
        yield* Effect.promise(() => page.locator(".failure").getByRole("button", { name: "Explain" }).click())
        yield* shows(page, ".failure .explanation", "crash:")
        const shown = yield* Effect.promise(() => page.locator(".failure .explanation li").allInnerTexts())
        assert.deepStrictEqual(shown, linesOf(machine.sigtrap("explain", "--session", "app")))
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "of a deadlock of two among ten threads names both, as the command line prints it",
    () =>
      Effect.gen(function* () {
        const machine = yield* Chromium.machine
        writeFileSync(join(machine.folder, "dead.c"), deadlock)
        execFileSync("cc", [...flags, "-pthread", "dead.c", "-o", "dead"], { cwd: machine.folder })
        machine.sigtrap("start", "./dead", "--no-wait", "--session", "app")
        // Both threads wait once the breakpoint would have been hit in the second of them and main has joined.
        const url = machine.sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, "#state", "Running")
        yield* shows(page, "#stack", "The program has not stopped yet.")
        let said = ""
        while (!said.includes("wait for each other")) {
          machine.sigtrap("pause", "--session", "app")
          said = machine.sigtrap("explain", "--session", "app")
          if (!said.includes("wait for each other")) machine.sigtrap("continue", "--no-wait", "--session", "app")
        }
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, "#stack", "in second, line 16")
        yield* Effect.promise(() => page.locator("#stack").getByRole("button", { name: "Explain" }).click())
        yield* shows(page, ".wordsHead h2", "hang:")
        const [title, text] = yield* Effect.promise(async () => [
          await page.locator(".wordsHead h2").innerText(),
          await page.locator(".words").innerText()
        ])
        assert.deepStrictEqual([title ?? "", ...linesOf(text ?? "")], linesOf(said))
        // Each thread has the number that the explanation names.
        yield* press(page, "Escape")
        const threads = yield* Effect.promise(() => page.locator(".row.thread").allInnerTexts())
        assert.strictEqual(threads.length, 11)
        const waiting = threads
          .filter((row) => /in (?:first|second),/.test(row))
          .map((row) => row.trim().split(/\s+/)[0])
        for (const number of waiting) assert.match(said, new RegExp(`\\b${number} (?:first|second) dead\\.c`))
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
