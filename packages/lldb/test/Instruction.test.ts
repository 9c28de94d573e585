import { assert, describe, it } from "@effect/vitest"
import { Instruction } from "../src/index.ts"

describe("an instruction", () => {
  it("is parsed from the marked line of a disassembly", () => {
    const text = "app`main:\n->  0x555555555168 <+4>: movl   $0x0, -0x4(%rbp)\n"
    assert.deepStrictEqual(Instruction.parse(text), { address: "0x555555555168", text: "movl $0x0, -0x4(%rbp)" })
    assert.deepStrictEqual(Instruction.parse("->  0x00007FFF10: nop"), { address: "0x7fff10", text: "nop" })
  })

  it("is not found if no line is marked", () => {
    assert.isUndefined(Instruction.parse("    0x10 <+0>: nop\n"))
    assert.isUndefined(Instruction.parse("error: Command requires a process which is currently stopped.\n"))
  })
})

describe("a returned value", () => {
  it("is parsed with its type and without LLDB's variable for it", () => {
    const text =
      "thread #1: tid = 7, 0x1 app`main at app.c:24:7, name = 'app', stop reason = step out\nReturn value: (int) $0 = 60\n\n"
    assert.deepStrictEqual(Instruction.returned(text), { type: "int", value: "60" })
  })

  it("is one line if it is a structure", () => {
    const text = "thread #1\nReturn value: (pair) $1 = {\n  a = 1\n  b = 2\n}\n"
    assert.deepStrictEqual(Instruction.returned(text), { type: "pair", value: "{ a = 1 b = 2 }" })
  })

  it("is the summary of a value that has one", () => {
    const text =
      "thread #1\nReturn value: (std::vector<int>) $1 = 2 {0,1} {\n  _M_impl = {\n    _M_start = 0x1\n  }\n}\n"
    assert.deepStrictEqual(Instruction.returned(text), { type: "std::vector<int>", value: "2 {0,1}" })
  })

  it("is not found if the function returned nothing", () => {
    assert.isUndefined(Instruction.returned("thread #1: tid = 7, stop reason = step out\n"))
  })
})
