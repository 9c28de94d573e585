// What the page offers when something fails: a debugger that does not answer, a source that is on another machine, a debugger that is
// gone, and a value that is hidden. And the link for a person who only watches.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { flags } from "../support/programs.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const parentOf = (pid: string): string => execFileSync("ps", ["-o", "ppid=", "-p", pid], { encoding: "utf8" }).trim()

const click = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("button", { name, exact: true }).first().click())

/** A session with a program that is stopped, and a page that shows it. */
const started = (program: string, at: string, prepare: (folder: string) => void, allow = "control") =>
  Effect.gen(function* () {
    const machine = yield* Chromium.machine
    prepare(machine.folder)
    const report = machine.sigtrap("start", program, "--break", at, "--session", "app")
    assert.include(report, "stopped #1")
    const opened = yield* Chromium.browser
    const open = (options = {}) =>
      Effect.suspend(() =>
        Chromium.open(opened, machine.sigtrap("web", "--print", "--session", "app", "--allow", allow).trim(), options)
      )
    /** The process of the debugger: it started the server that started the program. */
    const adapter = () =>
      Number(parentOf(parentOf(/pid (\d+)/.exec(machine.sigtrap("status", "--session", "app"))?.[1] ?? "")))
    return { ...machine, opened, open, adapter }
  })

const compiled =
  (name: string, text: string, more: ReadonlyArray<string> = []) =>
  (folder: string) => {
    writeFileSync(join(folder, `${name}.c`), text)
    execFileSync("cc", [...flags, ...more.map((word) => word.replace("FOLDER", folder)), `${name}.c`, "-o", name], {
      cwd: folder
    })
  }

const counting = [
  "int main(void) {",
  "  int total = 0;",
  "  for (int i = 0; i < 5; i++)",
  "    total += i;",
  "  return total;",
  "}",
  ""
].join("\n")

