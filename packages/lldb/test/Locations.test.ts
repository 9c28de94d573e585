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

  it("names structures among the arguments, and where variables of one name are declared", () => {
    const args = "ARG: (const record *) record = 0x00007fffffffe660{...}\nARG: (point) by ={...}\nARG: (int) n = 3\n"
    assert.deepStrictEqual(Symbols.argumentNames(args), ["record", "by", "n"])
    const declared = "ARG: loops.c:35:51: (int) value = 3\nLOCAL: loops.c:39:9: (int) value = 7\n"
    assert.deepStrictEqual(Variables.declaredAt(declared), ["loops.c:35", "loops.c:39"])
  })
})
