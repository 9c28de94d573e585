/** Patterns of function names as GDB reads them. */
import { assert, it } from "@effect/vitest"
import * as PatternNames from "../../src/console/gdb/PatternNames.ts"
import * as Pattern from "../../src/console/gdb/Pattern.ts"

it.each([
  ["^(sum|area)$", "^\\(sum\\|area\\)$"],
  ["^(?:a+|b?)c{2}", "^\\(a\\+\\|b\\?\\)c\\{2\\}"],
  ["operator\\(\\)", "operator()"],
  ["^x\\d[(|+]$", "^x[0-9][(|+]$"],
  ["a\\.b\\w", "a\\.b\\w"]
])("the pattern %s is %s for GDB", (pattern, basic) => {
  assert.strictEqual(Pattern.basic(pattern, false), basic)
})

it.each([
  ["^Sum_1", "^[Ss][Uu][Mm]_1"],
  ["[a-z_]\\w", "[a-z_A-Z_]\\w"],
  ["[^]q-]", "[^]qQ-]"],
  ["[[:alpha:]0]", "[[:alpha:]0]"]
])("the pattern %s without case is %s for GDB", (pattern, basic) => {
  assert.strictEqual(Pattern.basic(pattern, true), basic)
})

it("a pattern of alternatives and optional parts has names for which GDB can wait", () => {
  assert.deepStrictEqual(PatternNames.of("^__assert(_fail|_rtn)?$"), ["__assert_fail", "__assert_rtn", "__assert"])
  assert.deepStrictEqual(PatternNames.of("^(std::terminate(\\(\\))?|abort)$"), [
    "std::terminate()",
    "std::terminate",
    "abort"
  ])
  for (const pattern of ["abort", "^ab*$", "^[ab]$", "^(a$", "^a|b)$", "^(a|b|c|d)(a|b|c|d)(a|b|c|d)$"]) {
    assert.isUndefined(PatternNames.of(pattern), pattern)
  }
})
