// The reason of a stop in the first line of a report.
import { assert, it } from "@effect/vitest"
import * as StopReport from "../src/StopReport.ts"

it("names the function from which a step returned without its argument types", () => {
  const returned_from = "Bank::deposit(std::__cxx11::basic_string<char> const&, double)"
  assert.strictEqual(StopReport.why({ reason: "step", returned_from }), "step: returned from Bank::deposit")
})
