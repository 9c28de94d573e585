// Commands and their answers: which output belongs to which command, and what is done with one that does not end.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as ScriptedLldb from "./ScriptedLldb.ts"

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

describe("an answer", () => {
  it.effect("is the output of the command, without the last newline", () =>
    Effect.gen(function* () {
      const lldb = yield* ScriptedLldb.start(
        ScriptedLldb.make((command) => (command === "x" ? { out: "one\n\ntwo\n" } : undefined))
      )
      assert.deepStrictEqual(yield* lldb.run("x"), { output: "one\n\ntwo", errors: "" })
      assert.strictEqual(lldb.version.major, 19)
    })
  )

  it.effect("has warnings, and is a failure with LLDB's text if stderr has an error line", () =>
    Effect.gen(function* () {
      const lldb = yield* ScriptedLldb.start(
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
        const lldb = yield* ScriptedLldb.start(
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
      const lldb = yield* ScriptedLldb.start(scripted)
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
      const lldb = yield* ScriptedLldb.start(
        ScriptedLldb.make((command) => (command === "m" ? { out: text } : undefined), { cut: [4096, 1, 65_536] })
      )
      assert.strictEqual((yield* lldb.run("m")).output, text.slice(0, -1))
    })
  )
})

describe("commands", () => {
  it.effect("that are sent at the same time each get their own answer", () =>
    Effect.gen(function* () {
      const lldb = yield* ScriptedLldb.start(ScriptedLldb.make(ScriptedLldb.numbered, { cut: [3] }))
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
      const scripted = ScriptedLldb.make(ScriptedLldb.numbered)
      const lldb = yield* ScriptedLldb.start(scripted)
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
        command === "slow" ? { out: "half of ", hangs: "interruptible" } : ScriptedLldb.numbered(command)
      )
      const lldb = yield* ScriptedLldb.start(scripted)
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
      const lldb = yield* ScriptedLldb.start(
        ScriptedLldb.make((command) => (command === "stuck" ? { hangs: "for ever" } : ScriptedLldb.numbered(command)))
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
          command === "slow" ? { out: "late answer\n", hangs: "interruptible" } : ScriptedLldb.numbered(command)
        )
        const lldb = yield* ScriptedLldb.start(scripted)
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
        command === "slow" ? { hangs: "interruptible" } : ScriptedLldb.numbered(command)
      )
      const lldb = yield* ScriptedLldb.start(scripted)
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
