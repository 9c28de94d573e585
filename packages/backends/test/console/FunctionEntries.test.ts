// Which variables of a function are its parameters. The texts are those of LLDB 19 for programs of gcc 12.
import { assert, describe, it } from "@effect/vitest"
import { canonicalType, parametersOf } from "../../src/console/lldb/FunctionEntries.ts"

const slot = "DW_OP_fbreg -24"

describe("a parameter", () => {
  for (const [type, variable] of [
    ["long", "long int"],
    ["unsigned long", "long unsigned int"],
    ["unsigned short", "short unsigned int"],
    ["long long", "long long int"],
    ["struct S", "S"],
    ["enum ns::F", "F"],
    ["const struct S &", "const S &"],
    ["class std::vector<int>", "vector<int, std::allocator<int> >"],
    ["class std::function<int (int)>", "function<int(int)>"],
    ["struct ns::Box<struct ns::Box<int> >", "Box<ns::Box<int> >"],
    ["struct std::pair<long, long>", "pair<long int, long int>"],
    ["_Bool", "bool"],
    ["int (*)(long, char)", "int (*)(long, char)"]
  ] as const) {
    it(`has the type ${type} as a variable of ${variable}`, () =>
      assert.strictEqual(canonicalType(type), canonicalType(variable)))
  }

  it("differs from one of another type", () => {
    for (const [one, other] of [
      ["long", "int"],
      ["long", "unsigned long"],
      ["long", "long long"],
      ["struct S", "struct S *"],
      ["char", "unsigned char"]
    ] as const)
      assert.notStrictEqual(canonicalType(one), canonicalType(other))
  })

  it("is one of the first variables of code that is not optimized, whatever its type is called", () => {
    const variables = ["a", "b", "local"].map((name) => ({ name, type: `alias of ${name}`, location: slot }))
    const found = parametersOf({ parameters: ["int", "char"], variables })
    assert.deepStrictEqual(
      found.map(({ name }) => name),
      ["a", "b"]
    )
  })

  it("of optimized code is a variable only if its type says so", () => {
    const variables = [
      { name: "used", type: "int", location: "DW_OP_reg5 RDI" },
      { name: "local", type: "char[8]", location: slot }
    ]
    const found = parametersOf({ parameters: ["int", "long"], variables })
    assert.deepStrictEqual(
      found.map(({ name }) => name),
      ["used"]
    )
  })
})
