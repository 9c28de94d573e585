import { assert, describe, it } from "@effect/vitest"
import * as Characters from "../../src/console/lldb/Characters.ts"

describe("a character", () => {
  it.each([
    ["'A'", "char", "65 'A'"],
    ["'\\x83'", "uint8_t", "131 '\\x83'"],
    ["'\\x83'", "const unsigned char", "131 '\\x83'"],
    ["'\\xfb'", "int8_t", "-5 '\\xfb'"],
    ["'\\xfb'", "signed char", "-5 '\\xfb'"],
    ["'\\0'", "char", "0 '\\0'"],
    ["'\\n'", "u8", "10 '\\n'"],
    ["'\\''", "char", "39 '\\''"],
    ["'''", "char", "39 '''"],
    // The type does not tell the sign.
    ["'\\xc8'", "char", "'\\xc8'"],
    ["'\\xc8'", "flag_t", "'\\xc8'"],
    // The formatters tell it.
    ["'\\xc8' -56", "char", "-56 '\\xc8'"],
    ["'\\xc8' 200", "flag_t", "200 '\\xc8'"],
    // Text, and characters of more than a byte.
    ['"A"', "char [2]", '"A"'],
    ["'text'", "str", "'text'"],
    ["u'x'", "char16_t", "120 u'x'"],
    ["U+0061 U+0061 u'a'", "char16_t", "97 u'a'"],
    ["U+0x1f600 U'😀'", "char32_t", "128512 U'😀'"],
    ["w\\0\\0\\0 L'w'", "wchar_t", "119 L'w'"],
    ["\\n\\0\\0\\0 L'\\n'", "wchar_t", "10 L'\\n'"],
    ["'\\q'", "char", "'\\q'"]
  ])("%s of type %s is shown as %s", (text, type, expected) => {
    assert.strictEqual(Characters.withNumber(text, type), expected)
  })
})
