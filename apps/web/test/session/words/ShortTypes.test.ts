import { assert, describe, it } from "@effect/vitest"
import { shortType } from "../../../src/session/words/ShortTypes.ts"

describe("a type beside a value", () => {
  it("has neither qualifiers nor namespaces", () => {
    assert.strictEqual(shortType("const std::vector<shop::Item> &"), "vector<Item> &")
    assert.strictEqual(shortType("const struct item *"), "item *")
    assert.strictEqual(shortType("std::variant<int, std::basic_string<char> >"), "variant<int, string>")
    assert.strictEqual(shortType("alloc::vec::Vec<core::option::Option<u8>>"), "Vec<Option<u8>>")
    assert.strictEqual(shortType("(anonymous namespace)::State"), "State")
  })

  it("is whole if it has none of them", () => {
    for (const type of [
      "unsigned int",
      "char[16]",
      "*main.Item",
      "map[string]int",
      "structure",
      "int (*)(const char *)"
    ])
      assert.strictEqual(shortType(type), type)
  })
})
