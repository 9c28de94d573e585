// Sessions, tabs and connections that change under the page in a real browser: a session that another client renames, replaces or ends, a
// new link in the same tab, calls that fail for a while, and a tab whose token is revoked beside one that may stay.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const started = Effect.gen(function* () {
  const machine = yield* Chromium.machine
  machine.compile("app")
  machine.sigtrap("start", "./app", "--break", "app.c:14", "--session", "app")
  const link = (...more: ReadonlyArray<string>) => machine.sigtrap("web", "--print", ...more).trim()
  return { ...machine, link, opened: yield* Chromium.browser }
})

describe.runIf(isPresent(Chromium.program, {}))("the page while sessions and tabs change", () => {
  it.live(
    "follows a session that is renamed, also if it may see no other one",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        const { messages, page } = yield* Chromium.open(opened, link())
        const confined = yield* Chromium.open(opened, link("--session", "app"))
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        yield* shows(confined.page, ".pill.now", "1 breakpoint 1")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "other")
        sigtrap("session", "rename", "app", "fresh")
        yield* shows(page, ".sessionButton", "fresh")
        sigtrap("next", "--session", "fresh", "--as", "claude")
        yield* shows(page, ".pill.now", "2 step")
        yield* shows(page, ".row.value", "total")
        // A new load shows the same session.
        yield* Effect.promise(() => page.reload())
        yield* shows(page, ".sessionButton", "fresh")
        yield* shows(page, ".pill.now", "2 step")
        yield* shows(confined.page, ".sessionButton", "fresh")
        yield* shows(confined.page, ".pill.now", "2 step")
        yield* Effect.promise(() => confined.page.reload())
        yield* shows(confined.page, ".sessionButton", "fresh")
        yield* Effect.promise(() => confined.page.locator("#source .lines").focus())
        yield* press(confined.page, "n")
        yield* shows(confined.page, ".pill.now", "3 breakpoint 1")
        yield* shows(page, ".pill.now", "3 breakpoint 1")
        // It sees one session only: the next one of the name that its token has.
        sigtrap("start", "./app", "--break", "app.c:26", "--session", "app")
        yield* shows(confined.page, ".sessionButton", "app")
        yield* shows(confined.page, ".sentence", "main at app.c:26")
        yield* Effect.promise(() => confined.page.locator(".sessionButton").click())
        assert.strictEqual(yield* Effect.promise(() => confined.page.locator(".overlay .sessionRow").count()), 1)
        assert.deepStrictEqual([...messages, ...confined.messages], [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows a program that is started in place of another one of its name, at a stop of the same number",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        const { messages, page } = yield* Chromium.open(opened, link())
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        yield* shows(page, ".row.value", "total")
        yield* Effect.promise(() => page.getByRole("button", { name: "Menu", exact: true }).focus())
        sigtrap("start", "./app", "--break", "app.c:26", "--session", "app", "--replace")
        yield* shows(page, ".sentence", "main at app.c:26")
        yield* shows(page, ".line.current .number", "26")
        yield* shows(page, ".row.value", "argc")
        sigtrap("next", "--session", "app", "--as", "claude")
        yield* shows(page, ".pill.now", "2 step")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".pill").count()), 2)
        // Focus stays where it was.
        yield* shows(page, ".menuButton:focus", "")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows the session that has the name, and follows a renamed one, after the connection was lost",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        const { page } = yield* Chromium.open(opened, link())
        const { port } = new URL(page.url())
        /** Changes the sessions while the page has no connection. */
        const meanwhile = (...commands: ReadonlyArray<ReadonlyArray<string>>) =>
          Effect.gen(function* () {
            sigtrap("serve", "--stop")
            yield* shows(page, ".banner", "Connection lost at")
            for (const command of commands) sigtrap(...command)
            sigtrap("web", "--print", "--port", port)
            yield* Effect.promise(() => page.locator(".banner").waitFor({ state: "detached" }))
          })
        yield* shows(page, ".row.value", "total")
        // The other session has had more events, so that its numbers are higher than those of the first one.
        yield* meanwhile(
          ["start", "./app", "--break", "app.c:26", "--session", "app", "--replace"],
          ...["next", "next", "next"].map((command) => [command, "--session", "app", "--as", "claude"])
        )
        yield* shows(page, ".notice", "Connected again. app is another session now.")
        yield* shows(page, ".pill.now", "4 step")
        yield* shows(page, ".pill", "1 breakpoint 1")
        assert.strictEqual(yield* Effect.promise(() => page.locator(".pill").count()), 4)
        const begun = page.locator(".row.activity", { hasText: "started" })
        assert.strictEqual(yield* Effect.promise(() => begun.count()), 1)
        yield* meanwhile(["session", "rename", "app", "fresh"], ["next", "--session", "fresh", "--as", "claude"])
        yield* shows(page, ".sessionButton", "fresh")
        yield* shows(page, ".pill.now", "5 step")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows a session that another client has ended, with who did",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        const { messages, page } = yield* Chromium.open(opened, link())
        yield* shows(page, ".row.value", "total")
        sigtrap("stop", "--session", "app", "--as", "claude")
        yield* shows(page, "#state", "Ended")
        assert.match(yield* Effect.promise(() => page.locator(".sentence").innerText()), /^by agent at \d\d:\d\d:\d\d$/)
        yield* shows(page, ".row.activity", "ended the session")
        yield* shows(page, ".line.kept .number", "14")
        assert.strictEqual(sigtrap("sessions").trim(), "no sessions")
        yield* shows(page, ".lease", "Nothing to drive")
        yield* Effect.promise(() => page.getByRole("button", { name: "Start again" }).click({ force: true }))
        yield* shows(page, ".notice", "This session was removed. Start its program in a terminal.")
        // The pointer keeps a notice, but not one that is not true any more.
        yield* Effect.promise(() => page.locator(".notice").hover())
        sigtrap("start", "./app", "--break", "app.c:26", "--session", "app")
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".line.current .number", "26")
        yield* Effect.promise(() => page.locator(".notice").waitFor({ state: "hidden" }))
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "starts a program again whose session was ended on the page",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        const { messages, page } = yield* Chromium.open(opened, link())
        yield* shows(page, ".row.value", "total")
        yield* Effect.promise(() => page.getByRole("button", { name: "Stop", exact: true }).click())
        yield* shows(page, "#state", "Ended")
        yield* shows(page, ".sentence", /^by you at \d\d:\d\d:\d\d$/)
        yield* shows(page, ".command", "sigtrap stop --keep --session app")
        assert.include(sigtrap("sessions"), "terminated")
        yield* Effect.promise(() => page.getByRole("button", { name: "Start again" }).click())
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".pill.now", "2 breakpoint 1")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "starts a program that was loaded only",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        sigtrap("start", "./app", "--no-run", "--break", "app.c:14", "--session", "loaded", "--as", "claude")
        const { messages, page } = yield* Chromium.open(opened, link("--session", "loaded"))
        yield* shows(page, ".sentence", "app is loaded and was not started")
        // There is no line to click before the first stop.
        sigtrap("breakpoint", "remove", "all", "--session", "loaded")
        yield* shows(page, "#breakpoints .empty", "Press + to set one.")
        yield* Effect.promise(() => page.getByRole("button", { name: "Add a breakpoint" }).click())
        yield* Effect.promise(() => page.keyboard.type("app.c:14"))
        yield* press(page, "Enter")
        yield* shows(page, ".row.breakpoint", "app.c:14")
        yield* Effect.promise(() => page.getByRole("button", { name: "Continue" }).click())
        yield* shows(page, ".pill.now", "1 breakpoint 2")
        // A page that is open when a program is loaded offers it too.
        sigtrap("start", "./app", "--no-run", "--replace", "--session", "loaded", "--as", "claude")
        yield* shows(page, ".sentence", "app is loaded and was not started")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "leads from an ended session back to all sessions, by keyboard, and on a phone",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        sigtrap("start", "./app", "--break", "app.c:26", "--session", "other")
        const { messages, page } = yield* Chromium.open(opened, `${link()}&session=app`)
        yield* shows(page, ".row.value", "total")
        const left = Effect.map(
          Effect.promise(() => page.locator(".switch").boundingBox()),
          (box) => box?.x
        )
        const before = yield* left
        sigtrap("stop", "--session", "app", "--as", "claude")
        yield* shows(page, ".lease", "Nothing to drive")
        assert.strictEqual(yield* left, before)
        yield* Effect.promise(() => page.locator(".lease").getByRole("button", { name: "All sessions" }).focus())
        yield* Effect.promise(() => page.keyboard.press("Enter"))
        yield* shows(page, ".sessionList h2", "Sessions")
        yield* shows(page, ".sessionRow", "other")
        assert.notInclude(page.url(), "session=")
        // A phone has the button in the list that opens over the page.
        yield* Effect.promise(() => page.locator(".sessionRow").first().click())
        yield* shows(page, ".pill.now", "1 breakpoint")
        yield* Effect.promise(() => page.setViewportSize({ width: 360, height: 760 }))
        sigtrap("stop", "--session", "other", "--as", "claude")
        yield* shows(page, "#state", "Ended")
        yield* Effect.promise(() => page.locator(".sessionButton").click())
        yield* Effect.promise(() => page.getByRole("dialog").getByRole("button", { name: "All sessions" }).click())
        yield* shows(page, "h2", "No program is being debugged")
        yield* shows(
          page,
          ".firstRun p",
          /^Start a program in a terminal, or ask your agent to\. Its session opens here by itself\.$/
        )
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "next")
        yield* shows(page, ".sessionButton", "next")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "reads a stop that could not be read once the server can be reached again",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        const { page } = yield* Chromium.open(opened, link())
        yield* shows(page, ".row.value", "total")
        // The stream stays open, calls fail.
        yield* Effect.promise(() => page.context().setOffline(true))
        sigtrap("next", "--session", "app")
        yield* shows(page, ".pill.now", "2 step")
        yield* Effect.promise(() => page.locator("#variables .scroll.dim").waitFor())
        yield* Effect.promise(() => page.context().setOffline(false))
        yield* shows(page, ".sentence", "sum_scores at app.c:13")
        yield* Effect.promise(() => page.locator("#variables .scroll.dim").waitFor({ state: "detached" }))
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "takes a new link and another session that are written into the address of the same tab",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        sigtrap("start", "./app", "--break", "app.c:26", "--session", "other")
        const { messages, page } = yield* Chromium.open(opened, link())
        yield* shows(page, "h2", "Sessions")
        const go = (address: string) => Effect.promise(() => page.goto(address))
        const { origin } = new URL(page.url())
        yield* go(`${origin}/#session=other`)
        yield* shows(page, ".sessionButton", "other")
        yield* go(link("--session", "app", "--allow", "write"))
        yield* shows(page, ".sessionButton", "app")
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        assert.strictEqual(page.url(), `${origin}/#session=app`)
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "a tab reads the stream once the token of the tab that read it is revoked",
    () =>
      Effect.gen(function* () {
        const { link, opened, sigtrap } = yield* started
        const { messages, page } = yield* Chromium.open(opened, link())
        yield* shows(page, ".pill.now", "1 breakpoint 1")
        const id = /"id":\s*"([^"]+)"/.exec(sigtrap("grant", "list", "--json"))?.[1] ?? "no grant"
        // A second tab of the same browser, with a token of its own.
        const second = yield* Effect.promise(() => page.context().newPage())
        yield* Effect.promise(() => second.goto(link()))
        yield* shows(second, ".pill.now", "1 breakpoint 1")
        sigtrap("grant", "revoke", id)
        yield* shows(page, "h2", "This page has no access to the daemon any more.")
        sigtrap("next", "--session", "app")
        yield* shows(second, ".pill.now", "2 step")
        assert.deepStrictEqual(
          messages.filter((message) => !message.includes("401")),
          []
        )
      }).pipe(Effect.scoped),
    120_000
  )
})
