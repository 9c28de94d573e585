import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { comparing, names, nearest, onlyReads, syntaxProblem } from "../../src/text/Expression.ts"

const reads = [
  '"R"',
  '"a" == "R"',
  "total",
  "a.b->c[3].d",
  "*p",
  "&x",
  "**argv",
  "a == b",
  "a != b",
  "a <= b && c >= d",
  "a < b",
  "a > (b + 1)",
  "a >> (b)",
  "a - -b",
  "a + +b",
  "!a",
  "~mask & 0xff",
  "x ? y : z",
  "a, b",
  "sizeof(int)",
  "sizeof (x)",
  "sizeof x",
  "alignof(struct a)",
  "(int)(x)",
  "(unsigned long)(x)",
  "(const char *)(p)",
  "(struct point *)(p)",
  "(Foo *)(p)",
  "(ns::Foo const &)(p)",
  "(uint8_t)(x)",
  "(f)[2]",
  "int(x)",
  "static_cast<int>(x)",
  "reinterpret_cast<Foo *>(p)",
  '"a = b(c)"',
  '"\\" = "',
  "'='",
  "'\\''",
  "'\\x3d'",
  's == "x = f()"',
  "not (a)",
  "a and (b or c)",
  "größe + 1",
  "$rip",
  "ns::value",
  "v<int>::value",
  '"a".size == n',
  '"e3".part',
  'm["a"].size',
  'L"a" == wide',
  'u8"a"',
  'b"a" == data[2]',
  'r"a"',
  "c == '`'",
  "a<::ns::value>::size",
  "x ? a % b : c",
  "0x1f + 0b11 + 0o17 + 1_000 + 1.5e-3f + .5 + 12ull + 1u32 + 10n",
  "pair.0",
  "a?.b",
  "a ?? (b)",
  "prices['apple']",
  "row['a']['b'].c == 'it\\'s' or 'x y' in row",
  "'f() + g()'",
  "this.#items",
  "this?.#items[0].#name"
]

const acts = [
  "a = 1",
  "a=1",
  "a =! b",
  "a[0] = 1",
  "*p = 1",
  "a += 1",
  "a -= 1",
  "a *= 2",
  "a /= 2",
  "a %= 2",
  "a &= 1",
  "a |= 1",
  "a ^= 1",
  "a <<= 1",
  "a >>= 1",
  "a and_eq b",
  "a or_eq b",
  "i++",
  "++i",
  "i--",
  "--i",
  "a == b ? c = 1 : 2",
  "f()",
  "f (x)",
  "f\n(x)",
  "f/**/(x)",
  "f//\n(x)",
  "a.f()",
  "p->f(1)",
  "ns::f(1)",
  "table[0](x)",
  "(*fp)(x)",
  "(f)(x)",
  "(ns::f)(x)",
  "f(x)(y)",
  "f<int>(x)",
  "f<1 > (x)",
  "operator+(a, b)",
  "new int",
  "delete p",
  "throw 1",
  "sizeof(int) + f()",
  "(int)f(x)",
  '"a" + f("b")',
  'R"(")" + f() + R"(")"',
  "1'0 + f() + 1'0",
  "[obj count]",
  "(int)[obj count]",
  "x + [obj at:1]",
  "[=]",
  "({ a; })",
  "T{}",
  "while(1)",
  "a; b",
  "`continue",
  "@selector(x)",
  "größe()",
  '"open',
  'f"{boom()}"',
  'F"{boom}"',
  'rf"{boom()}"',
  't"{boom()}"',
  '$"{boom()}"',
  's"$boom"',
  '"\\(boom())"',
  '"#{boom}"',
  '"${boom()}"',
  '"{$a->boom()}"',
  '"$(boom())"',
  '"`boom`"',
  '"a"_km',
  '"a"s',
  "3_km",
  "1.5h",
  "'a'_km",
  "1'0'0",
  "boom?.()",
  "a.boom?. (1)",
  "T<%1%>",
  "a<:0:>",
  "'ns::f(int)'(3)",
  "'f' (3)",
  "g::<'a>(f())",
  "g::<'a, 'b>(f(), 'x')",
  "g::<'a>('(') + h::<'b>(f())",
  "1'000 + f() + 1'000",
  "1'(' + f() + '(1",
  "'''(' ''' + f() + '''(' '''",
  '"""(" """ + f() + """(" """',
  "this.#items()",
  "# f()",
  "a.# b",
  "<::>"
]

it("calls builtin functions of the language without running code of the program", () => {
  const reading = new Set(["len", "cap"])
  assert.isTrue(onlyReads("len(x.items[1]) + cap(y)", reading))
  for (const text of ["len(f(x))", "x.len(1)", "x->len()", "len (x) = 2"])
    assert.isFalse(onlyReads(text, reading), text)
  assert.isFalse(onlyReads("len(x)"))
})

describe("an expression that only reads", () => {
  it.each(reads)("is %s", (expression) => assert.isTrue(onlyReads(expression)))
  it.each(acts)("is not %s", (expression) => assert.isFalse(onlyReads(expression)))
})

