// Who drives, in a real browser: what the page says of it goes when it changes.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

describe.runIf(isPresent(Chromium.program, {}))("who drives", () => {
  it.live(
    "is in the sentence about a refused call, which goes when control is given back",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url)
        yield* shows(page, ".line.current .number", "14")
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "t")
        yield* shows(page, ".lease", "you drive")
        assert.include(sigtrap("control", "take", "--session", "app", "--as", "claude"), "LEASE_HELD")
        yield* shows(page, ".notice", "agent wanted to take control and was refused. You drive since")
        yield* shows(page, "#activity", "refused · you drive")
        yield* press(page, "t")
        yield* Effect.promise(() => page.locator(".notice").waitFor({ state: "detached", timeout: 3000 }))

        sigtrap("control", "take", "--session", "app", "--as", "claude")
        yield* shows(page, ".lease", "agent drives")
        yield* press(page, "n")
        yield* shows(page, ".notice", "agent drives. Take control to step.")
        yield* Effect.promise(() => page.locator(".notice").getByRole("button", { name: "Take control" }).click())
        yield* shows(page, ".lease", "you drive")
        yield* Effect.promise(() => page.locator(".notice").waitFor({ state: "detached", timeout: 3000 }))
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "is said on the pages of two persons",
    () =>
      Effect.gen(function* () {
        const { compile, environment, folder, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
        const browser = yield* Chromium.browser
        /** Opens the page of a person. */
        const pageOf = (name: string) =>
          Effect.gen(function* () {
            const env = { ...process.env, ...environment, SIGTRAP_AS: name }
            const words = [Chromium.command, "web", "--print", "--session", "app"]
            const url = execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8", env }).trim()
            const opened = yield* Chromium.open(browser, url)
            yield* shows(opened.page, ".line.current .number", "14")
            yield* Effect.promise(() => opened.page.locator("#source .lines").focus())
            return opened
          })
        const [ann, bob] = [yield* pageOf("ann"), yield* pageOf("bob")]
        yield* press(ann.page, "t")
        yield* shows(ann.page, ".lease", "you drive")
        yield* shows(bob.page, ".lease", "person ann drives")

        // The one who does not drive reads why nothing happens, and the program stays.
        yield* press(bob.page, "n")
        yield* shows(bob.page, ".notice", "person ann drives. Take control to step.")
        assert.strictEqual(
          yield* Effect.promise(() => bob.page.locator(".runRow .button").first().getAttribute("title")),
          "person ann drives. Take control to step."
        )

        // A person takes control from another one, who reads that.
        yield* press(bob.page, "t")
        yield* shows(bob.page, ".lease", "you drive")
        yield* shows(ann.page, ".lease", "person bob drives")
        yield* shows(ann.page, ".notice", "person bob took control.")
        yield* shows(ann.page, ".row.activity", "took control")
        yield* Effect.promise(() => bob.page.locator(".notice").waitFor({ state: "detached", timeout: 1000 }))

        // What only the server refuses is said on both pages.
        yield* Effect.promise(() => ann.page.locator(".line.current .gutter button").first().click())
        yield* shows(ann.page, ".notice", "person bob drives. Take control to remove a breakpoint.")
        yield* shows(bob.page, ".notice", "person ann wanted to remove a breakpoint and was refused. You drive since")
        yield* shows(ann.page, "#activity", "refused · person bob drives")
        yield* shows(bob.page, ".row.activity.refused", "person ann")

        yield* press(bob.page, "n")
        yield* shows(ann.page, ".sentence", "after “next” by person bob")
        yield* shows(bob.page, ".sentence", "after “next” by you")

        // What the pages read by themselves is activity on neither.
        for (const { page } of [ann, bob]) {
          const activity = yield* Effect.promise(() => page.locator("#activity").innerText())
          assert.notInclude(activity, "context")
          assert.notInclude(activity, "read ")
        }
        assert.deepStrictEqual([ann.messages, bob.messages], [[], []])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "is watched by those who are present",
    () =>
      Effect.gen(function* () {
        const { compile, environment, folder, sigtrap } = yield* Chromium.machine
        compile("app")
        const browser = yield* Chromium.browser
        const pageOf = (name: string, ...words: ReadonlyArray<string>) => {
          const env = { ...process.env, ...environment, SIGTRAP_AS: name }
          const line = [Chromium.command, "web", "--print", ...words]
          const url = execFileSync(process.execPath, line, { cwd: folder, encoding: "utf8", env }).trim()
          return Chromium.open(browser, url)
        }
        // A program that a person starts in the page has no agent.
        const { messages, page } = yield* pageOf("ann", "--allow", "admin")
        yield* Effect.promise(() => page.getByRole("button", { name: "Start a program" }).click())
        yield* Effect.promise(() => page.getByLabel("Program", { exact: true }).fill(`${folder}/app`))
        yield* Effect.promise(() => page.getByLabel("Stop at", { exact: true }).fill("app.c:14"))
        yield* press(page, "Enter")
        yield* shows(page, ".line.current .number", "14")
        const watches = page.locator(".lease .watches")
        yield* Effect.promise(() => page.locator("#source .lines").focus())
        yield* press(page, "t")
        yield* shows(page, ".lease", "you drive")
        assert.strictEqual(yield* Effect.promise(() => watches.count()), 0)
        const bob = yield* pageOf("bob")
        yield* shows(bob.page, ".lease", "person ann drives")
        yield* shows(bob.page, ".lease .watches", "you watch")
        yield* shows(bob.page, ".line.current .number", "14")
        yield* press(page, "n")
        yield* shows(page, ".lease .watches", "person watches")
        sigtrap("print", "total", "--as", "claude")
        yield* shows(page, ".lease .watches", "agent watches")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
