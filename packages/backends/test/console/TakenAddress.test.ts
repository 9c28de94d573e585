import { assert, it } from "@effect/vitest"
import * as TakenAddress from "../../src/console/lldb/values/TakenAddress.ts"

const where = "in the register rbx"
const variables = new Map([
  ["n", { where, type: "int" }],
  ["p", { where, type: "point *" }],
  ["pair", { where, type: "point" }],
  ["words", { where, type: "int[2]" }]
])
const named = (expression: string) => TakenAddress.problem(expression, variables)?.split(" ")[0]

it("finds the variable in a register whose address an expression takes", () => {
  for (const [expression, name] of [
    ["&n", "n"],
    ["*&n", "n"],
    ["(long)&(n)", "n"],
    ["f(other, & n)", "n"],
    ["&pair.x", "pair"],
    ["&words[1]", "words"],
    ["x && *&p", "p"]
  ] as const) {
    assert.strictEqual(named(expression), name, expression)
  }
})

it("accepts the addresses of targets and of other variables, and the operators with two operands", () => {
  for (const expression of ["n", "&p->x", "&p[1]", "&other", "x & n", "(x) & n", "x && n", "a[1] & n", "&*p"]) {
    assert.isUndefined(named(expression), expression)
  }
})
