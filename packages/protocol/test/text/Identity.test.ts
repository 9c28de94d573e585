// Expressions of JavaScript that run no code of the program.
import { assert, describe, it } from "@effect/vitest"
import { onlyComparesIdentity } from "../../src/text/Expression.ts"

describe("an expression that compares identities only", () => {
  it.each([
    "n === 3",
    "n !== -1.5e3",
    "a === b && !(c === null || c === undefined)",
    "!flag",
    "!!flag && name === 'B'",
    "true",
    "(a === b) ",
    "((a === b)) && (!(c))",
    'x === "a.b()" || $y_1 !== 0x1fn',
    "!a === b",
    "a === b === true",
    "(a === b) !== true",
    "(a) === (b)",
    "größe\n=== 10n"
  ])("is %s", (text) => assert.isTrue(onlyComparesIdentity(text)))

  it.each([
    "",
    "flag",
    "a && b === c",
    "(flag)",
    "a(b) === c",
    "(a)(b) === c",
    "!(a)(b)",
    "a !b",
    "(a && b) === c",
    "a.b === 1",
    "a?.b === 1",
    "a[0] === 1",
    "a == 1",
    "a != b",
    "a < 1",
    "+a === 1",
    "-a === 1",
    "- 1 === a -1",
    "f(a === b)",
    "f (a === b)",
    "new (a === b)",
    "typeof a === 'b'",
    "`${a}` === 'b'",
    "'\\u{61}' === a",
    "a === b, c",
    "a === b ? c : d",
    "a ?? b",
    "a === b ||",
    "!",
    "a !",
    "(a === b",
    "a === b)",
    "() => a === b",
    "a === /b/",
    "a === 1.toString",
    "a === 1in",
    "a === b /* c */",
    "a === b // c",
    "a = b",
    "a ==== b",
    "'a\n' === b",
    `${"(".repeat(2100)}a === b${")".repeat(2100)}`
  ])("is not %s", (text) => assert.isFalse(onlyComparesIdentity(text)))
})