const Name = Schema.Literals(["a", "total", "items[2].n", "*p", "x1", "3", "(a + b)"])
const Writer = Schema.Literals(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
const Reader = Schema.Literals([
  "+",
  "-",
  "*",
  "/",
  "%",
  "&",
  "|",
  "^",
  "<<",
  ">>",
  "==",
  "!=",
  "<",
  ">",
  "<=",
  ">=",
  "&&",
  "||"
])
const Space = Schema.Literals(["", " ", "\t", "\n"])

it.prop("an assignment is found in any surroundings", [Name, Space, Writer, Space, Name], ([a, s, op, t, b]) => {
  for (const text of [`${a}${s}${op}${t}${b}`, `(${a}${s}${op}${t}${b})`, `x < ${a}${s}${op}${t}${b}`]) {
    assert.isFalse(onlyReads(text), text)
  }
})

it.prop("a call is found in any surroundings", [Name, Reader, Space, Name], ([a, op, s, b]) => {
  for (const callee of ["f", "obj.f", "ns::f", "(f)", "p[1]"]) {
    assert.isFalse(onlyReads(`${a} ${op} ${callee}${s}(${b})`), `${a} ${op} ${callee}${s}(${b})`)
  }
})

it.prop(
  "an expression with reading operators only is accepted",
  [Name, Space, Reader, Space, Name],
  ([a, s, op, t, b]) => {
    // `a--b`, `a&&…` of two operators run together are others.
    const text = `${a}${s} ${op} ${t}${b}`
    assert.isTrue(onlyReads(text), text)
  }
)

it.prop("the content of a string without marks of an expression is ignored", [Schema.String], ([text]) => {
  assert.isTrue(onlyReads(JSON.stringify(text.replace(/[\u2028\u2029`({]/g, ""))))
})

it.prop("any text is classified without an exception", [Schema.String], ([text]) => assert.isBoolean(onlyReads(text)))

describe("the nearest names", () => {
  it.each([
    ["totl", ["total", "i", "n"], ["total"]],
    ["TOTAL", ["total"], ["total"]],
    ["x", ["y", "xx", "abc"], ["y", "xx"]],
    ["count", ["counter", "count2", "cont", "amount", "other"], ["count2", "cont", "counter"]],
    ["i", [], []],
    ["zebra", ["total", "sum"], []],
    ["a", ["b", "b"], ["b"]]
  ])("of %s among %j are %j", (name, known, expected) => assert.deepStrictEqual(nearest(name, known), expected))

  it.prop(
    "are at most three of those known, each once, and include the name itself",
    [Schema.String, Schema.Array(Schema.String)],
    ([name, known]) => {
      const near = nearest(name, [...known, name])
      assert.isAtMost(near.length, 3)
      assert.strictEqual(new Set(near).size, near.length)
      assert.isTrue(near.every((candidate) => candidate === name || known.includes(candidate)))
      assert.strictEqual(near[0]?.toLowerCase(), name.toLowerCase())
    }
  )
})

describe("a long expression", () => {
  it("is examined up to 4096 characters; a longer one counts as changing, whatever it is", () => {
    assert.isTrue(onlyReads("x".repeat(4096)))
    assert.isFalse(onlyReads("x".repeat(4097)))
    assert.isFalse(onlyReads("x".repeat(1_000_000)))
  })

  it("longer than a name has no similar names", () => {
    assert.deepStrictEqual(nearest("x".repeat(1_000_000), ["x", "y"]), [])
  })
})

describe("a condition", () => {
  it.each([
    ["(((", "'(' is not closed"],
    ["items[n == 3", "'[' is not closed"],
    ["n > 2)", "')' closes nothing"],
    ["a[(1]", "'(' is closed by ']'"],
    ['name == "x', "a string is not closed"],
    ["n =", "it ends with an operator"],
    ["n == 1 &&", "it ends with an operator"],
    ["item->", "it ends with an operator"],
    ["== 3", "it begins with an operator"],
    ["> n", "it begins with an operator"]
  ])("that cannot be parsed has a reason: %s", (expression, problem) => {
    assert.strictEqual(syntaxProblem(expression), problem)
  })

  it.each([
    ...reads,
    ...acts.filter((text) => text !== '"open'),
    'name == "(" && s[0] == "\\"("[0]',
    "c == '(' || c == '\"'",
    "n == 1 // (",
    "n == 1 /* ( */",
    'R"(()" == s',
    "n == 1'000'000 && (n)",
    "n == 1; } int other(void) { return (1)",
    "a<:0] == 1",
    "x == `(`",
    '"""a"b""" == s',
    "/\\(/.test(name)",
    'name == r#"("#',
    "[object count:1] == @(2)"
  ])("that a debugger may accept has none: %s", (expression) => assert.isUndefined(syntaxProblem(expression)))
})

describe("a condition that assigns", () => {
  it.each([
    ["i = 3", "i == 3"],
    ["items[n == 2].count=4", "items[n == 2].count==4"],
    ["*(at + 1) = total", "*(at + 1) == total"],
    ['name = "a = b"', 'name == "a = b"']
  ])("has one that compares: %s", (expression, other) => assert.strictEqual(comparing(expression), other))

  it.each([
    "i == 3",
    "i != 3",
    "i <= 3",
    "i >= 3",
    "i += 3",
    "f(key=3) > 1",
    "x => x",
    "[&](int a = 1) { return a; }(2)"
  ])("is not: %s", (expression) => assert.isUndefined(comparing(expression)))
})

describe("the names in an expression", () => {
  it.each([
    ["a.b + c->d > total", ["a", "c", "total"]],
    ["static_cast<long>(count) == f(n) + app::limit", ["count", "n"]],
    ['L"x"[0] == u8"y"[i]', ["i"]],
    ["(unsigned char)c == 'a' + 10u", ["c"]]
  ])("are those that can be variables: %s", (expression, found) =>
    assert.deepStrictEqual([...names(expression)], found)
  )
})
