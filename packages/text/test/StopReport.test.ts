// The first lines of a report: the reason of a stop.
import { assert, it } from "@effect/vitest"
import * as StopReport from "../src/StopReport.ts"
import { envelope, report } from "./samples.ts"
import { shown } from "./shown.ts"

it("names the function from which a step returned without its argument types", () => {
  const returned_from = "Bank::deposit(std::__cxx11::basic_string<char> const&, double)"
  assert.strictEqual(StopReport.why({ reason: "step", returned_from }), "step: returned from Bank::deposit")
})

it("says the text of an exception once", () => {
  const shownAs = (description: string) =>
    shown("next", envelope({ ...report, reason: "exception", description, exception, breakpoints: [], threads: 1 }))
  const exception = { id: "uncaught", type: "KeyError", message: "'count'" }
  assert.strictEqual(shownAs("KeyError: 'count'").split("\n")[1], "sum_scores app.c:14  [sum_scores < main]")
  assert.include(shownAs("uncaught exception"), "uncaught exception\nKeyError: 'count'\n")
})

it("names the thread of a failure only beside other threads", () => {
  const crash = { ...report, reason: "signal", description: "signal SIGSEGV", breakpoints: [] } as const
  const first = (threads: number) => shown("next", envelope({ ...crash, threads })).split("\n")[0]
  assert.strictEqual(first(1), "stopped #12 signal SIGSEGV")
  assert.strictEqual(first(2), 'stopped #12 signal SIGSEGV · thread 1 "app"')
})
