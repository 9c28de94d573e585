// Reads scenarios, compares expectations, and prints reports.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Pattern } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import * as Expectation from "../src/Expectation.ts"
import * as Report from "../src/Report.ts"
import * as Scenario from "../src/Scenario.ts"
import * as StepResult from "../src/StepResult.ts"

beforeAll(() => Effect.runPromise(Pattern.load))

const problems = (text: string) => {
  const read = Scenario.parse(text)
  return Result.isFailure(read) ? read.failure.join("\n") : ""
}

const fits = (expected: unknown, actual: unknown) => Expectation.compare(expected, actual).length === 0

describe("a scenario", () => {
  it("refuses an unknown key and names similar ones", () => {
    assert.strictEqual(problems("name: a\nsteps:\n  - check_state: exited\n"), "")
    assert.include(problems("name: a\nstep: []\nsteps: [{check_state: null}]"), "no key 'step'; nearest: steps")
    assert.include(problems("name: a\ntarget: {programme: x}\nsteps: [{check_state: null}]"), "nearest: program")
    assert.include(problems("name: a\nsteps: [{comand: next}]"), "steps[0]: no key 'comand'; nearest: command")
    assert.include(problems("name: a\nteardown: [{shel: ls}]\nsteps: [{check_state: null}]"), "teardown[0]")
  })

  it("has one action per step", () => {
    assert.include(problems("name: a\nsteps: [{name: x}]"), "no action")
    assert.include(problems("name: a\nsteps: [{command: next, evaluate: n}]"), "command and evaluate in one step")
  })

  it("needs a name and steps of the right types", () => {
    assert.notStrictEqual(problems("steps: [{check_state: null}]"), "")
    assert.notStrictEqual(problems("name: a\nsteps: []"), "")
    assert.notStrictEqual(problems("name: a\nsteps: [{evaluate: 3}]"), "")
    assert.notStrictEqual(problems("name: a\nplatforms: [beos]\nsteps: [{check_state: null}]"), "")
  })

  it("is refused if it is invalid YAML, repeats a key or has an invalid pattern", () => {
    assert.notStrictEqual(problems("name: [a"), "")
    assert.notStrictEqual(problems("name: a\nname: b\nsteps: [{check_state: null}]"), "")
    assert.include(problems("name: a\nsteps: [{check_output: null, expect: {regex: '('}}]"), "not a regular expression")
  })

  it("may be JSON, and replaces known names", () => {
    const read = Scenario.parse('{"name":"a","steps":[{"shell":"ls ${work}/x ${HOME}"}]}', { work: "/w" })
    assert.deepStrictEqual(
      Result.map(read, ({ steps }) => steps[0].shell?.line ?? ""),
      Result.succeed<string | ReadonlyArray<string>>("ls /w/x ${HOME}")
    )
  })

  it("splits words as a shell does", () => {
    assert.deepStrictEqual(Scenario.words(`break 'a b.c:3 if n > 2' --x="y z" c\\ d ''`), [
      "break",
      "a b.c:3 if n > 2",
      "--x=y z",
      "c d",
      ""
    ])
    assert.deepStrictEqual(Scenario.words(["a b"]), ["a b"])
  })
})

