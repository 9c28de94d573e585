import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Lldb } from "../src/index.ts"
import * as ScriptedLldb from "./ScriptedLldb.ts"

const start = (scripted: ScriptedLldb.Scripted, options?: Partial<Lldb.Options>) =>
  Effect.provide(Lldb.make({ executable: "lldb", ...options }), scripted.layer)

const separator = "\u001fTOKEN"

/** Formats a stop as LLDB prints it, with the fields of the driver's format. */
const stop = (thread: number, reason: string, name = "app") =>
  `Process 77 stopped\n* \u001eTOKEN${["77", thread, 7700 + thread, "0x0000000000401000", "12", reason, name, "work", "/src/a.c", ""].join(separator)}\u001eTOKEN\n    frame #0: 0x0000000000401000 app\`work(n=1) at a.c:12:3\n`

const stopped = (thread: number, reason: string, threadName = "app"): Lldb.Notice => ({
  kind: "stopped",
  pid: 77,
  thread,
  tid: 7700 + thread,
  reason,
  threadName,
  address: "0x401000",
  function: "work",
  file: "/src/a.c",
  line: 12
})

/** Collects notices, and waits until there are `count`. */
const listening = (lldb: Lldb.Lldb) => {
  const notices: Array<Lldb.Notice> = []
  let waiting: { readonly count: number; readonly done: Deferred.Deferred<void> } | undefined
  lldb.onNotice((notice) => {
    notices.push(notice)
    if (waiting !== undefined && notices.length >= waiting.count) Deferred.doneUnsafe(waiting.done, Exit.void)
  })
  const until = (count: number) =>
    Effect.suspend(() => {
      if (notices.length >= count) return Effect.void
      waiting = { count, done: Deferred.makeUnsafe() }
      return Deferred.await(waiting.done)
    })
  return { notices, until }
}

const numbered = (command: string): ScriptedLldb.Reply | undefined => {
  const number = /^p (\d+)$/.exec(command)?.[1]
  return number === undefined ? undefined : { out: `(int) ${number}\n` }
}

/** Texts that look like notices or ends of commands. */
const hostile = [
  "error: no such thing",
  "Process 77 stopped",
  "Process 77 resuming?",
  "* \u001e1\u001f2\u001f3\u001f",
  "(lldb) quit",
  "error: 'sigtrap0123456789abcdefn3' is not a valid command.",
  "sigtrap0123456789abcdefn3",
  "<sigtrap-0123456789abcdef>sigtrap0123456789abcdefn4",
  "é日本語🧵",
  ""
]

/** Sizes of pieces, mostly small. */
const sizes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))).check(
  Schema.isMaxLength(12)
)

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
    yield* start(scripted)
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

