// Errors in two lines.
import { assert, describe, it } from "@effect/vitest"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Doc from "../src/Doc.ts"
import * as Failure from "../src/Failure.ts"
import { write } from "./written.ts"

const shown = (error: Errors.SigtrapError, quiet = false) => Doc.render(Failure.render(error, { quiet, write }))

describe("an error", () => {
  const unresolved = new Errors.BreakpointUnresolved({
    state: "stopped",
    location: "nofile.c:3",
    reason: "no debug information names such a file",
    near: []
  })

  it("names a run of tests that no build precedes, and shows its log without colours", () => {
    const text = shown(
      new Errors.LaunchFailed({
        program: "deno",
        detail: "deno test ended with code 1",
        build: "deno test",
        does: "run tests",
        log: "\u001b[33minfo:\u001b[39m type checking failed"
      })
    )
    assert.include(text, "the tests could not be run: deno test ended with code 1 [LAUNCH_FAILED]")
    assert.include(text, "  info: type checking failed")
  })

  it("says what happened and what to do next", () => {
    assert.strictEqual(
      shown(unresolved),
      "error: breakpoint not resolved: nofile.c:3 (no debug information names such a file) [BREAKPOINT_UNRESOLVED]\n" +
        "hint: sigtrap break 'nofile.c:3' --pending\n"
    )
    assert.isFalse(Failure.onStdout(unresolved))
  })

  it("has the reason of its hint before the command, which ends the line", () => {
    const hints = [Hint.again("report", { out: "a.md", force: true }, "to replace it")]
    assert.strictEqual(
      shown(new Errors.FileExists({ path: "/tmp/a.md", remedies: hints })),
      "error: /tmp/a.md exists and was not replaced [FILE_EXISTS]\nhint (to replace it): sigtrap report --out a.md --force\n"
    )
  })

  it("names no library for an address that the program does not have", () => {
    const error = new Errors.BreakpointUnresolved({ state: "stopped", location: "*nothing", reason: "it is", near: [] })
    assert.include(shown(error), "\nhint (shows addresses): sigtrap disassemble\n")
  })

  it("asks for quotes around what a shell left of a->b", () => {
    const error = new Errors.EvaluationFailed({ expression: "queue-", detail: "expected expression" })
    assert.include(shown(error), "\nhint: write the expression in quotes, because a shell takes > for a redirection\n")
  })

  it("of a policy leads to the values that can be read, or to the rule", () => {
    const hint = (rule: string, what: string) => shown(new Errors.Policy({ rule, what })).split("\n")[1]
    assert.strictEqual(hint("read-only", "evaluating expressions"), "hint: sigtrap locals")
    assert.include(hint("roots", "/tmp/x"), "hint: sigtrap config get")
    assert.strictEqual(hint("no-raw", "debugger commands"), "hint: sigtrap status")
  })

  it("of last-write proposes no watchpoint, which would report nothing either", () => {
    const hint = (why: Errors.WatchUnavailable["why"]) =>
      shown(new Errors.WatchUnavailable({ expression: "n", why })).split("\n")[1]
    assert.strictEqual(hint("kernel-write"), "hint: sigtrap print --expressions n")
    assert.strictEqual(hint("address"), "hint: sigtrap print --expressions n")
    assert.include(hint("slots"), "sigtrap breakpoint list")
  })

  it("of a program that has ended proposes no pause", () => {
    assert.strictEqual(
      shown(new Errors.NotStopped({ state: "exited" })),
      "error: the program has ended; this needs a stopped program [NOT_STOPPED]\nhint: sigtrap restart\n"
    )
    assert.include(shown(new Errors.NotStopped({ state: "running" })), "hint: sigtrap pause")
  })

  it("of runs that differ names stops only if there is a session", () => {
    const hint = (state: { readonly state?: "stopped" }) =>
      shown(new Errors.NotReproduced({ ...state, at: "line 3", expected: "a", got: "b" })).split("\n")[1]
    assert.strictEqual(hint({ state: "stopped" }), "hint: sigtrap stops")
    assert.strictEqual(hint({}), "hint: before each run, undo what a run changes, such as a file that it reads")
  })

  it("has no hint if quiet", () => {
    assert.strictEqual(
      shown(new Errors.NoSession({}), true),
      "error: no session: nothing is being debugged [NO_SESSION]\n"
    )
  })

  it("has two lines and at most 400 bytes, however long the debugger's message is", () => {
    const text = shown(new Errors.EvaluationFailed({ expression: "x", detail: `a\n\n${"ü".repeat(9000)}\u001b[0m` }))
    assert.strictEqual(text.trimEnd().split("\n").length, 2)
    const message = /^error: (.*) \[EVALUATION_FAILED\]$/m.exec(text)?.[1] ?? ""
    assert.isAbove(message.length, 150)
    assert.isAtMost(new TextEncoder().encode(message).length, 400)
  })

  it("is not an error if the program still runs", () => {
    const error = new Errors.WaitTimeout({ waited_ms: 30_000, output_bytes: 5, output_tail: "tick\n" })
    assert.strictEqual(shown(error), 'running (waited 30 s) · sigtrap wait or sigtrap pause\n+5 B output: "tick"\n')
    assert.isTrue(Failure.onStdout(error))
  })
})

// Each took minutes when the time grew with the square of the length.
describe("a message of a megabyte", () => {
  for (const text of ["x", " ", "é", "\n "]) {
    it(`of ${JSON.stringify(text)} is shown cut, without reading all of it`, () => {
      const problem = `unknown command '${text.repeat(1_000_000 / text.length)}'`
      const shown = Doc.render(Failure.render(new Errors.Usage({ problem, near: [], remedies: [] }), { write }))
      assert.isTrue(shown.startsWith("error: unknown command '"))
      assert.isBelow(shown.length, 500)
    })
  }
})
