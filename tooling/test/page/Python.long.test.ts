// A program in Python on the page in a real browser: with the mouse, with the keyboard only, and with a finger on a phone. What is shown
// is compared with Python itself, which runs the same program with a tracer.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFileSync } from "node:child_process"
import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { platform } from "../support/fixturePrograms.ts"
import { fixture, marked, needs } from "../support/fixtures.ts"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

const program = "page/bank.py"
const at = (mark: string) => `bank.py:${marked(program, mark)}`

/** Runs a program until a line and prints the type and the text of each local variable of each frame there, from the inside out. */
const tracer = `
import json, runpy, sys
sys.argv = ["bank.py"]
line = int(LINE)
def trace(frame, event, arg):
    if not frame.f_code.co_filename.endswith("bank.py"):
        return None
    if event == "line" and frame.f_lineno == line:
        found, at = [], frame
        while at is not None and at.f_code.co_filename.endswith("bank.py"):
            found.append([at.f_code.co_name, {name: [type(value).__name__, repr(value)] for name, value in at.f_locals.items() if name != "__class__"}])
            at = at.f_back
        sys.settrace(None)
        print("\\n" + json.dumps(found))
        sys.stdout.flush()
        import os
        os._exit(0)
    return trace
sys.settrace(trace)
runpy.run_path("bank.py", run_name="__main__")
`

const Frames = Schema.fromJsonString(
  Schema.Array(
    Schema.Tuple([Schema.String, Schema.Record(Schema.String, Schema.Tuple([Schema.String, Schema.String]))])
  )
)

/** Returns the frames at a mark as Python has them. */
const framesOf = (folder: string, mark: string) => {
  writeFileSync(join(folder, "tracer.py"), tracer.replace("LINE", String(marked(program, mark))))
  const said = execFileSync("python3", ["tracer.py"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })
  const last = said.trimEnd().split("\n").at(-1) ?? ""
  return Schema.decodeUnknownEffect(Frames)(last)
}

/** The program at marks, and its page. */
const stoppedAt = (marks: ReadonlyArray<string>, options = {}) =>
  Effect.gen(function* () {
    yield* Effect.provide(needs("debugpy", "python3-debugpy"), platform)
    const machine = yield* Chromium.machine
    copyFileSync(fixture(program), join(machine.folder, "bank.py"))
    machine.sigtrap("start", "bank.py", ...marks.flatMap((mark) => ["--break", at(mark)]), "--session", "bank")
    const url = machine.sigtrap("web", "--print", "--session", "bank", "--allow", "evaluate,write").trim()
    const { messages, page } = yield* Chromium.open(yield* Chromium.browser, url, options)
    yield* shows(page, "#state", "Stopped")
    yield* shows(page, ".line.current", "")
    return { ...machine, messages, page }
  })

/** Returns the rows of the variables: name, type and value. */
const values = (page: Page) =>
  Effect.map(
    Effect.promise(() => page.locator("#variables .row.value").allInnerTexts()),
    (rows) => rows.map((row) => row.split("\n").map((part) => part.trim()))
  )

/** Matches an address, which differs from run to run. */
const address = /0x[0-9a-f]{6,}/g

/** Matches an object without a text of its own. Its row shows the last digits of its address, without the module. */
const object = /<(?:[\w.]+\.)?(\w+) (?:object at 0x[0-9a-f]+|…[0-9a-f]{4})>/g