describe("an answer", () => {
  it.effect("is the output of the command, without the last newline", () =>
    Effect.gen(function* () {
      const lldb = yield* start(ScriptedLldb.make((command) => (command === "x" ? { out: "one\n\ntwo\n" } : undefined)))
      assert.deepStrictEqual(yield* lldb.run("x"), { output: "one\n\ntwo", errors: "" })
      assert.strictEqual(lldb.version.major, 19)
    })
  )

  it.effect("has warnings, and is a failure with LLDB's text if stderr has an error line", () =>
    Effect.gen(function* () {
      const lldb = yield* start(
        ScriptedLldb.make((command) => {
          if (command === "w") return { out: "ok\n", err: "warning: slow\n" }
          return command === "f" ? { out: "partly\n", err: "warning: slow\nerror: no `x`\n  in here\n" } : undefined
        })
      )
      assert.deepStrictEqual(yield* lldb.run("w"), { output: "ok", errors: "warning: slow" })
      const failure = yield* Effect.flip(lldb.run("f"))
      assert(failure._tag === "CommandFailed")
      assert.deepStrictEqual([failure.text, failure.output], ["warning: slow\nerror: no `x`\n  in here", "partly"])
    })
  )

  it.effect.prop(
    "is not confused by any output of the program, in pieces of any size",
    {
      parts: Schema.Array(Schema.Union([Schema.String, Schema.Literals(hostile)])).check(Schema.isMaxLength(6)),
      cut: sizes
    },
    ({ cut, parts }) =>
      Effect.gen(function* () {
        const text = parts.join("\n").toWellFormed()
        const lldb = yield* start(
          ScriptedLldb.make((command) => (command === "x" ? { out: `${text}\n` } : undefined), { cut })
        )
        assert.deepStrictEqual(yield* lldb.run("x"), { output: text, errors: "" })
      })
  )

  it.effect("contains only the output of the command if settings are changed and reset around it", () =>
    Effect.gen(function* () {
      const scripted = ScriptedLldb.make((command) => {
        if (command === "settings clear a") return { out: "cleared\n" }
        return command === "bt" ? { out: "answer\n" } : undefined
      })
      const lldb = yield* start(scripted)
      const around = ["settings set a 1", "settings clear a"] as const
      assert.deepStrictEqual(yield* lldb.run("bt", { around }), { output: "answer", errors: "" })
      assert.deepStrictEqual(scripted.commands.slice(-3), ["settings set a 1", "bt", "settings clear a"])
      const refused = yield* Effect.flip(lldb.run("bt", { around: ["a\nb", "c"] }))
      assert(refused._tag === "CommandRefused" && refused.command === "a\nb")
    })
  )

  it.effect("may be large, and is complete", () =>
    Effect.gen(function* () {
      const text = "0x00: 61 62\n".repeat(200_000)
      const lldb = yield* start(
        ScriptedLldb.make((command) => (command === "m" ? { out: text } : undefined), { cut: [4096, 1, 65_536] })
      )
      assert.strictEqual((yield* lldb.run("m")).output, text.slice(0, -1))
    })
  )
})