describe("an expectation", () => {
  it("compares exactly, and numbers also with their text", () => {
    assert.isTrue(fits(3, "3") && fits("x", "x") && fits([1, "a"], ["1", "a"]) && fits(true, true))
    assert.isFalse(fits(3, "4") || fits("x", "xy") || fits([1], [1, 2]) || fits(true, false) || fits(0, ""))
  })

  it.each([
    [{ contains: "b" }, "abc", "axc"],
    [{ contains: ["a", "c"] }, "abc", "ab"],
    [{ contains: 2 }, [1, 2], [1, 3]],
    [{ excludes: "b" }, "ac", "abc"],
    [{ regex: "^b$" }, "a\nb\nc", "ab"],
    [{ gt: 1, lte: 3 }, "3", "4"],
    [{ gte: 1 }, 1, 0],
    [{ lt: 1 }, 0.5, "text"],
    [{ about: 1.5, within: 0.1 }, "1.55", 1.7],
    [{ not: 1 }, 2, "1"],
    [{ exists: true }, 0, undefined],
    [{ exists: false }, undefined, null],
    [{ length: 2 }, [1, 2], "abc"],
    [{ equals: 1 }, 1, 2]
  ])("%j holds for %j and not for %j", (expected, right, wrong) => {
    assert.isTrue(fits(expected, right))
    assert.isFalse(fits(expected, wrong))
  })

  it("may be grouped by comparison instead of by part", () => {
    const answer = { line: 3, reason: "step" }
    const sorted = Expectation.byPart(
      { exact: { line: 3 }, contains: { reason: "st" }, numeric: { line: { gt: 2 } } },
      answer
    )
    assert.deepStrictEqual(sorted, { line: { exact: 3, gt: 2 }, reason: { contains: "st" } })
    assert.deepStrictEqual(Expectation.byPart({ numeric: { gt: 2 }, contains: "3" }, answer), { gt: 2, contains: "3" })
    assert.deepStrictEqual(Expectation.byPart({ exact: { other: 1 } }, answer), { exact: { other: 1 } })
  })

  it("finds parts by name, then by path", () => {
    const value = { data: { frames: [{ line: 3 }] }, "a.b": 1 }
    assert.isTrue(fits({ "data.frames.0.line": 3, "data.frames[0].line": { gt: 2 }, "a.b": 1 }, value))
    const [first] = Expectation.compare({ "data.frames.1.line": 3 }, value)
    assert.deepInclude(first, { path: "data.frames.1.line", expected: "3", actual: "nothing" })
  })
})

describe("a report", () => {
  const outcomes = [
    { file: "a.yaml", name: "works", result: "passed", ms: 5, steps: 1 },
    {
      file: "b.yaml",
      name: 'is <not> "right" # here',
      result: "failed",
      ms: 7,
      steps: 2,
      step: "step 1: next",
      message: "a & b",
      log: "x\u0001\n"
    },
    { file: "c.yaml", name: "rests", result: "skipped", ms: 0, steps: 1, message: "needs cc" }
  ] as const

  it("as text names what failed", () => {
    assert.include(Report.print("text", outcomes), "FAIL is <not>")
    assert.include(Report.print("text", outcomes), "1 passed, 1 failed, 1 skipped")
  })

  it("as TAP has a line for each", () => {
    const lines = Report.print("tap", outcomes).split("\n")
    assert.deepStrictEqual(lines.slice(0, 4), [
      "TAP version 14",
      "1..3",
      "ok 1 - works",
      'not ok 2 - is <not> "right" \\# here'
    ])
    assert.strictEqual(lines.at(-1), "ok 3 - rests # SKIP needs cc")
  })

  it("as JUnit is well-formed for any name", () => {
    const text = Report.print("junit", outcomes)
    assert.include(text, 'tests="3" failures="1" skipped="1"')
    assert.include(text, 'name="is &lt;not&gt; &quot;right&quot; # here"')
    assert.include(text, 'message="step 1: next: a &amp; b"')
    assert.notInclude(text, "\u0001")
  })

  it("as JSON has counts and results", () => {
    const { failed, passed, results, skipped } = JSON.parse(Report.print("json", outcomes))
    assert.deepStrictEqual([passed, failed, skipped, results.length], [1, 1, 1, 3])
  })
})

describe("the error of a step", () => {
  it("has the code and the reason of the command's error document", () => {
    const errorOf = (value: unknown) => StepResult.errorOf({ value })
    const details = { program: "/src/app", reason: "forbidden" }
    assert.deepStrictEqual(errorOf({ ok: false, error: { code: "LAUNCH_FAILED", details } }), {
      code: "LAUNCH_FAILED",
      reason: "forbidden"
    })
    assert.deepStrictEqual(errorOf({ error: { code: "PERMISSION", details: {} } }), { code: "PERMISSION" })
    assert.isUndefined(errorOf({ ok: true, data: {} }))
    assert.isUndefined(errorOf("text"))
  })
})