describe.runIf(isPresent(Chromium.program, {}))("the page when something fails", () => {
  it.live(
    "says that the debugger does not answer, and that it answers again",
    () =>
      Effect.gen(function* () {
        const { adapter, open } = yield* started("./counting", "counting.c:4", compiled("counting", counting))
        const { messages, page } = yield* open()
        yield* shows(page, ".line.current .number", "4")
        const pid = adapter()
        process.kill(pid, "SIGSTOP")
        yield* press(page, "F10")
        yield* shows(page, "#state", "Not responding")
        yield* shows(page, ".sentence", "lldb-dap")
        yield* shows(page, ".row.activity.refused", "has not answered")
        // In each width it has its words.
        for (const width of [1280, 768]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
          const words = page.locator(".runRow .label:visible", { hasText: "End the program" })
          const box = yield* Effect.promise(() => words.boundingBox())
          assert.isAbove(box?.width ?? 0, 60, `${width}`)
        }
        process.kill(pid, "SIGCONT")
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".row.activity", "answers again")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "says within seconds that the daemon does not answer, and what came in between once it does",
    () =>
      Effect.gen(function* () {
        const { open, sigtrap } = yield* started("./counting", "counting.c:4", compiled("counting", counting))
        const { messages, page } = yield* open()
        yield* shows(page, ".line.current .number", "4")
        const pid = Number(/pid (\d+)/.exec(sigtrap("daemon", "status"))?.[1])
        // It takes connections, and answers none.
        process.kill(pid, "SIGSTOP")
        try {
          yield* shows(page, ".banner", "The daemon has not answered since")
          yield* shows(page, "#state", "Not connected")
        } finally {
          process.kill(pid, "SIGCONT")
        }
        yield* shows(page, ".notice", "Connected again. 0 events came in between.")
        yield* press(page, "F10")
        yield* shows(page, ".pill.now", "2 step")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "ends a program whose debugger does not answer",
    () =>
      Effect.gen(function* () {
        const { adapter, open } = yield* started("./counting", "counting.c:4", compiled("counting", counting))
        const { page } = yield* open()
        yield* shows(page, ".line.current .number", "4")
        const pid = adapter()
        process.kill(pid, "SIGSTOP")
        yield* press(page, "F10")
        yield* shows(page, "#state", "Not responding")
        yield* click(page, "End the program")
        yield* shows(page, "#state", "Ended")
        while (existsSync(`/proc/${pid}`)) yield* Effect.sleep(10)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows no text of another file between the instructions",
    () =>
      Effect.gen(function* () {
        const text = [
          "int main(void) {",
          "  int total = 1;",
          '#line 2 "other.h"',
          "  total += 2;",
          '#line 5 "parts.c"',
          "  return total;",
          "}",
          ""
        ]
        const { open } = yield* started("./parts", "parts.c:2", compiled("parts", text.join("\n")))
        const { page } = yield* open({ viewport: { width: 1920, height: 1080 } })
        yield* shows(page, ".line.current .number", "2")
        yield* Effect.promise(() => page.getByRole("tab", { name: "Disassembly" }).first().click())
        yield* shows(page, ".instructions .current", "")
        const rows = yield* Effect.promise(() => page.locator(".instructions .sourceRow").allInnerTexts())
        const texts = rows.map((row) => row.replaceAll(/\s+/g, " ").trim())
        assert.includeMembers(texts, ["2 int total = 1;", "2 other.h"])
        // A long instruction ends with an ellipsis, so that nothing is beside the panel.
        for (const width of [1920, 1280, 768, 360]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
          const beside = yield* Effect.promise(() =>
            page.locator(".instructions").evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)
          )
          assert.strictEqual(beside, 0, `${width}`)
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows the source of another machine once its directory is named, and sets breakpoints there",
    () =>
      Effect.gen(function* () {
        const { folder, open } = yield* started(
          "./counting",
          "main",
          compiled("counting", counting, ["-fdebug-prefix-map=FOLDER=/build"])
        )
        const { messages, page } = yield* open()
        yield* shows(page, ".card h3", "/build/counting.c is not on this machine.")
        // The file is asked for once, as it cannot come while the program runs.
        const asked: Array<string> = []
        page.on("request", (request) => {
          if (request.url().endsWith("/v1/source")) asked.push(request.postData() ?? "")
        })
        yield* press(page, "F10")
        yield* shows(page, ".pill.now", "2 step")
        yield* shows(page, ".card h3", "/build/counting.c is not on this machine.")
        assert.deepStrictEqual(asked, [])
        yield* click(page, "Map a path…")
        yield* Effect.promise(() => page.getByLabel("On this machine").fill("/nowhere"))
        yield* press(page, "Enter")
        yield* shows(page, ".mapForm .problem", "/nowhere/counting.c")
        yield* Effect.promise(() => page.getByLabel("On this machine").fill(folder))
        yield* press(page, "Enter")
        yield* shows(page, ".line.current .text", "for (int i = 0;")
        yield* press(page, "Alt+2", "ArrowDown", "b")
        yield* shows(page, ".row.breakpoint", "2 counting.c:4")
        yield* press(page, "F8")
        yield* shows(page, ".line.current .number", "4")
        // The browser remembers it.
        yield* Effect.promise(() => page.reload())
        yield* shows(page, ".line.current .text", "total += i;")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "starts a program again whose debugger was killed",
    () =>
      Effect.gen(function* () {
        const { adapter, open } = yield* started("./counting", "counting.c:4", compiled("counting", counting))
        const { page } = yield* open()
        yield* shows(page, "#state", "Stopped")
        process.kill(adapter(), "SIGKILL")
        yield* shows(page, ".failure", "lldb-dap was killed by SIGKILL")
        yield* click(page, "Start again with 1 breakpoint")
        yield* shows(page, "#state", "Stopped")
        yield* shows(page, ".pill.now", "2 breakpoint 1")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows a hidden value on request, opens the menu of a value by a key, and sets a value in its row",
    () =>
      Effect.gen(function* () {
        const text = [
          "int main(void) {",
          '  const char *password = "hunter2";',
          "  int total = 1;",
          "  return password[0] + total;",
          "}",
          ""
        ].join("\n")
        const { open } = yield* started("./secret", "secret.c:4", compiled("secret", text), "write")
        const { page } = yield* open()
        const row = page.locator(".row.value", { hasText: "password" })
        yield* shows(page, ".row.value", "hidden, name looks secret")
        assert.notInclude(yield* Effect.promise(() => page.locator("#variables").innerHTML()), "hunter2")
        yield* Effect.promise(() => row.getByRole("button", { name: "Show", exact: true }).click())
        yield* shows(page, ".row.value", "hunter2")

        yield* press(page, "Alt+3", "ArrowDown", "ArrowDown", "m")
        yield* shows(page, "[role=menuitem]:focus", "Watch this")
        yield* press(page, "Enter")
        yield* shows(page, ".row.watch", "total")
        yield* press(page, "m", "ArrowUp")
        yield* shows(page, "[role=menuitem]:focus", "Set value…")
        yield* press(page, "Enter")
        yield* Effect.promise(() => page.locator(".setValue").fill("41"))
        yield* press(page, "Enter")
        yield* shows(page, ".row.value", "41")
        // The focus is in the row again.
        yield* shows(page, ".row.value:focus", "total")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "copies a link with which another browser may only observe the session, once",
    () =>
      Effect.gen(function* () {
        const { open, opened, sigtrap } = yield* started("./counting", "counting.c:4", compiled("counting", counting))
        const { page } = yield* open({ permissions: ["clipboard-read", "clipboard-write"] })
        yield* shows(page, "#state", "Stopped")
        yield* click(page, "Share")
        yield* shows(page, ".notice", "A read-only link was copied.")
        const link = String(yield* Effect.promise(() => page.evaluate("navigator.clipboard.readText()")))
        // The palette finds it, and the report, by what they are for.
        yield* press(page, "Control+k")
        yield* Effect.promise(() => page.keyboard.insertText("share"))
        for (const words of ["Copy report of this stop", "Copy read-only link"]) yield* shows(page, ".choice", words)
        yield* press(page, "Escape")
        assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/#code=[0-9a-f]{32}&session=app$/)
        sigtrap("start", "./counting", "--break", "counting.c:4", "--session", "other")

        const watcher = yield* Chromium.open(opened, link)
        yield* shows(watcher.page, ".line.current .number", "4")
        // Also while another client drives: this page cannot take control.
        sigtrap("control", "take", "--session", "app", "--as", "claude")
        yield* shows(watcher.page, ".lease", "agent drives")
        yield* Effect.promise(() =>
          watcher.page.locator(".lease .button[aria-disabled][title='This page may only observe.']").waitFor()
        )
        yield* press(watcher.page, "F10")
        yield* shows(watcher.page, ".notice", "This page may only observe.")
        sigtrap("control", "release", "--session", "app", "--as", "claude")
        const body = { method: "POST", headers: { "content-type": "application/json" } }
        const statuses = yield* Effect.promise(() =>
          watcher.page.evaluate(`(async () => {
            const token = JSON.parse(sessionStorage.getItem("sigtrap.credentials")).token
            const init = ${JSON.stringify(body)}
            init.headers.authorization = "Bearer " + token
            const statuses = []
            for (const [path, input] of [
              ["/v1/next", { session: "app" }],
              ["/v1/control/take", { session: "app" }],
              ["/v1/page/link", { session: "app" }],
              ["/v1/context", { session: "other" }],
              ["/v1/context", { session: "app" }]
            ]) statuses.push((await fetch(path, { ...init, body: JSON.stringify(input) })).status)
            return statuses.join(" ")
          })()`)
        )
        assert.strictEqual(statuses, "403 403 409 403 200")

        const second = yield* Chromium.open(opened, link)
        yield* shows(second.page, "h2", "This link was used already.")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live.runIf(isPresent("gdb", {}))(
    "shows a core file, which cannot be run",
    () =>
      Effect.gen(function* () {
        const { compile, folder, sigtrap } = yield* Chromium.machine
        compile("crash")
        execFileSync("gdb", ["-q", "-batch", "-ex", "run", "-ex", "generate-core-file core.1", "./crash"], {
          cwd: folder,
          stdio: "ignore"
        })
        sigtrap("core", "core.1", "--program", "./crash", "--session", "app")
        const { messages, page } = yield* Chromium.open(yield* Chromium.browser, sigtrap("web", "--print").trim())
        yield* shows(page, ".failure", "This is a core file.")
        assert.notInclude(yield* Effect.promise(() => page.locator(".failure").innerText()), "not received")
        yield* shows(page, ".row.activity", "opened a core file of")
        // The program did not crash some milliseconds after the file was opened, and does not run.
        yield* shows(
          page,
          ".sentence",
          /^signal SIGSEGV · third at crash\.c:\d+ · core file opened by (?:agent|you|person \S+)$/
        )
        yield* shows(page, ".lease", /^Nothing to drive/)
        yield* press(page, "F8")
        yield* shows(page, ".notice", "A core file cannot be run.")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
