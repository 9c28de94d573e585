import { assert, describe, it } from "@effect/vitest"
import * as CallerArguments from "../../src/launch/runners/CallerArguments.ts"

const options = { flags: ["-v"], choosing: ["-t", "--shard"] }

describe("the arguments of a caller", () => {
  it.each([
    [
      ["-t", "adds", "--project", "unit"],
      ["--project", "unit"]
    ],
    [["-t=adds", "--shard=1/2", "-v", "src/bank"], ["-v"]],
    [["src/bank", "--retry=2", "--", "more"], ["--retry=2"]],
    [
      ["--bail", "-v"],
      ["--bail", "-v"]
    ],
    [["-"], []]
  ])("without those that choose tests: %j", (args, kept) => {
    assert.deepStrictEqual(CallerArguments.forChosen(args, options), kept)
  })

  it("keep their words where these may be for the program", () => {
    assert.deepStrictEqual(
      CallerArguments.forChosen(["-t", "adds", "src/bank", "-v"], { ...options, keepsWords: true }),
      ["src/bank", "-v"]
    )
  })
})
