// The meaning of debuggers' error messages: each debugger's own patterns give the reason of an error.
import { assert, describe, it } from "@effect/vitest"
import type { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { failures as gdb } from "../../src/console/gdb/Failures.ts"
import { failures as lldb } from "../../src/console/lldb/Failures.ts"
import { adapterError, type Failures } from "../../src/console/Failures.ts"
import * as TimeLimits from "../../src/console/TimeLimits.ts"
import { adapter as codelldb } from "../../src/adapters/CodeLldb.ts"
import * as Debugpy from "../../src/adapters/Debugpy.ts"
import * as Delve from "../../src/adapters/Delve.ts"
import * as Gdb from "../../src/adapters/Gdb.ts"
import * as JsDebug from "../../src/adapters/JsDebug.ts"
import * as LldbDap from "../../src/adapters/LldbDap.ts"

const reasonOf = (failures: Failures | undefined, detail: string): Errors.AdapterReason | undefined =>
  adapterError(failures, "evaluate", detail).reason

const python = codelldb.quirks(0).failures

const messages: ReadonlyArray<readonly [string, Failures | undefined, string, Errors.AdapterReason]> = [
  ["LLDB", lldb, "use of undeclared identifier 'nope'", "unknown-name"],
  ["LLDB", lldb, "no variable named 'nope' found in this frame", "unknown-name"],
  ["LLDB", lldb, "Unable to find symbol with name 'nope'.", "unknown-function"],
  ["LLDB", lldb, "Execution was interrupted, reason: step over.", "interrupted"],
  ["LLDB", lldb, "Process is not running.", "not-running"],
  ["LLDB", lldb, "array type 'char[16]' is not assignable", "not-assignable"],
  ["LLDB", lldb, "no viable overloaded '='", "not-assignable"],
  ["CodeLLDB", python, "NameError: name 'nope' is not defined", "unknown-name"],
  ["GDB", gdb, 'No symbol "nope" in current context.', "unknown-name"],
  ["GDB", gdb, "No function contains specified address.", "unknown-function"],
  ["debugpy", Debugpy.quirks().failures, "NameError: name 'nope' is not defined", "unknown-name"],
  ["Delve", Delve.quirks().failures, "could not find symbol value for nope", "unknown-name"],
  ["js-debug", JsDebug.quirks().failures, "Uncaught ReferenceError: nope is not defined", "unknown-name"]
]

describe("the reason of an error", () => {
  it.each(messages)("of %s is found in its message", (_, failures, detail, reason) => {
    assert.strictEqual(reasonOf(failures, detail), reason)
    const { unknown } = adapterError(failures, "evaluate", detail)
    assert.strictEqual(unknown, reason === "unknown-name" ? "nope" : undefined)
  })

  it("is absent if the message has another meaning, or is another debugger's", () => {
    assert.notProperty(adapterError(lldb, "evaluate", "division by zero"), "reason")
    assert.strictEqual(reasonOf(Gdb.quirks().failures, "use of undeclared identifier 'nope'"), undefined)
    assert.strictEqual(reasonOf(undefined, "use of undeclared identifier 'nope'"), undefined)
  })

  it.effect("tells a timeout from another failure, once the limit has passed", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      const tagOf = (detail: string, millis: number) =>
        Effect.map(Effect.flip(TimeLimits.failure(adapterError(lldb, "eval", detail), 0, millis)), ({ _tag }) => _tag)
      const interrupted = "Execution was interrupted, reason: signal SIGSEGV"
      assert.strictEqual(yield* tagOf(interrupted, 1000), "RequestTimeout")
      assert.strictEqual(yield* tagOf(interrupted, 2000), "AdapterError")
      assert.strictEqual(yield* tagOf("division by zero", 1000), "AdapterError")
    })
  )
})

describe("a stop made by the launch of a program", () => {
  it("is found in LLDB's text: exec or SIGSTOP", () => {
    const { launchStop } = LldbDap.quirks(19)
    for (const [text, isLaunch] of [
      ["exec", true],
      ["signal SIGSTOP", true],
      ["signal SIGSEGV: address not mapped", false],
      ["breakpoint 1.1", false]
    ] as const) {
      assert.strictEqual(launchStop?.test(text), isLaunch, text)
    }
  })
})
