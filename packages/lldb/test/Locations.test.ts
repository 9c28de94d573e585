import { assert, describe, it } from "@effect/vitest"
import { Locations, Symbols, Variables } from "@sigtrap/lldb"

const variable = (name: string, location: string) =>
  `     Variable: id = {0x0000010d}, name = "${name}", type = "int", valid ranges = <block>, location = ${location}, decl = loops.c:65:17`

describe("Locations", () => {
  it("finds the values that LLDB computes from an address that it does not relocate, or from lost pieces", () => {
    const text = [
      "      Address: loops[0x106b] (loops.PT_LOAD[1]..text + 27)",
      variable(
        "i",
        "[0x0000000000001066, 0x000000000000106d) -> DW_OP_breg1 RDX+0, DW_OP_addr 0x4024, DW_OP_minus, DW_OP_lit2, DW_OP_shr, DW_OP_stack_value"
      ),
      variable("f", "DW_OP_addr 0x11b0, DW_OP_stack_value"),
      variable("table", "[0x11eb, 0x121c) -> DW_OP_piece 0x14, DW_OP_lit6, DW_OP_stack_value, DW_OP_piece 0x4"),
      variable("by", "DW_OP_lit2, DW_OP_stack_value, DW_OP_piece 0x2, DW_OP_lit20, DW_OP_stack_value, DW_OP_piece 0x2"),
      variable("counter", "DW_OP_addr 0x4024"),
      variable("total", "DW_OP_fbreg -20"),
      variable("found", "[0x106b, 0x1076) -> DW_OP_reg0 RAX")
    ].join("\n")
    assert.deepStrictEqual(
      [...Locations.unreliable(text)].map(([name, reason]) => [name, reason.slice(0, 7)]),
      [
        ["i", "unknown"],
        ["f", "unknown"],
        ["table", "partly "]
      ]
    )
  })

  it("finds the variables that have no address", () => {
    const text = [
      variable("n", "DW_OP_reg3 RBX"),
      variable("half", "DW_OP_reg0 RAX, DW_OP_piece 0x4, DW_OP_fbreg -20, DW_OP_piece 0x4"),
      variable("sum", "[0x1066, 0x106d) -> DW_OP_breg1 RDX+0, DW_OP_lit2, DW_OP_plus, DW_OP_stack_value"),
      variable("early", "DW_OP_entry_value(DW_OP_reg5 RDI), DW_OP_stack_value"),
      variable("total", "DW_OP_fbreg -20"),
      variable("far", "DW_OP_breg3 RBX+16, DW_OP_deref"),
      // The one of the outer block is not visible.
      variable("total", "DW_OP_reg4 RSI"),
      variable("other", "DW_OP_reg4 RSI").replace('"int"', '"point &"')
    ].join("\n")
    assert.deepStrictEqual(
      [...Locations.withoutAddress(text)].map(([name, { where }]) => [name, where]),
      [
        ["n", "in the register rbx"],
        ["half", "in the register rax"],
        ["sum", "a value that the debug information computes"],
        ["early", "a value that the debug information computes"]
      ]
    )
  })

  it("finds the variables whose constant LLDB does not read", () => {
    const text = [variable("k", "<empty>"), variable("s", "DW_OP_reg3 RBX")].join("\n")
    assert.deepStrictEqual([...Locations.constants(text)], [["k", "0x0000010d"]])
  })

  it("finds the variables in the frame of a function whose first part is not the one that runs", () => {
    const output = (line: string) =>
      [
        "      Address: app[0x28fa] (app.PT_LOAD[1]..text + 1850)",
        "      Summary: app`main + 1752 at app.cpp:97:14",
        '     Function: id = {0x000214a6}, name = "main", range = [0x0000555555556222-0x0000555555556c82)',
        "       Blocks: id = {0x000214a6}, ranges = [0x555555556222-0x555555556337)[0x555555556340-0x555555556c82)",
        `    LineEntry: ${line}: /app.cpp:97:14`,
        variable("point", "DW_OP_fbreg -168"),
        variable("sum", "[0x106b, 0x1076) -> DW_OP_reg6 RBP")
      ].join("\n")
    assert.deepStrictEqual(Locations.inSplitFrame(output("[0x00005555555568fa-0x0000555555556901)")), ["point"])
    assert.deepStrictEqual(Locations.inSplitFrame(output("[0x0000555555556230-0x0000555555556237)")), [])
  })

  it("tells a caller in code from a false one", () => {
    assert.isTrue(Locations.isCode("    frame #1: 0x00007ffff7dfc24a libc.so.6`__libc_start_call_main + 122\n"))
    assert.isFalse(Locations.isCode("    frame #1: 0x000055555556e410\n"))
    assert.isFalse(Locations.isCode("* thread #1, name = 'app', stop reason = breakpoint 1.1\n"))
  })

  it("names structures among the arguments, and where variables of one name are declared", () => {
    const args = "ARG: (const record *) record = 0x00007fffffffe660{...}\nARG: (point) by ={...}\nARG: (int) n = 3\n"
    assert.deepStrictEqual(Symbols.argumentNames(args), ["record", "by", "n"])
    const declared = "ARG: loops.c:35:51: (int) value = 3\nLOCAL: loops.c:39:9: (int) value = 7\n"
    assert.deepStrictEqual(Variables.declaredAt(declared), ["loops.c:35", "loops.c:39"])
  })
})
