import { assert, describe, it } from "@effect/vitest"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import { Effect } from "effect"
import * as Display from "../../src/console/lldb/values/Display.ts"
import { shown } from "../../src/console/lldb/values/ValueText.ts"
import * as References from "../../src/console/lldb/values/References.ts"
import * as CallFrames from "../../src/console/lldb/frames/CallFrames.ts"
import * as UnreliableValues from "../../src/console/lldb/values/UnreliableValues.ts"

const value = (name: string, type: string, text: string, handle = 0): Backend.Value => ({
  name,
  type,
  value: text,
  handle,
  expression: name
})

/** Values whose members are named by their handle. */
const over = (members: { readonly [handle: number]: ReadonlyArray<Backend.Value> }, found: Backend.Value) =>
  References.make({
    locals: () => Effect.succeed([found]),
    children: (handle, start, count) => Effect.succeed((members[handle] ?? []).slice(start, start + count)),
    evaluate: () => Effect.succeed(found)
  })

const pointer = { ...value("&rp", "int *", "0x20", 2), expression: "rp.&rp" }

describe("a reference to a pointer", () => {
  it.effect("is shown as the pointer, also where lldb-dap previews what it points to", () =>
    Effect.gen(function* () {
      for (const text of ["0x10", "0x10 {*&rp:5}", "0x10 {x:8, y:9}", '0x10 "text"']) {
        const values = over({ 1: [pointer] }, value("rp", "int *&", text, 1))
        assert.deepStrictEqual(yield* values.evaluate("rp", 0, "read"), value("rp", "int *&", "0x20", 2))
      }
    })
  )

  it.effect("has members whose expressions C++ reads", () =>
    Effect.gen(function* () {
      const members = [
        { ...value("*&rp", "int", "5"), expression: "*(rp.&rp)" },
        { ...value("x", "int", "8"), expression: "s->rp.&rp->x" }
      ]
      const values = over({ 2: members }, value("rp", "int *&", "0x10", 1))
      const expressions = (yield* values.children(2, 0, 2)).map(({ expression }) => expression)
      assert.deepStrictEqual(expressions, ["*(rp)", "s->rp->x"])
    })
  )

  it.effect("keeps a reference to an object with members", () =>
    Effect.gen(function* () {
      const object = value("p", "P &", "0x10 {x:8}", 1)
      const values = over({ 1: [value("x", "int", "8")] }, object)
      assert.deepStrictEqual(yield* values.locals(0), [object])
    })
  )
})

describe("an array of which lldb-dap shows no elements", () => {
  const elements = (count: number) => Array.from({ length: count }, (_, index) => value(`[${index}]`, "Pt", "{x:1}"))
  const array = (count: number) => value("pts", `Pt[${count}]`, `Pt[${count}] @ 0x7ffe`, 1)

  it.effect("gets a preview", () =>
    Effect.gen(function* () {
      const short = over({ 1: elements(2) }, array(2))
      assert.strictEqual((yield* short.evaluate("pts", 0, "read")).value, "{{...}, {...}}")
      const long = over({ 1: elements(20) }, array(30))
      assert.match((yield* long.evaluate("pts", 0, "read")).value, /^\{(?:\{\.\.\.\}, ){5}\.\.\.\}$/)
      const unreadable = over({}, array(2))
      assert.deepStrictEqual(yield* unreadable.evaluate("pts", 0, "read"), array(2))
    })
  )
})

describe("an object", () => {
  it.effect("without members is an empty pair of braces that does not open", () =>
    Effect.gen(function* () {
      for (const text of ["Empty @ 0x7ffe", "(unnamed struct) @ 0x7ffe", "{...}"]) {
        const found = value("e", "Empty", text, 1)
        const { evaluate, locals } = over({ 1: [] }, found)
        assert.deepStrictEqual(yield* evaluate("e", 0, "read"), value("e", "Empty", "{}"))
        assert.deepStrictEqual(yield* locals(0), [value("e", "Empty", "{}")])
        assert.deepStrictEqual(yield* over({ 1: [value("x", "int", "8")] }, found).evaluate("e", 0, "read"), found)
      }
    })
  )

  it.effect("that lldb-dap does not open, such as a unit structure of Rust, is one without members", () =>
    Effect.gen(function* () {
      const unit = over({}, value("u", "app::Unit", "app::Unit @ 0x7ffe"))
      assert.deepStrictEqual(yield* unit.evaluate("u", 0, "read"), value("u", "app::Unit", "{}"))
      const array = value("a", "app::Unit[]", "app::Unit[] @ 0x7ffe")
      assert.deepStrictEqual(yield* over({}, array).evaluate("a", 0, "read"), array)
    })
  )

  it.effect("whose members cannot be read keeps its address", () =>
    Effect.gen(function* () {
      const found = value("e", "Empty", "Empty @ 0x7ffe", 1)
      const children = () => Effect.fail(new Errors.AdapterError({ command: "variables", detail: "refused" }))
      const { evaluate } = References.make({
        locals: () => Effect.succeed([]),
        children,
        evaluate: () => Effect.succeed(found)
      })
      assert.deepStrictEqual(yield* evaluate("e", 0, "read"), found)
    })
  )
})

