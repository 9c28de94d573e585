// Mutants and rules are data that follows the sources: lines that moved, tests that were renamed and rules without a mutant
// are found here. `npm run mutants` shows that each test notices its mutants.
import { assert, describe, it } from "@effect/vitest"
import * as Mutants from "../../internals/Mutants.ts"
import * as Rules from "../../internals/Rules.ts"
import { none } from "./sources.ts"

describe("mutants", () => {
  it("change a line that exists once, and name a test that exists", () => {
    none(Mutants.problems(Mutants.all))
  })

  it("that do not apply are found", () => {
    const [mutant] = Mutants.all
    assert(mutant !== undefined)
    const problem = (change: Partial<Mutants.Mutant>) => Mutants.problems([{ ...mutant, ...change }]).join("\n")
    assert.strictEqual(problem({}), "")
    assert.include(problem({ text: "no such line" }), "occurs 0 times")
    assert.include(problem({ text: "e" }), "times in")
    assert.include(problem({ replacement: mutant.text }), "changes nothing")
    assert.include(problem({ title: "no such test" }), "has no test")
    assert.include(problem({ file: "no/such/file.ts" }), "there is no file")
    assert.include(Mutants.problems([mutant, mutant]).join("\n"), "same name")
  })
})

describe("rules", () => {
  it("each have a mutant, or a reason why not", () => {
    none(Rules.problems(Mutants.all))
  })

  it("without a mutant and a reason are found", () => {
    assert.isAbove(Rules.problems([]).length, 0)
  })
})
