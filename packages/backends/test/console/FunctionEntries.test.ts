// Which variables of a function are its parameters. The texts are those of LLDB 19 for programs of gcc 12.
import { assert, describe, it } from "@effect/vitest"
import type { Parse } from "@sigtrap/lldb"
import { Effect } from "effect"
import * as FunctionEntries from "../../src/console/lldb/breakpoints/FunctionEntries.ts"

const { canonicalType, parametersOf } = FunctionEntries

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

/** Printed by LLDB 19 for a function whose variables are in its frame. */
const lookup = `      Address: many[0x00000000000013a3] (many.PT_LOAD[1]..text + 835)
      Summary: many\`work20 + 0 at many.c:463:16
       Module: file = "/app/many", arch = "x86_64"
  CompileUnit: id = {0x00000000}, file = "/app/many.c", language = "c11"
     Function: id = {0x000004bf}, name = "work20", range = [0x00005555555573a3-0x0000555555557600)
     FuncType: id = {0x000004bf}, byte-size = 0, decl = many.c:463, compiler_type = "int (int, int)"
       Blocks: id = {0x000004bf}, range = [0x5555555573a3-0x555555557600)
    LineEntry: [0x00005555555573a3-0x00005555555573ad): /app/many.c:463:16
       Symbol: id = {0x00000021}, range = [0x00005555555573a3-0x0000555555557600), name="work20"
     Variable: id = {0x000004db}, name = "a", type = "int", valid ranges = <block>, location = DW_OP_fbreg -20, decl = many.c:463
`

describe("the location of a further breakpoint in a function", () => {
  const made = { module: "many", address: 0x5555555573c0n, line: 465, column: 9 }
  const first = {
    number: "3.1",
    address: 0x5555555573b0n,
    loaded: true,
    module: "/app/many",
    function: "work20",
    file: "/app/many.c",
    line: 464
  }

  /** Returns the facts of a program after a breakpoint in a function. */
  const after = Effect.fnUntraced(function* (location: Parse.BreakpointLocation, output = lookup) {
    const functions = FunctionEntries.make({ command: () => Effect.succeed(output), major: 19 })
    yield* functions.functionAt(location.address, location.module)
    functions.remember(location)
    return functions
  })

  it.effect("is known without a question to LLDB", () =>
    Effect.gen(function* () {
      const functions = yield* after(first)
      assert.isTrue(functions.knows("/app/many.c"))
      const expected = { ...first, number: "4.1", address: made.address, line: 465, column: 9 }
      assert.deepStrictEqual(functions.located(made, 4, "/app/many.c"), expected)
    })
  )

  it.effect("is unknown in another file, module or function", () =>
    Effect.gen(function* () {
      const functions = yield* after(first)
      assert.isUndefined(functions.located(made, 4, "/other/many.c"))
      assert.isUndefined(functions.located({ ...made, module: "any" }, 4, "/app/many.c"))
      assert.isUndefined(functions.located({ ...made, address: 0x555555557600n }, 4, "/app/many.c"))
    })
  )

  it.effect("is unknown in optimized code, in code that is not loaded, and after modules were loaded", () =>
    Effect.gen(function* () {
      const optimized = yield* after(first, lookup.replace("DW_OP_fbreg -20", "DW_OP_reg5 RDI"))
      assert.isUndefined(optimized.located(made, 4, "/app/many.c"))
      assert.isUndefined((yield* after({ ...first, loaded: false })).located(made, 4, "/app/many.c"))
      const functions = yield* after(first)
      functions.forget()
      assert.isFalse(functions.knows("/app/many.c"))
      assert.isUndefined(functions.located(made, 4, "/app/many.c"))
    })
  )
})
