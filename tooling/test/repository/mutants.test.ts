// Mutants and rules are data that follows the sources: lines that moved, tests that were renamed and rules without a mutant
// are found here. `npm run mutants` shows that each test notices its mutants.
import { assert, describe, it } from "@effect/vitest"
import * as Mutants from "../../internals/Mutants.ts"
import * as Rules from "../../internals/Rules.ts"
import { none } from "./sources.ts"

describe("rules", () => {
  it("each have a mutant, or a reason why not", () => {
    none(Rules.problems(Mutants.all))
  })

  it("without a mutant and a reason are found", () => {
    assert.isAbove(Rules.problems([]).length, 0)
  })
})