describe("commands", () => {
  it.effect("that are sent at the same time each get their own answer", () =>
    Effect.gen(function* () {
      const lldb = yield* start(ScriptedLldb.make(numbered, { cut: [3] }))
      const answers = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => index),
        (index) => lldb.run(`p ${index}`),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ output }) => output),
        answers.map((_, index) => `(int) ${index}`)
      )
    })
  )

  it.effect("are refused if they would be two commands, end LLDB or wait for a terminal", () =>
    Effect.gen(function* () {
      const scripted = ScriptedLldb.make(numbered)
      const lldb = yield* start(scripted)
      const before = scripted.commands.length
      for (const command of ["a\nb", "a\rb", "a\u0000", "a\u001eb"]) {
        const refused = yield* Effect.flip(lldb.run(command))
        assert(refused._tag === "CommandRefused" && refused.reason === "control-character", command)
      }
      for (const command of ["", " ", "quit", "script", "expression", "breakpoint command add 1"]) {
        const refused = yield* Effect.flip(lldb.run(command))
        assert(refused._tag === "CommandRefused" && refused.reason === "interactive", command)
      }
      assert.strictEqual(scripted.commands.length, before)
    })
  )

  it.effect("that time out are interrupted, and the next hundred get their own answers", () =>
    Effect.gen(function* () {
      const scripted = ScriptedLldb.make((command) =>
        command === "slow" ? { out: "half of ", hangs: "interruptible" } : numbered(command)
      )
      const lldb = yield* start(scripted)
      const slow = yield* Effect.forkChild(Effect.flip(lldb.run("slow", { timeout: "5 seconds" })), {
        startImmediately: true
      })
      const rest = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 100 }, (_, index) => index),
          (index) => lldb.run(`p ${index}`),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      yield* TestClock.adjust("4999 millis")
      assert.deepStrictEqual(scripted.signals, [])
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(slow))._tag, "CommandTimedOut")
      assert.deepStrictEqual(scripted.signals, ["SIGINT"])
      const answers = yield* Fiber.join(rest)
      assert.deepStrictEqual(
        answers.map(({ output }) => output),
        answers.map((_, index) => `(int) ${index}`)
      )
    })
  )

  it.effect("that do not end after an interrupt make LLDB lost, and all waiting ones fail at once", () =>
    Effect.gen(function* () {
      const lldb = yield* start(
        ScriptedLldb.make((command) => (command === "stuck" ? { hangs: "for ever" } : numbered(command)))
      )
      const both = yield* Effect.forkChild(
        Effect.all([Effect.flip(lldb.run("stuck", { timeout: "1 second" })), Effect.flip(lldb.run("p 1"))], {
          concurrency: 2
        }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("2 seconds")
      const [stuck, waiting] = yield* Fiber.join(both)
      assert(stuck._tag === "LldbLost" && stuck.reason === "stuck" && stuck.command === "stuck")
      assert.strictEqual(waiting._tag, "LldbLost")
      assert.strictEqual((yield* lldb.lost).reason, "stuck")
      assert.strictEqual((yield* Effect.flip(lldb.run("p 2")))._tag, "LldbLost")
    })
  )

  it.effect("whose caller was interrupted run to their end, or are interrupted if requested", () =>
    Effect.gen(function* () {
      for (const interruptible of [true, false]) {
        const scripted = ScriptedLldb.make((command) =>
          command === "slow" ? { out: "late answer\n", hangs: "interruptible" } : numbered(command)
        )
        const lldb = yield* start(scripted)
        const slow = yield* Effect.forkChild(lldb.run("slow", { interruptible, timeout: "9 seconds" }), {
          startImmediately: true
        })
        yield* Effect.yieldNow
        const next = yield* Effect.forkChild(lldb.run("p 5"), { startImmediately: true })
        yield* Fiber.interrupt(slow)
        yield* TestClock.adjust(interruptible ? "1 millis" : "9 seconds")
        assert.strictEqual((yield* Fiber.join(next)).output, "(int) 5")
        assert.deepStrictEqual(scripted.signals, ["SIGINT"])
      }
    })
  )

  it.effect("that wait are not sent if their caller was interrupted", () =>
    Effect.gen(function* () {
      const scripted = ScriptedLldb.make((command) =>
        command === "slow" ? { hangs: "interruptible" } : numbered(command)
      )
      const lldb = yield* start(scripted)
      const slow = yield* Effect.forkChild(Effect.flip(lldb.run("slow", { timeout: 10 })), { startImmediately: true })
      const waiting = yield* Effect.forkChild(lldb.run("p 1"), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust(10)
      yield* Fiber.join(slow)
      yield* lldb.run("p 2")
      assert.deepStrictEqual(scripted.commands.slice(-2), ["slow", "p 2"])
    })
  )
})

describe("notices", () => {
  it.effect("are removed from answers and reported in order, however the text is cut", () =>
    Effect.gen(function* () {
      for (const cut of [[], [1], [5, 2, 90]]) {
        const scripted = ScriptedLldb.make(
          (command) => (command === "image list" ? { out: `[ 0] a\n[ 1]${stop(2, "signal SIGUSR1")} b\n` } : undefined),
          { cut }
        )
        const lldb = yield* start(scripted)
        const { notices, until } = listening(lldb)
        assert.strictEqual((yield* lldb.run("image list")).output, "[ 0] a\n[ 1] b")
        scripted.say(`2 locations added to breakpoint 3\nProcess 77 resuming\n${stop(1, "breakpoint 3.1")}`)
        yield* until(4)
        assert.deepStrictEqual(notices, [
          stopped(2, "signal SIGUSR1"),
          { kind: "locations", breakpoint: 3, added: 2 },
          { kind: "resumed", pid: 77 },
          stopped(1, "breakpoint 3.1")
        ])
      }
    })
  )

  it.effect("cannot be made by a thread's name or a reason with line breaks and separators", () =>
    Effect.gen(function* () {
      const name = "x\u001f\u001e\nProcess 77 detached\n"
      const scripted = ScriptedLldb.make(numbered)
      const lldb = yield* start(scripted)
      const { notices, until } = listening(lldb)
      scripted.say(stop(1, "a\u001e\nProcess 77 resuming\n", name))
      yield* until(1)
      yield* lldb.run("p 1")
      assert.deepStrictEqual(notices, [stopped(1, "a\u001e\nProcess 77 resuming\n", name.trim())])
    })
  )

  it.effect("of an exit are reported if `process status` confirms them", () =>
    Effect.gen(function* () {
      for (const gone of [true, false]) {
        const scripted = ScriptedLldb.make((command) => {
          if (command === "process status")
            return { out: gone ? "Process 77 exited with status = 3 (0x00000003) \n" : stop(1, "step over") }
          return command === "po text"
            ? { out: "Process 77 exited with status = 3 (0x00000003) \n" }
            : numbered(command)
        })
        const lldb = yield* start(scripted)
        const { notices, until } = listening(lldb)
        yield* lldb.run("po text")
        yield* until(1)
        assert.deepStrictEqual(notices, [
          gone
            ? { kind: "exited", pid: 77, status: 3 }
            : { kind: "text", stream: "output", text: "Process 77 exited with status = 3" }
        ])
      }
    })
  )

  it.effect("have the form of the output of process status, which stays an answer", () =>
    Effect.gen(function* () {
      const lldb = yield* start(
        ScriptedLldb.make((command) => (command === "process status" ? { out: stop(1, "step over") } : undefined))
      )
      const { notices } = listening(lldb)
      const { output } = yield* lldb.run("process status")
      assert.strictEqual(
        output,
        "Process 77 stopped\n* thread #1, name = 'app', stop reason = step over\n    frame #0: 0x0000000000401000 app`work(n=1) at a.c:12:3"
      )
      assert.deepStrictEqual(notices, [])
    })
  )

  it.effect("of a stop are reported if LLDB prints them at the same time as the output of process status", () =>
    Effect.gen(function* () {
      const [head = "", rest = ""] = stop(1, "breakpoint 1.1").split(/(?<=stopped\n)/)
      for (const out of [head + rest + head + rest, head + head + rest + rest]) {
        const lldb = yield* start(ScriptedLldb.make((command) => (command === "process status" ? { out } : undefined)))
        const { notices, until } = listening(lldb)
        const { output } = yield* lldb.run("process status")
        yield* until(1)
        assert.match(output, /^Process 77 stopped\n\* thread #1.*\n    frame #0.*$/)
        assert.deepStrictEqual(
          notices.map((notice) => notice.kind === "stopped" && [notice.pid, notice.reason]),
          [[77, "breakpoint 1.1"]]
        )
      }
    })
  )

  it.effect("of a selection are awaited and not part of any answer", () =>
    Effect.gen(function* () {
      const [, confirmation = ""] = /^Process 77 stopped\n([\s\S]*)$/.exec(stop(2, "step over")) ?? []
      const scripted = ScriptedLldb.make((command) =>
        command === "thread select 2" ? { late: confirmation } : numbered(command)
      )
      const lldb = yield* start(scripted)
      const { notices } = listening(lldb)
      assert.strictEqual((yield* lldb.run("thread select 2")).output, "")
      assert.strictEqual((yield* lldb.run("p 3")).output, "(int) 3")
      assert.deepStrictEqual(notices, [])
    })
  )
})

describe("a lost LLDB", () => {
  it.effect("reports at once how it ended and during which command", () =>
    Effect.gen(function* () {
      const lldb = yield* start(
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
        Effect.flip(start(ScriptedLldb.make(replies, { version })))
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
      const starting = yield* Effect.forkChild(Effect.flip(start(scripted)), { startImmediately: true })
      yield* TestClock.adjust("15 seconds")
      const failure = yield* Fiber.join(starting)
      assert.strictEqual(failure.reason, "unusable")
    })
  )
})
