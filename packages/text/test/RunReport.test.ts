// The text of repeated runs.
import { assert, it } from "@effect/vitest"
import type { RunReport } from "@sigtrap/protocol"
import { Schema } from "effect"
import { Doc } from "../src/index.ts"
import * as Text from "../src/RunReport.ts"
import { directory, envelope, report } from "./samples.ts"
import { write } from "./written.ts"

const view = { directory, quiet: false, verbose: false, input: {}, again: () => "", write }

const summary = (parts: Partial<RunReport.RunSummary>): RunReport.RunSummary => ({
  runs: 10_000,
  failures: 9_999,
  rate: 0.9999,
  outcome: "failed",
  native: { runs: 10_000, failures: 9_999, rate: 0.9999 },
  signatures: [],
  median_ms: 123_456,
  by: "lldb-server",
  session: "failed",
  records: [],
  ...parts
})

const text = (run: RunReport.RunSummary) =>
  Doc.render(Text.render(view, envelope({ ...report, output: { bytes: 0, next: 0 }, run })), { color: false })

/** Letters repeated, so that a name can be long and of any characters. */
const LongName = Schema.Struct({
  letters: Schema.String,
  times: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))
})
const Kind = Schema.Struct({ reason: LongName, frames: Schema.Array(LongName) })

/** Number of characters; those beyond 16 bits have two code units. */
const characters = (text: string) => [...text].length

const written = ({ letters, times }: typeof LongName.Type) => letters.repeat(times)

it.prop(
  "takes at most 1200 characters beside the report of the stop, however long and many the signatures are",
  [Schema.Array(Kind), LongName],
  ([kinds, handover]) => {
    const signatures = kinds.map(({ frames, reason }, first) => ({
      id: "7e29a34b",
      reason: written(reason),
      frames: frames.slice(0, 3).map(written),
      count: 1,
      first
    }))
    const { session: _, ...run } = summary({ signatures, handover: written(handover) })
    assert.isAtMost(characters(text(run)), 1200)
    const many = Array.from({ length: 40 }, () => signatures).flat()
    assert.isAtMost(characters(text({ ...run, signatures: many })), 1200)
  }
)

it("says of a failure that only runs without a debugger had how often they failed", () => {
  const { session: _, ...run } = summary({
    runs: 30,
    failures: 0,
    rate: 0,
    native: { runs: 30, failures: 4, rate: 0.1333 }
  })
  assert.include(text(run), "without a debugger: 4 of 30 runs failed (13.3 %); the failure was not seen under one")
  assert.include(text(run), "no failure in 30 runs")
})

it("says of a single run no more than the stop that follows", () => {
  const signature = { id: "7e29a34b", reason: "SIGSEGV", frames: ["sum"], count: 1, first: 1 }
  const { native: _, records: __, ...run } = summary({ runs: 1, failures: 1, signatures: [signature] })
  assert.match(text(run), /^failed after 123456 ms\nstopped /)
})

it("begins with the stop if it is a crash, which says that the run failed", () => {
  const signature = { id: "7e29a34b", reason: "SIGSEGV", frames: ["sum"], count: 1, first: 1 }
  const { native: _, records: __, session: ___, ...run } = summary({ runs: 1, failures: 1, signatures: [signature] })
  const signal = { ...report, reason: "signal", description: "SIGSEGV", breakpoints: [] } as const
  const shown = (parts: Partial<RunReport.RunSummary>) =>
    Doc.render(Text.render(view, envelope({ ...signal, run: { ...run, ...parts } })), { color: false })
  assert.match(shown({}), /^stopped #12 signal: SIGSEGV/)
  const ended = { event: "exited", exit_code: 1, stops: [signal] } as const
  const told = Text.render(view, envelope({ ...ended, run }))
  assert.match(Doc.render(told, { color: false }), /^stopped signal: SIGSEGV[^]*\nexited 1\n$/)
  const first = "test_sum.py::test_add"
  const tests = { failed: 1, first, list: [{ name: first, message: "assert 0 == 4" }] }
  assert.match(shown({ tests }), /^1 test failed; debugged: test_sum\.py::test_add\nstopped #12 signal: SIGSEGV/)
  const two = { ...tests, failed: 2 }
  assert.include(
    shown({ tests: two }),
    "  test_sum.py::test_add  assert 0 == 4\n  … 1 more\nstopped #12 signal: SIGSEGV"
  )
})

it("says once that the time of a running program is up", () => {
  const { native: _, records: __, session: ___, ...run } = summary({ runs: 1, failures: 0, outcome: "time-out" })
  const told = Text.render(view, envelope({ event: "running", running: true, explain: "3 threads wait", run }))
  assert.strictEqual(
    Doc.render(told, { color: false }),
    "time is up: the program was still running and was ended\n3 threads wait\n"
  )
  assert.match(text(run), /^time is up: the program had not ended\nstopped /)
})

it("names the failure that is kept, also if another one was first", () => {
  const signatures = [
    { id: "7e29a34b", reason: "SIGSEGV", frames: ["store", "main"], line: 12, count: 3, first: 4 },
    { id: "00c0ffee", reason: "SIGABRT", frames: ["check", "main"], count: 1, first: 9 }
  ]
  const found = summary({ runs: 9, failures: 4, rate: 0.4444, signatures, signature: "00c0ffee" })
  assert.match(text(found), /^failed in run 9 of 9, 4 failed \(44\.4 %\) · SIGABRT check < main · /)
  assert.include(text(found), "  7e29a34b  3×, first in run 4: SIGSEGV store:12 < main")
})

it("lists the line also behind a long name", () => {
  const frames = ["long".repeat(30), "main"]
  const signatures = [
    { id: "7e29a34b", reason: "SIGSEGV", frames, line: 22116, count: 3, first: 4 },
    { id: "00c0ffee", reason: "SIGSEGV", frames, line: 22117, count: 1, first: 9 }
  ]
  const found = text(summary({ runs: 9, failures: 4, rate: 0.4444, signatures }))
  for (const line of [":22116", ":22117"]) assert.include(found, line)
})

it("says that a wanted failure was not found among others", () => {
  const { session: _, ...run } = summary({
    runs: 60,
    failures: 3,
    rate: 0.05,
    outcome: "passed",
    signatures: [{ id: "7e29a34b", reason: "SIGSEGV", frames: ["store", "main"], count: 3, first: 4 }]
  })
  assert.match(text(run), /^not found in 60 runs; 3 failed otherwise/)
})

it("lists failed tests with their places, and says why none is debugged", () => {
  const {
    session: _,
    records: __,
    ...run
  } = summary({
    runs: 1,
    failures: 1,
    by: "node",
    tests: {
      failed: 7,
      list: [{ name: "bank fails", file: "/src/demo/bank.test.mjs", line: 7 }, { name: "other" }]
    },
    handover: "no debugger for its tests (ADAPTER_NOT_FOUND)"
  })
  const { native: ___, ...rest } = run
  assert.strictEqual(
    text(rest),
    [
      "7 tests failed · by node",
      "  bank fails  bank.test.mjs:7",
      "  other",
      "  … 5 more",
      "not kept: no debugger for its tests (ADAPTER_NOT_FOUND)",
      ""
    ].join("\n")
  )
})
