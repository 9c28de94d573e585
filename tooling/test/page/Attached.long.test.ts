// A program that the debugger was attached to, in a real browser: it is detached from, and cannot be started again.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

describe.runIf(isPresent(Chromium.program, {}))("an attached program", () => {
  it.live(
    "is detached from, and is not offered to be started again",
    () =>
      Effect.gen(function* () {
        const { compile, folder, sigtrap } = yield* Chromium.machine
        compile("loop")
        const { pid } = yield* Effect.acquireRelease(
          Effect.sync(() => spawn(join(folder, "loop"), { stdio: "ignore" })),
          (program) => Effect.sync(() => program.kill("SIGKILL"))
        )
        assert.include(sigtrap("attach", `${pid}`, "--session", "app", "--pause"), "stopped #1")
        assert.include(sigtrap("status", "--session", "app", "--json"), '"kind":"attached"')
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".pill.now", "1 pause")
        yield* shows(page, ".row.thread .state", /^pause$/)
        const detach = page.locator(".runRow").getByRole("button", { name: "Detach" })
        yield* Effect.promise(() => detach.waitFor())
        const reason = "[aria-disabled][title='Only a launched program can be started again.']"
        yield* Effect.promise(() => page.locator(`.runRow .button${reason}`).waitFor())
        yield* press(page, "Control+k", ..."detach")
        yield* shows(page, ".overlay", "Detach from the program")
        yield* press(page, "Enter")
        yield* shows(page, ".sentence", "detached, the program continues")
        assert.isTrue(existsSync(`/proc/${pid}`))
        yield* Effect.promise(() => page.locator(`.mainButton .button${reason}`).first().waitFor())
      }).pipe(Effect.scoped),
    120_000
  )
})
