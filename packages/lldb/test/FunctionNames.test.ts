// Functions that begin with a text. The output is that of LLDB 19 for a program of gcc 12.
import { assert, it } from "@effect/vitest"
import { Symbols } from "../src/index.ts"

const output = `5 matches found in /app/cart:
        Address: cart[0x0000000000002a44] (cart.PT_LOAD[1]..text + 2052)
        Summary: cart\`Cart::discounted() const at cart.cpp:35:7
        Address: cart[0x000000000000298c] (cart.PT_LOAD[1]..text + 1868)
        Summary: cart\`Cart::total() const at cart.cpp:27:10
        Address: cart[0x0000000000003012] (cart.PT_LOAD[1]..text + 3538)
        Summary: cart\`shop::Cart<int>::total(int) at cart.cpp:28:10
        Address: cart[0x0000000000002ec2] (cart.PT_LOAD[1]..text + 3202)
        Summary: cart\`std::tuple<Cart*, std::default_delete<Cart>>::tuple<true, true>() at tuple:1049:2
        Address: cart[0x0000000000002329] (cart.PT_LOAD[1]..text + 233)
        Summary: cart\`main at cart.cpp:43:29
`

it("finds functions by the beginning of their names, and of the last parts of them", () => {
  const names = Symbols.functionNames(output)
  assert.deepStrictEqual(names, ["Cart::discounted", "Cart::total", "main", "shop::Cart::total", "std::tuple::tuple"])
  for (const [start, found] of [
    ["t", ["total"]],
    ["disc", ["discounted"]],
    ["Cart::t", ["Cart::total"]],
    ["sh", ["shop::Cart::total"]],
    ["std::t", ["std::tuple::tuple"]],
    ["m", ["main"]],
    ["x", []],
    ["", names]
  ] as const)
    assert.deepStrictEqual(Symbols.beginningWith(names, start), found, start)
})

it("asks LLDB for the last part of a name, which follows a digit in a mangled name", () => {
  assert.strictEqual(Symbols.beginningPattern("main"), "(^|::|[0-9])main")
  assert.strictEqual(Symbols.beginningPattern("shop::Cart::to"), "(^|::|[0-9])to")
  assert.strictEqual(Symbols.beginningPattern("Cart::~Ca"), "(^|::|[0-9])Ca")
  for (const [start, mangled] of [
    ["Cart::t", "_ZNK4Cart5totalEv"],
    ["main", "main"],
    ["Cart::~Ca", "_ZN4CartD2Ev"]
  ] as const)
    assert.match(mangled, new RegExp(Symbols.beginningPattern(start)))
})