/** Compares the shown variables with those of Python. The debugger shortens what is deep or long by `...`. */
const compare = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  expected: { readonly [name: string]: readonly [string, string] }
): void => {
  assert.deepStrictEqual(rows.map(([name]) => name).toSorted(), Object.keys(expected).toSorted())
  for (const [name = "", type, value = ""] of rows) {
    const [itsType, text] = expected[name] ?? ["", ""]
    assert.strictEqual(type, itsType, name)
    const [shown, same] = [value, text].map((one) => one.replaceAll(object, "<$1 …>").replaceAll(address, "0x"))
    const [before = "", after = ""] = (shown ?? "").split("...")
    if (!value.includes("...")) assert.strictEqual(shown, same, name)
    else assert.isTrue(same?.startsWith(before.replace(/[[({]+$/, "")) === true && after.length < 6, `${name} ${value}`)
  }
}

const button = (page: Page, name: string) =>
  Effect.promise(() =>
    page
      .getByRole("button", { name: new RegExp(`^${name}`) })
      .first()
      .click()
  )

const rowOf = (page: Page, name: string) =>
  page.locator("#variables .row.value").filter({ has: page.locator(".name", { hasText: name }) })

const hasBrowser = isPresent(Chromium.program, {})

describe.runIf(hasBrowser)("a program in Python on the page", () => {
  it.live(
    "asks for nothing that the debugger cannot do: variables of files, registers, instructions",
    () =>
      Effect.gen(function* () {
        yield* Effect.provide(needs("debugpy", "python3-debugpy"), platform)
        const { folder, sigtrap } = yield* Chromium.machine
        writeFileSync(join(folder, "other.py"), "def twice(number):\n    return number * 2\n")
        writeFileSync(
          join(folder, "first.py"),
          "import other\ntotal = other.twice(1)\ntotal += 1\nprint(total)\ntotal += 2\n"
        )
        sigtrap("start", "first.py", "--break", "other.py:2", "--break", "first.py:3", "--session", "app")
        const url = sigtrap("web", "--print", "--session", "app").trim()
        const { page } = yield* Chromium.open(yield* Chromium.browser, url)
        const refused: Array<string> = []
        page.on("response", (response) => {
          // A read that comes when the program was resumed is refused too.
          if (response.status() >= 400 && response.status() !== 409)
            refused.push(`${response.status()} ${response.request().postData() ?? ""}`)
        })
        yield* shows(page, "#variables .row.value", "number")
        sigtrap("continue", "--session", "app")
        yield* shows(page, ".line.current .text", "total += 1")
        yield* shows(page, "#variables .row.value", "total")
        yield* press(page, "F10")
        yield* shows(page, ".pill.now", "3 step")
        yield* shows(page, "#variables .row.value", "was 2")
        // What the debugger cannot fill has no tab, and the palette says why. A wide window has a pane for it.
        const names = yield* Effect.promise(() => page.locator("[role=tab]").allInnerTexts())
        assert.deepStrictEqual(
          names.map((name) => name.split("\n")[0]?.replace(/\d.*/, "")),
          ["first.py", "Console", "Output", "Modules"]
        )
        for (const [name, words] of [
          ["Registers", "debugpy cannot read registers."],
          ["Memory", "debugpy cannot read memory."],
          ["Disassembly", "debugpy cannot show instructions."]
        ] as const) {
          yield* press(page, "Control+k")
          yield* Effect.promise(() => page.keyboard.insertText(`show ${name}`))
          yield* shows(page, ".choice", words)
          yield* press(page, "Escape")
        }
        yield* Effect.promise(() => page.setViewportSize({ width: 1920, height: 1080 }))
        yield* shows(page, "#registers .empty", "debugpy cannot read registers.")
        assert.deepStrictEqual(yield* Effect.promise(() => page.locator("#memory [role=tab]").allInnerTexts()), [
          "Modules"
        ])
        yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 800 }))
        yield* press(page, "F10")
        yield* shows(page, ".pill.now", "4")
        assert.deepStrictEqual(refused, [])
        assert.strictEqual(yield* Effect.promise(() => page.locator("#variables .statics").count()), 0)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "shows the values of each frame as Python has them, and what is inside",
    () =>
      Effect.gen(function* () {
        const { folder, messages, page } = yield* stoppedAt(["ready"])
        const [main] = yield* framesOf(folder, "ready")
        compare(yield* values(page), main?.[1] ?? {})
        for (const [name, inside] of [
          ["account", "Decimal('-12.50')"],
          ["mixed", "b'\\x00\\xff'"],
          ["words", "'rtl \\u202eabc'"],
          ["shape", "'base'"],
          ["point", "-4"]
        ] as const) {
          yield* Effect.promise(() => rowOf(page, name).first().locator(".opener").click())
          yield* shows(page, "#variables .row.value", inside)
        }
        // What debugpy cannot do is not offered.
        yield* Effect.promise(() => page.getByRole("tab", { name: "Modules" }).waitFor())
        assert.strictEqual(yield* Effect.promise(() => page.getByRole("tab", { name: "Memory" }).count()), 0)
        yield* Effect.promise(() => rowOf(page, "point").first().focus())
        yield* press(page, "m")
        const change = page.getByRole("menuitem", { name: "Stop when it changes" })
        assert.strictEqual(
          yield* Effect.promise(() => change.getAttribute("title")),
          "debugpy cannot stop when a value changes."
        )
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "follows methods, a generator, a coroutine, threads and an exception with its cause",
    () =>
      Effect.gen(function* () {
        const marks = ["describe", "yield", "fetch", "worker"]
        const { folder, messages, page, sigtrap } = yield* stoppedAt(marks)
        const same = Effect.fnUntraced(function* (mark: string) {
          yield* shows(page, ".sentence", at(mark))
          yield* shows(page, ".line.current .number", String(marked(program, mark)))
          const [frame] = yield* framesOf(folder, mark)
          compare(yield* values(page), frame?.[1] ?? {})
        })
        yield* same("describe")
        yield* button(page, "Continue")
        yield* same("yield")
        sigtrap("breakpoint", "remove", "2", "--session", "bank")
        yield* button(page, "Continue")
        yield* same("fetch")
        for (const name of ["'be'", "'γάμμα'"]) {
          yield* button(page, "Continue")
          yield* shows(page, "#variables .row.value", name)
        }
        yield* button(page, "Continue")
        yield* shows(page, ".sentence", at("worker"))
        // Each thread has its own values: the page shows those of the chosen one.
        const squares: Array<string> = []
        for (let index = 0; index < 5; index++) {
          const group = page.locator("#stack .threads > li").nth(index)
          const row = group.locator(".row.thread")
          if (!(yield* Effect.promise(() => row.innerText())).includes("worker")) continue
          if ((yield* Effect.promise(() => row.getAttribute("aria-expanded"))) === "false")
            yield* Effect.promise(() => row.click())
          yield* Effect.promise(() => group.locator(".row.frame", { hasText: "worker" }).click())
          const number = /worker-(\d)/.exec(yield* Effect.promise(() => row.innerText()))?.[1] ?? ""
          yield* shows(page, "#variables .row.value", `numberint${number}`)
          squares.push((yield* values(page)).find(([name]) => name === "square")?.[2] ?? "not shown")
        }
        assert.deepStrictEqual(squares.toSorted(), ["0", "1", "4", "9"])
        sigtrap("breakpoint", "remove", "all", "--session", "bank")
        yield* button(page, "Continue")
        yield* shows(page, "#state", "Crashed")
        yield* shows(page, ".sentence", `exception RuntimeError · parse at ${at("raise")}`)
        yield* shows(page, "#stack .row.folded", "raised before: invalid literal for int() with base 10: '12x'")
        // Once, above the first of its frames.
        const causes = page.locator("#stack .row.folded", { hasText: "raised before" })
        assert.strictEqual(yield* Effect.promise(() => causes.count()), 1)
        yield* Effect.promise(() => page.getByRole("tab", { name: "Output" }).click())
        yield* shows(page, ".outputLine", "BASE:2 [0, 1, 3, 6] 6 24")
        yield* shows(page, ".outputLine", "[0, 1, 4, 9]")
        yield* button(page, "Continue")
        yield* shows(page, ".sentence", "exit code 1")
        yield* shows(page, ".outputLine", "RuntimeError: cannot parse '12x'")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "reads, sets and evaluates in the chosen frame of a recursion, which stays chosen",
    () =>
      Effect.gen(function* () {
        const { folder, messages, page, sigtrap } = yield* stoppedAt(["deep"])
        const frames = yield* framesOf(folder, "deep")
        // By the keyboard alone.
        yield* press(page, "Alt+5", "ArrowDown", "ArrowDown", "ArrowDown", "Enter")
        yield* shows(page, "#variables", "depth, frame 3")
        compare(yield* values(page), frames[3]?.[1] ?? {})
        yield* press(page, "w")
        yield* press(page, "Enter")
        yield* Effect.promise(() => page.keyboard.type("n * 10"))
        yield* press(page, "Enter")
        yield* shows(page, ".row.watch", "30")
        // What another client evaluates moves nothing.
        sigtrap("eval", "seen.append(0)", "--session", "bank", "--as", "claude")
        yield* shows(page, "#variables .row.value", "[6, 5, 4, 3, 2, 1, 0]")
        yield* shows(page, "#variables", "depth, frame 3")
        yield* shows(page, "#stack .row.frame.chosen", "3")
        // A value is set in the frame that is shown.
        yield* press(page, "Alt+3", "ArrowDown", "m", "ArrowUp", "Enter", "Control+a")
        yield* Effect.promise(() => page.keyboard.type("777"))
        yield* press(page, "Enter")
        yield* shows(page, "#variables .row.value", "777")
        yield* shows(page, ".row.watch", "7770")
        const n = (frame: string) => sigtrap("print", "n", "--frame", frame, "--session", "bank").trim()
        assert.deepStrictEqual([n("0"), n("2"), n("3"), n("4")], ["n = 0", "n = 2", "n = 777", "n = 4"])
        // What may change the program runs in that frame too.
        yield* press(page, "Alt+1")
        yield* Effect.promise(() => page.keyboard.type("seen.count(n) + n"))
        yield* press(page, "Enter")
        yield* shows(page, ".answered.problem", "may change the program")
        yield* press(page, "Shift+Tab", "Enter")
        yield* shows(page, ".answered", "777 int")
        yield* shows(page, ".footer .command", "eval 'seen.count(n) + n' --frame 3 --session bank")
        yield* press(page, "Alt+1")
        yield* Effect.promise(() => page.keyboard.type("'x'.upper()"))
        yield* press(page, "Enter")
        yield* shows(page, ".answered.problem", "“'x'.upper()” was not evaluated, because it may change the program")
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "is read on a phone",
    () =>
      Effect.gen(function* () {
        const phone = { viewport: { width: 360, height: 760 }, hasTouch: true, isMobile: true }
        const { folder, messages, page } = yield* stoppedAt(["describe"], phone)
        const tab = (name: string) => Effect.promise(() => page.getByRole("button", { name, exact: true }).tap())
        const frames = yield* framesOf(folder, "describe")
        yield* tab("Values")
        yield* shows(page, "#variables .row.value", "text")
        compare(yield* values(page), frames[0]?.[1] ?? {})
        yield* tab("Stack")
        yield* Effect.promise(() => page.locator("#stack .row.frame", { hasText: "main" }).tap())
        yield* tab("Values")
        yield* shows(page, "#variables .row.value", "account")
        compare(yield* values(page), frames[1]?.[1] ?? {})
        yield* Effect.promise(() => rowOf(page, "words").first().locator(".opener").tap())
        yield* shows(page, "#variables .row.value", "'日本語'")
        assert.isTrue(
          yield* Effect.promise(() => page.evaluate("document.documentElement.scrollWidth <= innerWidth")),
          "the page scrolls sideways"
        )
        assert.deepStrictEqual(messages, [])
      }).pipe(Effect.scoped),
    120_000
  )
})
