// How the driver starts LLDB, launches a program, and reports an LLDB that is lost.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Lldb } from "../src/index.ts"
import * as ScriptedLldb from "./ScriptedLldb.ts"

describe("launch", () => {
  const launch = (scripted: ScriptedLldb.Scripted, options: Lldb.LaunchOptions) =>
    Lldb.launch(options).pipe(Effect.provide(Lldb.layer({ executable: "lldb" })), Effect.provide(scripted.layer))

  const launching = () =>
    ScriptedLldb.make((command) => {
      if (command === "process status") return { out: "Process 77 is running.\n" }
      return /^(?:target|breakpoint|process)/.test(command) ? {} : undefined
    })

  it.effect("gives the program files instead of the terminal that the driver reads", () =>
    Effect.gen(function* () {
      const scripted = launching()
      assert.strictEqual(yield* launch(scripted, { program: "/bin/app" }), 77)
      const sent = scripted.commands
      const first = sent.indexOf('settings set -- target.input-path "/dev/null"')
      assert.deepStrictEqual(sent.slice(first, first + 6), [
        'settings set -- target.input-path "/dev/null"',
        'settings set -- target.output-path "/dev/null"',
        'settings set -- target.error-path "/dev/null"',
        'target create "/bin/app"',
        "process launch",
        "process status"
      ])
    })
  )

  it.effect("quotes every argument, and runs commands before the program", () =>
    Effect.gen(function* () {
      const scripted = launching()
      yield* launch(scripted, {
        program: "/a b/app",
        args: ['x"y', "--flag"],
        cwd: "/tmp",
        env: { A: "1 2" },
        stdio: { stdout: "/tmp/out" },
        stopAtEntry: true,
        commands: ["breakpoint set -n main"]
      })
      assert.includeMembers([...scripted.commands], ['settings set -- target.output-path "/tmp/out"'])
      const at = scripted.commands.indexOf("breakpoint set -n main")
      assert.deepStrictEqual(scripted.commands.slice(at - 1, at + 2), [
        'target create "/a b/app"',
        "breakpoint set -n main",
        'process launch --stop-at-entry --working-dir "/tmp" --environment "A=1 2" -- "x\\"y" "--flag"'
      ])
    })
  )

  it.effect("sends nothing if a text would be a second command", () =>
    Effect.gen(function* () {
      const scripted = launching()
      const error = yield* Effect.flip(launch(scripted, { program: "/bin/app", args: ["a\nplatform shell id"] }))
      assert.strictEqual(error._tag, "CommandRefused")
      assert.isFalse(scripted.commands.some((command) => command.startsWith("target create")))
    })
  )

  it.effect("fails with the answer of LLDB if the program did not start", () =>
    Effect.gen(function* () {
      const scripted = ScriptedLldb.make((command) =>
        command === "process launch"
          ? { err: "error: no execute permission\n" }
          : command.startsWith("target create")
            ? {}
            : undefined
      )
      const error = yield* Effect.flip(launch(scripted, { program: "/bin/app" }))
      assert.strictEqual(error._tag, "CommandFailed")
      assert.include(error.message, "no execute permission")
    })
  )
})

it.effect("LLDB starts without init files, scripts of symbol files and symbol servers", () =>
  Effect.gen(function* () {
    const scripted = ScriptedLldb.make(() => undefined)
    yield* ScriptedLldb.start(scripted)
    const [{ args, options } = assert.fail("nothing was started")] = scripted.started
    assert.include(args, "--no-lldbinit")
    assert.include(options.env, { DEBUGINFOD_URLS: undefined, LLDB_DEBUGINFOD_URLS: undefined })
    for (const setting of [
      "target.load-script-from-symbol-file",
      "target.load-cwd-lldbinit",
      "symbols.enable-external-lookup"
    ]) {
      const last = scripted.commands.filter((command) => command.includes(` ${setting} `)).at(-1)
      assert.match(last ?? "", /^settings set \S+ "?false"?$/, setting)
    }
  })
)

describe("a lost LLDB", () => {
  it.effect("reports at once how it ended and during which command", () =>
    Effect.gen(function* () {
      const lldb = yield* ScriptedLldb.start(
        ScriptedLldb.make((command) =>
          command === "crash" ? { err: "Assertion failed\n", dies: "SIGKILL" } : undefined
        )
      )
      const lost = yield* Effect.flip(lldb.run("crash"))
      assert(lost._tag === "LldbLost")
      assert.deepStrictEqual(
        [lost.reason, lost.signal, lost.command, lost.stderr],
        ["ended", "SIGKILL", "crash", "Assertion failed"]
      )
      assert.strictEqual((yield* lldb.lost).signal, "SIGKILL")
    })
  )

  it.effect("is one that does not start: it exits, prints no version, or lacks a setting", () =>
    Effect.gen(function* () {
      const failing = (replies: (command: string) => ScriptedLldb.Reply | undefined, version = "19.1.7") =>
        Effect.flip(ScriptedLldb.start(ScriptedLldb.make(replies, { version })))
      const ended = yield* failing((command) => (command === "version" ? { dies: "SIGKILL" } : undefined))
      assert.deepStrictEqual([ended._tag, ended.reason], ["LldbError", "failed"])
      const wordless = yield* failing((command) => (command === "version" ? { out: "hello\n" } : undefined))
      assert.strictEqual(wordless.reason, "unusable")
      const lacking = yield* failing((command) =>
        command === "settings show auto-confirm" ? { out: "auto-confirm (boolean) = false\n" } : undefined
      )
      assert.match(lacking.message, /settings show auto-confirm prints/)
    })
  )

  it.effect("is one that does not answer at the start", () =>
    Effect.gen(function* () {
      const scripted = ScriptedLldb.make((command) => (command === "version" ? { hangs: "for ever" } : undefined))
      const starting = yield* Effect.forkChild(Effect.flip(ScriptedLldb.start(scripted)), { startImmediately: true })
      yield* TestClock.adjust("15 seconds")
      const failure = yield* Fiber.join(starting)
      assert.strictEqual(failure.reason, "unusable")
    })
  )
})