describe("the text of a value", () => {
  it("says whether the compiler removed the value, or whether LLDB cannot read it", () => {
    assert.strictEqual(shown("<error: variable not available>", "int"), "<optimized out>")
    assert.strictEqual(shown("<error: register rdi is not available>", "int"), "<optimized out>")
    assert.strictEqual(shown("<error: parent failed to evaluate: variable not available>", "int"), "<optimized out>")
    const atEntry = "<unknown: only the caller may know the value at entry>"
    assert.strictEqual(shown("<error: could not evaluate DW_OP_entry_value>", "int"), atEntry)
    const noCall =
      "<error: could not evaluate DW_OP_entry_value: no call edge in parent frame put<std::less<int> >(int)>"
    assert.strictEqual(shown(noCall, "int"), atEntry)
    const pieces = "<error: failed to read memory DW_OP_piece(8) from host address 0x55>"
    assert.strictEqual(shown(pieces, "Vec"), "<unknown: LLDB cannot read DW_OP_piece>")
    assert.strictEqual(shown("<error: empty constant data>", "int"), "<unknown: LLDB cannot read its constant>")
  })

  it("writes a control character as a byte", () => {
    const text = String.raw`"\U00000001A\U0000007f\\U00000002\U0001f600"`
    assert.strictEqual(shown(text, "unsigned char[8]"), String.raw`"\x01A\x7f\\U00000002\U0001f600"`)
  })
})

describe("a pointer to a member", () => {
  it("is what the formatters say, else an offset", () => {
    assert.strictEqual(shown("0x000000000000000c &S::b", "int S::*"), "&S::b")
    assert.strictEqual(shown("0x0000000000001139 &S::f", "int (S::*)(int) const"), "&S::f")
    assert.strictEqual(shown("0x000000000000000c", "int S::*"), "offset 12 of the class")
    assert.strictEqual(shown("0xffffffffffffffff", "int S::*const"), "nullptr")
    const bare = "0x0000000000001139 (app`S::f(int) at app.cpp:8:30)"
    assert.strictEqual(shown(bare, "int (S::*)(int)"), bare)
    assert.strictEqual(shown("0x000000000000000c", "int *"), "0x000000000000000c")
  })

  it("to no member is a word on both backends", () => {
    const node = {
      location: "0x10",
      type: "int S::*",
      name: "p",
      text: "nullptr",
      opens: true,
      children: [],
      more: false
    }
    assert.strictEqual(Display.display(node), "nullptr")
    assert.strictEqual(Display.display({ ...node, type: "int *" }), "0x0000000000000000")
  })

  it.effect("has no members", () =>
    Effect.gen(function* () {
      const values = over({}, { ...value("p", "int S::*", "&S::b", 4), child_count: 1 })
      assert.deepStrictEqual(yield* values.locals(0), [value("p", "int S::*", "&S::b")])
    })
  )
})

describe("local variables", () => {
  it.effect("are without thread-local variables of the file", () =>
    Effect.gen(function* () {
      const names = ["r", "counter", "::space", "split"]
      const values = UnreliableValues.make({
        calls: CallFrames.make(() => Effect.succeed("none")),
        command: (line) =>
          Effect.succeed(
            line.startsWith("image lookup")
              ? '     Variable: id = {0x1}, name = "r", type = "int", valid ranges = <block>, location = DW_OP_fbreg -20, decl = a.c:16'
              : line === "register read pc"
                ? "     rip = 0x0000000000401136  a.out`main + 4"
                : line.endsWith(" counter")
                  ? "(int) counter = 7"
                  : "error: can't find global variable 'split'"
          ),
        locals: () => Effect.succeed(names.map((name) => value(name, "int", "7"))),
        evaluate: () => Effect.succeed(value("r", "int", "7"))
      })
      // LLDB does not print every variable of an outer frame, and only a variable of the file is left out.
      assert.deepStrictEqual(
        (yield* values.locals(0)).map(({ name }) => name),
        ["r", "split"]
      )
    })
  )
})
