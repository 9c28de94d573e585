/** Accesses, calls and divisions in a line of source. */
import { assert, it } from "@effect/vitest"
import * as SourceAccesses from "../../../src/model/crashes/SourceAccesses.ts"

const accesses = (line: string) =>
  SourceAccesses.of(line).accesses.flatMap(({ expression, root }) => (root === "this" ? [] : [expression]))

it("finds what a line reads and writes through pointers", () => {
  const check = (line: string, expected: ReadonlyArray<string>) =>
    assert.deepStrictEqual(accesses(line), expected, line)
  check("  sum += n->next->value;", ["n->next", "n->next->value"])
  check("*p = 3;", ["*p"])
  check("return values[index + 1];", ["values[index + 1]"])
  check("(*list).head->value = a.b->c;", ["*list", "(*list).head", "(*list).head->value", "a.b->c"])
  check("x = **q;", ["*q", "**q"])
  check("a * b", [])
  check('puts("n->next"); // n->value', [])
})

it("finds what a pointer that is taken for another type accesses", () => {
  const check = (line: string, expected: ReadonlyArray<readonly [string, string]>) => {
    const found = SourceAccesses.of(line).accesses.filter(({ root }) => root !== "this")
    assert.deepStrictEqual(
      found.map(({ expression, values }) => [expression, values.at(-1)]),
      expected.map((one) => [...one]),
      line
    )
  }
  check("i = *(int32_t *)sp;", [["*(int32_t *)sp", "sp"]])
  check("*(const unsigned char*)from->text = 0;", [
    ["from->text", "from"],
    ["*(const unsigned char *)from->text", "from->text"]
  ])
  check("return ((struct node *)p)->next->value;", [
    ["((struct node *)p)->next", "p"],
    ["((struct node *)p)->next->value", "((struct node *)p)->next"]
  ])
  check("copy((char *)to, from); area = (width * height);", [])
})

it("never has a call, an assignment or an increment in an access, since it is evaluated", () => {
  for (const line of [
    "x = next(p)->value;",
    "x = values[i++];",
    "x = values[next()];",
    "*p++ = 1;",
    "x = values[i = 2];"
  ]) {
    for (const expression of SourceAccesses.of(line).accesses.map((one) => one.expression))
      assert.notMatch(expression, /\+\+|--|\(\)|[^=!<>]=[^=]|next\(/, line)
  }
})

it("finds calls through pointers and functions", () => {
  assert.deepStrictEqual(SourceAccesses.of("x = table->run(3) + other(y);").calls, ["table->run", "other"])
})

it("finds divisions with a simple divisor", () => {
  assert.deepStrictEqual(SourceAccesses.of("return a / b + c % d->n;").divisions, [
    { expression: "a / b", divisor: "b" },
    { expression: "c % d->n", divisor: "d->n" }
  ])
  assert.deepStrictEqual(SourceAccesses.of("return a / f(b);").divisions, [])
})

it("finds the objects whose functions a line uses", () => {
  const uses = (line: string) =>
    SourceAccesses.of(line).uses.map(({ isPointer, object, text }) => [text, object, isPointer] as const)
  assert.deepStrictEqual(uses("return a->owner.size() + shape->area();"), [
    ["a->owner.size()", "a->owner", false],
    ["shape->area()", "shape", true]
  ])
  assert.deepStrictEqual(uses("delete node->left;"), [["delete node->left", "node->left", true]])
  assert.deepStrictEqual(uses("x = a.entries[i + 1];"), [["a.entries[i + 1]", "a.entries", false]])
  assert.deepStrictEqual(uses("x = plain(3);"), [])
})

it("finds the arguments of calls that are names, members or elements", () => {
  const check = (line: string, ...expected: ReadonlyArray<string>) =>
    assert.deepStrictEqual(
      SourceAccesses.of(line).arguments.map(({ call, expression }) => `${call} ${expression}`),
      expected,
      line
    )
  check("return strlen(a) + strlen(user->name);", "strlen a", "strlen user->name")
  check("copy(to, all[i].text, size - 1);", "copy to", "copy all[i].text")
  check("if (compare(first(x), (y), *z)) return (w);", "first x")
  check("while (a) std::strlen(b);", "std::strlen b")
  check('printf("f(c)", d); // e(f)', "printf d")
})
